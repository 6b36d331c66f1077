"""Fused norms and residuals in plain ops."""

from rlx_dialect.attributes import AdaNormKind
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
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


def _residual_norm(op: FusedResidualNormOp, norm: type[NormOp]) -> Decomposition:
    to = Plain()
    total = to.plus(op.input, op.residual)
    if op.bias is not None:
        total = to.plus(total, op.bias)
    normed = to.add(norm(total, op.gamma, op.beta, epsilon=op.epsilon.value.data, accumulate=op.accumulate)).result
    return to.done(normed) if op.sum is None else to.done(normed, total)


@plain_form(FusedResidualLNOp, fused=True)
def residual_ln(op: FusedResidualLNOp) -> Decomposition:
    return _residual_norm(op, LayerNormOp)


@plain_form(FusedResidualRmsNormOp, fused=True)
def residual_rms_norm(op: FusedResidualRmsNormOp) -> Decomposition:
    return _residual_norm(op, RmsNormOp)


@plain_form(AdaLayerNormOp, fused=True)
def ada_layer_norm(op: AdaLayerNormOp) -> Decomposition:
    to = Plain()
    ones, zeros = to.row(1.0, op.input, -1), to.row(0.0, op.input, -1)
    norm = LayerNormOp if op.normalises is AdaNormKind.LAYER_NORM else RmsNormOp
    normed = to.add(norm(op.input, ones, zeros, epsilon=op.epsilon.value.data, accumulate=op.accumulate)).result
    gain = to.plus(to.scalar(1.0, op.scale), op.scale)
    return to.done(to.plus(to.times(normed, gain), op.shift))


@plain_form(GatedResidualOp, fused=True)
def gated_residual(op: GatedResidualOp) -> Decomposition:
    to = Plain()
    return to.done(to.plus(op.input, to.times(op.gate, op.update)))
