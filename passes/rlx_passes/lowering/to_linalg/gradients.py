"""Gradients of elementwise ops: the derivative at the input times the gradient, in one parallel op."""

import math as reals
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import math

from rlx_dialect.attributes import Activation
from rlx_dialect.ops import ActivationBackwardOp, ReluBackwardOp
from rlx_passes.lowering.to_linalg import special
from rlx_passes.lowering.to_linalg.builder import LinalgBuilder, Lowerings, Tensor
from rlx_passes.lowering.to_linalg.elementwise import ACTIVATIONS
from rlx_passes.lowering.to_linalg.scalars import Scalar


def _sigmoid(x: Scalar) -> Scalar:
    return 1.0 / (1.0 + (-x).exp())


def _sech2(x: Scalar) -> Scalar:
    """The derivative of tanh as `4 e / (1 + e)^2` for `e = e^(-2|x|)`, which neither cancels nor overflows."""
    e = (-2.0 * x.abs()).exp()
    return 4.0 * e / ((1.0 + e) * (1.0 + e))


def _gelu(x: Scalar) -> Scalar:
    density = (-0.5 * x * x).exp() * (1.0 / reals.sqrt(2.0 * reals.pi))
    return 0.5 * special.erfc(x * -reals.sqrt(0.5)) + x * density


def _gelu_approx(x: Scalar) -> Scalar:
    slope = reals.sqrt(2.0 / reals.pi)
    inner = slope * (x + 0.044715 * x * x * x)
    return 0.5 * (1.0 + special.tanh(inner)) + 0.5 * x * _sech2(inner) * slope * (1.0 + 3.0 * 0.044715 * x * x)


def _mish(x: Scalar) -> Scalar:
    bent = special.softplus(x)
    return special.tanh(bent) + x * _sech2(bent) * _sigmoid(x)


def _softsign(x: Scalar) -> Scalar:
    root = 1.0 + x.abs()
    return 1.0 / (root * root)


def _tan(x: Scalar) -> Scalar:
    value = special.tan(x)
    return 1.0 + value * value


def _flat(x: Scalar) -> Scalar:
    """0, but NaN for NaN."""
    return x.is_nan().where(x, 0.0)


def _inside(x: Scalar, low: float, high: float, value: Scalar) -> Scalar:
    """`value` where `low < x <= high`, 0 elsewhere."""
    return ((x <= low) | (x > high)).where(0.0, value)


def _hard_swish(x: Scalar) -> Scalar:
    return (x > 3.0).where(1.0, (x <= -3.0).where(0.0, (2.0 * x + 3.0) / 6.0))


DERIVATIVES: Mapping[Activation, Callable[[Scalar], Scalar]] = {
    Activation.GELU: _gelu,
    Activation.GELU_APPROX: _gelu_approx,
    Activation.SILU: lambda x: _sigmoid(x) * (1.0 + x * _sigmoid(-x)),
    Activation.RELU: lambda x: (x <= 0.0).where(0.0, x.constant(1.0)),
    Activation.SIGMOID: lambda x: _sigmoid(x) * _sigmoid(-x),
    Activation.TANH: _sech2,
    Activation.EXP: Scalar.exp,
    Activation.LOG: lambda x: 1.0 / x,
    Activation.SQRT: lambda x: 0.5 / x.math(math.SqrtOp),
    Activation.RSQRT: lambda x: -0.5 / (x * x.math(math.SqrtOp)),
    Activation.NEG: lambda x: _flat(x) - 1.0,
    Activation.ABS: ACTIVATIONS[Activation.SIGN],
    Activation.SIN: special.cos,
    Activation.COS: lambda x: -special.sin(x),
    Activation.TAN: _tan,
    Activation.ATAN: lambda x: 1.0 / (1.0 + x * x),
    Activation.RECIP: lambda x: -1.0 / (x * x),
    Activation.ROUND: _flat,
    Activation.FLOOR: _flat,
    Activation.CEIL: _flat,
    Activation.SIGN: _flat,
    Activation.SOFTPLUS: _sigmoid,
    Activation.ELU: lambda x: x.minimum(0.0).exp(),
    Activation.ERF: lambda x: (2.0 / reals.sqrt(reals.pi)) * (-(x * x)).exp(),
    Activation.HARD_SWISH: _hard_swish,
    Activation.HARD_SIGMOID: lambda x: _inside(x, -3.0, 3.0, _flat(x) + 1.0 / 6.0),
    Activation.MISH: _mish,
    Activation.SOFTSIGN: _softsign,
    Activation.LOG_SIGMOID: lambda x: _sigmoid(-x),
}
"""The derivative of each activation, that of the left side at a corner."""


def _activation_backward(op: ActivationBackwardOp, b: LinalgBuilder) -> Sequence[Tensor]:
    inputs = [b.tensor(op.input), b.tensor(op.gradient)]
    derivative = DERIVATIVES[op.activation]
    return [b.elementwise(inputs, inputs[0].element, lambda x, gradient: derivative(x) * gradient)]


def _relu_backward(op: ReluBackwardOp, b: LinalgBuilder) -> Sequence[Tensor]:
    inputs = [b.tensor(op.input), b.tensor(op.gradient)]
    return [b.elementwise(inputs, inputs[0].element, lambda x, gradient: (x <= 0.0).where(0.0, gradient))]


LOWERINGS: Lowerings = {ActivationBackwardOp: _activation_backward, ReluBackwardOp: _relu_backward}
