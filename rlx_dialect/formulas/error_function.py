"""The error function and its kin."""

import math

from rlx_dialect.formulas import coefficients
from rlx_dialect.formulas.exponential import exp
from rlx_dialect.formulas.logarithm import log
from rlx_dialect.formulas.machine import F64, Num, Operand, copysign, fma, square_root, where
from rlx_dialect.formulas.precise import Double, polynomial, product_exact, sum_exact
from rlx_dialect.formulas.registry import formula


def erfc_tail(z: Num, square: Double, factor: Operand = 1.0) -> Num:
    """
    `factor erfc(z)` for `z >= 0` and its square: `q P(2q - 1) e^(-z^2)` for `q = 2 / (2 + z)`.

    What q was rounded by is made up for at the end; q P(2q - 1) goes like the power of q that stands there, on average.
    """
    total = sum_exact(z, z.lift(2.0))
    q = 2.0 / total.high
    back = product_exact(q, total.high)
    lost = (((2.0 - back.high) - back.low) - q * total.low) * (0.5 * 1.7) - square.low
    scaled = q * polynomial(q + q - 1.0, coefficients.ERFC)
    scaled = scaled if factor == 1.0 else scaled * factor
    return exp(-square.high) * fma(scaled, lost, scaled)


def decay(exponent: Double) -> Num:
    """`e^-exponent`. An absolute error of the exponent is a relative one of the result, so that it has twice the digits."""
    power = exp(-exponent.high)
    return power - power * exponent.low


@formula
def erfc(x: Num) -> Num:
    """`1 - erf(x)` without cancellation, down to where `e^-x^2` underflows; a negative x gives 2 minus that of `-x`."""
    z = where(abs(x) > 30.0, 30.0, abs(x))
    tail = erfc_tail(z, product_exact(z, z))
    return where(x < 0.0, 2.0 - tail, tail)


@formula
def erf(x: Num) -> Num:
    """A polynomial for `|x| < 1`, beyond it `1 - erfc(|x|)` with the sign of x."""
    near = x * polynomial(x * x, coefficients.ERF)
    return where(abs(x) < 1.0, near, copysign(1.0 - erfc(abs(x)), x))


@formula
def erf_inv(x: Num) -> Num:
    """Polynomials in `w = -log(1 - x^2)` or its root, times x; infinite at the ends, NaN beyond."""
    w = -log((1.0 - x) * (1.0 + x))
    root = square_root(w)
    y = where(
        w < 5.0, polynomial(w - 2.5, coefficients.ERF_INV_NEAR), polynomial(root - 3.1, coefficients.ERF_INV_MIDDLE)
    )
    if x.machine.format == F64:
        y = where(root < 4.125, y, polynomial(root - 5.0, coefficients.ERF_INV_FAR))
    return where(abs(x) < 1.0, x * y, where(abs(x).equals(1.0), x * math.inf, math.nan))
