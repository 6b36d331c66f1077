"""Fused norms and residuals, by their own formula; intermediate values are not rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import AdaNormKind
from rlx_dialect.ops import (
    AdaLayerNormOp,
    FusedResidualLNOp,
    FusedResidualNormOp,
    FusedResidualRmsNormOp,
    GatedResidualOp,
)
from rlx_dialect.reference.normalization import Norm, layer_norm, rms_norm
from rlx_dialect.reference.numeric import Array, rounded, wide


def _residual_norm(op: FusedResidualNormOp, norm: Norm, args: tuple[Any, ...]) -> tuple[Array, ...]:
    value, residual, gamma, beta, *bias = args
    total = wide(value) + wide(residual) + (wide(bias[0]) if bias else 0)
    normed = rounded(norm(total, gamma, beta, op.epsilon.value.data, op.accumulate), op.result)
    return (normed,) if op.sum is None else (normed, rounded(total, op.sum))


@register_impls
class FusedNormFunctions(InterpreterFunctions):
    @impl(FusedResidualLNOp)
    def residual_ln(self, interpreter: Interpreter, op: FusedResidualLNOp, args: tuple[Any, ...]):
        return _residual_norm(op, layer_norm, args)

    @impl(FusedResidualRmsNormOp)
    def residual_rms_norm(self, interpreter: Interpreter, op: FusedResidualRmsNormOp, args: tuple[Any, ...]):
        return _residual_norm(op, rms_norm, args)

    @impl(AdaLayerNormOp)
    def ada_layer_norm(self, interpreter: Interpreter, op: AdaLayerNormOp, args: tuple[Any, ...]):
        value, scale, shift = args
        norm = layer_norm if op.normalises is AdaNormKind.LAYER_NORM else rms_norm
        one, zero = np.ones(1), np.zeros(1)
        normed = wide(norm(value, one, zero, op.epsilon.value.data, op.accumulate))
        return (rounded(normed * (1 + wide(scale)) + wide(shift), op.result),)

    @impl(GatedResidualOp)
    def gated_residual(self, interpreter: Interpreter, op: GatedResidualOp, args: tuple[Any, ...]):
        value, update, gate = (wide(x) for x in args)
        return (rounded(value + gate * update, op.result),)
