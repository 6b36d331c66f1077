"""
What each composite op stands for, in plain ops. The unfuse passes, lowerings that have nothing better, and verification use this.

A decomposition of a fused op is exact: it holds the ops that fusion absorbed, with the attributes they had.
"""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from rlx_dialect.decompose import (
    butterflies,
    complex,
    convolution,
    fused_attention,
    fused_convolution,
    fused_matmul,
    fused_norm,
    gradients_attention,
    gradients_elementwise,
    gradients_norm,
    gradients_scan,
    indexed,
    indexing,
    loss,
    movement,
    normalization,
    pooling,
    position,
    quantization,
    quantized_experts,
    random,
    recurrent,
    regions,
    resize,
    sorting,
    spectral,
    spline,
)
from rlx_dialect.decompose.plain import Decomposition
from rlx_dialect.ops import (
    ActivationBackwardOp,
    AdaLayerNormBackwardOp,
    AdaLayerNormOp,
    ArgMaxOp,
    ArgMinOp,
    ArgReduceOp,
    AttentionBackwardAllOp,
    AttentionBackwardOp,
    AxialRope2dOp,
    BatchElementwiseRegionOp,
    BatchNormInferenceBackwardBetaOp,
    BatchNormInferenceBackwardGammaOp,
    BatchNormInferenceBackwardInputOp,
    BatchNormInferenceOp,
    BiMapOp,
    ClampOp,
    ComplexNormSqBackwardOp,
    ComplexNormSqOp,
    ConjugateOp,
    ConvBackwardInputOp,
    ConvBackwardWeightOp,
    ConvTransposeOp,
    DequantGroupedMatMulMlxOp,
    DequantGroupedMatMulOp,
    DequantizeOp,
    DequantMatMulOp,
    DequantMoEWeightsOp,
    ElementwiseRegionOp,
    FakeQuantizeBackwardOp,
    FakeQuantizeLSQBackwardXOp,
    FakeQuantizeLSQOp,
    FakeQuantizeOp,
    FftButterflyStageOp,
    FftOp,
    FftQOp,
    FullOp,
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
    GatherElementsOp,
    GatherNdOp,
    GroupedMatMulOp,
    GroupNormBackwardBetaOp,
    GroupNormBackwardGammaOp,
    GroupNormBackwardInputOp,
    GroupNormOp,
    GruOp,
    HistogramOp,
    Im2ColOp,
    IrfftOp,
    KvAppendOp,
    LayerNorm2dOp,
    LayerNormBackwardGammaOp,
    LayerNormBackwardInputOp,
    LogMelOp,
    LoraMatMulOp,
    LstmOp,
    MaxPoolBackwardOp,
    PadOp,
    PartitionedConvOp,
    PoolOp,
    QConv2dOp,
    QMatMulOp,
    QuantizeOp,
    ReluBackwardOp,
    ResizeNearest2xOp,
    ResizeOp,
    RfftOp,
    RmsNormBackwardBetaOp,
    RmsNormBackwardGammaOp,
    RmsNormBackwardInputOp,
    RngNormalOp,
    RngUniformOp,
    RnnOp,
    RollOp,
    RopeBackwardOp,
    RopeOp,
    SampleOp,
    ScaledGroupedMatMulOp,
    ScaledMatMulOp,
    ScaledQuantScaleOp,
    ScanBackwardOp,
    ScanBackwardXsOp,
    ScatterAddOp,
    ScatterElementsOp,
    ScatterNdOp,
    SoftmaxCrossEntropyBackwardOp,
    SoftmaxCrossEntropyOp,
    SoftmaxCrossEntropyWithLogitsOp,
    SortOp,
    SplineActivationBackwardCoeffOp,
    SplineActivationBackwardXOp,
    SplineActivationOp,
    StopGradientOp,
    TileOp,
    TopKOp,
    TransformRegionOp,
    TriluOp,
    WelchPeaksOp,
)

__all__ = ["COMPOSITE_OPS", "FUSED_OPS", "Decomposition", "HasPlainForm", "decompose", "in_our_ops"]

Rule = Callable[..., Decomposition | None]


@runtime_checkable
class HasPlainForm(Protocol):
    """An op of another package that says itself what it stands for."""

    def plain_form(self) -> Decomposition | None:
        """The plain ops; None where they would need a size that is known at run time only."""
        ...


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
    BiMapOp: fused_matmul.bi_map,
    RnnOp: recurrent.rnn,
    GruOp: recurrent.gru,
    LstmOp: recurrent.lstm,
    DequantizeOp: quantization.dequantize,
    QuantizeOp: quantization.quantize,
    ScaledQuantScaleOp: quantization.scaled_quant_scale,
    FakeQuantizeOp: quantization.fake_quantize,
    FakeQuantizeLSQOp: quantization.fake_quantize_lsq,
    FakeQuantizeBackwardOp: quantization.fake_quantize_backward,
    FakeQuantizeLSQBackwardXOp: quantization.fake_quantize_lsq_backward_x,
    QMatMulOp: quantization.qmatmul,
    QConv2dOp: quantization.qconv2d,
    DequantMatMulOp: quantization.dequant_matmul,
    ScaledMatMulOp: quantization.scaled_matmul,
    DequantMoEWeightsOp: quantized_experts.dequant_moe_weights,
    DequantGroupedMatMulOp: quantized_experts.dequant_grouped_matmul,
    DequantGroupedMatMulMlxOp: quantized_experts.dequant_grouped_matmul_mlx,
    ScaledGroupedMatMulOp: quantized_experts.scaled_grouped_matmul,
    FftOp: spectral.fft,
    FftQOp: butterflies.fft_q,
    FftButterflyStageOp: butterflies.fft_butterfly_stage,
    RfftOp: spectral.rfft,
    IrfftOp: spectral.irfft,
    WelchPeaksOp: spectral.welch_peaks,
    LogMelOp: spectral.log_mel,
    SplineActivationOp: spline.activation,
    SplineActivationBackwardXOp: spline.backward_x,
    SplineActivationBackwardCoeffOp: spline.backward_coeff,
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
    ScanBackwardOp: gradients_scan.scan_backward,
    ScanBackwardXsOp: gradients_scan.scan_backward_xs,
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
    GatherNdOp: indexing.gather_nd,
    GatherElementsOp: indexing.gather_elements,
    ScatterAddOp: indexing.scatter_add,
    ScatterNdOp: indexing.scatter_nd,
    ScatterElementsOp: indexing.scatter_elements,
    ClampOp: movement.clamp,
    StopGradientOp: movement.stop_gradient,
    FullOp: movement.full,
    TileOp: movement.tile,
    RollOp: movement.roll,
    TriluOp: movement.trilu,
    PadOp: movement.pad,
    SortOp: sorting.sort,
    TopKOp: sorting.top_k,
    HistogramOp: sorting.histogram,
    SampleOp: sorting.sample,
    ArgReduceOp: sorting.arg_reduce,
}
COMPOSITE_OPS = tuple(_RULES)
"""The ops that `decompose` takes apart: those of `FUSED_OPS`, and others that a lowering need not know."""


def decompose(op: Operation) -> Decomposition | None:
    """The plain form of a composite op; None for any other op, and where it would need a size that is known at run time only."""
    rule = _RULES.get(type(op))
    if rule is None:
        return op.plain_form() if isinstance(op, HasPlainForm) else None
    return rule(op)


def in_our_ops(module: ModuleOp) -> ModuleOp:
    """`module`, or a copy of it in which the ops of other packages are the plain ones that they stand for."""
    if not any(isinstance(op, HasPlainForm) for op in module.walk()):
        return module
    copy = module.clone()
    for op in list(copy.walk()):
        if isinstance(op, HasPlainForm) and (plain := op.plain_form()) is not None:
            Rewriter.replace_op(op, plain.ops, plain.results)
    return copy
