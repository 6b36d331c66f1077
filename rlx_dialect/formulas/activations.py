"""Activations. None cancels digits for large arguments of either sign, and none overflows before its value does."""

import math

from rlx_dialect.formulas.error_function import erfc
from rlx_dialect.formulas.exponential import exp, expm1
from rlx_dialect.formulas.hyperbolic import tanh
from rlx_dialect.formulas.logarithm import log1p
from rlx_dialect.formulas.machine import Num, where
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
    """`x sigmoid(x)`, with `-0` at minus infinity."""
    return times_vanishing(x, sigmoid(x))


def times_vanishing(x: Num, factor: Num) -> Num:
    """`x * factor` for a factor that is 0 at an infinity, where the product is 0 too."""
    bounded = where(x < -x.machine.format.largest, -x.machine.format.largest, x)
    return bounded * factor


@formula
def softplus(x: Num) -> Num:
    """`log(1 + e^x)`."""
    return where(x < 0.0, 0.0, x) + log1p(exp(-abs(x)))


@formula
def log_sigmoid(x: Num) -> Num:
    """`-log(1 + e^-x)`."""
    return -softplus(-x)


@formula
def elu(x: Num, *, alpha: float = 1.0) -> Num:
    """`x` above 0, `alpha (e^x - 1)` below."""
    low = expm1(where(x > 0.0, 0.0, x))
    return where(x > 0.0, x, low if alpha == 1.0 else low * alpha)


@formula
def celu(x: Num, *, alpha: float = 1.0) -> Num:
    """`x` above 0, `alpha (e^(x / alpha) - 1)` below."""
    return elu(x) if alpha == 1.0 else elu(x / alpha, alpha=1.0) * alpha


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@formula
def selu(x: Num, *, alpha: float = SELU_ALPHA, scale: float = SELU_SCALE) -> Num:
    return elu(x, alpha=alpha) * scale


@formula
def gelu(x: Num) -> Num:
    """`x / 2 erfc(-x / sqrt 2)`."""
    return times_vanishing(x, erfc(x * -math.sqrt(0.5)) * 0.5)


@formula
def gelu_approx(x: Num) -> Num:
    """`x / 2 (1 + tanh(u))` for `u = sqrt(2 / pi) (x + 0.044715 x^3)`, which is `x sigmoid(2 u)`."""
    return times_vanishing(
        x, sigmoid(x * ((x * x) * (0.044715 * 2 * math.sqrt(2 / math.pi)) + 2 * math.sqrt(2 / math.pi)))
    )


@formula
def mish(x: Num) -> Num:
    """`x tanh(log(1 + e^x))`."""
    return times_vanishing(x, tanh(softplus(x)))


@formula
def softsign(x: Num) -> Num:
    return x / (1.0 + abs(x))


@formula
def hard_sigmoid(x: Num, *, slope: float = 1 / 6, offset: float = 0.5) -> Num:
    """`slope x + offset` within [0, 1]."""
    return clamp(x * slope + offset, 0.0, 1.0)


@formula
def hard_swish(x: Num) -> Num:
    """`x clamp(x + 3, 0, 6) / 6`, with -0 at minus infinity."""
    return times_vanishing(x, clamp(x + 3.0, 0.0, 6.0)) / 6.0
