"""The error function and its kin."""

import math

from rlx_dialect.formulas import coefficients
from rlx_dialect.formulas.exponential import exp_sum
from rlx_dialect.formulas.logarithm import log
from rlx_dialect.formulas.machine import F64, Num, copysign, square_root, where
from rlx_dialect.formulas.precise import Double, polynomial, product_exact, sum_exact
from rlx_dialect.formulas.registry import formula


def erfc_tail(a: Num, unit: float, square: Double) -> tuple[Num, Num]:
    """
    Factors of `erfc(z)`, `z = a / unit`, `a >= 0`, and z squared: `e^(-z^2)` and `q P(2q - 1/2)` for `q = 2 / (2 + z)`.

    What q was rounded by is made up for in the exponent; q P goes like that power of q, on average.
    """
    total = sum_exact(a, a.lift(2 * unit))
    q = 2 * unit / total.high
    back = product_exact(q, total.high)
    lost = ((2 * unit - back.high) - back.low) - q * total.low
    power = exp_sum(-square.high, lost * (1.7 / (2 * unit)) - square.low)
    return power, q * polynomial(q + q - 0.5, coefficients.ERFC)


@formula
def erfc(x: Num) -> Num:
    """`1 - erf(x)` without cancellation, down to where `e^-x^2` underflows; a negative x gives 2 minus that of `-x`."""
    z = where(abs(x) > 30.0, 30.0, abs(x))
    power, factor = erfc_tail(z, 1.0, product_exact(z, z))
    tail = power * factor
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
