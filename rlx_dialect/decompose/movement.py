"""Repetitions, turns, triangles, mirrored pads, fills and bounds in plain ops."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import i64

from rlx_dialect.attributes import BinaryKind, CompareKind, PadMode, Triangle
from rlx_dialect.constants import integers, splat
from rlx_dialect.decompose.plain import Decomposition, Plain
from rlx_dialect.ops import (
    ClampOp,
    CompareOp,
    ConcatOp,
    ExpandOp,
    FullOp,
    GatherOp,
    IotaOp,
    NarrowOp,
    PadOp,
    ReshapeOp,
    RollOp,
    StopGradientOp,
    TileOp,
    TriluOp,
    WhereOp,
)
from rlx_dialect.placement import sources
from rlx_dialect.shapes import DYNAMIC, Shaped, normalize_axes, shaped


def clamp(op: ClampOp) -> Decomposition:
    to = Plain()
    raised = to.binary(BinaryKind.MAX, op.input, to.scalar(op.low.value.data, op.input))
    return to.done(to.binary(BinaryKind.MIN, raised, to.scalar(op.high.value.data, op.input)))


def stop_gradient(op: StopGradientOp) -> Decomposition:
    return Plain().done(op.input)


def full(op: FullOp) -> Decomposition:
    to = Plain()
    result = shaped(op.result)
    if result.static:
        return to.done(to.add(ConstantOp(splat(result.type, op.value.value.data))).result)
    number = to.add(ConstantOp(splat(Shaped((), result.element).type, op.value.value.data))).result
    return to.done(to.add(ExpandOp(number, result.dims, op.sizes)).result)


def tile(op: TileOp) -> Decomposition | None:
    """A dim of 1 before each axis, stretched, and both made one."""
    to = Plain()
    value, repeats = shaped(op.input), op.repeats.get_values()
    if not value.static:
        return None
    apart = [d for size in value.dims for d in (1, size)]
    stretched = [d for size, n in zip(value.dims, repeats) for d in (n, size)]
    copies = to.add(ExpandOp(to.add(ReshapeOp(op.input, apart)).result, stretched)).result
    return to.done(to.add(ReshapeOp(copies, shaped(op.result).dims)).result)


def roll(op: RollOp) -> Decomposition | None:
    """The end of each axis comes first."""
    to = Plain()
    dims, value = shaped(op.input).dims, op.input
    for axis, shift in zip(normalize_axes(op.axes.get_values(), len(dims)), op.shifts.get_values()):
        size = dims[axis]
        if size == DYNAMIC:
            return None
        first = shift % size if size else 0
        if not first:
            continue
        end = to.add(NarrowOp(value, axis=axis, start=size - first, length=first)).result
        start = to.add(NarrowOp(value, axis=axis, start=0, length=size - first)).result
        value = to.add(ConcatOp([end, start], axis=axis)).result
    return to.done(value)


def trilu(op: TriluOp) -> Decomposition:
    to = Plain()
    value = shaped(op.input)
    height, width = value.dims[-2:]
    heights = [to.size(op.input, -2)] if height == DYNAMIC else []
    widths = [to.size(op.input, -1)] if width == DYNAMIC else []
    rows = to.add(IotaOp(Shaped((height, 1), i64), heights, axis=0)).result
    columns = to.add(IotaOp(Shaped((1, width), i64), widths, axis=1)).result
    kind = CompareKind.GE if op.triangle is Triangle.UPPER else CompareKind.LE
    distance = to.minus(columns, rows)
    kept = to.add(CompareOp(kind, distance, to.scalar(op.diagonal.value.data, distance))).result
    return to.done(to.add(WhereOp(kept, op.input, to.scalar(0, op.input))).result)


def pad(op: PadOp) -> Decomposition | None:
    """Modes that repeat entries pick them by known indices; None for numbers, which every target puts there itself."""
    to = Plain()
    dims, value = shaped(op.input).dims, op.input
    if op.padding is PadMode.CONSTANT:
        return None
    for axis, (size, low, high) in enumerate(zip(dims, op.low.get_values(), op.high.get_values())):
        if not low and not high:
            continue
        if size == DYNAMIC:
            return None
        picked = to.add(ConstantOp(integers(sources(size, low, high, op.padding)))).result
        value = to.add(GatherOp(value, picked, axis=axis)).result
    return to.done(value)
