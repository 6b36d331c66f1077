"""Roots and powers."""

from __future__ import annotations

import math

from rlx_dialect.formulas import coefficients
from rlx_dialect.formulas.exponential import small_expm1
from rlx_dialect.formulas.logarithm import significand
from rlx_dialect.formulas.machine import (
    F32,
    Num,
    bits,
    copysign,
    from_bits,
    is_nan,
    round_down,
    round_even,
    square_root,
    to_float,
    to_integer,
    where,
)
from rlx_dialect.formulas.precise import (
    Double,
    constant,
    polynomial,
    product,
    product_exact,
    scale,
    sum_exact,
    sum_ordered,
    within,
)
from rlx_dialect.formulas.registry import formula


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


def precise_log2(x: Num) -> Double:
    """The logarithm to base 2 of a positive finite number, to a few more digits than the format has."""
    f, n = significand(x)
    # s = (f - 1) / (f + 1), and log(f) = 2 s (1 + t (1/3 + t P(t) / 2)) with t = s^2.
    below = f - 1.0
    above = sum_exact(f, f.lift(1.0))
    s_high = below / above.high
    back = product_exact(s_high, above.high)
    s = sum_ordered(s_high, ((below - back.high) - back.low - s_high * above.low) / above.high)
    t = product(s, s)
    two_thirds = constant(coefficients.TWO_THIRDS, x)
    inner = sum_ordered(two_thirds.high, t.high * polynomial(t.high, coefficients.LOG))
    bend = product(t, Double(inner.high, inner.low + two_thirds.low))
    bend = product(s, bend)
    total = sum_ordered(s.high + s.high, bend.high)
    natural = sum_ordered(total.high, total.low + (bend.low + (s.low + s.low)))
    binary = product(natural, constant(coefficients.LOG2_E, x))
    whole = sum_ordered(to_float(n), binary.high)
    return sum_ordered(whole.high, whole.low + binary.low)


@formula
def pow_(x: Num, y: Num) -> Num:
    """`2^(y log2 x)`, the exponent to more digits than the format has; a negative x takes whole y only. Specials as in C."""
    form = x.machine.format
    a = abs(x)
    # Beyond these bounds the result is 0, 1 or infinite whatever x.
    reach = 2.0 ** (form.fraction + 16)
    exponent = product(precise_log2(a), Double(within(y, -reach, reach), y.lift(0.0)))
    high = within(exponent.high, -float(form.bias + form.fraction + 2), float(form.bias + 2))
    n = round_even(high)
    rest = (high - n) + where(high.equals(exponent.high), exponent.low, 0.0)
    size = scale(1.0 + small_expm1(rest * math.log(2)), to_integer(n))
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
