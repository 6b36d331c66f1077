"""Ops that place elements elsewhere, and those that make a tensor of its dims alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import Triangle
from rlx_dialect.ops import (
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    FullOp,
    IotaOp,
    PadOp,
    ReverseOp,
    RollOp,
    SliceOp,
    TileOp,
    TriluOp,
)
from rlx_dialect.reference.numeric import rounded
from rlx_dialect.reference.shape import dims_of
from rlx_dialect.shape_rules.placement import check_slice, pad, sources
from rlx_dialect.shapes import Shaped, ShapeError, shaped


def clamped_slices(starts: tuple[Any, ...], dims: tuple[int, ...], lengths: tuple[int, ...]) -> tuple[slice, ...]:
    """The slices of `lengths` nearest to `starts` that lie inside. Raises `ShapeError` for one longer than its dim."""
    for axis, (size, length) in enumerate(zip(dims, lengths)):
        if length > size:
            raise ShapeError(f"dim {axis} has {size} elements, and {length} are taken of it")
    first = [min(max(int(start), 0), size - length) for start, size, length in zip(starts, dims, lengths)]
    return tuple(slice(start, start + length) for start, length in zip(first, lengths))


@register_impls
class MovementFunctions(InterpreterFunctions):
    @impl(SliceOp)
    def slice(self, interpreter: Interpreter, op: SliceOp, args: tuple[Any, ...]):
        x = args[0]
        lengths = dims_of(op.result, args[1:])
        starts, steps = op.starts.get_values(), op.steps.get_values()
        element = shaped(op.input).element
        check_slice(Shaped(x.shape, element), starts, steps, Shaped(tuple(lengths), element))
        for axis, (start, step, length) in enumerate(zip(starts, steps, lengths)):
            x = x.take(start + step * np.arange(length), axis)
        return (x,)

    @impl(DynamicSliceOp)
    def dynamic_slice(self, interpreter: Interpreter, op: DynamicSliceOp, args: tuple[Any, ...]):
        x, *starts = args
        # A scalar stays an array.
        return (np.asarray(x[clamped_slices(tuple(starts), x.shape, op.lengths.get_values())]),)

    @impl(DynamicUpdateSliceOp)
    def dynamic_update_slice(self, interpreter: Interpreter, op: DynamicUpdateSliceOp, args: tuple[Any, ...]):
        x, update, *starts = args
        result = x.copy()
        result[clamped_slices(tuple(starts), x.shape, update.shape)] = update
        return (result,)

    @impl(ReverseOp)
    def reverse(self, interpreter: Interpreter, op: ReverseOp, args: tuple[Any, ...]):
        return (np.flip(args[0], op.axes.get_values()),)

    @impl(PadOp)
    def pad(self, interpreter: Interpreter, op: PadOp, args: tuple[Any, ...]):
        x, mode = args[0], op.padding
        lows, highs = op.low.get_values(), op.high.get_values()
        padded = pad(Shaped(x.shape, shaped(op.input).element), lows, highs, mode)
        if op.value is None:
            for axis, (low, high) in enumerate(zip(lows, highs)):
                x = x.take(np.array(sources(x.shape[axis], low, high, mode), np.int64), axis)
            return (x,)
        kept = x
        for axis, (size, low, high) in enumerate(zip(x.shape, lows, highs)):
            kept = kept.take(np.arange(max(-low, 0), size + min(high, 0)), axis)
        result = np.full(padded.dims, np.asarray(op.value.value.data).astype(x.dtype))
        result[tuple(slice(max(low, 0), max(low, 0) + size) for size, low in zip(kept.shape, lows))] = kept
        return (result,)

    @impl(TileOp)
    def tile(self, interpreter: Interpreter, op: TileOp, args: tuple[Any, ...]):
        return (np.tile(args[0], op.repeats.get_values()),)

    @impl(RollOp)
    def roll(self, interpreter: Interpreter, op: RollOp, args: tuple[Any, ...]):
        return (np.roll(args[0], op.shifts.get_values(), op.axes.get_values()),)

    @impl(TriluOp)
    def trilu(self, interpreter: Interpreter, op: TriluOp, args: tuple[Any, ...]):
        x = args[0]
        rows, columns = np.ogrid[: x.shape[-2], : x.shape[-1]]
        distance, diagonal = columns - rows, op.diagonal.value.data
        kept = distance >= diagonal if op.triangle is Triangle.UPPER else distance <= diagonal
        return (np.where(kept, x, np.zeros((), x.dtype)),)

    @impl(FullOp)
    def full(self, interpreter: Interpreter, op: FullOp, args: tuple[Any, ...]):
        return (rounded(np.full(dims_of(op.result, args), op.value.value.data), op.result),)

    @impl(IotaOp)
    def iota(self, interpreter: Interpreter, op: IotaOp, args: tuple[Any, ...]):
        dims = dims_of(op.result, args)
        axis = op.axis.value.data % len(dims)
        column = np.arange(dims[axis]).reshape([-1 if i == axis else 1 for i in range(len(dims))])
        return (rounded(np.broadcast_to(column, dims), op.result),)
