"""The gamma family."""

from __future__ import annotations

import math

from rlx_dialect.formulas import coefficients
from rlx_dialect.formulas.logarithm import log
from rlx_dialect.formulas.machine import Num, fma, is_nan, round_even, where
from rlx_dialect.formulas.precise import constant, polynomial
from rlx_dialect.formulas.registry import formula
from rlx_dialect.formulas.trigonometry import sin, tan

FAR = 8
"""From here on the asymptotic series are used."""


def _half_turns(a: Num) -> Num:
    """The half turns that `a` has beyond its nearest whole number: the sine is that of `pi a`, but for the sign."""
    return (a - round_even(a)) * math.pi


@formula
def lgamma(x: Num) -> Num:
    """
    The logarithm of the gamma function's magnitude. Near its zeros below 0 the error is absolute.

    Brought to within 1/2 of 2, with one logarithm of the factors that this costs; from 8 on by Stirling's series, below
    -1/2 by reflection. The zeros at 1 and 2 keep their digits, since the distance from them is exact.
    """
    reflected = x < -0.5
    z = where(reflected, -x, x)
    y, factors = z, z.lift(1.0)
    for _ in range(FAR - 2):
        down = y > 2.5
        y = where(down, y - 1.0, y)
        factors = where(down, factors * y, factors)
    low, lower, far = z <= 1.5, z < 0.5, z >= float(FAR)
    u = where(lower, z, where(low, z - 1.0, y - 2.0))
    logarithm = log(where(far, z, where(lower, abs(z) * (1.0 + z), where(low, z, factors))))
    near = fma(u, polynomial(u, coefficients.LGAMMA_NEAR), where(low, -logarithm, logarithm))
    inverse = 1.0 / z
    series = inverse * polynomial(inverse * inverse, coefficients.LGAMMA_FAR) + (math.log(2 * math.pi) - 1) / 2
    value = where(far, fma(z - 0.5, logarithm - 1.0, series), near)
    sine = abs(sin(_half_turns(z)))
    value = where(reflected, log(math.pi / (z * sine)) - value, value)
    return where(is_nan(x), x, where(abs(x).equals(math.inf) | (reflected & sine.equals(0.0)), math.inf, value))


@formula
def digamma(x: Num) -> Num:
    """
    The derivative of `log(gamma(x))`. Near its zeros below 0 the error is absolute.

    Brought to [1, 2], where it is a polynomial times the distance from its zero, by a sum of inverses; from 8 on by the
    asymptotic series, below 0 by reflection.
    """
    form = x.machine.format
    reflected = x < 0.0
    z = where(reflected, -x, x)
    # The sum of inverses as one fraction.
    y, above, below = z, z.lift(0.0), z.lift(1.0)
    for _ in range(FAR - 2):
        down = y > 2.0
        y = where(down, y - 1.0, y)
        above = where(down, fma(above, y, below), above)
        below = where(down, below * y, below)
    low = z < 1.0
    y, above, below = where(low, z + 1.0, y), where(low, -1.0, above), where(low, z, below)
    root = constant(coefficients.DIGAMMA_ROOT, x)
    # Not `(y - high) - low`, where compilers add the constants up and lose the second.
    slope = polynomial(y - 1.5, coefficients.DIGAMMA_NEAR)
    near = fma(y - root.high, slope, above / below - root.low * slope)
    inverse = 1.0 / z
    square = inverse * inverse
    far = log(z) - fma(square, polynomial(square, coefficients.DIGAMMA_FAR), inverse * 0.5)
    value = where(z >= float(FAR), far, near)
    turns = _half_turns(z)
    mirrored = where(turns.equals(0.0), math.nan, value + (inverse + math.pi / tan(turns)))
    # Near 0 the others are nothing beside the inverse, which may be infinite.
    mirrored = where(z < 2.0 ** -(form.fraction + 2), inverse, mirrored)
    return where(reflected, mirrored, value)
