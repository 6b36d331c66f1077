"""Logarithms: the exponent, and a polynomial of what the significand exceeds 1 by."""

from __future__ import annotations

import math

from rlx_dialect.formulas.coefficients import LOG
from rlx_dialect.formulas.exponential import LN2_HIGH, LN2_LOW
from rlx_dialect.formulas.machine import F32, F64, Num, bits, fma, from_bits, to_float, where
from rlx_dialect.formulas.precise import polynomial, power_of_two
from rlx_dialect.formulas.registry import formula

LOG10_2_HIGH = {F32: 0.301025390625, F64: 0.3010299955494702}
LOG10_2_LOW = {F32: 4.605038981195214e-6, F64: 1.145110089802184e-10}


def significand(x: Num) -> tuple[Num, Num]:
    """`f` in [sqrt 1/2, sqrt 2) and the integer `n` so that a positive finite `x` is `2^n f`."""
    form = x.machine.format
    tiny = x < form.smallest_normal
    i = bits(where(tiny, x * 2.0**form.fraction, x))
    # The bits of sqrt 1/2 as the origin: the exponent field then counts from there.
    root = ((form.bias - 1) << form.fraction) + int((math.sqrt(2) - 1) * 2**form.fraction)
    i = i - root
    f = from_bits((i & ((1 << form.fraction) - 1)) + root)
    return f, (i >> form.fraction) - where(tiny, i.lift(form.fraction), 0)


def small_log1p(f: Num) -> Num:
    """`log(1 + f)` for `1 + f` in [sqrt 1/2, sqrt 2]."""
    excess, rest = log1p_parts(f)
    return excess - rest


def log1p_parts(f: Num) -> tuple[Num, Num]:
    """`f` and what `log(1 + f)` is less, for `1 + f` in [sqrt 1/2, sqrt 2]."""
    s = f / (2.0 + f)
    t = s * s
    half_square = f * f * 0.5
    return f, half_square - s * (half_square + t * fma(polynomial(t, LOG), t, 2 / 3))


def special(x: Num, y: Num) -> Num:
    """The logarithm `y` of `x`, or what it is of infinities, zeros, negative numbers and NaN."""
    y = where(x < math.inf, y, x)
    return where(x > 0.0, y, where(x.equals(0.0), -math.inf, where(x < 0.0, math.nan, x)))


@formula
def log(x: Num) -> Num:
    form = x.machine.format
    f, exponent = significand(x)
    n = to_float(exponent)
    f, rest = log1p_parts(f - 1.0)
    return special(x, fma(n, LN2_HIGH[form], f - fma(n, -LN2_LOW[form], rest)))


@formula
def log2(x: Num) -> Num:
    """Of powers of two exact, where the machine has bits."""
    if not x.machine.has_bits:
        return log(x) * (1 / math.log(2))
    f, n = significand(x)
    return special(x, fma(small_log1p(f - 1.0), 1 / math.log(2), to_float(n)))


@formula
def log10(x: Num) -> Num:
    form = x.machine.format
    if not x.machine.has_bits:
        return log(x) * (1 / math.log(10))
    f, exponent = significand(x)
    n = to_float(exponent)
    rest = fma(small_log1p(f - 1.0), 1 / math.log(10), n * LOG10_2_LOW[form])
    return special(x, fma(n, LOG10_2_HIGH[form], rest))


@formula
def log1p(x: Num) -> Num:
    """`log(1 + x)` without loss near 0: what the sum was rounded by is added to its significand."""
    form = x.machine.format
    total = 1.0 + x
    part = total - x
    lost = (1.0 - part) + (x - (total - part))
    f, exponent = significand(total)
    # Of a large number it is nothing, and the power of two no normal number.
    lost = where(x > 2.0 ** (form.fraction + 2), 0.0, lost * power_of_two(-exponent))
    n = to_float(exponent)
    excess, rest = log1p_parts((f - 1.0) + lost)
    y = special(total, fma(n, LN2_HIGH[form], excess - fma(n, -LN2_LOW[form], rest)))
    return where(abs(x) < 2.0 ** -(form.fraction + 2), x, y)
