"""Gathers and scatters with StableHLO's dimension numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import ScatterReduction, word_of
from rlx_dialect.ops import GeneralGatherOp, GeneralScatterOp
from rlx_dialect.reference.indexing import along, put
from rlx_dialect.reference.numeric import Array, rounded, wide
from rlx_dialect.shape_rules.indexing import GatherNumbers


def places(
    indices: Array, numbers: GatherNumbers, dims: tuple[int, ...], other: tuple[int, ...], limits: Sequence[int] | None
) -> list[Array]:
    """
    For each dim of the input the entry of each element of the other side; the arrays broadcast to its dims `other`.

    `limits` are the last entries that a slice may start at; without them starts are taken as they are.
    """
    rank, at = len(other), numbers.vector_dim
    entries = np.moveaxis(indices, at, -1) if at < indices.ndim else indices[..., None]
    batch = [axis for axis in range(rank) if axis not in numbers.offset]
    kept = [axis for axis in range(len(dims)) if axis not in (*numbers.collapsed, *numbers.input_batching)]
    result: list[Array] = []
    for axis in range(len(dims)):
        if axis in numbers.input_batching:
            source = numbers.indices_batching[numbers.input_batching.index(axis)]
            to = batch[source - (source > at)]
            result.append(along(np.arange(other[to]), [to], rank))
            continue
        start = np.zeros((1,) * rank, np.int64)
        if axis in numbers.start_map:
            start = along(entries[..., numbers.start_map.index(axis)].astype(np.int64), batch, rank)
        if limits is not None:
            start = np.clip(start, 0, limits[axis])
        if axis in kept:
            to = numbers.offset[kept.index(axis)]
            start = start + along(np.arange(other[to]), [to], rank)
        result.append(start)
    return result


@register_impls
class GeneralIndexingFunctions(InterpreterFunctions):
    @impl(GeneralGatherOp)
    def general_gather(self, interpreter: Interpreter, op: GeneralGatherOp, args: tuple[Any, ...]):
        x, indices = args
        numbers, lengths = op.numbers, op.slice_sizes.get_values()
        batch = iter(d for axis, d in enumerate(indices.shape) if axis != numbers.vector_dim)
        dropped = (*numbers.collapsed, *numbers.input_batching)
        walked = iter(length for axis, length in enumerate(lengths) if axis not in dropped)
        rank = len(numbers.offset) + indices.ndim - (numbers.vector_dim < indices.ndim)
        dims = tuple(next(walked) if i in numbers.offset else next(batch) for i in range(rank))
        last = [size - length for size, length in zip(x.shape, lengths)]
        return (np.broadcast_to(x[tuple(places(indices, numbers, x.shape, dims, last))], dims),)

    @impl(GeneralScatterOp)
    def general_scatter(self, interpreter: Interpreter, op: GeneralScatterOp, args: tuple[Any, ...]):
        x, indices, updates = args[0], args[1], wide(args[2])
        found = places(indices, op.numbers.as_gather, x.shape, updates.shape, None)
        inside = np.ones(updates.shape, np.bool_)
        for place, size in zip(found, x.shape):
            inside &= (place >= 0) & (place < size)
        chosen = [np.broadcast_to(place, updates.shape)[inside] for place in found]
        # A leading dim of 1, so that an input of rank 0 has something to index.
        target = wide(x)[None].copy()
        first = np.zeros(np.count_nonzero(inside), np.int64)
        put(target, (first, *chosen), updates[inside], word_of(op.reduction, ScatterReduction))
        return (rounded(target[0], op.result),)
