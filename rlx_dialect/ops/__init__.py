"""The ops of the dialect, one chapter a module."""

from rlx_dialect.ops.artifact import ArtifactOp
from rlx_dialect.ops.attention import AttentionConfig, AttentionLike, AttentionOp
from rlx_dialect.ops.base import RlxOp
from rlx_dialect.ops.contraction import DotGeneralOp, GroupedMatMulOp, MatMulOp
from rlx_dialect.ops.elementwise import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ErfcOp,
    Expm1Op,
    IsFiniteOp,
    Log1pOp,
    LogicalNotOp,
    WhereOp,
)
from rlx_dialect.ops.fused_attention import FusedAttentionBlockOp, FusedTransformerLayerOp, LayerWeights
from rlx_dialect.ops.fused_matmul import FusedMatMulBiasActOp, FusedMatMulResidualOp, FusedSwiGLUOp, LoraMatMulOp
from rlx_dialect.ops.fused_norm import (
    AdaLayerNormOp,
    FusedResidualLNOp,
    FusedResidualNormOp,
    FusedResidualRmsNormOp,
    GatedResidualOp,
)
from rlx_dialect.ops.loss import (
    CrossEntropyOp,
    SoftmaxCrossEntropyBackwardOp,
    SoftmaxCrossEntropyOp,
    SoftmaxCrossEntropyWithLogitsOp,
)
from rlx_dialect.ops.normalization import (
    BatchNormInferenceOp,
    GroupNormOp,
    LayerNorm2dOp,
    LayerNormOp,
    NormOp,
    RmsNormOp,
    SoftmaxOp,
)
from rlx_dialect.ops.position import AxialRope2dOp, KvAppendOp, RopeBackwardOp, RopeOp, RotaryOp
from rlx_dialect.ops.reduction import ReduceOp
from rlx_dialect.ops.shape import ConcatOp, ExpandOp, GatherOp, NarrowOp, ReshapeOp, TransposeOp

ELEMENTWISE = (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ErfcOp,
    Expm1Op,
    IsFiniteOp,
    Log1pOp,
    LogicalNotOp,
    WhereOp,
)
CONTRACTION = (MatMulOp, DotGeneralOp, GroupedMatMulOp)
NORMALIZATION = (
    LayerNormOp,
    RmsNormOp,
    SoftmaxOp,
    GroupNormOp,
    LayerNorm2dOp,
    BatchNormInferenceOp,
)
ATTENTION = (AttentionOp,)
REDUCTION = (ReduceOp,)
SHAPE = (ReshapeOp, ExpandOp, TransposeOp, NarrowOp, ConcatOp, GatherOp)
FUSED = (
    FusedMatMulBiasActOp,
    FusedMatMulResidualOp,
    FusedSwiGLUOp,
    LoraMatMulOp,
    FusedResidualLNOp,
    FusedResidualRmsNormOp,
    AdaLayerNormOp,
    GatedResidualOp,
    FusedAttentionBlockOp,
    FusedTransformerLayerOp,
)
POSITION = (
    RopeOp,
    RopeBackwardOp,
    AxialRope2dOp,
    KvAppendOp,
)
LOSS = (
    SoftmaxCrossEntropyOp,
    SoftmaxCrossEntropyWithLogitsOp,
    SoftmaxCrossEntropyBackwardOp,
)
CODE = (ArtifactOp,)

ALL_OPS = (*ELEMENTWISE, *CONTRACTION, *NORMALIZATION, *ATTENTION, *REDUCTION, *SHAPE, *FUSED, *POSITION, *LOSS, *CODE)

__all__ = [
    "ALL_OPS",
    "ATTENTION",
    "CODE",
    "CONTRACTION",
    "ELEMENTWISE",
    "FUSED",
    "LOSS",
    "NORMALIZATION",
    "POSITION",
    "REDUCTION",
    "SHAPE",
    "ActivationOp",
    "AdaLayerNormOp",
    "ArtifactOp",
    "AttentionConfig",
    "AttentionLike",
    "AttentionOp",
    "AxialRope2dOp",
    "BatchNormInferenceOp",
    "BinaryOp",
    "CastOp",
    "CompareOp",
    "ConcatOp",
    "CrossEntropyOp",
    "DotGeneralOp",
    "ErfcOp",
    "ExpandOp",
    "Expm1Op",
    "FusedAttentionBlockOp",
    "FusedMatMulBiasActOp",
    "FusedMatMulResidualOp",
    "FusedResidualLNOp",
    "FusedResidualNormOp",
    "FusedResidualRmsNormOp",
    "FusedSwiGLUOp",
    "FusedTransformerLayerOp",
    "GatedResidualOp",
    "GatherOp",
    "GroupNormOp",
    "GroupedMatMulOp",
    "IsFiniteOp",
    "KvAppendOp",
    "LayerNorm2dOp",
    "LayerNormOp",
    "LayerWeights",
    "Log1pOp",
    "LogicalNotOp",
    "LoraMatMulOp",
    "MatMulOp",
    "NarrowOp",
    "NormOp",
    "ReduceOp",
    "ReshapeOp",
    "RlxOp",
    "RmsNormOp",
    "RopeBackwardOp",
    "RopeOp",
    "RotaryOp",
    "SoftmaxCrossEntropyBackwardOp",
    "SoftmaxCrossEntropyOp",
    "SoftmaxCrossEntropyWithLogitsOp",
    "SoftmaxOp",
    "TransposeOp",
    "WhereOp",
]
