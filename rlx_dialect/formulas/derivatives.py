"""Derivatives of the functions of one number. NaN goes through them all, but for that of relu."""

import math

from rlx_dialect.formulas import activations as act
from rlx_dialect.formulas import rounding
from rlx_dialect.formulas.error_function import erf, erfc
from rlx_dialect.formulas.exponential import exp
from rlx_dialect.formulas.hyperbolic import tanh
from rlx_dialect.formulas.inverse_trigonometry import atan
from rlx_dialect.formulas.logarithm import log
from rlx_dialect.formulas.machine import Num, is_nan, where
from rlx_dialect.formulas.power import rsqrt, sqrt
from rlx_dialect.formulas.registry import derivative
from rlx_dialect.formulas.trigonometry import cos, sin, tan


def constant(x: Num, value: float) -> Num:
    """The same everywhere, but NaN at NaN."""
    return where(is_nan(x), x, value)


@derivative(rounding.floor)
@derivative(rounding.ceil)
@derivative(rounding.round_)
@derivative(rounding.sign)
def step(x: Num) -> Num:
    return constant(x, 0.0)


@derivative(rounding.neg)
def _neg(x: Num) -> Num:
    return constant(x, -1.0)


@derivative(rounding.abs_)
def _abs(x: Num) -> Num:
    return rounding.sign(x)


@derivative(rounding.recip)
def _recip(x: Num) -> Num:
    inverse = 1.0 / x
    return -(inverse * inverse)


@derivative(sqrt)
def _sqrt(x: Num) -> Num:
    return 0.5 / sqrt(x)


@derivative(rsqrt)
def _rsqrt(x: Num) -> Num:
    return -0.5 / x / sqrt(x)


@derivative(exp)
def _exp(x: Num) -> Num:
    return exp(x)


@derivative(log)
def _log(x: Num) -> Num:
    return 1.0 / x


@derivative(sin)
def _sin(x: Num) -> Num:
    return cos(x)


@derivative(cos)
def _cos(x: Num) -> Num:
    return -sin(x)


@derivative(tan)
def _tan(x: Num) -> Num:
    tangent = tan(x)
    return 1.0 + tangent * tangent


@derivative(atan)
def _atan(x: Num) -> Num:
    return 1.0 / (1.0 + x * x)


@derivative(tanh)
def sech_squared(x: Num) -> Num:
    """Without the cancellation of `1 - tanh(x)^2`."""
    return bell(x + x) * 4.0


@derivative(erf)
def _erf(x: Num) -> Num:
    return exp(-(x * x)) * (2 / math.sqrt(math.pi))


@derivative(act.relu)
def _relu(x: Num) -> Num:
    """NaN counts as above 0."""
    return where(x <= 0.0, x.lift(0.0), 1.0)


@derivative(act.sigmoid)
def bell(x: Num) -> Num:
    """Both factors are exact far out."""
    return act.sigmoid(x) * act.sigmoid(-x)


@derivative(act.silu)
def _silu(x: Num) -> Num:
    return act.sigmoid(x) * (1.0 + x * act.sigmoid(-x))


@derivative(act.softplus)
def _softplus(x: Num) -> Num:
    return act.sigmoid(x)


@derivative(act.log_sigmoid)
def _log_sigmoid(x: Num) -> Num:
    return act.sigmoid(-x)


@derivative(act.elu)
def _elu(x: Num) -> Num:
    return exp(where(x > 0.0, 0.0, x))


@derivative(act.gelu)
def _gelu(x: Num) -> Num:
    area = erfc(x * -math.sqrt(0.5)) * 0.5
    return area + x * exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))


@derivative(act.gelu_approx)
def _gelu_approx(x: Num) -> Num:
    near = act.clamp(x, -60.0, 60.0)  # where it is 0 or 1 to all digits, long before the cube overflows
    slope, square = math.sqrt(2 / math.pi), near * near
    inner = near * (square * (0.044715 * slope) + slope)
    inner_slope = square * (3 * 0.044715 * slope * 0.5) + 0.5 * slope
    return act.sigmoid(inner + inner) + x * sech_squared(inner) * inner_slope


@derivative(act.mish)
def _mish(x: Num) -> Num:
    soft = act.softplus(x)
    return tanh(soft) + x * sech_squared(soft) * act.sigmoid(x)


@derivative(act.softsign)
def _softsign(x: Num) -> Num:
    slope = 1.0 / (1.0 + abs(x))
    return slope * slope


@derivative(act.hard_sigmoid)
def _hard_sigmoid(x: Num) -> Num:
    return where(x > 3.0, 0.0, where(x <= -3.0, 0.0, constant(x, 1 / 6)))


@derivative(act.hard_swish)
def _hard_swish(x: Num) -> Num:
    return where(x <= -3.0, 0.0, where(x > 3.0, 1.0, x * (1 / 3) + 0.5))
