"""Activations. None cancels digits for large arguments of either sign, and none overflows before its value does."""

import math

from rlx_dialect.formulas import coefficients
from rlx_dialect.formulas.error_function import erfc_tail
from rlx_dialect.formulas.exponential import exp, expm1, small_expm1, times_decay, times_power
from rlx_dialect.formulas.logarithm import log1p
from rlx_dialect.formulas.machine import F32, F64, Num, fma, where
from rlx_dialect.formulas.precise import Double, constant, nearest, product_exact, sum_exact
from rlx_dialect.formulas.registry import formula


def clamp(x: Num, low: float, high: float) -> Num:
    """`x` within bounds, NaN as itself."""
    x = where(x < low, low, x)
    return where(x > high, high, x)


@formula
def relu(x: Num) -> Num:
    """NaN goes through; either zero gives +0."""
    return where(x <= 0.0, 0.0, x)


@formula
def leaky_relu(x: Num, *, slope: float = 0.01) -> Num:
    return where(x < 0.0, x * slope, x)


@formula
def sigmoid(x: Num) -> Num:
    """`1 / (1 + e^-x)`, whose small values are those of `e^x`."""
    small = exp(-abs(x))
    return where(x < 0.0, small, 1.0) / (1.0 + small)


@formula
def silu(x: Num) -> Num:
    """`x sigmoid(x)`."""
    w, decayed = times_decay(x, abs(x))
    return where(x < 0.0, decayed, x) / (1.0 + w)


@formula
def softplus(x: Num, *, beta: float = 1.0) -> Num:
    """`log(1 + e^(beta x)) / beta`."""
    power = scaled(x, beta)
    tail = log1p(exp(-abs(power)))
    return where(power < 0.0, 0.0, x) + (tail if beta == 1.0 else tail / beta)


@formula
def log_sigmoid(x: Num) -> Num:
    """`-log(1 + e^-x)`."""
    return -softplus(-x)


@formula
def elu(x: Num, *, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Num:
    """`scale x` above 0, `scale alpha (e^(input_scale x) - 1)` below."""
    low = where(x > 0.0, 0.0, x)
    low = scaled(expm1(scaled(low, input_scale)), alpha * scale)
    # By what is below 0, since some compilers make 0 of -0 in the choice above.
    return where(x < 0.0, low, scaled(x, scale))


def scaled(x: Num, factor: float) -> Num:
    return x if factor == 1.0 else x * factor


@formula
def celu(x: Num, *, alpha: float = 1.0) -> Num:
    """`x` above 0, `alpha (e^(x / alpha) - 1)` below. Raises `ValueError` for an alpha of 0."""
    if alpha == 0:
        raise ValueError("celu divides by its alpha, which is 0")
    return elu(x, alpha=alpha, input_scale=1 / alpha)


@formula
def selu(x: Num, *, alpha: float = 1.6732632423543772, scale: float = 1.0507009873554805) -> Num:
    return elu(x, alpha=alpha, scale=scale)


@formula
def gelu(x: Num) -> Num:
    """`x / 2 erfc(-x / sqrt 2)`: of negative numbers the tail of that, of others what the tail leaves of x."""
    a = where(abs(x) > 60.0, 60.0, abs(x))
    high, low = product_exact(a, a)
    power, factor = erfc_tail(a, math.sqrt(2), Double(high * 0.5, low * 0.5))
    negative = x < 0.0
    # At minus infinity 0 times infinity, NaN as the definition has it.
    tail = power * (factor * (where(negative, -x, a) * 0.5))
    return where(negative, -tail, x - tail)


GELU_MOST = {F32: 11.6817787382, F64: 21.5989181034}
"""Where the exponent of `gelu_approx` to base 2 is `bias + LIFT`: nothing of any x is left."""


@formula
def gelu_approx(x: Num) -> Num:
    """`x / 2 (1 + tanh(u))`, `u = sqrt(2 / pi) (x + 0.044715 x^3)`, as `x sigmoid(2 u)`, the exponent in two parts."""
    w, decayed = times_bent_decay(x, x)
    return where(x < 0.0, decayed, x) / (1.0 + w)


def times_bent_decay(factor: Num, x: Num) -> tuple[Num, Num]:
    """`w = e^-u` and `factor w`, `u = 2 sqrt(2 / pi) (|x| + 0.044715 |x|^3)`."""
    a, form = abs(x), x.machine.format
    if not x.machine.exact_fma:
        return times_decay(factor, *twice_bent(where(a > 60.0, 60.0, a)))
    most = GELU_MOST[form]
    a = where(a > most, most, a)
    linear, cubic = constant(coefficients.GELU_BINARY_LINEAR, a), constant(coefficients.GELU_BINARY_CUBIC, a)
    square, square_low = product_exact(a, a)
    slope = fma(square, cubic.high, linear.high)
    # The difference is exact, since the larger part of the constant has few digits.
    slope_low = fma(square, cubic.high, linear.high - slope)
    slope_low += fma(square_low, cubic.high, fma(square, cubic.low, linear.low))
    n, whole = nearest(a, slope)
    r = fma(a, slope_low, fma(a, slope, -n))
    return times_power(factor, -whole, small_expm1(r * -math.log(2)))


def twice_bent(a: Num) -> Double:
    """`2 sqrt(2 / pi) (a + 0.044715 a^3)` for an `a` in [0, 60]."""
    linear, cubic = constant(coefficients.GELU_LINEAR, a), constant(coefficients.GELU_CUBIC, a)
    square, square_low = product_exact(a, a)
    bend, bend_low = product_exact(square, cubic.high)
    bend_low += fma(square, cubic.low, square_low * cubic.high)
    slope, slope_low = sum_exact(bend, linear.high)
    exponent, exponent_low = product_exact(slope, a)
    return Double(exponent, fma(a, slope_low + (bend_low + linear.low), exponent_low))


@formula
def quick_gelu(x: Num) -> Num:
    """`x sigmoid(1.702 x)`, the exponent in two parts."""
    w, decayed = times_decay(x, *steepened(abs(x)))
    return where(x < 0.0, decayed, x) / (1.0 + w)


def steepened(a: Num) -> Double:
    """`1.702 a` for an `a` of at least 0, no larger than leaves nothing of any x."""
    slope, most = constant(coefficients.QUICK_GELU_SLOPE, a), a.machine.format.bias
    a = where(a > most, most, a)
    high, low = product_exact(a, slope.high)
    return Double(high, fma(a, slope.low, low))


@formula
def mish(x: Num) -> Num:
    """`x tanh(log(1 + e^x))`, which is `x / (1 + s)`, or below 0 `x w / (1 + s)` for `w = e^x`, each with a small s."""
    w, decayed = times_decay(x, abs(x))
    falling = x < 0.0
    u = where(falling, w + 1.0, w + w)
    return where(falling, decayed, x) / (1.0 + w * u / (u + 1.0))


@formula
def softsign(x: Num) -> Num:
    return x / (1.0 + abs(x))


@formula
def hard_sigmoid(x: Num) -> Num:
    """`x / 6 + 1/2` within [0, 1]."""
    return clamp(x + 3.0, 0.0, 6.0) / 6.0


@formula
def hard_swish(x: Num) -> Num:
    """`x hard_sigmoid(x)`."""
    return x * hard_sigmoid(x)
