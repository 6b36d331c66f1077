"""
What this package offers to every xDSL tool: the `rlx` dialect and the passes, each imported when it is first used.

The names here are the whole list; importing this module loads neither the dialect nor any pass.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, cast

from xdsl.universe import Universe

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass

PASSES: dict[str, str] = {
    "rlx-fusion": "pipeline.fusion:FusionPass",
    "rlx-pipeline": "pipeline.pipeline:PipelinePass",
    "rlx-lower-control-flow": "fusion.lower_control_flow:LowerControlFlowPass",
    "rlx-lower-dot-general": "fusion.lower_dot_general:LowerDotGeneralPass",
    "rlx-fuse-matmul-bias-act": "fusion.fuse_matmul_bias_act:FuseMatMulBiasActPass",
    "rlx-pack-attention-projections": "fusion.pack_attention_projections:PackAttentionProjectionsPass",
    "rlx-fuse-attention-block": "fusion.fuse_attention_block:FuseAttentionBlockPass",
    "rlx-fuse-conv-bias-act": "fusion.fuse_conv_bias_act:FuseConvBiasActPass",
    "rlx-fuse-conv-affine-act": "fusion.fuse_conv_affine_act:FuseConvAffineActPass",
    "rlx-fuse-attention-backward-all": "fusion.fuse_attention_backward_all:FuseAttentionBackwardAllPass",
    "rlx-fuse-residual-ln": "fusion.fuse_residual_ln:FuseResidualLNPass",
    "rlx-fuse-residual-rms-norm": "fusion.fuse_residual_rms_norm:FuseResidualRmsNormPass",
    "rlx-fuse-ada-layer-norm": "fusion.fuse_ada_layer_norm:FuseAdaLayerNormPass",
    "rlx-fuse-gated-residual": "fusion.fuse_gated_residual:FuseGatedResidualPass",
    "rlx-fuse-rms-norm-reshape": "fusion.fuse_rms_norm_reshape:FuseRmsNormReshapePass",
    "rlx-fuse-transformer-layer": "fusion.fuse_transformer_layer:FuseTransformerLayerPass",
    "rlx-fuse-swiglu-dual-matmul": "fusion.fuse_swiglu_dual_matmul:FuseSwiGLUDualMatMulPass",
    "rlx-fuse-matmul-residual": "fusion.fuse_matmul_residual:FuseMatMulResidualPass",
    "rlx-fuse-shared-input-matmul": "fusion.fuse_shared_input_matmul:FuseSharedInputMatMulPass",
    "rlx-fuse-swiglu": "fusion.fuse_swiglu:FuseSwiGLUPass",
    "rlx-mark-elementwise-regions": "fusion.mark_elementwise_regions:MarkElementwiseRegionsPass",
    "rlx-mark-batch-slice-regions": "fusion.mark_batch_slice_regions:MarkBatchSliceRegionsPass",
    "rlx-mark-transform-regions": "fusion.mark_transform_regions:MarkTransformRegionsPass",
    "rlx-fuse-region-prologue": "fusion.fuse_region_prologue:FuseRegionProloguePass",
    "rlx-fuse-batch-preprocess": "fusion.fuse_batch_preprocess:FuseBatchPreprocessPass",
    "rlx-decompose-fusion-regions": "fusion.decompose_fusion_regions:DecomposeFusionRegionsPass",
    "rlx-unfuse-elementwise-regions": "fusion.unfuse_elementwise_regions:UnfuseElementwiseRegionsPass",
    "rlx-clip-elementwise-regions": "fusion.clip_elementwise_regions:ClipElementwiseRegionsPass",
    "rlx-select-peaks-only-outputs": "fusion.select_peaks_only_outputs:SelectPeaksOnlyOutputsPass",
    "rlx-dead-code-elimination": "fusion.dead_code_elimination:DeadCodeEliminationPass",
    "rlx-unfuse": "fusion.unfuse:UnfusePass",
    "rlx-check-must-fuse": "fusion.check_must_fuse:CheckMustFusePass",
    "convert-stablehlo-to-rlx": "frontend.convert_stablehlo_to_rlx:ConvertStableHLOToRLXPass",
    "convert-rlx-to-stablehlo": "lowering.convert_rlx_to_stablehlo:ConvertRLXToStableHLOPass",
    "rlx-canonicalize": "simplify.canonicalize:CanonicalizePass",
    "rlx-infer-shapes": "simplify.infer_shapes:InferShapesPass",
    "rlx-hoist-prepare": "lowering.hoist_prepare:HoistPreparePass",
    "convert-rlx-to-linalg": "lowering.to_linalg.convert:ConvertRlxToLinalgPass",
    "convert-rlx-to-gpu": "lowering.convert_rlx_to_gpu:ConvertRlxToGpuPass",
    "convert-rlx-to-mlx": "lowering.to_mlx.convert:ConvertRlxToMlxPass",
    "rlx-emit": "codegen.emit:EmitPass",
    "rlx-raise": "frontend.raising.raise_pass:RaisePass",
    "rlx-canonicalize-broadcasts": "frontend.raising.canonicalize_broadcasts:CanonicalizeBroadcastsPass",
    "rlx-raise-transpose": "frontend.raising.raise_transpose:RaiseTransposePass",
    "rlx-raise-dot-general": "frontend.raising.raise_dot_general:RaiseDotGeneralPass",
    "rlx-raise-softmax": "frontend.raising.raise_softmax:RaiseSoftmaxPass",
    "rlx-raise-layer-norm": "frontend.raising.raise_layer_norm:RaiseLayerNormPass",
    "rlx-raise-rms-norm": "frontend.raising.raise_rms_norm:RaiseRmsNormPass",
    "rlx-raise-batch-norm": "frontend.raising.raise_batch_norm:RaiseBatchNormPass",
    "rlx-raise-group-norm": "frontend.raising.raise_group_norm:RaiseGroupNormPass",
    "rlx-raise-gelu": "frontend.raising.raise_gelu:RaiseGeluPass",
    "rlx-raise-clamp": "frontend.raising.raise_clamp:RaiseClampPass",
    "rlx-raise-activations": "frontend.raising.raise_activations:RaiseActivationsPass",
    "rlx-raise-hard-swish": "frontend.raising.raise_hard_swish:RaiseHardSwishPass",
    "rlx-raise-tanh": "frontend.raising.raise_tanh:RaiseTanhPass",
    "rlx-raise-rope": "frontend.raising.raise_rope:RaiseRopePass",
    "rlx-raise-resize-nearest2x": "frontend.raising.raise_resize_nearest2x:RaiseResizeNearest2xPass",
    "rlx-raise-attention": "frontend.raising.raise_attention:RaiseAttentionPass",
}
"""Every pass of this package: its name, and the module and class behind it."""


def _dialect() -> "Dialect":
    from rlx_dialect import RLX

    return RLX


def _mlx_dialect() -> "Dialect":
    from rlx_passes.lowering.to_mlx.dialect import MLX

    return MLX


def _pass(place: str) -> "type[ModulePass]":
    module, _, name = place.partition(":")
    return cast("type[ModulePass]", getattr(import_module(f"rlx_passes.{module}"), name))


RLX_UNIVERSE = Universe(
    all_dialects={"rlx": _dialect, "mlx": _mlx_dialect},
    all_passes={name: partial(_pass, place) for name, place in PASSES.items()},
)
"""The entry point in the `xdsl.universe` group."""


def all_passes() -> "dict[str, Callable[[], type[ModulePass]]]":
    """Every pass of the environment, this package's included whether or not it is installed."""
    return {**Universe.get_multiverse().all_passes, **RLX_UNIVERSE.all_passes}


def all_dialects() -> "dict[str, Callable[[], Dialect]]":
    """Every dialect of the environment, this package's included whether or not it is installed."""
    return {**Universe.get_multiverse().all_dialects, **RLX_UNIVERSE.all_dialects}
