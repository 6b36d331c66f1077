"""Fused norms and residuals in plain ops, of f32 where theirs are narrower."""

from functools import reduce

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
    """With the sum in the type of the norm's computation: one in f16 may overflow."""
    to = Plain()
    total = reduce(to.plus, (to.widened(each) for each in (op.input, op.residual, op.bias) if each is not None))
    gamma, beta = to.widened(op.gamma), to.widened(op.beta)
    made = to.add(norm(total, gamma, beta, epsilon=op.epsilon.value.data, accumulate=op.accumulate))
    results = [made.result] if op.sum is None else [made.result, total]
    return to.done(*(to.narrowed(each, op.input) for each in results))


@plain_form(FusedResidualLNOp, fused=True)
def residual_ln(op: FusedResidualLNOp) -> Decomposition:
    return _residual_norm(op, LayerNormOp)


@plain_form(FusedResidualRmsNormOp, fused=True)
def residual_rms_norm(op: FusedResidualRmsNormOp) -> Decomposition:
    return _residual_norm(op, RmsNormOp)


@plain_form(AdaLayerNormOp, fused=True)
def ada_layer_norm(op: AdaLayerNormOp) -> Decomposition:
    to = Plain()
    value, scale, shift = (to.widened(each) for each in (op.input, op.scale, op.shift))
    ones, zeros = to.row(1.0, value, -1), to.row(0.0, value, -1)
    norm = LayerNormOp if op.normalises is AdaNormKind.LAYER_NORM else RmsNormOp
    normed = to.add(norm(value, ones, zeros, epsilon=op.epsilon.value.data, accumulate=op.accumulate)).result
    gain = to.plus(to.scalar(1.0, scale), scale)
    return to.done(to.narrowed(to.plus(to.times(normed, gain), shift), op.input))


@plain_form(GatedResidualOp, fused=True)
def gated_residual(op: GatedResidualOp) -> Decomposition:
    to = Plain()
    value, gate, update = (to.widened(each) for each in (op.input, op.gate, op.update))
    return to.done(to.narrowed(to.plus(value, to.times(gate, update)), op.input))
