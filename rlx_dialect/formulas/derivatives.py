"""Derivatives of the functions of one number. NaN goes through them all, but for that of relu."""

import math

from rlx_dialect.formulas import activations as act
from rlx_dialect.formulas import rounding
from rlx_dialect.formulas.error_function import erf, erfc_tail
from rlx_dialect.formulas.exponential import exp, exp_sum, times_decay
from rlx_dialect.formulas.hyperbolic import tanh
from rlx_dialect.formulas.inverse_trigonometry import atan
from rlx_dialect.formulas.logarithm import log
from rlx_dialect.formulas.machine import Num, fma, is_nan, where
from rlx_dialect.formulas.power import rsqrt, sqrt
from rlx_dialect.formulas.precise import Double, product_exact
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
def _tanh(x: Num) -> Num:
    """Without the cancellation of `1 - tanh(x)^2`."""
    return bell(x + x) * 4.0


@derivative(erf)
def _erf(x: Num) -> Num:
    a = where(abs(x) > 30.0, 30.0, abs(x))
    high, low = product_exact(a, a)
    return where(is_nan(x), x, exp_sum(-high, -low) * (2 / math.sqrt(math.pi)))


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
    return _ascent(x, *times_decay(1.0 - abs(x), abs(x)))


def _ascent(x: Num, w: Num, decayed: Num) -> Num:
    """That of `x / (1 + w)` for `w = e^-u`, from `decayed`, `(1 - |x| du/dx) w` at `|x|`."""
    whole = 1.0 + w
    return _mirrored(x, (decayed + _squared(w)) / (whole * whole))


def _squared(w: Num) -> Num:
    """0 where it is nothing beside w, which may be larger than it should be there."""
    return where(w > 2.0 ** -(w.machine.format.fraction + 4), w * w, 0.0)


def _mirrored(x: Num, below: Num) -> Num:
    """The slope at x of what rises by 1 more than at -x, by that at `-|x|`."""
    return where(x < 0.0, below, 1.0 - below)


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
    a = where(abs(x) > 60.0, 60.0, abs(x))
    high, low = product_exact(a, a)
    power, factor = erfc_tail(a, math.sqrt(2), Double(high * 0.5, low * 0.5))
    # At infinity 0 times infinity, NaN as the definition has it.
    return _mirrored(x, power * fma(abs(x), -1 / math.sqrt(2 * math.pi), factor * 0.5))


@derivative(act.gelu_approx)
def _gelu_approx(x: Num) -> Num:
    a = where(abs(x) > 60.0, 60.0, abs(x))
    slope = 2 * math.sqrt(2 / math.pi)
    bend = a * fma(a * a, 3 * 0.044715 * slope, slope)
    y = _ascent(x, *act.times_bent_decay(1.0 - bend, x))
    return where(abs(x) < math.inf, y, math.nan)


@derivative(act.quick_gelu)
def _quick_gelu(x: Num) -> Num:
    exponent, low = act.steepened(abs(x))
    y = _ascent(x, *times_decay((1.0 - exponent) - low, exponent, low))
    return where(abs(x) < math.inf, y, math.nan)


@derivative(act.mish)
def _mish(x: Num) -> Num:
    """Of `w = e^-|x|`, either side written so that large numbers do not cancel."""
    w, decayed = times_decay(1.0 - abs(x), abs(x))
    twice, square = w + w, _squared(w)
    rising = (1.0 + twice) * (1.0 + twice + twice * w) + x * (twice * twice * (1.0 + w))
    falling = decayed * 4.0 + (square * 4.0 * x + square * (w * (w + 4.0) + 6.0))
    below = x < 0.0
    whole = where(below, 2.0 + w * (w + 2.0), 1.0 + twice + twice * w)
    return where(below, falling, rising) / (whole * whole)


@derivative(act.softsign)
def _softsign(x: Num) -> Num:
    slope = 1.0 / (1.0 + abs(x))
    return slope * slope


@derivative(act.hard_sigmoid)
def _hard_sigmoid(x: Num) -> Num:
    return where(x > 3.0, 0.0, where(x <= -3.0, 0.0, constant(x, 1 / 6)))


@derivative(act.hard_swish)
def _hard_swish(x: Num) -> Num:
    return where(x <= -3.0, 0.0, where(x > 3.0, 1.0, (x + 1.5) / 3.0))
