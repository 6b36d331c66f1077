"""The ops of the dialect, one chapter a module."""

from rlx_dialect.ops.artifact import ArtifactOp
from rlx_dialect.ops.attention import AttentionConfig, AttentionLike, AttentionOp
from rlx_dialect.ops.base import RlxOp
from rlx_dialect.ops.contraction import DotGeneralOp, MatMulOp
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
from rlx_dialect.ops.fused import FusedAttentionBlockOp, FusedMatMulBiasActOp, FusedResidualLNOp
from rlx_dialect.ops.normalization import LayerNormOp, NormOp, RmsNormOp, SoftmaxOp
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
CONTRACTION = (MatMulOp, DotGeneralOp)
NORMALIZATION = (LayerNormOp, RmsNormOp, SoftmaxOp)
ATTENTION = (AttentionOp,)
REDUCTION = (ReduceOp,)
SHAPE = (ReshapeOp, ExpandOp, TransposeOp, NarrowOp, ConcatOp, GatherOp)
FUSED = (FusedMatMulBiasActOp, FusedResidualLNOp, FusedAttentionBlockOp)
CODE = (ArtifactOp,)

ALL_OPS = (*ELEMENTWISE, *CONTRACTION, *NORMALIZATION, *ATTENTION, *REDUCTION, *SHAPE, *FUSED, *CODE)

__all__ = [
    "ALL_OPS",
    "ATTENTION",
    "CODE",
    "CONTRACTION",
    "ELEMENTWISE",
    "FUSED",
    "NORMALIZATION",
    "REDUCTION",
    "SHAPE",
    "ActivationOp",
    "ArtifactOp",
    "AttentionConfig",
    "AttentionLike",
    "AttentionOp",
    "BinaryOp",
    "CastOp",
    "CompareOp",
    "ConcatOp",
    "DotGeneralOp",
    "ErfcOp",
    "ExpandOp",
    "Expm1Op",
    "FusedAttentionBlockOp",
    "FusedMatMulBiasActOp",
    "FusedResidualLNOp",
    "GatherOp",
    "IsFiniteOp",
    "LayerNormOp",
    "Log1pOp",
    "LogicalNotOp",
    "MatMulOp",
    "NarrowOp",
    "NormOp",
    "ReduceOp",
    "ReshapeOp",
    "RlxOp",
    "RmsNormOp",
    "SoftmaxOp",
    "TransposeOp",
    "WhereOp",
]
