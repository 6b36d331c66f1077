"""Where elements of a resized axis come from, and what they weigh, where only a run knows its size; in f64."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from xdsl.dialects.builtin import f64, i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, NearestRounding, ResizeCoordinates, ResizeMode
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.dims import Size
from rlx_dialect.ops import CastOp, ResizeOp

LARGEST_NUMERATOR = 1 << 20
"""Up to it, products of a scale and a size are exact in f64, and so is what is rounded down."""


class Axis(NamedTuple):
    """An axis before and after, as sizes and as f64 `[1]`."""

    size: Size
    new: Size
    scale: float | None
    before: SSAValue
    after: SSAValue


def axis_of(to: Plain, size: Size, new: Size, scale: float | None) -> Axis | None:
    """None for a scale whose product with a size is not exact."""
    if scale is not None:
        part = Fraction(scale)
        if part.numerator > LARGEST_NUMERATOR:
            return None
        new = size * part.numerator // part.denominator
    before, after = (to.add(CastOp(to.number(to.made(each)), f64)).result for each in (size, new))
    return Axis(size, new, scale, before, after)


class Reckoning:
    """Arithmetic on f64 values and numbers."""

    def __init__(self, to: Plain, like: SSAValue) -> None:
        self._to, self._like = to, like

    def value(self, number: SSAValue | float) -> SSAValue:
        return number if isinstance(number, SSAValue) else self._to.scalar(number, self._like)

    def __call__(self, kind: BinaryKind, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._to.binary(kind, self.value(a), self.value(b))

    def where(self, kind: CompareKind, a: SSAValue, b: float, held: SSAValue, otherwise: SSAValue | float) -> SSAValue:
        return self._to.where(self._to.compare(kind, a, self.value(b)), held, self.value(otherwise))


def places(to: Plain, axis: Axis, coordinates: ResizeCoordinates, region: tuple[float, float]) -> SSAValue:
    """Where each new element lies among those before: `rlx_dialect.reference.resize.places`."""
    add, sub, mul, div = BinaryKind.ADD, BinaryKind.SUB, BinaryKind.MUL, BinaryKind.DIV
    scale, size, new = axis.scale, axis.before, axis.after
    r = Reckoning(to, new)
    i = to.add(CastOp(to.counted(axis.new), f64)).result
    length = new if scale is None else r(mul, size, scale)
    if scale is None:
        centres = r(div, r(sub, r(mul, r(add, r(mul, i, 2.0), 1.0), size), new), r(mul, new, 2.0))
    else:
        centres = r(sub, r(div, r(add, i, 0.5), scale), 0.5)
    match coordinates:
        case ResizeCoordinates.HALF_PIXEL:
            return centres
        case ResizeCoordinates.HALF_PIXEL_SYMMETRIC:
            return r(add, r(mul, r(div, size, 2.0), r(sub, 1.0, r(div, new, length))), centres)
        case ResizeCoordinates.PYTORCH_HALF_PIXEL:
            return r.where(CompareKind.GT, new, 1.0, centres, 0.0)
        case ResizeCoordinates.ALIGN_CORNERS:
            spread = r(div, r(mul, i, r(sub, size, 1.0)), r(sub, length, 1.0))
            return r.where(CompareKind.NE, length, 1.0, spread, 0.0)
        case ResizeCoordinates.ASYMMETRIC:
            return r(div, r(mul, i, size), new) if scale is None else r(div, i, scale)
        case ResizeCoordinates.CROP:
            last = r(sub, size, 1.0)
            start, end = (r(mul, last, part) for part in region)
            spread = r(add, start, r(div, r(mul, i, r(sub, end, start)), r(sub, length, 1.0)))
            return r.where(CompareKind.GT, new, 1.0, spread, r(div, r(add, start, end), 2.0))


def nearest(to: Plain, at: SSAValue, rounding: NearestRounding) -> SSAValue:
    r = Reckoning(to, at)
    match rounding:
        case NearestRounding.ROUND_PREFER_FLOOR:
            return to.activated(Activation.CEIL, r(BinaryKind.SUB, at, 0.5))
        case NearestRounding.ROUND_PREFER_CEIL:
            return to.activated(Activation.FLOOR, r(BinaryKind.ADD, at, 0.5))
        case NearestRounding.FLOOR:
            return to.activated(Activation.FLOOR, at)
        case NearestRounding.CEIL:
            return to.activated(Activation.CEIL, at)


def taps(to: Plain, op: ResizeOp, axis: Axis, region: tuple[float, float]) -> list[tuple[SSAValue, SSAValue | None]]:
    """The indices of the elements that make each new one, each with their weights; nearest ones have none."""
    at = places(to, axis, op.places, region)
    r = Reckoning(to, at)
    last = r(BinaryKind.SUB, axis.before, 1.0)
    if op.resampling is ResizeMode.NEAREST:
        return [(_inside(to, nearest(to, at, op.nearest), last), None)]
    reach = 1 if op.resampling is ResizeMode.LINEAR else 2
    below = to.activated(Activation.FLOOR, at)
    indices = [r(BinaryKind.ADD, below, float(k)) for k in range(1 - reach, 1 + reach)]
    weights = [_weight(to, op, to.activated(Activation.ABS, to.minus(at, index))) for index in indices]
    if op.exclude_outside is not None:
        weights = [_within(to, index, last, weight) for index, weight in zip(indices, weights)]
        whole = weights[0]
        for weight in weights[1:]:
            whole = to.plus(whole, weight)
        weights = [to.binary(BinaryKind.DIV, weight, whole) for weight in weights]
    if op.places is ResizeCoordinates.CROP:
        weights = [_within(to, at, last, weight) for weight in weights]
    return [(_inside(to, index, last), weight) for index, weight in zip(indices, weights)]


def _weight(to: Plain, op: ResizeOp, distance: SSAValue) -> SSAValue:
    r, add, sub, mul = Reckoning(to, distance), BinaryKind.ADD, BinaryKind.SUB, BinaryKind.MUL
    if op.resampling is ResizeMode.LINEAR:
        return r(BinaryKind.MAX, r(sub, 1.0, distance), 0.0)
    a = op.cubic_coefficient.value.data
    near = r(add, r(mul, r(mul, r(sub, r(mul, distance, a + 2), a + 3), distance), distance), 1.0)
    far = r(sub, r(mul, r(mul, r(add, r(mul, r(sub, distance, 5.0), distance), 8.0), a), distance), 4 * a)
    return r.where(CompareKind.LE, distance, 1.0, near, r.where(CompareKind.LT, distance, 2.0, far, 0.0))


def _within(to: Plain, at: SSAValue, last: SSAValue, weight: SSAValue) -> SSAValue:
    """The weight where a place is one of the axis, else 0."""
    zero = to.scalar(0.0, at)
    kept = to.where(to.compare(CompareKind.LE, at, last), weight, zero)
    return to.where(to.compare(CompareKind.GE, at, zero), kept, zero)


def _inside(to: Plain, index: SSAValue, last: SSAValue) -> SSAValue:
    clipped = to.binary(BinaryKind.MAX, to.binary(BinaryKind.MIN, index, last), to.scalar(0.0, index))
    return to.add(CastOp(clipped, i64)).result
