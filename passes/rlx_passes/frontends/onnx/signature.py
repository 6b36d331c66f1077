"""The inputs of a model: which sizes they have, and which of them are always one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from rlx_dialect.dtypes import element_type, numpy_dtype
from rlx_passes.core.errors import RlxError, did_you_mean
from rlx_passes.frontends.onnx.model import Array, GraphDef, ValueDef


@dataclass(frozen=True)
class Input:
    """An input with a name or a size for each dim; `value` is what it always is."""

    name: str
    dtype: str
    dims: tuple[int | str, ...]
    value: Array | None = None

    @property
    def shape(self) -> list[int | None]:
        """The dims as the builder takes them."""
        return [dim if isinstance(dim, int) else None for dim in self.dims]


def inputs_of(graph: GraphDef, sizes: Mapping[str, int], values: Mapping[str, float]) -> Iterator[Input]:
    """
    The inputs that the model does not store. A dim without a name is called `NAME_AXIS` after its input.

    `sizes` gives dims a size, `values` one-element inputs theirs. Raises `RlxError`, also for an absent name.
    """
    given = [_named(each) for each in graph.inputs if each.name not in graph.initializers]
    _check_words("dim", sizes, {dim for each in given for dim in each.dims if isinstance(dim, str)})
    _check_words("input", values, {each.name for each in given})
    seen: set[str] = set()
    for each in given:
        if each.name in seen:
            raise RlxError(f"two inputs are called '{each.name}'")
        seen.add(each.name)
        dims = tuple(sizes.get(dim, dim) if isinstance(dim, str) else dim for dim in each.dims)
        if any(isinstance(dim, int) and dim < 0 for dim in dims):
            raise RlxError(f"input '{each.name}' has a negative dim: {list(dims)}")
        value = _value(each, dims, values[each.name]) if each.name in values else None
        yield Input(each.name, each.dtype, dims, value)


def _named(given: ValueDef) -> Input:
    if given.dtype is None or given.dims is None:
        raise RlxError(f"the model does not say the element type and the rank of input '{given.name}'")
    dims = tuple(f"{given.name}_{axis}" if dim is None else dim for axis, dim in enumerate(given.dims))
    return Input(given.name, given.dtype, dims)


def _value(given: Input, dims: tuple[int | str, ...], value: float) -> Array:
    shape = [dim for dim in dims if isinstance(dim, int)]
    if len(shape) != len(dims) or np.prod(shape) != 1:
        raise RlxError(f"input '{given.name}' is set to {value}, but has dims {list(dims)}, not one element")
    dtype = numpy_dtype(element_type(given.dtype))
    if dtype.kind in "iub" and np.array(value).astype(dtype) != value:
        raise RlxError(f"input '{given.name}' is of {given.dtype}, which has no {value}")
    return np.array(value).astype(dtype).reshape(shape)


def _check_words(what: str, given: Mapping[str, object], known: set[str]) -> None:
    for word in given:
        if word not in known:
            there = ", ".join(sorted(known)) or "none"
            raise RlxError(f"no {what} '{word}'{did_you_mean(word, known)} (there are {there})")
