"""Gradients of the norms, the statistics in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.ir import Attribute

from rlx_dialect.attributes import AdaNormKind
from rlx_dialect.ops import (
    AdaLayerNormBackwardOp,
    BatchNormInferenceBackwardBetaOp,
    BatchNormInferenceBackwardGammaOp,
    BatchNormInferenceBackwardInputOp,
    GatedResidualBackwardOp,
    GroupNormBackwardBetaOp,
    GroupNormBackwardGammaOp,
    GroupNormBackwardInputOp,
    LayerNormBackwardGammaOp,
    LayerNormBackwardInputOp,
    NormBetaGradientOp,
    NormGammaGradientOp,
    NormInputGradientOp,
    RmsNormBackwardBetaOp,
    RmsNormBackwardGammaOp,
    RmsNormBackwardInputOp,
)
from rlx_dialect.reference.normalization import along
from rlx_dialect.reference.numeric import Array, rounded, wide


def normalised(x: Array, epsilon: float, centre: bool) -> tuple[Array, Array]:
    """The input of a norm over the last axis without its mean, if `centre`, and over its deviation; that deviation."""
    count = max(x.shape[-1], 1)
    if centre:
        x = x - x.sum(-1, keepdims=True) / count
    deviation = np.sqrt((x * x).sum(-1, keepdims=True) / count + epsilon)
    return x / deviation, deviation


def by_input(x: Array, gradient: Array, epsilon: float, centre: bool) -> Array:
    """The gradient of a norm without gain over the last axis, by its input."""
    count = max(x.shape[-1], 1)
    normed, deviation = normalised(x, epsilon, centre)
    result = gradient - normed * ((gradient * normed).sum(-1, keepdims=True) / count)
    if centre:
        result = result - gradient.sum(-1, keepdims=True) / count
    return result / deviation


def total(x: Array, axis: int) -> Array:
    """The sum over all axes but `axis`."""
    return x.sum(tuple(a for a in range(x.ndim) if a != axis % x.ndim))


def summed_to(x: Array, shape: tuple[int, ...]) -> Array:
    """The gradient of a broadcast from `shape`: the sum over what it stretched."""
    x = x.sum(tuple(range(x.ndim - len(shape))))
    return x.sum(tuple(a for a, d in enumerate(shape) if d == 1), keepdims=True)


def groups_of(x: Array, groups: int) -> Array:
    """`[N, C, ..]` as `[N, groups, the rest]`"""
    return x.reshape(x.shape[0], groups, int(np.prod(x.shape[1:], dtype=int)) // groups)


def _input(op: NormInputGradientOp, args: tuple[Any, ...], centre: bool) -> tuple[Array]:
    axis = op.axis.value.data
    x, gamma, gradient = (wide(v, op.accumulate) for v in args)
    x, gradient = np.moveaxis(x, axis, -1), np.moveaxis(gradient, axis, -1)
    result = by_input(x, gradient * gamma, op.epsilon.value.data, centre)
    return (rounded(np.moveaxis(result, -1, axis), op.result),)


def _gamma(op: NormGammaGradientOp, args: tuple[Any, ...], centre: bool) -> tuple[Array]:
    x, gradient = (np.moveaxis(wide(v, op.accumulate), op.axis.value.data, -1) for v in args)
    normed, _ = normalised(x, op.epsilon.value.data, centre)
    return (rounded(total(gradient * normed, -1), op.result),)


def _beta(op: NormBetaGradientOp, args: tuple[Any, ...]) -> tuple[Array]:
    return (rounded(total(wide(args[0], op.accumulate), op.axis.value.data), op.result),)


def _joined(parts: list[Array], accumulate: Attribute | None = None) -> Array:
    return np.concatenate([wide(part, accumulate).ravel() for part in parts])


@register_impls
class NormGradientFunctions(InterpreterFunctions):
    @impl(LayerNormBackwardInputOp)
    def layer_norm_input(self, interpreter: Interpreter, op: LayerNormBackwardInputOp, args: tuple[Any, ...]):
        return _input(op, args, centre=True)

    @impl(LayerNormBackwardGammaOp)
    def layer_norm_gamma(self, interpreter: Interpreter, op: LayerNormBackwardGammaOp, args: tuple[Any, ...]):
        return _gamma(op, args, centre=True)

    @impl(RmsNormBackwardInputOp)
    def rms_norm_input(self, interpreter: Interpreter, op: RmsNormBackwardInputOp, args: tuple[Any, ...]):
        return _input(op, args, centre=False)

    @impl(RmsNormBackwardGammaOp)
    def rms_norm_gamma(self, interpreter: Interpreter, op: RmsNormBackwardGammaOp, args: tuple[Any, ...]):
        return _gamma(op, args, centre=False)

    @impl(RmsNormBackwardBetaOp)
    def rms_norm_beta(self, interpreter: Interpreter, op: RmsNormBackwardBetaOp, args: tuple[Any, ...]):
        return _beta(op, args)

    @impl(GroupNormBackwardInputOp)
    def group_norm_input(self, interpreter: Interpreter, op: GroupNormBackwardInputOp, args: tuple[Any, ...]):
        x, gamma, gradient = (wide(v, op.accumulate) for v in args)
        groups = op.num_groups.value.data
        gained = gradient * along(gamma, 1, x.ndim)
        result = by_input(groups_of(x, groups), groups_of(gained, groups), op.epsilon.value.data, centre=True)
        return (rounded(result.reshape(x.shape), op.result),)

    @impl(GroupNormBackwardGammaOp)
    def group_norm_gamma(self, interpreter: Interpreter, op: GroupNormBackwardGammaOp, args: tuple[Any, ...]):
        x, gradient = (wide(v, op.accumulate) for v in args)
        normed, _ = normalised(groups_of(x, op.num_groups.value.data), op.epsilon.value.data, centre=True)
        return (rounded(total(gradient * normed.reshape(x.shape), 1), op.result),)

    @impl(GroupNormBackwardBetaOp)
    def group_norm_beta(self, interpreter: Interpreter, op: GroupNormBackwardBetaOp, args: tuple[Any, ...]):
        return (rounded(total(wide(args[0], op.accumulate), 1), op.result),)

    @impl(BatchNormInferenceBackwardInputOp)
    def batch_norm_input(self, interpreter: Interpreter, op: BatchNormInferenceBackwardInputOp, args: tuple[Any, ...]):
        gamma, variance, gradient = map(wide, args)
        gain = gamma / np.sqrt(variance + op.epsilon.value.data)
        return (rounded(gradient * along(gain, op.axis.value.data, gradient.ndim), op.result),)

    @impl(BatchNormInferenceBackwardGammaOp)
    def batch_norm_gamma(self, interpreter: Interpreter, op: BatchNormInferenceBackwardGammaOp, args: tuple[Any, ...]):
        x, mean, variance, gradient = (wide(v, op.accumulate) for v in args)
        axis = op.axis.value.data
        centred = x - along(mean, axis, x.ndim)
        return (rounded(total(gradient * centred, axis) / np.sqrt(variance + op.epsilon.value.data), op.result),)

    @impl(BatchNormInferenceBackwardBetaOp)
    def batch_norm_beta(self, interpreter: Interpreter, op: BatchNormInferenceBackwardBetaOp, args: tuple[Any, ...]):
        return _beta(op, args)

    @impl(AdaLayerNormBackwardOp)
    def ada_layer_norm(self, interpreter: Interpreter, op: AdaLayerNormBackwardOp, args: tuple[Any, ...]):
        x, scale, shift, gradient = (wide(v, op.accumulate) for v in args)
        centre, epsilon = op.normalises is AdaNormKind.LAYER_NORM, op.epsilon.value.data
        normed, _ = normalised(x, epsilon, centre)
        parts = [
            by_input(x, gradient * (1 + scale), epsilon, centre),
            summed_to(gradient * normed, scale.shape),
            summed_to(gradient, shift.shape),
        ]
        return (rounded(_joined(parts), op.result),)

    @impl(GatedResidualBackwardOp)
    def gated_residual(self, interpreter: Interpreter, op: GatedResidualBackwardOp, args: tuple[Any, ...]):
        _, update, gate, gradient = map(wide, args)
        parts = [gradient, gradient * gate, summed_to(gradient * update, gate.shape)]
        return (rounded(_joined(parts), op.result),)
