"""
A sort in plain ops: short axes by counting what comes before each element, longer ones by a network of exchanges.

Both compare elements by value and then by index, so both are stable.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i1, i8, i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind, ReduceKind
from rlx_dialect.decompose.cumulative import doubled, numbers
from rlx_dialect.decompose.loops import Values, repeat
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import is_float
from rlx_dialect.ops import ArgsortOp, CastOp, ExpandOp, GatherOp, IotaOp, ReshapeOp, TransposeOp
from rlx_dialect.shapes import DYNAMIC, Shaped, normalize_axis, shaped

MOST_COUNTED = 64
"""The longest axis sorted by counting, which compares all pairs."""


@plain_form(ArgsortOp)
def argsort(op: ArgsortOp) -> Decomposition:
    to = Plain()
    value = to.add(CastOp(op.input, i8)).result if shaped(op.input).element == i1 else op.input
    rank = shaped(value).rank
    axis = normalize_axis(op.axis.value.data, rank)
    order = [*range(axis), *range(axis + 1, rank), axis]
    value = to.add(TransposeOp(value, order)).result
    length, descending = shaped(value).dims[-1], op.descending is not None
    sort = _counted if length != DYNAMIC and length <= MOST_COUNTED else _exchanged
    places = to.add(TransposeOp(sort(to, value, descending), sorted(range(rank), key=order.__getitem__))).result
    return to.done(to.narrowed(places, op.result))


def _precedes(to: Plain, a: SSAValue, b: SSAValue, descending: bool) -> SSAValue:
    """Whether `a` is to come before `b`, whatever their indices. NaN is greater than all else."""
    if descending:
        a, b = b, a
    below = to.compare(CompareKind.LT, a, b)
    if not is_float(shaped(a).element):
        return below
    number, lost = to.compare(CompareKind.EQ, a, a), to.compare(CompareKind.NE, b, b)
    return to.binary(BinaryKind.BIT_OR, below, to.binary(BinaryKind.BIT_AND, number, lost))


def _first(to: Plain, ab: SSAValue, ba: SSAValue, earlier: SSAValue) -> SSAValue:
    """Whether a comes before b: by value, or else by index; given `_precedes` both ways."""
    tied = to.compare(CompareKind.EQ, ab, ba)
    return to.where(tied, earlier, ab)


def _counted(to: Plain, value: SSAValue, descending: bool) -> SSAValue:
    """How many elements come before each is its place; the inverse of these places is found in the same way."""
    dims, sizes = shaped(value).dims, to.sizes(value)
    row = to.add(ReshapeOp(value, (*dims[:-1], 1, dims[-1]), sizes)).result
    column = to.add(ReshapeOp(value, (*dims, 1), sizes)).result
    at = numbers(to, value, -1)
    upright = to.along(at, 0, 2)
    earlier = to.compare(CompareKind.LT, at, upright)
    ab, ba = _precedes(to, row, column, descending), _precedes(to, column, row, descending)
    wide = to.add(ExpandOp(earlier, shaped(ab).dims, to.sizes(ab))).result
    before = _first(to, ab, ba, wide)
    one, zero = to.scalar(1, at), to.scalar(0, at)
    place = to.reduce(ReduceKind.SUM, to.where(before, one, zero), [-1])
    return to.reduce(
        ReduceKind.SUM, to.where(to.compare(CompareKind.EQ, place, at), upright, zero), [-2], keep_dims=False
    )


def _exchanged(to: Plain, value: SSAValue, descending: bool) -> SSAValue:
    """
    Batcher's network as Knuth gives it (merge exchange, The Art of Computer Programming 5.2.2) for any length N.

    A round exchanges elements `distance` apart where `place & bit == rest`; `bit` falls from the largest power of 2
    below N to 1, and for each the distance falls from that power to `bit`.
    """

    def goes_on(to: Plain, carried: Values, captures: Values) -> SSAValue:
        return to.compare(CompareKind.GT, carried[2], to.scalar(0, carried[2]))

    def body(to: Plain, carried: Values, captures: Values) -> Values:
        value, index, bit, span, rest, distance = carried
        (top,) = captures
        at = numbers(to, value, -1)
        zero = to.scalar(0, at)
        above, below = to.plus(at, distance), to.minus(at, distance)
        last = to.reduce(ReduceKind.MAX, at, [0])
        lower = to.binary(BinaryKind.BIT_AND, _has(to, at, bit, rest), to.compare(CompareKind.LE, above, last))
        upper = to.binary(BinaryKind.BIT_AND, _has(to, below, bit, rest), to.compare(CompareKind.GE, below, zero))
        partner = to.where(lower, above, to.where(upper, below, at))
        other, its_index = (to.add(GatherOp(x, partner, axis=-1)).result for x in (value, index))
        ab, ba = _precedes(to, value, other, descending), _precedes(to, other, value, descending)
        first = _first(to, ab, ba, to.compare(CompareKind.LT, index, its_index))
        # The element that keeps its place: the first of a pair below, the second above.
        stays = to.where(lower, first, to.compare(CompareKind.EQ, first, to.scalar(0, first)))
        kept = to.where(to.compare(CompareKind.EQ, partner, at), to.scalar(1, first), stays)
        more = to.compare(CompareKind.NE, span, bit)
        one = to.scalar(1, bit)
        next_bit = to.where(more, bit, to.binary(BinaryKind.SHR, bit, one))
        return (
            to.where(kept, value, other),
            to.where(kept, index, its_index),
            next_bit,
            to.where(more, to.binary(BinaryKind.SHR, span, one), top),
            to.where(more, bit, to.scalar(0, bit)),
            to.where(more, to.minus(span, bit), next_bit),
        )

    top = _largest_power_below(to, value)
    dims = Shaped(shaped(value).dims, i64)
    index = to.add(IotaOp(dims, to.sizes(value), axis=dims.rank - 1)).result
    zero = to.scalar(0, top)
    return repeat(to, goes_on, body, [value, index, top, top, zero, top], [top])[1]


def _has(to: Plain, place: SSAValue, bit: SSAValue, rest: SSAValue) -> SSAValue:
    return to.compare(CompareKind.EQ, to.binary(BinaryKind.BIT_AND, place, bit), rest)


def _largest_power_below(to: Plain, value: SSAValue) -> SSAValue:
    """The largest power of 2 below the length of the last axis, 0 where there is none; an i64."""
    at = numbers(to, value, -1)
    length = shaped(value).dims[-1]
    if length != DYNAMIC:
        return to.scalar((1 << (length - 1).bit_length()) // 2, at)

    def goes_on(to: Plain, carried: Values, captures: Values) -> SSAValue:
        return to.compare(CompareKind.LE, doubled(to, carried[0]), captures[0])

    last = to.reduce(ReduceKind.MAX, at, [0], keep_dims=False)
    one = to.scalar(1, at)
    (power,) = repeat(to, goes_on, lambda to, carried, captures: [doubled(to, carried[0])], [one], [last])
    return to.where(to.compare(CompareKind.GE, last, one), power, to.scalar(0, at))
