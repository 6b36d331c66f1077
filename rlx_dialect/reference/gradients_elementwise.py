"""Gradients of elementwise ops, of sums along an axis and of gathers, in float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import Activation
from rlx_dialect.ops import ActivationBackwardOp, CumsumBackwardOp, GatherBackwardOp, ReluBackwardOp
from rlx_dialect.reference.elementwise import sigmoid, softplus
from rlx_dialect.reference.numeric import Array, check_indices, erfc, rounded, wide


def sech2(x: Array) -> Array:
    """The derivative of tanh, without cancellation."""
    return 1 / np.cosh(x) ** 2


def step(x: Array) -> Array:
    """0 up to 0, then 1; NaN counts as above."""
    return np.where(x <= 0, 0.0, 1.0)


def flat(x: Array) -> Array:
    return np.where(np.isnan(x), np.nan, 0.0)


def gelu_approx(x: Array) -> Array:
    slope = math.sqrt(2 / math.pi)
    inner = slope * (x + 0.044715 * x**3)
    return sigmoid(2 * inner) + 0.5 * x * sech2(inner) * slope * (1 + 3 * 0.044715 * x**2)


DERIVATIVES: dict[Activation, Callable[[Array], Array]] = {
    Activation.GELU: lambda x: 0.5 * erfc(-x / math.sqrt(2)) + x * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi),
    Activation.GELU_APPROX: gelu_approx,
    Activation.SILU: lambda x: sigmoid(x) * (1 + x * sigmoid(-x)),
    Activation.RELU: step,
    Activation.SIGMOID: lambda x: sigmoid(x) * sigmoid(-x),
    Activation.TANH: sech2,
    Activation.EXP: np.exp,
    Activation.LOG: lambda x: 1 / x,
    Activation.SQRT: lambda x: 0.5 / np.sqrt(x),
    Activation.RSQRT: lambda x: -0.5 / (x * np.sqrt(x)),
    Activation.NEG: lambda x: flat(x) - 1,
    Activation.ABS: np.sign,
    Activation.SIN: np.cos,
    Activation.COS: lambda x: -np.sin(x),
    Activation.TAN: lambda x: 1 + np.tan(x) ** 2,
    Activation.ATAN: lambda x: 1 / (1 + x * x),
    Activation.RECIP: lambda x: -1 / (x * x),
    Activation.ROUND: flat,
    Activation.FLOOR: flat,
    Activation.CEIL: flat,
    Activation.SIGN: flat,
    Activation.SOFTPLUS: sigmoid,
    Activation.ELU: lambda x: np.exp(np.minimum(x, 0)),
    Activation.ERF: lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x),
    Activation.HARD_SWISH: lambda x: np.where(x <= -3, 0, np.where(x > 3, 1, (2 * x + 3) / 6)),
    Activation.HARD_SIGMOID: lambda x: np.where((x <= -3) | (x > 3), 0, flat(x) + 1 / 6),
    Activation.MISH: lambda x: np.tanh(softplus(x)) + x * sech2(softplus(x)) * sigmoid(x),
    Activation.SOFTSIGN: lambda x: 1 / (1 + np.abs(x)) ** 2,
    Activation.LOG_SIGMOID: lambda x: sigmoid(-x),
    Activation.QUICK_GELU: lambda x: sigmoid(1.702 * x) * (1 + 1.702 * x * sigmoid(-1.702 * x)),
}
"""At a corner the derivative of the left side; NaN stays NaN, but for relu."""


@register_impls
class ElementwiseGradientFunctions(InterpreterFunctions):
    @impl(ReluBackwardOp)
    def relu_backward(self, interpreter: Interpreter, op: ReluBackwardOp, args: tuple[Any, ...]):
        x, gradient = map(wide, args)
        return (rounded(np.where(x <= 0, 0, gradient), op.result),)

    @impl(ActivationBackwardOp)
    def activation_backward(self, interpreter: Interpreter, op: ActivationBackwardOp, args: tuple[Any, ...]):
        x, gradient = map(wide, args)
        return (rounded(DERIVATIVES[op.activation](x) * gradient, op.result),)

    @impl(CumsumBackwardOp)
    def cumsum_backward(self, interpreter: Interpreter, op: CumsumBackwardOp, args: tuple[Any, ...]):
        gradient, axis = wide(args[0]), op.axis.value.data
        towards_end = op.reverse is None
        ordered = np.flip(gradient, axis) if towards_end else gradient
        sums = ordered.cumsum(axis)
        if op.exclusive is not None:
            sums = (
                np.concatenate(
                    [np.zeros_like(sums.take([0], axis)), sums.take(range(sums.shape[axis] - 1), axis)], axis
                )
                if sums.shape[axis]
                else sums
            )
        return (rounded(np.flip(sums, axis) if towards_end else sums, op.result),)

    @impl(GatherBackwardOp)
    def gather_backward(self, interpreter: Interpreter, op: GatherBackwardOp, args: tuple[Any, ...]):
        gradient, indices = wide(args[0]), args[1]
        size = op.size.value.data
        axis = op.axis.value.data % (gradient.ndim - indices.ndim + 1)
        check_indices(indices, size, op.name)
        before, after = gradient.shape[:axis], gradient.shape[axis + indices.ndim :]
        table = np.zeros((size, *before, *after))
        gathered = np.moveaxis(gradient, range(axis, axis + indices.ndim), range(indices.ndim))
        np.add.at(table, indices, gathered)
        return (rounded(np.moveaxis(table, 0, axis), op.result),)
