"""
What each composite op stands for, in plain ops. The unfuse passes, lowerings that have nothing better, and verification use this.

A decomposition of a fused op is exact: it holds the ops that fusion absorbed, with the attributes they had.
"""

from collections.abc import Callable

from xdsl.ir import Operation

from rlx_dialect.decompose import (
    complex,
    convolution,
    fused_attention,
    fused_convolution,
    fused_matmul,
    fused_norm,
    gradients_attention,
    gradients_elementwise,
    gradients_norm,
    indexed,
    loss,
    normalization,
    pooling,
    position,
    random,
    regions,
    resize,
    sorting,
)
from rlx_dialect.decompose.plain import Decomposition
from rlx_dialect.ops import (
    ActivationBackwardOp,
    AdaLayerNormBackwardOp,
    AdaLayerNormOp,
    ArgMaxOp,
    ArgMinOp,
    AttentionBackwardAllOp,
    AttentionBackwardOp,
    AxialRope2dOp,
    BatchElementwiseRegionOp,
    BatchNormInferenceBackwardBetaOp,
    BatchNormInferenceBackwardGammaOp,
    BatchNormInferenceBackwardInputOp,
    BatchNormInferenceOp,
    ComplexNormSqBackwardOp,
    ComplexNormSqOp,
    ConjugateOp,
    ConvBackwardInputOp,
    ConvBackwardWeightOp,
    ConvTransposeOp,
    ElementwiseRegionOp,
    FusedAttentionBlockOp,
    FusedConvBiasActOp,
    FusedMatMulBiasActOp,
    FusedMatMulResidualOp,
    FusedResidualLNOp,
    FusedResidualRmsNormOp,
    FusedSwiGLUOp,
    FusedTransformerLayerOp,
    GatedResidualBackwardOp,
    GatedResidualOp,
    GatherBackwardOp,
    GroupedMatMulOp,
    GroupNormBackwardBetaOp,
    GroupNormBackwardGammaOp,
    GroupNormBackwardInputOp,
    GroupNormOp,
    Im2ColOp,
    KvAppendOp,
    LayerNorm2dOp,
    LayerNormBackwardGammaOp,
    LayerNormBackwardInputOp,
    LoraMatMulOp,
    MaxPoolBackwardOp,
    PartitionedConvOp,
    PoolOp,
    ReluBackwardOp,
    ResizeNearest2xOp,
    ResizeOp,
    RmsNormBackwardBetaOp,
    RmsNormBackwardGammaOp,
    RmsNormBackwardInputOp,
    RngNormalOp,
    RngUniformOp,
    RopeBackwardOp,
    RopeOp,
    SoftmaxCrossEntropyBackwardOp,
    SoftmaxCrossEntropyOp,
    SoftmaxCrossEntropyWithLogitsOp,
    TransformRegionOp,
)

__all__ = ["COMPOSITE_OPS", "FUSED_OPS", "Decomposition", "decompose"]

Rule = Callable[..., Decomposition | None]

_FUSED: dict[type[Operation], Rule] = {
    FusedConvBiasActOp: fused_convolution.conv_bias_act,
    FusedMatMulBiasActOp: fused_matmul.matmul_bias_act,
    FusedMatMulResidualOp: fused_matmul.matmul_residual,
    FusedSwiGLUOp: fused_matmul.swiglu,
    LoraMatMulOp: fused_matmul.lora_matmul,
    FusedResidualLNOp: fused_norm.residual_ln,
    FusedResidualRmsNormOp: fused_norm.residual_rms_norm,
    AdaLayerNormOp: fused_norm.ada_layer_norm,
    GatedResidualOp: fused_norm.gated_residual,
    FusedAttentionBlockOp: fused_attention.attention_block,
    FusedTransformerLayerOp: fused_attention.transformer_layer,
}

FUSED_OPS = tuple(_FUSED)
"""The ops that a fusion makes, and that the unfuse passes take apart again."""

_RULES: dict[type[Operation], Rule] = {
    **_FUSED,
    PartitionedConvOp: convolution.partitioned,
    ResizeOp: resize.resize,
    ResizeNearest2xOp: resize.nearest2x,
    PoolOp: pooling.pool,
    MaxPoolBackwardOp: pooling.max_pool_backward,
    Im2ColOp: pooling.im2col,
    ConvTransposeOp: convolution.conv_transpose,
    ConvBackwardInputOp: convolution.backward_input,
    ConvBackwardWeightOp: convolution.backward_weight,
    ElementwiseRegionOp: regions.elementwise_region,
    TransformRegionOp: regions.transform_region,
    BatchElementwiseRegionOp: regions.batch_elementwise_region,
    RopeOp: position.rope,
    RopeBackwardOp: position.rope_backward,
    AxialRope2dOp: position.axial_rope2d,
    KvAppendOp: position.kv_append,
    GroupNormOp: normalization.group_norm,
    LayerNorm2dOp: normalization.layer_norm2d,
    BatchNormInferenceOp: normalization.batch_norm_inference,
    SoftmaxCrossEntropyOp: loss.softmax_cross_entropy,
    SoftmaxCrossEntropyWithLogitsOp: loss.with_logits,
    SoftmaxCrossEntropyBackwardOp: loss.backward,
    GroupedMatMulOp: indexed.grouped_matmul,
    GatherBackwardOp: indexed.gather_backward,
    AttentionBackwardOp: gradients_attention.attention_backward,
    AttentionBackwardAllOp: gradients_attention.attention_backward_all,
    ReluBackwardOp: gradients_elementwise.relu_backward,
    ActivationBackwardOp: gradients_elementwise.activation_backward,
    LayerNormBackwardInputOp: gradients_norm.layer_norm_input,
    LayerNormBackwardGammaOp: gradients_norm.layer_norm_gamma,
    RmsNormBackwardInputOp: gradients_norm.rms_norm_input,
    RmsNormBackwardGammaOp: gradients_norm.rms_norm_gamma,
    RmsNormBackwardBetaOp: gradients_norm.norm_beta,
    GroupNormBackwardInputOp: gradients_norm.group_norm_input,
    GroupNormBackwardGammaOp: gradients_norm.group_norm_gamma,
    GroupNormBackwardBetaOp: gradients_norm.group_norm_beta,
    BatchNormInferenceBackwardInputOp: gradients_norm.batch_norm_input,
    BatchNormInferenceBackwardGammaOp: gradients_norm.batch_norm_gamma,
    BatchNormInferenceBackwardBetaOp: gradients_norm.norm_beta,
    AdaLayerNormBackwardOp: gradients_norm.ada_layer_norm,
    GatedResidualBackwardOp: gradients_norm.gated_residual,
    ArgMaxOp: sorting.arg_extremum,
    ArgMinOp: sorting.arg_extremum,
    ConjugateOp: complex.conjugate,
    ComplexNormSqOp: complex.norm_sq,
    ComplexNormSqBackwardOp: complex.norm_sq_backward,
    RngUniformOp: random.uniform,
    RngNormalOp: random.normal,
}
COMPOSITE_OPS = tuple(_RULES)
"""The ops that `decompose` takes apart: those of `FUSED_OPS`, and others that a lowering need not know."""


def decompose(op: Operation) -> Decomposition | None:
    """The plain form of a composite op; None for any other op, and where it would need a size that is known at run time only."""
    rule = _RULES.get(type(op))
    return None if rule is None else rule(op)
