"""Powers of e and 2: the whole part of the exponent to base 2 scales, a polynomial does the rest."""

import math

from rlx_dialect.formulas.coefficients import EXP
from rlx_dialect.formulas.machine import F32, F64, FloatFormat, Num, fma, is_nan, where
from rlx_dialect.formulas.precise import nearest, polynomial, power_of_two, scale, within
from rlx_dialect.formulas.registry import formula

LN2_HIGH = {F32: 0.693359375, F64: 0.6931471803691238}
LN2_LOW = {F32: -2.1219444005469057e-4, F64: 1.9082149292705877e-10}
"""log(2) in two parts; whole numbers times the first are exact, where a machine rounds the product too."""


def small_expm1(r: Num) -> Num:
    """`e^r - 1` for `|r|` up to `log(2) / 2`."""
    return fma(polynomial(r, EXP), r * r, r)


def exponents(form: FloatFormat) -> tuple[float, float]:
    """From where on, either way, powers of e are 0 and infinite."""
    return -(form.bias + form.fraction + 2) * math.log(2), (form.bias + 2) * math.log(2)


def reduced(x: Num, low: Num | None = None) -> tuple[Num, Num]:
    """`n` and `e` so that `e^(x + low)` is `2^n (1 + e)`, for an x in range."""
    form = x.machine.format
    n, whole = nearest(x, 1 / math.log(2))
    r = fma(n, -LN2_LOW[form], fma(n, -LN2_HIGH[form], x))
    return whole, small_expm1(r if low is None else r + low)


@formula
def exp(x: Num) -> Num:
    n, e = reduced(within(x, *exponents(x.machine.format)))
    return where(is_nan(x), x, scale(1.0 + e, n))


def exp_sum(high: Num, low: Num) -> Num:
    """`e^(high + low)`, for numbers whose absolute errors matter. NaN gives any number."""
    # A function of f64 and the two roundings after it lose more than is left to what calls this.
    if high.machine.is_cheap("exp") and (high.machine.format == F32 or not high.machine.has_bits):
        power = exp(high)
        return fma(power, low, power)
    n, e = reduced(within(high, *exponents(high.machine.format)), low)
    return scale(1.0 + e, n)


LIFT = 64
"""So many places higher are powers of 2 computed with that may be no normal numbers."""


def times_decay(x: Num, exponent: Num, low: Num | None = None) -> tuple[Num, Num]:
    """
    `w = e^-(exponent + low)` and `x w`, which keeps its digits where `w` loses some as a denormal number.

    For an exponent of at least 0, and NaN of infinite x beyond the last w that is not 0. NaN gives any number.
    """
    form = x.machine.format
    # As in exp_sum.
    if x.machine.is_cheap("exp") and (low is None or form == F32 or not x.machine.has_bits):
        # So far out w is `e^nearer` times as large, and still nothing beside 1.
        far_out = form.bias / 2
        nearer = far_out / 2
        far = exponent > far_out
        power = exp(where(far, nearer - exponent, -exponent))
        w = power if low is None else fma(power, -low, power)
        return w, where(far, x * math.exp(-nearer), x) * w
    most = (form.bias + LIFT) * math.log(2)
    return times_power(x, *reduced(-where(exponent < most, exponent, most), None if low is None else -low))


def times_power(x: Num, n: Num, e: Num) -> tuple[Num, Num]:
    """`w = 2^n (1 + e)` and `x w`, rounded once for all w; 0 for the lowest n, `-(bias + LIFT)`."""
    power = power_of_two(n + LIFT)
    w, back = fma(power, e, power), 2.0**-LIFT
    return w * back, x * w * back


def half_expm1(x: Num) -> Num:
    """
    `(e^x - 1) / 2` as twice `2^(n-2) e + 2^(n-2) - 1/4`, for an x up to `half_most` that the format resolves.

    NaN gives any number.
    """
    n, e = reduced(x)
    quarter = power_of_two(n - 2)
    value = fma(quarter, e, quarter - 0.25)
    return value + value


def half_most(form: FloatFormat) -> float:
    """From where on `half_expm1` is infinite."""
    return (form.bias + 2.4) * math.log(2)


@formula
def expm1(x: Num) -> Num:
    """`e^x - 1` without cancellation."""
    form = x.machine.format
    half = half_expm1(within(x, -(form.fraction + 3) * math.log(2), half_most(form)))
    return where(abs(x) < 2.0 ** -(form.fraction + 2), x, where(is_nan(x), x, half + half))
