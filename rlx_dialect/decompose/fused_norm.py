"""Fused norms and residuals in plain ops."""

from functools import reduce

from rlx_dialect.attributes import AdaNormKind
from rlx_dialect.decompose.plain import Decomposition, Plain, wide_form
from rlx_dialect.ops import (
    AdaLayerNormOp,
    FusedResidualLNOp,
    FusedResidualNormOp,
    FusedResidualRmsNormOp,
    GatedResidualOp,
    LayerNormOp,
    NormOp,
    RmsNormOp,
)


def _residual_norm(op: FusedResidualNormOp, to: Plain, norm: type[NormOp]) -> Decomposition:
    gamma, beta, *addends = to.taken(op.gamma, op.beta, op.input, op.residual, *([] if op.bias is None else [op.bias]))
    total = reduce(to.plus, addends)
    normed = to.add(norm(total, gamma, beta, epsilon=op.epsilon.value.data, accumulate=op.accumulate)).result
    return to.given(*([normed] if op.sum is None else [normed, total]), like=op.input)


@wide_form(FusedResidualLNOp)
def residual_ln(op: FusedResidualLNOp, to: Plain) -> Decomposition:
    return _residual_norm(op, to, LayerNormOp)


@wide_form(FusedResidualRmsNormOp)
def residual_rms_norm(op: FusedResidualRmsNormOp, to: Plain) -> Decomposition:
    return _residual_norm(op, to, RmsNormOp)


@wide_form(AdaLayerNormOp)
def ada_layer_norm(op: AdaLayerNormOp, to: Plain) -> Decomposition:
    value, scale, shift = to.taken(op.input, op.scale, op.shift)
    ones, zeros = to.row(1.0, value, -1), to.row(0.0, value, -1)
    norm = LayerNormOp if op.normalises is AdaNormKind.LAYER_NORM else RmsNormOp
    normed = to.add(norm(value, ones, zeros, epsilon=op.epsilon.value.data, accumulate=op.accumulate)).result
    gain = to.plus(to.scalar(1.0, scale), scale)
    return to.given(to.plus(to.times(normed, gain), shift), like=op.input)


@wide_form(GatedResidualOp)
def gated_residual(op: GatedResidualOp, to: Plain) -> Decomposition:
    value, gate, update = to.taken(op.input, op.gate, op.update)
    return to.given(to.plus(value, to.times(gate, update)), like=op.input)
