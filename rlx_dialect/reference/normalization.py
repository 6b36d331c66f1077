"""Normalisations: statistics in float64, variance in two passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.ir import Attribute

from rlx_dialect.ops import LayerNormOp, NormOp, RmsNormOp, SoftmaxOp
from rlx_dialect.reference.numeric import Array, rounded, wide

Norm: TypeAlias = Callable[[Array, Array, Array, float, Attribute | None], Array]
"""A norm over the last axis of its first argument, with gain, shift, epsilon and the type to sum in."""


def layer_norm(x: Array, gamma: Array, beta: Array, epsilon: float, accumulate: Attribute | None = None) -> Array:
    """Over the last axis, in the type that `accumulate` asks for."""
    x = wide(x, accumulate)
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred * centred).mean(-1, keepdims=True)
    return centred / np.sqrt(variance + epsilon) * wide(gamma) + wide(beta)


def rms_norm(x: Array, gamma: Array, beta: Array, epsilon: float, accumulate: Attribute | None = None) -> Array:
    """Over the last axis, in the type that `accumulate` asks for."""
    x = wide(x, accumulate)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * wide(gamma) + wide(beta)


def softmax(x: Array, axis: int) -> Array:
    if x.shape[axis] == 0:
        return x
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def _over_axis(op: NormOp, norm: Norm, args: tuple[Any, ...]) -> tuple[Array]:
    axis = op.axis.value.data
    last = np.moveaxis(args[0], axis, -1)
    result = norm(last, args[1], args[2], op.epsilon.value.data, op.accumulate)
    return (rounded(np.moveaxis(result, -1, axis), op.result),)


@register_impls
class NormalizationFunctions(InterpreterFunctions):
    @impl(LayerNormOp)
    def layer_norm(self, interpreter: Interpreter, op: LayerNormOp, args: tuple[Any, ...]):
        return _over_axis(op, layer_norm, args)

    @impl(RmsNormOp)
    def rms_norm(self, interpreter: Interpreter, op: RmsNormOp, args: tuple[Any, ...]):
        return _over_axis(op, rms_norm, args)

    @impl(SoftmaxOp)
    def softmax(self, interpreter: Interpreter, op: SoftmaxOp, args: tuple[Any, ...]):
        return (rounded(softmax(wide(args[0], op.accumulate), op.axis.value.data), op.result),)
