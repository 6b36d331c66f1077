"""The error function and its kin."""

import math

from rlx_dialect.formulas import coefficients
from rlx_dialect.formulas.exponential import exp
from rlx_dialect.formulas.logarithm import log
from rlx_dialect.formulas.machine import F64, Num, copysign, square_root, where
from rlx_dialect.formulas.precise import Double, polynomial, product_exact
from rlx_dialect.formulas.registry import formula


def scaled_erfc(z: Num) -> Num:
    """`erfc(z) e^(z^2)` for `z >= 0`: a polynomial in `q = 2 / (2 + z)`."""
    q = 2.0 / (2.0 + z)
    return q * polynomial(q + q - 1.0, coefficients.ERFC)


def decay(exponent: Double) -> Num:
    """`e^-exponent`. An absolute error of the exponent is a relative one of the result, so that it has twice the digits."""
    power = exp(-exponent.high)
    return power - power * exponent.low


@formula
def erfc(x: Num) -> Num:
    """`1 - erf(x)` without cancellation, down to where `e^-x^2` underflows; a negative x gives 2 minus that of `-x`."""
    z = where(abs(x) > 30.0, 30.0, abs(x))
    tail = decay(product_exact(z, z)) * scaled_erfc(z)
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
