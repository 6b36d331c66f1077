"""Gradients of elementwise ops in plain ops. Halves go on in f32, as the ops themselves do."""

import math
from collections.abc import Callable

from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import ActivationBackwardOp, CompareOp, ErfcOp, ReluBackwardOp, WhereOp

Derivative = Callable[[Plain, SSAValue], SSAValue]


def _where(to: Plain, kind: CompareKind, x: SSAValue, y: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
    """`on_true` where `x kind y` holds, else `on_false`."""
    return to.add(WhereOp(to.add(CompareOp(kind, x, y)).result, on_true, on_false)).result


def _scaled(to: Plain, x: SSAValue, factor: float) -> SSAValue:
    return to.times(x, to.scalar(factor, x))


def _square(to: Plain, x: SSAValue) -> SSAValue:
    return to.times(x, x)


def _one_plus(to: Plain, x: SSAValue) -> SSAValue:
    return to.plus(x, to.scalar(1.0, x))


def _over(to: Plain, x: SSAValue, numerator: float = 1.0) -> SSAValue:
    return to.binary(BinaryKind.DIV, to.scalar(numerator, x), x)


def _sigmoid(to: Plain, x: SSAValue) -> SSAValue:
    return to.activated(Activation.SIGMOID, x)


def _bell(to: Plain, x: SSAValue) -> SSAValue:
    """The derivative of the sigmoid: both factors are exact far out."""
    return to.times(_sigmoid(to, x), _sigmoid(to, _scaled(to, x, -1.0)))


def _sech2(to: Plain, x: SSAValue) -> SSAValue:
    """The derivative of tanh, without cancellation."""
    return _scaled(to, _bell(to, _scaled(to, x, 2.0)), 4.0)


def _constant(value: float) -> Derivative:
    """The same everywhere, but NaN at NaN."""

    def derivative(to: Plain, x: SSAValue) -> SSAValue:
        return _where(to, CompareKind.EQ, x, x, to.scalar(value, x), x)

    return derivative


def _gelu(to: Plain, x: SSAValue) -> SSAValue:
    area = _scaled(to, to.add(ErfcOp(_scaled(to, x, -1 / math.sqrt(2)))).result, 0.5)
    density = to.activated(Activation.EXP, _scaled(to, _square(to, x), -0.5))
    return to.plus(area, _scaled(to, to.times(x, density), 1 / math.sqrt(2 * math.pi)))


def _gelu_approx(to: Plain, x: SSAValue) -> SSAValue:
    slope, square = math.sqrt(2 / math.pi), _square(to, x)
    inner = _scaled(to, to.times(x, _one_plus(to, _scaled(to, square, 0.044715))), slope)
    rise = _scaled(to, _one_plus(to, to.activated(Activation.TANH, inner)), 0.5)
    inner_slope = _scaled(to, _one_plus(to, _scaled(to, square, 3 * 0.044715)), 0.5 * slope)
    return to.plus(rise, to.times(to.times(x, _sech2(to, inner)), inner_slope))


def _silu(to: Plain, x: SSAValue) -> SSAValue:
    far = to.times(x, _sigmoid(to, _scaled(to, x, -1.0)))
    return to.times(_sigmoid(to, x), _one_plus(to, far))


def _rsqrt(to: Plain, x: SSAValue) -> SSAValue:
    return _over(to, to.times(x, to.activated(Activation.SQRT, x)), -0.5)


def _hard_swish(to: Plain, x: SSAValue) -> SSAValue:
    inside = to.plus(_scaled(to, x, 1 / 3), to.scalar(0.5, x))
    upper = _where(to, CompareKind.GT, x, to.scalar(3.0, x), to.scalar(1.0, x), inside)
    return _where(to, CompareKind.LE, x, to.scalar(-3.0, x), to.scalar(0.0, x), upper)


def _hard_sigmoid(to: Plain, x: SSAValue) -> SSAValue:
    zero = to.scalar(0.0, x)
    upper = _where(to, CompareKind.GT, x, to.scalar(3.0, x), zero, _constant(1 / 6)(to, x))
    return _where(to, CompareKind.LE, x, to.scalar(-3.0, x), zero, upper)


def _mish(to: Plain, x: SSAValue) -> SSAValue:
    soft = to.activated(Activation.SOFTPLUS, x)
    bend = to.times(to.times(x, _sech2(to, soft)), _sigmoid(to, x))
    return to.plus(to.activated(Activation.TANH, soft), bend)


def _of(kind: Activation) -> Derivative:
    """The derivative is another activation."""
    return lambda to, x: to.activated(kind, x)


DERIVATIVES: dict[Activation, Derivative] = {
    Activation.GELU: _gelu,
    Activation.GELU_APPROX: _gelu_approx,
    Activation.SILU: _silu,
    Activation.RELU: lambda to, x: _where(
        to, CompareKind.LE, x, to.scalar(0.0, x), to.scalar(0.0, x), to.scalar(1.0, x)
    ),
    Activation.SIGMOID: _bell,
    Activation.TANH: _sech2,
    Activation.EXP: _of(Activation.EXP),
    Activation.LOG: _of(Activation.RECIP),
    Activation.SQRT: lambda to, x: _over(to, to.activated(Activation.SQRT, x), 0.5),
    Activation.RSQRT: _rsqrt,
    Activation.NEG: _constant(-1.0),
    Activation.ABS: _of(Activation.SIGN),
    Activation.SIN: _of(Activation.COS),
    Activation.COS: lambda to, x: _scaled(to, to.activated(Activation.SIN, x), -1.0),
    Activation.TAN: lambda to, x: _one_plus(to, _square(to, to.activated(Activation.TAN, x))),
    Activation.ATAN: lambda to, x: _over(to, _one_plus(to, _square(to, x))),
    Activation.RECIP: lambda to, x: _over(to, _square(to, x), -1.0),
    Activation.ROUND: _constant(0.0),
    Activation.FLOOR: _constant(0.0),
    Activation.CEIL: _constant(0.0),
    Activation.SIGN: _constant(0.0),
    Activation.SOFTPLUS: _sigmoid,
    Activation.ELU: lambda to, x: to.activated(Activation.EXP, to.binary(BinaryKind.MIN, x, to.scalar(0.0, x))),
    Activation.ERF: lambda to, x: _scaled(
        to, to.activated(Activation.EXP, _scaled(to, _square(to, x), -1.0)), 2 / math.sqrt(math.pi)
    ),
    Activation.HARD_SWISH: _hard_swish,
    Activation.HARD_SIGMOID: _hard_sigmoid,
    Activation.MISH: _mish,
    Activation.SOFTSIGN: lambda to, x: _over(to, _square(to, _one_plus(to, to.activated(Activation.ABS, x)))),
    Activation.LOG_SIGMOID: lambda to, x: _sigmoid(to, _scaled(to, x, -1.0)),
}


@plain_form(ReluBackwardOp)
def relu_backward(op: ReluBackwardOp) -> Decomposition:
    to = Plain()
    zero = to.scalar(0.0, op.input)
    return to.done(_where(to, CompareKind.LE, op.input, zero, zero, op.gradient))


@plain_form(ActivationBackwardOp)
def activation_backward(op: ActivationBackwardOp) -> Decomposition:
    to = Plain()
    derivative = DERIVATIVES[op.activation](to, to.widened(op.input))
    return to.done(to.narrowed(to.times(derivative, to.widened(op.gradient)), op.result))
