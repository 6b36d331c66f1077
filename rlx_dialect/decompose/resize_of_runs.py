"""
Where elements of a resized axis come from, and what they weigh, where only a run knows its size.

A place is a quotient of integers, so that what is rounded of it is exact in every type.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, lcm
from typing import NamedTuple

from xdsl.ir import SSAValue

from rlx_dialect.attributes import (
    Activation,
    BinaryKind,
    CompareKind,
    NearestRounding,
    ReduceKind,
    ResizeCoordinates,
    ResizeMode,
)
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.dims import Size
from rlx_dialect.ops import ResizeOp
from rlx_dialect.shape_rules.windows import fraction_of

PART_OF_AXIS = 1 << 30
"""The denominator of ends of regions that are no fractions of small numbers."""


class Axis(NamedTuple):
    """An axis before and after, as sizes and as i64 `[1]`."""

    size: Size
    new: Size
    scale: Fraction | None
    before: SSAValue
    after: SSAValue


class Place(NamedTuple):
    """`over / under` with a positive `under`, integers of i64."""

    over: SSAValue
    under: SSAValue


def axis_of(to: Plain, size: Size, new: Size, scale: float | None) -> Axis | None:
    """None for a scale that stands for no fraction."""
    part = None if scale is None else fraction_of(scale)
    if scale is not None:
        if part is None:
            return None
        new = size * part.numerator // part.denominator
    before, after = (to.number(to.made(each)) for each in (size, new))
    return Axis(size, new, part, before, after)


class Reckoning:
    """Arithmetic on values of one type and numbers."""

    def __init__(self, to: Plain, like: SSAValue) -> None:
        self._to, self._like = to, like

    def value(self, number: SSAValue | float) -> SSAValue:
        return number if isinstance(number, SSAValue) else self._to.scalar(number, self._like)

    def __call__(self, kind: BinaryKind, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._to.binary(kind, self.value(a), self.value(b))

    def plus(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self(BinaryKind.ADD, a, b)

    def minus(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self(BinaryKind.SUB, a, b)

    def times(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return a if isinstance(a, SSAValue) and b == 1 else self(BinaryKind.MUL, a, b)

    def where(
        self, kind: CompareKind, a: SSAValue, b: SSAValue | float, held: SSAValue, otherwise: SSAValue | float
    ) -> SSAValue:
        return self._to.where(self._to.compare(kind, a, self.value(b)), held, self.value(otherwise))

    def floor(self, over: SSAValue, under: SSAValue) -> SSAValue:
        """The largest integer that is no more than a quotient of integers."""
        quotient = self(BinaryKind.DIV, over, under)
        return self.where(CompareKind.LT, over, self.times(quotient, under), self.minus(quotient, 1), quotient)


def places(to: Plain, axis: Axis, coordinates: ResizeCoordinates, region: tuple[float, float]) -> Place:
    """Where each new element lies among those before: `rlx_dialect.reference.resize.places`."""
    size, new = axis.before, axis.after
    r = Reckoning(to, new)
    i = to.counted(axis.new)
    p, q = (new, size) if axis.scale is None else (r.value(axis.scale.numerator), r.value(axis.scale.denominator))
    centres = Place(r.minus(r.times(r.plus(r.times(i, 2), 1), q), p), r.times(p, 2))
    # One less than the length before it is rounded down, times q; none of a length of 1 or less.
    span = r.minus(new, 1) if axis.scale is None else r.minus(r.times(size, p), q)
    by = r.value(1) if axis.scale is None else q
    last, spread = r.minus(size, 1), r(BinaryKind.MAX, span, 1)
    match coordinates:
        case ResizeCoordinates.HALF_PIXEL:
            return centres
        case ResizeCoordinates.HALF_PIXEL_SYMMETRIC:
            return centres._replace(over=r.plus(centres.over, r.minus(r.times(size, p), r.times(new, q))))
        case ResizeCoordinates.PYTORCH_HALF_PIXEL:
            return centres._replace(over=r.where(CompareKind.GT, new, 1, centres.over, 0))
        case ResizeCoordinates.ALIGN_CORNERS:
            over = r.times(r.times(i, last), by)
            return Place(r.where(CompareKind.NE, span, 0, over, 0), spread)
        case ResizeCoordinates.ASYMMETRIC:
            return Place(r.times(i, q), p)
        case ResizeCoordinates.CROP:
            start, end, whole = _parts(region)
            over = r.plus(r.times(spread, start), r.times(r.times(i, by), end - start))
            found, middle = r.times(last, over), r.times(last, start + end)
            several = to.compare(CompareKind.GT, new, r.value(1))
            under = to.where(several, r.times(spread, whole), r.value(2 * whole))
            return Place(to.where(several, found, middle), under)


def _parts(region: tuple[float, float]) -> tuple[int, int, int]:
    """The ends of a region as numerators of one denominator."""
    ends = [_simple(end) for end in region]
    whole = lcm(*(end.denominator for end in ends))
    start, end = (end.numerator * (whole // end.denominator) for end in ends)
    return start, end, whole


def _simple(end: float) -> Fraction:
    """The fraction of small numbers that a float was meant to be, or one by `PART_OF_AXIS`."""
    small = Fraction(end).limit_denominator(1 << 12)
    return small if float(small) == end else Fraction(round(end * PART_OF_AXIS), PART_OF_AXIS)


def nearest(to: Plain, at: Place, rounding: NearestRounding) -> SSAValue:
    r = Reckoning(to, at.under)
    twice = r.plus(r.times(at.over, 2), at.under)
    match rounding:
        case NearestRounding.ROUND_PREFER_FLOOR:
            return r.floor(r.minus(twice, 1), r.times(at.under, 2))
        case NearestRounding.ROUND_PREFER_CEIL:
            return r.floor(twice, r.times(at.under, 2))
        case NearestRounding.FLOOR:
            return r.floor(at.over, at.under)
        case NearestRounding.CEIL:
            return r.floor(r.minus(r.plus(at.over, at.under), 1), at.under)


Tap = tuple[SSAValue, SSAValue | None]


def taps(to: Plain, op: ResizeOp, axis: Axis, region: tuple[float, float], like: SSAValue) -> list[Tap]:
    """
    The indices of the elements that make each new one, each with their weights in the type of `like`; nearest ones
    have none.
    """
    at = places(to, axis, op.places, region)
    r = Reckoning(to, at.under)
    last = r.minus(axis.before, 1)
    if op.resampling is ResizeMode.NEAREST:
        return [(_inside(to, nearest(to, at, op.nearest), last), None)]
    shrunk = min(1.0, float(axis.scale)) if op.antialias is not None and axis.scale is not None else 1.0
    reach = ceil(_reach(op) / shrunk)
    below = r.floor(at.over, at.under)
    rest = _quotient(to, Place(r.minus(at.over, r.times(below, at.under)), at.under), like)
    floats = Reckoning(to, rest)
    steps = range(1 - reach, 1 + reach)
    distances = [to.activated(Activation.ABS, floats.minus(rest, float(step))) for step in steps]
    weights = [_weight(to, op, floats.times(distance, shrunk)) for distance in distances]
    indices = [r.plus(below, step) for step in steps]
    if shrunk < 1:
        weights = _shared(to, weights)
    if op.exclude_outside is not None:
        weights = _shared(to, [_within(to, index, last, weight) for index, weight in zip(indices, weights)])
    if op.places is ResizeCoordinates.CROP:
        end = r.times(last, at.under)
        weights = [_within(to, at.over, end, weight) for weight in weights]
    return [(_inside(to, index, last), weight) for index, weight in zip(indices, weights)]


def matrix(
    to: Plain, op: ResizeOp, axis: Axis, region: tuple[float, float], like: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """
    The same for `antialias` by a scale that only a run knows: as many indices as any place reaches, and `[indices, new
    size]` weights.
    """
    at = places(to, axis, op.places, region)
    r = Reckoning(to, at.under)
    last, around = r.minus(axis.before, 1), r.times(axis.before, _reach(op))
    # From a place before the first element to one behind the last.
    indices = r.minus(to.counted(axis.size * (2 * _reach(op) + 1) + 2), r.plus(around, 1))
    column = to.along(indices, 0, 2)
    distance = _quotient(to, Place(r.minus(at.over, r.times(column, at.under)), at.under), like)
    size, new = (to.narrowed(each, like) for each in (axis.before, axis.after))
    floats = Reckoning(to, distance)
    shrunk = floats(BinaryKind.MIN, floats(BinaryKind.DIV, new, size), 1.0)
    weight = _weight(to, op, to.times(to.activated(Activation.ABS, distance), shrunk))
    if op.exclude_outside is not None:
        weight = _within(to, column, last, weight)
    weight = to.binary(BinaryKind.DIV, weight, to.reduce(ReduceKind.SUM, weight, [0]))
    if op.places is ResizeCoordinates.CROP:
        weight = _within(to, at.over, r.times(last, at.under), weight)
    return _inside(to, indices, last), weight


def _reach(op: ResizeOp) -> int:
    return 1 if op.resampling is ResizeMode.LINEAR else 2


def _quotient(to: Plain, place: Place, like: SSAValue) -> SSAValue:
    over, under = (to.narrowed(each, like) for each in place)
    return to.binary(BinaryKind.DIV, over, under)


def _shared(to: Plain, weights: Sequence[SSAValue]) -> list[SSAValue]:
    """Weights that come to 1."""
    whole = weights[0]
    for weight in weights[1:]:
        whole = to.plus(whole, weight)
    return [to.binary(BinaryKind.DIV, weight, whole) for weight in weights]


def _weight(to: Plain, op: ResizeOp, distance: SSAValue) -> SSAValue:
    r = Reckoning(to, distance)
    if op.resampling is ResizeMode.LINEAR:
        return r(BinaryKind.MAX, r.minus(1.0, distance), 0.0)
    a = op.cubic_coefficient.value.data
    near = r.plus(r.times(r.times(r.minus(r.times(distance, a + 2), a + 3), distance), distance), 1.0)
    far = r.minus(r.times(r.plus(r.times(r.minus(distance, 5.0), distance), 8.0), distance), 4.0)
    far = r.times(far, a)
    return r.where(CompareKind.LE, distance, 1.0, near, r.where(CompareKind.LT, distance, 2.0, far, 0.0))


def _within(to: Plain, at: SSAValue, last: SSAValue, weight: SSAValue) -> SSAValue:
    """The weight where a place is one of the axis, else 0."""
    zero, nothing = to.scalar(0, at), to.scalar(0.0, weight)
    inside = to.binary(BinaryKind.BIT_AND, to.compare(CompareKind.LE, at, last), to.compare(CompareKind.GE, at, zero))
    return to.where(inside, weight, nothing)


def _inside(to: Plain, index: SSAValue, last: SSAValue) -> SSAValue:
    return to.binary(BinaryKind.MAX, to.binary(BinaryKind.MIN, index, last), to.scalar(0, index))
