"""Repetitions, turns, triangles, mirrored pads, fills and bounds in plain ops."""

from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, PadMode, Triangle
from rlx_dialect.constants import integers, splat
from rlx_dialect.decompose.cumulative import numbers
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
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
from rlx_dialect.shape_rules.placement import sources
from rlx_dialect.shapes import DYNAMIC, Shaped, normalize_axes, shaped


@plain_form(ClampOp)
def clamp(op: ClampOp) -> Decomposition:
    to = Plain()
    raised = to.binary(BinaryKind.MAX, op.input, to.scalar(op.low.value.data, op.input))
    return to.done(to.binary(BinaryKind.MIN, raised, to.scalar(op.high.value.data, op.input)))


@plain_form(StopGradientOp)
def stop_gradient(op: StopGradientOp) -> Decomposition:
    return Plain().done(op.input)


@plain_form(FullOp)
def full(op: FullOp) -> Decomposition:
    to = Plain()
    result = shaped(op.result)
    if result.static:
        return to.done(to.add(ConstantOp(splat(result.type, op.value.value.data))).result)
    number = to.add(ConstantOp(splat(Shaped((), result.element).type, op.value.value.data))).result
    return to.done(to.add(ExpandOp(number, result.dims, op.sizes)).result)


@plain_form(TileOp)
def tile(op: TileOp) -> Decomposition:
    """A dim of 1 before each axis, stretched, and both made one."""
    to = Plain()
    value, repeats = shaped(op.input), op.repeats.get_values()
    sizes = to.sizes(op.input)
    apart = [d for size in value.dims for d in (1, size)]
    stretched = [d for size, n in zip(value.dims, repeats) for d in (n, size)]
    copies = to.add(ExpandOp(to.add(ReshapeOp(op.input, apart, sizes)).result, stretched, sizes)).result
    counts = [to.index(n) for size, n in zip(value.dims, repeats) if size == DYNAMIC]
    products = [to.add(MuliOp(size, n)).result for size, n in zip(sizes, counts)]
    return to.done(to.add(ReshapeOp(copies, shaped(op.result).dims, products)).result)


@plain_form(RollOp)
def roll(op: RollOp) -> Decomposition:
    """The end of each axis comes first; where only a run knows the size, it is picked by index."""
    to = Plain()
    dims, value = shaped(op.input).dims, op.input
    for axis, shift in zip(normalize_axes(op.axes.get_values(), len(dims)), op.shifts.get_values()):
        size = dims[axis]
        if size == DYNAMIC:
            value = _turned(to, value, axis, shift)
            continue
        first = shift % size if size else 0
        if not first:
            continue
        end = to.add(NarrowOp(value, axis=axis, start=size - first, length=first)).result
        start = to.add(NarrowOp(value, axis=axis, start=0, length=size - first)).result
        value = to.add(ConcatOp([end, start], axis=axis)).result
    return to.done(value)


def _turned(to: Plain, value: SSAValue, axis: int, shift: int) -> SSAValue:
    """Each entry `shift` places further on along an axis whose size only a run knows."""
    places = numbers(to, value, axis)
    source = _around(to, to.minus(places, to.scalar(shift, places)), to.number(to.size(value, axis)))
    return to.add(GatherOp(value, source, axis=axis)).result


def _around(to: Plain, places: SSAValue, size: SSAValue) -> SSAValue:
    """Integers as places in `[0, size)`."""
    rest = to.binary(BinaryKind.MOD, places, size)
    return to.binary(BinaryKind.MOD, to.plus(rest, size), size)


@plain_form(TriluOp)
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


@plain_form(PadOp)
def pad(op: PadOp) -> Decomposition:
    """Repeated entries are picked by index, as is what stays of an axis; a number before and after is a constant."""
    to = Plain()
    value = op.input
    for axis, (low, high) in enumerate(zip(op.low.get_values(), op.high.get_values())):
        size = shaped(value).dims[axis]
        if not low and not high:
            continue
        if size == DYNAMIC and (op.value is None or min(low, high) < 0):
            value = _picked(to, value, axis, low, high, op)
        elif op.value is None:
            picked = to.add(ConstantOp(integers(sources(size, low, high, op.padding)))).result
            value = to.add(GatherOp(value, picked, axis=axis)).result
        else:
            value = _between(to, value, axis, low, high, op.value.value.data)
    return to.done(value)


def _picked(to: Plain, value: SSAValue, axis: int, low: int, high: int, op: PadOp) -> SSAValue:
    """
    What `op` makes of an axis whose size only a run knows. A number is an entry of its own, behind all others.
    """
    length = to.size(value, axis)
    whole = to.add(AddiOp(length, to.index(low + high))).result
    size = to.number(length)
    iota = to.add(IotaOp(Shaped((DYNAMIC,), i64), [whole], axis=0)).result
    places = to.minus(iota, to.scalar(low, iota))
    zero, one, two = (to.scalar(number, iota) for number in (0, 1, 2))
    last = to.minus(size, one)
    match op.padding:
        case PadMode.CONSTANT:
            assert op.value is not None
            dims = shaped(value).dims
            filler = _filled(
                to, shaped(value).with_dims((*dims[:axis], 1, *dims[axis + 1 :])), op.value.value.data, value
            )
            value = to.add(ConcatOp([value, filler], axis=axis)).result
            behind = to.where(to.compare(CompareKind.LT, places, zero), size, places)
            places = to.binary(BinaryKind.MIN, behind, size)
        case PadMode.REFLECT:
            period = to.binary(BinaryKind.MAX, to.times(last, two), one)
            turned = to.binary(BinaryKind.MOD, to.activated(Activation.ABS, places), period)
            places = to.binary(BinaryKind.MIN, turned, to.minus(period, turned))
        case PadMode.CIRCULAR:
            places = _around(to, places, size)
        case PadMode.REPLICATE:
            places = to.binary(BinaryKind.MAX, to.binary(BinaryKind.MIN, places, last), zero)
    return to.add(GatherOp(value, places, axis=axis)).result


def _filled(to: Plain, shape: Shaped, number: float, like: SSAValue) -> SSAValue:
    """A constant, whose sizes that only a run knows are those of `like`."""
    if shape.static:
        return to.add(ConstantOp(splat(shape.type, number))).result
    sizes = [to.size(like, axis) for axis, size in enumerate(shape.dims) if size == DYNAMIC]
    return to.add(ExpandOp(to.scalar(number, like), shape.dims, sizes)).result


def _between(to: Plain, value: SSAValue, axis: int, low: int, high: int, number: float) -> SSAValue:
    """`value` with `low` numbers before and `high` after `axis`; negative ones take away."""
    dims = shaped(value).dims
    parts: list[SSAValue] = [value]
    if dims[axis] != DYNAMIC:
        first, kept = max(-low, 0), dims[axis] + min(low, 0) + min(high, 0)
        if kept < 0:
            # More is taken away at one end than there is; all that stays is numbers.
            low, high, first, kept = max(low, 0) + max(high, 0) + kept, 0, 0, 0
        parts = [to.add(NarrowOp(value, axis=axis, start=first, length=kept)).result]
    for length, at in ((low, 0), (high, len(parts) + 1)):
        if length > 0:
            shape = shaped(value).with_dims((*dims[:axis], length, *dims[axis + 1 :]))
            parts.insert(at, _filled(to, shape, number, value))
    return to.add(ConcatOp(parts, axis=axis)).result
