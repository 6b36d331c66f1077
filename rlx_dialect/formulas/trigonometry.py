"""
Sine, cosine and tangent, right for every argument.

What is less than `COMMON` loses its quarter turns to three parts of pi/2 (Cody and Waite). Beyond that, and where a
machine has no branches, the angle in quarter turns is the product of a significand and 2/pi, of which only the bits
that matter below four quarters are taken: three words of the format's width, chosen by the exponent (Payne and Hanek).
All integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rlx_dialect.formulas import coefficients
from rlx_dialect.formulas.machine import (
    F32,
    F64,
    FloatFormat,
    Num,
    bits,
    copysign,
    fma,
    from_bits,
    to_float,
    usually,
    where,
)
from rlx_dialect.formulas.precise import nearest, polynomial
from rlx_dialect.formulas.registry import formula

TWO_OVER_PI = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921c"
    "fe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980f"
    "ef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d08"
    "56033046fc7b6babf0c",
    16,
)
"""2/pi, with so many bits after the point that every f64 finds its own."""
TWO_OVER_PI_BITS = 1228

COMMON = 2.0**17
"""Below this what is left of an f32 angle exceeds an eighth of a turn by 2^-7 quarters at most."""
HALF_PI = {
    F32: (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    F64: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
}
"""pi/2 as the sum of three floats."""


def _words(form: FloatFormat) -> list[int]:
    """Bits of 2/pi as signed words, after zeros so that the first counts 2 quarters for the least exponent reduced."""
    width, zeros = form.bits, form.fraction + 3
    count = 4 + _offsets(form) // width
    all_bits = TWO_OVER_PI >> (TWO_OVER_PI_BITS - (count * width - zeros))
    words = [(all_bits >> (width * i)) & ((1 << width) - 1) for i in reversed(range(count))]
    return [word - (1 << width) if word >> (width - 1) else word for word in words]


def _offsets(form: FloatFormat) -> int:
    """How many exponents there are from that of 1/2 on, less one."""
    return form.bias + 1


def _window(offset: Num) -> list[Num]:
    """The three words that begin `offset` bits into those of 2/pi."""
    form = offset.machine.format
    width = form.bits
    words = [offset.lift(word) for word in _words(form)]
    index, needed = _offsets(form) // width, 4
    levels = [1 << i for i in range(index.bit_length())]
    for level in reversed(levels):
        stays = (offset & level * width).equals(0)
        count = needed + level - 1
        words = [
            where(stays, words[i], words[i + level]) if i + level < len(words) else words[i]
            for i in range(min(count, len(words)))
        ]
    shift = offset & width - 1
    # In two steps, since a shift by the whole width has no meaning.
    back = (width - 1) - shift
    return [(words[i] << shift) | words[i + 1].unsigned_shift(1).unsigned_shift(back) for i in range(3)]


def _high_product(a: Num, b: Num) -> Num:
    """The upper word of the product of unsigned words, the first with its uppermost bits free."""
    half = a.machine.format.bits // 2
    low_mask = (1 << half) - 1
    a1, a0, b1, b0 = a.unsigned_shift(half), a & low_mask, b.unsigned_shift(half), b & low_mask
    cross = a0 * b1
    middle = (a0 * b0).unsigned_shift(half) + (cross & low_mask) + a1 * b0
    return a1 * b1 + cross.unsigned_shift(half) + middle.unsigned_shift(half)


def _high_estimate(a: Num, b: Num) -> Num:
    """
    The upper word of the product of unsigned words, the first a significand, where all its digits matter.

    The rest of a quarter is 2^-30 at least in f32, of which this word leaves 23 digits when it errs by 2^9.
    """
    form = a.machine.format
    if form.bits > 32:
        return _high_product(a, b)
    half = form.bits // 2
    extra = form.fraction + 1 - half
    return (a.unsigned_shift(extra) * b.unsigned_shift(half)).unsigned_shift(half - extra)


def _quadrant(x: Num) -> Sequence[Num]:
    """The nearest whole number of quarter turns to `|x|`, whose last two bits count, and the angle that is left."""
    a = abs(x)
    return usually(lambda: a < COMMON, lambda: _by_parts(a), lambda: _by_bits(x), x)


def _by_parts(a: Num) -> tuple[Num, Num]:
    form = a.machine.format
    quarters, whole = nearest(a, 2 / math.pi)
    angle = a
    for part in HALF_PI[form]:
        angle = fma(quarters, -part, angle)
    return whole, angle


def _by_bits(x: Num) -> tuple[Num, Num]:
    form = x.machine.format
    width, a = form.bits, abs(x)
    pattern = bits(a)
    offset = (pattern >> form.fraction) - (form.bias - 1)
    small = a < math.pi / 4
    significand = (pattern & ((1 << form.fraction) - 1)) | (1 << form.fraction)
    first, second, third = _window(where(small, offset.lift(0), offset))
    # Quarters, with two bits before the point, and what follows them in two parts, whose carry needs no bits.
    high = significand * first + _high_product(significand, second)
    low = to_float((significand * second).unsigned_shift(1)) * 2.0 + to_float(_high_estimate(significand, third))
    quarters = (high + (1 << (width - 3))) >> (width - 2)
    turn = to_float(high << 2) + low * 2.0 ** (2 - width)
    angle = turn * (2.0**-width * math.pi / 2)
    return where(small, quarters.lift(0), quarters), where(small, a, angle)


def _sine(r: Num) -> Num:
    t = r * r
    return fma(polynomial(t, coefficients.SIN) * t, r, r)


def _cosine(r: Num) -> Num:
    t = r * r
    return fma(polynomial(t, coefficients.COS), t * t, 1.0 - t * 0.5)


def _finite(x: Num, y: Num) -> Num:
    """`y`, but NaN where `x` is infinite or NaN."""
    return where(abs(x) < math.inf, y, math.nan)


def _signed(quarters: Num, y: Num) -> Num:
    """`y`, negated in the third and fourth quarter."""
    return from_bits(bits(y) ^ ((quarters & 2) << y.machine.format.bits - 2))


@formula
def sin(x: Num) -> Num:
    quarters, r = _quadrant(x)
    y = _signed(quarters, where((quarters & 1).equals(0), _sine(r), _cosine(r)))
    return _finite(x, y * copysign(x.lift(1.0), x))


@formula
def cos(x: Num) -> Num:
    quarters, r = _quadrant(x)
    return _finite(x, _signed(quarters + 1, where((quarters & 1).equals(0), _cosine(r), _sine(r))))


@formula
def tan(x: Num) -> Num:
    quarters, r = _quadrant(x)
    sine, cosine = _sine(r), _cosine(r)
    even = (quarters & 1).equals(0)
    y = where(even, sine, -cosine) / where(even, cosine, sine)
    return _finite(x, y * copysign(x.lift(1.0), x))
