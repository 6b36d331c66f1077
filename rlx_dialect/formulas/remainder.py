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


def _product_modulo(a: Num, b: Num, m: Num, inverse: Num) -> Num:
    """
    `a b` less a multiple of `m` near it, for whole numbers between `-m / 2` and `m / 2`, as the result is. Exact.

    The multiple found by way of `inverse`, about `1 / m`, may be a few off, and the rest then be too large for the
    digits of a float: the second multiple is taken from its upper part alone.
    """
    high, low = product_exact(a, b)
    multiple = product_exact(round_even(high * inverse), m)
    upper, lower = high - multiple.high, low - multiple.low
    return (upper - round_even((upper + lower) * inverse) * m) + lower


def _halved(x: Num, m: Num) -> Num:
    """`x`, between `-m` and `m`, less a multiple of `m`: between `-m / 2` and `m / 2`."""
    return where(x > m * 0.5, x - m, where(x < m * -0.5, x + m, x))


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
    power, inverse = power_of_two(exponent >> squarings), 1.0 / m
    for i in reversed(range(squarings)):
        power = _product_modulo(power, power, m, inverse)
        power = where((exponent & (1 << i)).equals(0), power, _halved(power + power, m))
    rest = _product_modulo(power, _halved(f - m, m), m, inverse)
    rest = scale(where(rest < 0.0, rest + m, rest), k)
    value = copysign(where(x < y, x, rest), a)
    value = where((x < math.inf) & (y > 0.0), value, math.nan)
    return where(is_nan(b), b, value)
