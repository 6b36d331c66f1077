"""Gathers and scatters: which element of the input each element of the other side belongs to, then one assignment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import ScatterReduction, word_of
from rlx_dialect.ops import GatherElementsOp, GatherNdOp, ScatterAddOp, ScatterElementsOp, ScatterNdOp
from rlx_dialect.reference.numeric import Array, check_indices, rounded, wide

REDUCTIONS = {
    ScatterReduction.ADD: np.add,
    ScatterReduction.MUL: np.multiply,
    ScatterReduction.MAX: np.maximum,
    ScatterReduction.MIN: np.minimum,
}


def put(target: Array, places: tuple[Array, ...], updates: Array, reduction: ScatterReduction) -> None:
    """Combine `updates` with the elements at `places`, one after the other."""
    if reduction is ScatterReduction.NONE:
        target[places] = updates
    else:
        REDUCTIONS[reduction].at(target, places, updates)


def along(values: Array, axes: Sequence[int], rank: int) -> Array:
    """`values` with its dims at `axes` of `rank` dims, so that it broadcasts."""
    dims = [1] * rank
    for axis, size in zip(axes, values.shape):
        dims[axis] = size
    return values.reshape(dims)


def from_start(indices: Array, size: int, name: str) -> Array:
    """Indices that count from the end as ones from the start. Raises `IndexError` outside `[-size, size)`."""
    indices = indices.astype(np.int64)
    counted = np.where(indices < 0, indices + size, indices)
    check_indices(counted, size, name)
    return counted


def vectors(indices: Array, dims: tuple[int, ...], name: str) -> tuple[Array, ...]:
    """The entries of the last dim, each counted from the start of its dim."""
    return tuple(from_start(indices[..., i], dims[i], name) for i in range(indices.shape[-1]))


def element_places(indices: Array, dims: tuple[int, ...], axis: int, name: str) -> tuple[Array, ...]:
    """The place of each element of `indices`, with the index itself at `axis`."""
    sizes: tuple[int, ...] = indices.shape
    places = [along(np.arange(size), [i], len(sizes)) for i, size in enumerate(sizes)]
    places[axis] = from_start(indices, dims[axis], name)
    return tuple(places)


@register_impls
class IndexingFunctions(InterpreterFunctions):
    @impl(GatherNdOp)
    def gather_nd(self, interpreter: Interpreter, op: GatherNdOp, args: tuple[Any, ...]):
        x, indices = args
        batch = op.batch_dims.value.data
        sizes, depth = x.shape[:batch], indices.shape[-1]
        rows = math.prod(sizes)
        picked = indices.reshape(rows, *indices.shape[batch:-1], depth)
        table = x.reshape(rows, *x.shape[batch:])
        row = np.arange(rows).reshape(rows, *(1,) * (picked.ndim - 2))
        result = table[row, *vectors(picked, table.shape[1:], op.name)]
        dims = (*indices.shape[:-1], *x.shape[batch + depth :])
        return (np.broadcast_to(result, (rows, *dims[batch:])).reshape(dims),)

    @impl(GatherElementsOp)
    def gather_elements(self, interpreter: Interpreter, op: GatherElementsOp, args: tuple[Any, ...]):
        x, indices = args
        return (x[element_places(indices, x.shape, op.axis.value.data, op.name)],)

    @impl(ScatterAddOp)
    def scatter_add(self, interpreter: Interpreter, op: ScatterAddOp, args: tuple[Any, ...]):
        x, indices, updates = args
        axis = op.axis.value.data % x.ndim
        check_indices(indices, x.shape[axis], op.name)
        target = np.moveaxis(wide(x), axis, 0).copy()
        moved = np.moveaxis(wide(updates), range(axis, axis + indices.ndim), range(indices.ndim))
        np.add.at(target, indices, moved)
        return (rounded(np.moveaxis(target, 0, axis), op.result),)

    @impl(ScatterNdOp)
    def scatter_nd(self, interpreter: Interpreter, op: ScatterNdOp, args: tuple[Any, ...]):
        x, indices, updates = args
        # A leading dim of 1, so that an index of no entries has something to point to.
        target = wide(x)[None].copy()
        places = (np.zeros(indices.shape[:-1], np.int64), *vectors(indices, x.shape, op.name))
        put(target, places, wide(updates), word_of(op.reduction, ScatterReduction))
        return (rounded(target[0], op.result),)

    @impl(ScatterElementsOp)
    def scatter_elements(self, interpreter: Interpreter, op: ScatterElementsOp, args: tuple[Any, ...]):
        x, indices, updates = args
        target = wide(x).copy()
        places = element_places(indices, x.shape, op.axis.value.data, op.name)
        put(target, places, wide(updates), word_of(op.reduction, ScatterReduction))
        return (rounded(target, op.result),)
