"""The remainder of a division."""

from __future__ import annotations

import math

from rlx_dialect.formulas.machine import Num, bits, copysign, is_nan, round_even, to_float, where
from rlx_dialect.formulas.precise import power_of_two, product_exact, scale
from rlx_dialect.formulas.registry import formula


def _whole_significand(x: Num) -> tuple[Num, Num]:
    """A whole number `f` of all digits of the format and an `n` so that a positive finite `x` is `2^n f`."""
    form = x.machine.format
    tiny = x < form.smallest_normal
    i = bits(where(tiny, x * 2.0**form.fraction, x))
    f = to_float((i & ((1 << form.fraction) - 1)) | (1 << form.fraction))
    return f, (i >> form.fraction) - where(tiny, i.lift(form.bias + 2 * form.fraction), form.bias + form.fraction)


def _product_modulo(a: Num, b: Num, m: Num) -> Num:
    """`a b` less a multiple of `m` near it, for whole numbers within `-m` and `m`, as the result is. Exact."""
    high, low = product_exact(a, b)
    multiple = product_exact(round_even(high / m), m)
    return (high - multiple.high) + (low - multiple.low)


@formula
def mod(a: Num, b: Num) -> Num:
    """
    C's fmod: exact, with the sign of `a`.

    For `|a| = 2^n f` and `|b| = 2^k m` it is `2^k (2^(n-k) f mod m)`, the power of two by repeated squaring, modulo m.
    """
    form = a.machine.format
    x, y = abs(a), abs(b)
    (f, n), (m, k) = _whole_significand(x), _whole_significand(y)
    distance = n - k
    # The uppermost bits of the exponent give a power of two far below m; each of the others is a squaring.
    squarings = (2 * form.bias // form.fraction).bit_length()
    exponent = where(distance < 0, distance.lift(0), distance)
    power = power_of_two(exponent >> squarings)
    for i in reversed(range(squarings)):
        power = _product_modulo(power, power, m)
        double = power + power
        double = where(double > m * 0.5, double - m, where(double < m * -0.5, double + m, double))
        power = where((exponent & (1 << i)).equals(0), power, double)
    rest = _product_modulo(power, where(f < m, f, f - m), m)
    rest = where(rest < 0.0, rest + m, rest)
    rest = scale(where(rest.equals(m), 0.0, rest), k)
    value = copysign(where(x < y, x, rest), a)
    value = where((x < math.inf) & (y > 0.0), value, math.nan)
    return where(is_nan(b), b, value)
