"""Powers of e and 2: the whole part of the exponent to base 2 scales, a polynomial does the rest."""

import math

from rlx_dialect.formulas.coefficients import EXP
from rlx_dialect.formulas.machine import F32, F64, FloatFormat, Num, fma, is_nan, round_down, to_integer, where
from rlx_dialect.formulas.precise import polynomial, power_of_two, scale, within
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
    n = round_down(fma(x, 1 / math.log(2), 0.5))
    r = fma(n, -LN2_LOW[form], fma(n, -LN2_HIGH[form], x))
    return to_integer(n), small_expm1(r if low is None else r + low)


@formula
def exp(x: Num) -> Num:
    n, e = reduced(within(x, *exponents(x.machine.format)))
    return where(is_nan(x), x, scale(1.0 + e, n))


def exp_sum(high: Num, low: Num) -> Num:
    """`e^(high + low)`, for numbers whose absolute errors matter. NaN gives any number."""
    # A function of f64 and the two roundings after it lose more than is left to what calls this.
    if high.machine.native("exp") and (high.machine.format == F32 or not high.machine.has_bits):
        power = exp(high)
        return fma(power, low, power)
    n, e = reduced(within(high, *exponents(high.machine.format)), low)
    return scale(1.0 + e, n)


def decay(high: Num, low: Num | None = None) -> Num:
    """`e^(high + low)` for a high of at most 0; 0 where that is no normal number. NaN gives any number."""
    form = high.machine.format
    # As in exp_sum.
    if high.machine.native("exp") and (low is None or form == F32 or not high.machine.has_bits):
        power = exp(high)
        return power if low is None else fma(power, low, power)
    floor = -form.bias * math.log(2)
    n, e = reduced(where(high > floor, high, floor), low)
    power = power_of_two(n)
    return fma(power, e, power)


def half_expm1(x: Num) -> Num:
    """`(e^x - 1) / 2` as twice `2^(n-2) e + 2^(n-2) - 1/4` for an x the format resolves; NaN gives any number."""
    form = x.machine.format
    n, e = reduced(within(x, -(form.fraction + 3) * math.log(2), (form.bias + 2.4) * math.log(2)))
    quarter = power_of_two(n - 2)
    value = fma(quarter, e, quarter - 0.25)
    return value + value


@formula
def expm1(x: Num) -> Num:
    """`e^x - 1` without cancellation."""
    form = x.machine.format
    half = half_expm1(x)
    return where(abs(x) < 2.0 ** -(form.fraction + 2), x, where(is_nan(x), x, half + half))
