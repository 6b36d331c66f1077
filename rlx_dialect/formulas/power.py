"""Roots and powers."""

from __future__ import annotations

import math

from rlx_dialect.formulas.coefficients import LOG
from rlx_dialect.formulas.exponential import LN2_HIGH, LN2_LOW, exponents, reduced, small_expm1
from rlx_dialect.formulas.logarithm import significand
from rlx_dialect.formulas.machine import (
    F32,
    Num,
    bits,
    copysign,
    fma,
    from_bits,
    is_nan,
    round_down,
    square_root,
    to_float,
    to_integer,
    where,
)
from rlx_dialect.formulas.precise import (
    Double,
    polynomial,
    product,
    product_exact,
    scale,
    sum_ordered,
    within,
)
from rlx_dialect.formulas.registry import formula

TWO_THIRDS_REST = 3.700743415417188e-17
"""What 2/3 is more than the f64 nearest to it."""


@formula
def sqrt(x: Num) -> Num:
    return square_root(x)


@formula
def rsqrt(x: Num) -> Num:
    return 1.0 / square_root(x)


@formula
def cbrt(x: Num) -> Num:
    """A third of the bits as a guess, and steps of Halley's method, each of which triples its five digits."""
    form = x.machine.format
    a = abs(x)
    if not x.machine.has_bits:
        root = pow_(a, a.lift(1 / 3))
        root = root - (root - a / (root * root)) * (1 / 3)
    else:
        tiny = a < form.smallest_normal
        b = where(tiny, a * 2.0**54, a)
        third = to_float(bits(b)) * (1 / 3) + (form.bias << form.fraction) * (2 / 3)
        root = from_bits(to_integer(round_down(third)))
        for _ in range(2 if form == F32 else 3):
            q = root * root * (root / b)
            root = root * ((q + 2.0) / (q + q + 1.0))
        root = where(tiny, root * 2.0**-18, root)
    return where((a > 0.0) & (a < math.inf), copysign(root, x), x)


def precise_log(x: Num) -> Double:
    """The logarithm of a positive finite number, to a few more digits than the format has."""
    form = x.machine.format
    f, exponent = significand(x)
    n = to_float(exponent)
    # s = (f - 1) / (f + 1), and log(f) = 2 s + s t (2/3 + t P(t)) with t = s^2.
    below = f - 1.0
    above = sum_ordered(f.lift(2.0), below)
    s = below / above.high
    back = product_exact(s, above.high)
    rest = ((below - back.high) - back.low - s * above.low) / above.high
    if form == F32:
        t = s * s
        bend = Double(s * (t * fma(polynomial(t, LOG), t, 2 / 3)), rest)
    else:
        square = product(Double(s, rest), Double(s, rest))
        first = sum_ordered(x.lift(2 / 3), square.high * polynomial(square.high, LOG))
        bend = product(Double(s, rest), product(square, Double(first.high, first.low + TWO_THIRDS_REST)))
        bend = Double(bend.high, bend.low + rest)
    high, low = sum_ordered(s + s, bend.high)
    total = sum_ordered(n * LN2_HIGH[form], high)
    return sum_ordered(total.high, total.low + (low + fma(n, LN2_LOW[form], bend.low + rest)))


@formula
def pow_(x: Num, y: Num) -> Num:
    """`e^(y log x)`, the exponent in more digits than the format; a negative x takes whole y only. Specials as in C."""
    form = x.machine.format
    a = abs(x)
    # Beyond these bounds the result is 0, 1 or infinite whatever x.
    reach = 2.0 ** (form.fraction + 16)
    bounded = within(y, -reach, reach)
    natural = precise_log(a)
    exponent = product_exact(natural.high, bounded)
    high = within(exponent.high, *exponents(form))
    low = where(high.equals(exponent.high), fma(natural.low, bounded, exponent.low), 0.0)
    n, e = reduced(high, low)
    size = scale(1.0 + e, n)
    rising = y > 0.0
    size = where(a.equals(0.0), where(rising, y.lift(0.0), math.inf), size)
    size = where(a.equals(math.inf), where(rising, math.inf, y.lift(0.0)), size)
    half = y * 0.5
    odd = round_down(y).equals(y) & round_down(half).differs(half)
    value = where(odd, copysign(size, x), size)
    negative = (x < 0.0) & (a < math.inf) & round_down(y).differs(y)
    value = where(negative, math.nan, value)
    value = where(is_nan(x), x, where(is_nan(y), y, value))
    unit = x.equals(1.0) | y.equals(0.0) | (x.equals(-1.0) & abs(y).equals(math.inf))
    return where(unit, 1.0, value)


@formula
def exp2(x: Num) -> Num:
    """2 to the x, whole powers exactly."""
    if not x.machine.has_bits:
        return pow_(x.lift(2.0), x)
    form = x.machine.format
    inside = within(x, -float(form.bias + form.fraction + 2), float(form.bias + 2))
    n = round_down(inside + 0.5)
    return where(is_nan(x), x, scale(1.0 + small_expm1((inside - n) * math.log(2)), to_integer(n)))
