"""A transform in fixed point of as many points as only a run knows: a loop over its stages."""

from __future__ import annotations

import math
from functools import cache

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind, FftNorm
from rlx_dialect.constants import integers
from rlx_dialect.decompose.fixed_point import Parts, halved, saturated, turned
from rlx_dialect.decompose.loops import Values, repeat
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.dims import larger
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import CastOp, FftQOp, GatherOp, ReshapeOp
from rlx_dialect.shapes import shaped

DIGIT, DIGITS = 6, 5
"""Bits of a digit of a part of half a turn, and how many digits there are: 2^30 parts."""
FRACTION = 61
"""Bits of the fraction of exponentials on the way."""
LIMB = 31
"""The low bits of a factor that are multiplied apart, so that all products fit in 64 bits."""
_EXACT = 100
"""Bits of the fraction of the constants before they are rounded."""


@cache
def _powers(level: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Cosines and sines of `j pi / 2^level` for each digit j, as integers in units of `2^-FRACTION`."""
    one = 1 << _EXACT
    cos, sin = 0, one  # a quarter of a turn, halved again and again
    for _ in range(level - 1):
        cos = math.isqrt((one + cos) << (_EXACT - 1))
        sin = (sin << (_EXACT - 1)) // cos
    found, shift = [(one, 0)], _EXACT - FRACTION
    for _ in range(2**DIGIT - 1):
        real, imaginary = found[-1]
        found.append(((real * cos - imaginary * sin) >> _EXACT, (real * sin + imaginary * cos) >> _EXACT))
    real, imaginary = zip(*(((a + (1 << (shift - 1))) >> shift, (b + (1 << (shift - 1))) >> shift) for a, b in found))
    return real, imaginary


class _Counting:
    """Arithmetic on integers of 64 bits, some of them numbers."""

    def __init__(self, to: Plain, like: SSAValue) -> None:
        self._to, self._like = to, like

    def __call__(self, kind: BinaryKind, a: SSAValue, b: SSAValue | int) -> SSAValue:
        return self._to.binary(kind, a, self._to.scalar(b, self._like) if isinstance(b, int) else b)

    def scaled(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """`x y 2^-FRACTION`, a little less at most."""
        mask = (1 << LIMB) - 1
        (xh, xl), (yh, yl) = (
            (self(BinaryKind.SHR, each, LIMB), self(BinaryKind.BIT_AND, each, mask)) for each in (x, y)
        )
        to = self._to
        middle = to.plus(to.times(xh, yl), to.times(xl, yh))
        middle = to.plus(middle, self(BinaryKind.SHR, to.times(xl, yl), LIMB))
        high = self(BinaryKind.SHL, to.times(xh, yh), 2 * LIMB - FRACTION)
        return to.plus(high, self(BinaryKind.SHR, middle, FRACTION - LIMB))


def _exponentials(to: Plain, places: SSAValue, count: SSAValue, bits: int) -> Parts:
    """Cosines and sines of `places` of `count` parts of half a turn, a power of 2, as integers of so many `bits`."""
    r = _Counting(to, places)
    parts = to.times(places, to.binary(BinaryKind.DIV, to.scalar(2 ** (DIGIT * DIGITS), places), count))
    cos = sin = None
    for number in range(DIGITS):
        digit = r(BinaryKind.SHR, parts, DIGIT * (DIGITS - 1 - number)) if number < DIGITS - 1 else parts
        digit = r(BinaryKind.BIT_AND, digit, 2**DIGIT - 1)
        c, s = (
            to.add(GatherOp(to.add(ConstantOp(integers(part))).result, digit)).result
            for part in _powers(DIGIT * (number + 1))
        )
        if cos is None or sin is None:
            cos, sin = c, s
            continue
        cos, sin = (
            to.minus(r.scaled(cos, c), r.scaled(sin, s)),
            to.plus(r.scaled(sin, c), r.scaled(cos, s)),
        )
    assert cos is not None
    assert sin is not None
    cos, sin = (halved(to, part, FRACTION - bits) for part in (cos, sin))
    return cos, sin


def stages_of_run(to: Plain, op: FftQOp, parts: Parts, fraction: int, element: Attribute) -> Parts:
    """
    The stages of `rlx.fft_q`, each from its points to new ones as Stockham orders them, so that none are reversed.

    Point `2h q + j` and `2h q + h + j` of a new stage come from the points `h q + j` and `h q + j + N / 2`.
    """
    (points,) = own_sizes(parts[0])[-1:]
    places, half = to.counted(points), to.counted(larger(points // 2, 1))
    many, pairs = to.number(to.made(points)), to.number(to.made(points // 2))
    wide = shaped(parts[0]).element
    cos, sin = _exponentials(to, half, to.binary(BinaryKind.MAX, pairs, to.scalar(1, pairs)), fraction)
    if op.inverse is None:
        sin = to.minus(to.scalar(0, sin), sin)
    turns = [part if wide == i64 else to.add(CastOp(part, wide)).result for part in (cos, sin)]

    def goes_on(to: Plain, carried: Values, captures: Values) -> SSAValue:
        held = to.compare(CompareKind.LT, carried[2], captures[0])
        return to.add(ReshapeOp(held, ())).result

    def body(to: Plain, carried: Values, captures: Values) -> Values:
        real, imaginary, half, step = carried
        many, pairs, places, cos, sin = captures
        r = _Counting(to, places)
        low = to.binary(BinaryKind.BIT_AND, places, r(BinaryKind.SUB, half, 1))
        above = r(BinaryKind.SHR, places, 1)
        first = to.plus(to.minus(above, to.binary(BinaryKind.BIT_AND, above, r(BinaryKind.SUB, half, 1))), low)
        second, by = to.plus(first, pairs), to.times(low, step)
        upper = to.compare(CompareKind.GE, to.binary(BinaryKind.BIT_AND, places, half), half)
        factors = [to.add(GatherOp(part, by)).result for part in (cos, sin)]
        (ar, br), (ai, bi) = (
            [to.add(GatherOp(part, at, axis=-1)).result for at in (first, second)] for part in (real, imaginary)
        )
        made: list[SSAValue] = []
        for a, t in zip((ar, ai), turned(to, br, bi, (factors[0], factors[1]))):
            t = halved(to, t, fraction)
            whole = to.plus(a, to.where(upper, to.minus(to.scalar(0, t), t), t))
            made.append(saturated(to, _by_stage(to, op, whole, half, many), element))
        return [*made, r(BinaryKind.SHL, half, 1), r(BinaryKind.SHR, step, 1)]

    found = repeat(to, goes_on, body, [*parts, to.row(1, many, 0), pairs], [many, pairs, places, *turns])
    return found[0], found[1]


def _by_stage(to: Plain, op: FftQOp, whole: SSAValue, half: SSAValue, many: SSAValue) -> SSAValue:
    """Halved in the first stages, as `FftQOp.halvings` counts them; stage s has a `half` of 2^s."""
    scale, r = op.scale.value.data, _Counting(to, half)
    match op.scaling:
        case FftNorm.BY_N_ON_INVERSE if op.inverse is not None:
            return halved(to, whole, 1)
        case FftNorm.ORTHO:
            early = to.compare(CompareKind.LT, to.times(half, half), r(BinaryKind.SHL, many, 2 * scale))
        case _ if scale == 0:
            return whole
        case _:
            early = to.compare(CompareKind.LT, half, to.scalar(2**scale, half))
    return to.where(early, halved(to, whole, 1), whole)
