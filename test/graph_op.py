"""Programs of one or a few calls of `Graph`, run on arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.reference import Array, run

NAMES: dict[Any, str] = {numpy_dtype(dtype.type): name for name, dtype in DTYPES.items()}

Made = Tensor | Sequence[Tensor]
Build = (
    Callable[[Graph, Tensor], Made]
    | Callable[[Graph, Tensor, Tensor], Made]
    | Callable[[Graph, Tensor, Tensor, Tensor], Made]
    | Callable[[Graph, Tensor, Tensor, Tensor, Tensor], Made]
    | Callable[[Graph, Tensor, Tensor, Tensor, Tensor, Tensor], Made]
)
"""Takes a graph and a tensor for each array."""


def program_of(build: Build, *arrays: Array) -> ModuleOp:
    """A function `main` of arguments `x0`, `x1`, .. that fit the arrays, which returns `build`'s as `y0`, `y1`, .."""
    g = Graph("main")
    tensors = [g.input(f"x{i}", array.shape, NAMES[array.dtype]) for i, array in enumerate(arrays)]
    made = cast("Callable[..., Made]", build)(g, *tensors)
    for i, tensor in enumerate([made] if isinstance(made, Tensor) else made):
        g.output(f"y{i}", tensor)
    return g.module()


def compute_all(build: Build, *arrays: Array) -> list[Array]:
    """What `build` makes of the arrays."""
    return list(run(program_of(build, *arrays), "main", arrays).values())


def compute(build: Build, *arrays: Array) -> Array:
    """The one tensor that `build` makes of the arrays."""
    (result,) = compute_all(build, *arrays)
    return result
