"""Normalisations: statistics in float64, variance in two passes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.ir import Attribute

from rlx_dialect.ops import BatchNormInferenceOp, GroupNormOp, LayerNorm2dOp, LayerNormOp, NormOp, RmsNormOp, SoftmaxOp
from rlx_dialect.reference.numeric import Array, rounded, wide

Norm: TypeAlias = Callable[[Array, Array, Array, float, Attribute | None], Array]
"""A norm over the last axis of its first argument, with gain, shift, epsilon and the type to sum in."""


def mean(x: Array) -> Array:
    """Over the last axis, kept; NaN over nothing, without NumPy's warning."""
    return x.sum(-1, keepdims=True, dtype=x.dtype) / x.dtype.type(x.shape[-1])


def layer_norm(x: Array, gamma: Array, beta: Array, epsilon: float, accumulate: Attribute | None = None) -> Array:
    """Over the last axis, in the type that `accumulate` asks for."""
    x = wide(x, accumulate)
    if x.shape[-1] == 0:
        return x
    centred = x - mean(x)
    variance = mean(centred * centred)
    return centred / np.sqrt(variance + epsilon) * wide(gamma) + wide(beta)


def rms_norm(x: Array, gamma: Array, beta: Array, epsilon: float, accumulate: Attribute | None = None) -> Array:
    """Over the last axis, in the type that `accumulate` asks for."""
    x = wide(x, accumulate)
    if x.shape[-1] == 0:
        return x
    return x / np.sqrt(mean(x * x) + epsilon) * wide(gamma) + wide(beta)


def softmax(x: Array, axis: int) -> Array:
    if x.shape[axis] == 0:
        return x
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def group_norm(
    x: Array, gamma: Array, beta: Array, groups: int, epsilon: float, accumulate: Attribute | None = None
) -> Array:
    """Channels on axis 1."""
    grouped = x.reshape(x.shape[0], groups, int(np.prod(x.shape[1:], dtype=int)) // groups)
    one, zero = np.ones(1), np.zeros(1)
    normed = layer_norm(grouped, one, zero, epsilon, accumulate).reshape(x.shape)
    return normed * along(wide(gamma), 1, x.ndim) + along(wide(beta), 1, x.ndim)


def along(vector: Array, axis: int, rank: int) -> Array:
    """`vector` on `axis` of a value of `rank` dims."""
    return vector.reshape([-1 if a == axis % rank else 1 for a in range(rank)])


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
        (result,) = _over_axis(op, rms_norm, args)
        *rows, width = result.shape
        return (result if op.flatten is None else result.reshape(math.prod(rows), width),)

    @impl(SoftmaxOp)
    def softmax(self, interpreter: Interpreter, op: SoftmaxOp, args: tuple[Any, ...]):
        return (rounded(softmax(wide(args[0], op.accumulate), op.axis.value.data), op.result),)

    @impl(GroupNormOp)
    def group_norm(self, interpreter: Interpreter, op: GroupNormOp, args: tuple[Any, ...]):
        x, gamma, beta = args
        result = group_norm(x, gamma, beta, op.num_groups.value.data, op.epsilon.value.data, op.accumulate)
        return (rounded(result, op.result),)

    @impl(LayerNorm2dOp)
    def layer_norm2d(self, interpreter: Interpreter, op: LayerNorm2dOp, args: tuple[Any, ...]):
        x, gamma, beta = args
        result = layer_norm(np.moveaxis(x, 1, -1), gamma, beta, op.epsilon.value.data, op.accumulate)
        return (rounded(np.moveaxis(result, -1, 1), op.result),)

    @impl(BatchNormInferenceOp)
    def batch_norm_inference(self, interpreter: Interpreter, op: BatchNormInferenceOp, args: tuple[Any, ...]):
        x = wide(args[0])
        gamma, beta, mean, variance = (along(wide(v), op.axis.value.data, x.ndim) for v in args[1:])
        return (rounded((x - mean) / np.sqrt(variance + op.epsilon.value.data) * gamma + beta, op.result),)
