"""Random arguments for a function whose sizes and indices nobody has named."""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.shapes import DYNAMIC, of_type
from rlx_dialect.signature import arguments_of, dims_of

SIZES = 64
"""As many ways to bind the sizes that are open to numbers are tried."""


class Draw(NamedTuple):
    """How arguments are drawn: seed, floats positive or of both signs, signed integers from `lowest` to `highest`."""

    seed: int
    positive: bool
    lowest: int = -4
    highest: int = 4


DRAWS = (
    (Draw(0, positive=False), Draw(0, positive=False, lowest=0, highest=1)),
    (Draw(1, positive=True), Draw(1, positive=True, lowest=0, highest=1)),
)
"""A function runs once per row, with the first draw it takes. Indices must lie in their table, hence small ones."""


def random_arguments(func: FuncOp, draw: Draw) -> Iterator[dict[str, Any]]:
    """Arguments by name, one set for each way to bind open sizes to small numbers, one number for all of them first."""
    bindings, named = arguments_of(func), dims_of(func)
    shapes = [_shape(i, binding.type, names) for i, (binding, names) in enumerate(zip(bindings, named))]
    flat = [size for shape in shapes for size in shape]
    unknown = list(dict.fromkeys(size for size in flat if isinstance(size, str)))
    candidates = list(dict.fromkeys((3, *(size for size in flat if isinstance(size, int) and size > 1))))
    combinations = islice(product(candidates, repeat=len(unknown)), SIZES)
    for numbers in sorted(combinations, key=lambda numbers: len(set(numbers))):
        size_of, rng = dict(zip(unknown, numbers)), np.random.default_rng(draw.seed)
        sizes = [[size if isinstance(size, int) else size_of[size] for size in shape] for shape in shapes]
        yield {binding.name: _argument(binding.type, shape, draw, rng) for binding, shape in zip(bindings, sizes)}


def _shape(index: int, type: Attribute, names: Sequence[str | int] | None) -> list[str | int]:
    """The sizes of an argument, each a number or a name for one: a name of its own, or one that several share."""
    if isinstance(type, IndexType):
        return [f"{index}"]
    if not isinstance(type, TensorType):
        return []
    dims = of_type(cast("TensorType[Attribute]", type)).dims
    return [(names[i] if names else f"{index}.{i}") if d == DYNAMIC else d for i, d in enumerate(dims)]


def _argument(type: Attribute, shape: Sequence[int], draw: Draw, rng: np.random.Generator) -> Any:
    if isinstance(type, IndexType):
        return shape[0]
    if not isinstance(type, TensorType):
        return bool(rng.random() < 0.5)
    dtype = numpy_dtype(cast("TensorType[Attribute]", type).element_type)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else draw.lowest, draw.highest + 1, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    values = rng.standard_normal(shape)
    return (np.abs(values) + 0.1 if draw.positive else values).astype(dtype)
