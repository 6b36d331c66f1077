"""The ops of the dialect, one chapter a module."""

from rlx_dialect.ops.artifact import ArtifactOp
from rlx_dialect.ops.attention import AttentionConfig, AttentionLike, AttentionOp
from rlx_dialect.ops.base import RlxOp
from rlx_dialect.ops.butterflies import FftButterflyStageOp, FftQOp
from rlx_dialect.ops.complex import ComplexNormSqBackwardOp, ComplexNormSqOp, ComplexOp, ConjugateOp, ImagOp, RealOp
from rlx_dialect.ops.contraction import BiMapOp, DotGeneralOp, GroupedMatMulOp, MatMulOp
from rlx_dialect.ops.control_flow import ControlOp, IfOp
from rlx_dialect.ops.convolution import (
    ConvConfig,
    ConvLike,
    ConvOp,
    ConvTransposeOp,
    FusedConvBiasActOp,
    PartitionedConvOp,
)
from rlx_dialect.ops.cumulative import CummaxOp, CumprodOp, CumsumOp
from rlx_dialect.ops.custom import CustomOp
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
from rlx_dialect.ops.extrema import ArgMaxOp, ArgMinOp, ArgReduceOp
from rlx_dialect.ops.filling import (
    FullOp,
    IotaOp,
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
from rlx_dialect.ops.general_indexing import GeneralGatherOp, GeneralScatterOp
from rlx_dialect.ops.gradients_attention import AttentionBackwardAllOp, AttentionBackwardOp, AttentionGradient
from rlx_dialect.ops.gradients_convolution import ConvBackwardInputOp, ConvBackwardWeightOp
from rlx_dialect.ops.gradients_elementwise import (
    ActivationBackwardOp,
    CumsumBackwardOp,
    GatherBackwardOp,
    ReluBackwardOp,
)
from rlx_dialect.ops.gradients_fused import AdaLayerNormBackwardOp, GatedResidualBackwardOp
from rlx_dialect.ops.gradients_norm import (
    BatchNormInferenceBackwardBetaOp,
    BatchNormInferenceBackwardGammaOp,
    BatchNormInferenceBackwardInputOp,
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
from rlx_dialect.ops.gradients_scan import ScanBackwardOp, ScanBackwardXsOp, ScanGradientOp
from rlx_dialect.ops.histogram import HistogramOp
from rlx_dialect.ops.indexing import GatherElementsOp, GatherNdOp, ScatterAddOp, ScatterElementsOp, ScatterNdOp
from rlx_dialect.ops.linear_algebra import (
    BatchedDenseSolveOp,
    CholeskyOp,
    DenseSolveOp,
    DeterminantOp,
    DetOp,
    EighBackwardOp,
    EighOp,
    LogDetOp,
    MatrixOp,
    QrOp,
    SolveOp,
    SvdOp,
    TriangularSolveOp,
)
from rlx_dialect.ops.loops import ScanOp, WhileOp
from rlx_dialect.ops.loss import (
    CrossEntropyOp,
    SoftmaxCrossEntropyBackwardOp,
    SoftmaxCrossEntropyOp,
    SoftmaxCrossEntropyWithLogitsOp,
)
from rlx_dialect.ops.movement import (
    PadOp,
    ReverseOp,
    RollOp,
    TileOp,
    TriluOp,
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
from rlx_dialect.ops.pointwise import (
    ClampOp,
    FmaOp,
    StopGradientOp,
)
from rlx_dialect.ops.pooling import Im2ColOp, MaxPoolBackwardOp, PoolConfig, PoolOp, WindowedOp
from rlx_dialect.ops.position import AxialRope2dOp, KvAppendOp, RopeBackwardOp, RopeOp, RotaryOp
from rlx_dialect.ops.quantization import (
    DequantizeOp,
    FakeQuantizeBackwardOp,
    FakeQuantizeLSQBackwardScaleOp,
    FakeQuantizeLSQBackwardXOp,
    FakeQuantizeLSQOp,
    FakeQuantizeOp,
    QuantizeOp,
    ScaledQuantScaleOp,
)
from rlx_dialect.ops.quantized_conv import QConv2dOp
from rlx_dialect.ops.quantized_experts import DequantGroupedMatMulOp, DequantMoEWeightsOp
from rlx_dialect.ops.quantized_grouped import DequantGroupedMatMulMlxOp, ScaledGroupedMatMulOp
from rlx_dialect.ops.quantized_matmul import DequantMatMulOp, QMatMulOp, ScaledMatMulOp
from rlx_dialect.ops.random import RngNormalOp, RngUniformOp
from rlx_dialect.ops.recurrent import GruOp, LstmOp, RecurrentOp, RnnOp
from rlx_dialect.ops.reduction import ReduceOp
from rlx_dialect.ops.regions import BatchElementwiseRegionOp, ElementwiseRegionOp, RegionOp, TransformRegionOp, YieldOp
from rlx_dialect.ops.resize import ResizeNearest2xOp, ResizeOp
from rlx_dialect.ops.sampling import SampleOp
from rlx_dialect.ops.shape import ConcatOp, ExpandOp, GatherOp, NarrowOp, ReshapeOp, TransposeOp
from rlx_dialect.ops.slicing import (
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    SliceOp,
)
from rlx_dialect.ops.sorting import ArgsortOp, SortOp, TopKOp
from rlx_dialect.ops.spectral import FftOp, IrfftOp, LogMelBackwardOp, LogMelOp, RealFftOp, RfftOp, WelchPeaksOp
from rlx_dialect.ops.spline import (
    SplineActivationBackwardCoeffOp,
    SplineActivationBackwardXOp,
    SplineActivationOp,
    SplineOp,
)

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
CONTRACTION = (MatMulOp, DotGeneralOp, GroupedMatMulOp, BiMapOp)
CONVOLUTION = (
    ConvOp,
    FusedConvBiasActOp,
    ConvTransposeOp,
    ConvBackwardInputOp,
    ConvBackwardWeightOp,
    PartitionedConvOp,
)
POOLING = (
    PoolOp,
    MaxPoolBackwardOp,
    Im2ColOp,
)
RESIZE = (ResizeOp, ResizeNearest2xOp)
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
GRADIENTS = (
    ReluBackwardOp,
    ActivationBackwardOp,
    CumsumBackwardOp,
    GatherBackwardOp,
    LayerNormBackwardInputOp,
    LayerNormBackwardGammaOp,
    RmsNormBackwardInputOp,
    RmsNormBackwardGammaOp,
    RmsNormBackwardBetaOp,
    GroupNormBackwardInputOp,
    GroupNormBackwardGammaOp,
    GroupNormBackwardBetaOp,
    BatchNormInferenceBackwardInputOp,
    BatchNormInferenceBackwardGammaOp,
    BatchNormInferenceBackwardBetaOp,
    AdaLayerNormBackwardOp,
    GatedResidualBackwardOp,
    AttentionBackwardOp,
    AttentionBackwardAllOp,
)
REGIONS = (
    ElementwiseRegionOp,
    TransformRegionOp,
    BatchElementwiseRegionOp,
)
CONTROL_FLOW = (
    IfOp,
    WhileOp,
    ScanOp,
    ScanBackwardOp,
    ScanBackwardXsOp,
    YieldOp,
)
POINTWISE = (
    ClampOp,
    FmaOp,
    StopGradientOp,
)
MOVEMENT = (
    SliceOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    ReverseOp,
    PadOp,
    TileOp,
    RollOp,
    TriluOp,
)
FILLING = (
    FullOp,
    IotaOp,
)
SPECTRAL = (
    FftButterflyStageOp,
    FftOp,
    FftQOp,
    IrfftOp,
    LogMelBackwardOp,
    LogMelOp,
    RfftOp,
    WelchPeaksOp,
)
CUMULATIVE = (
    CumsumOp,
    CumprodOp,
    CummaxOp,
)
SORTING = (
    SortOp,
    ArgsortOp,
    TopKOp,
    ArgReduceOp,
    ArgMaxOp,
    ArgMinOp,
    HistogramOp,
)
LINEAR_ALGEBRA = (
    BatchedDenseSolveOp,
    CholeskyOp,
    DenseSolveOp,
    DetOp,
    EighBackwardOp,
    EighOp,
    LogDetOp,
    QrOp,
    SvdOp,
    TriangularSolveOp,
)
COMPLEX = (
    ComplexOp,
    RealOp,
    ImagOp,
    ConjugateOp,
    ComplexNormSqOp,
    ComplexNormSqBackwardOp,
)
RANDOM = (
    RngUniformOp,
    RngNormalOp,
    SampleOp,
)
QUANTIZATION = (
    DequantizeOp,
    FakeQuantizeBackwardOp,
    FakeQuantizeLSQBackwardScaleOp,
    FakeQuantizeLSQBackwardXOp,
    FakeQuantizeLSQOp,
    FakeQuantizeOp,
    QuantizeOp,
    ScaledQuantScaleOp,
    DequantMatMulOp,
    QConv2dOp,
    QMatMulOp,
    ScaledMatMulOp,
    DequantMoEWeightsOp,
    DequantGroupedMatMulOp,
    DequantGroupedMatMulMlxOp,
    ScaledGroupedMatMulOp,
)
INDEXING = (
    GatherNdOp,
    GatherElementsOp,
    ScatterAddOp,
    ScatterNdOp,
    ScatterElementsOp,
    GeneralGatherOp,
    GeneralScatterOp,
)
RECURRENT = (
    GruOp,
    LstmOp,
    RnnOp,
)
SPLINE = (
    SplineActivationOp,
    SplineActivationBackwardXOp,
    SplineActivationBackwardCoeffOp,
)
USER = (CustomOp,)
CODE = (ArtifactOp,)

ALL_OPS = (
    *ELEMENTWISE,
    *CONTRACTION,
    *CONVOLUTION,
    *POOLING,
    *RESIZE,
    *NORMALIZATION,
    *ATTENTION,
    *REDUCTION,
    *SHAPE,
    *FUSED,
    *POSITION,
    *LOSS,
    *GRADIENTS,
    *REGIONS,
    *CONTROL_FLOW,
    *POINTWISE,
    *MOVEMENT,
    *FILLING,
    *SPECTRAL,
    *CUMULATIVE,
    *SORTING,
    *LINEAR_ALGEBRA,
    *COMPLEX,
    *RANDOM,
    *QUANTIZATION,
    *INDEXING,
    *RECURRENT,
    *SPLINE,
    *USER,
    *CODE,
)

__all__ = [
    "ALL_OPS",
    "ATTENTION",
    "CODE",
    "COMPLEX",
    "CONTRACTION",
    "CONTROL_FLOW",
    "CONVOLUTION",
    "CUMULATIVE",
    "ELEMENTWISE",
    "FILLING",
    "FUSED",
    "GRADIENTS",
    "INDEXING",
    "LINEAR_ALGEBRA",
    "LOSS",
    "MOVEMENT",
    "NORMALIZATION",
    "POINTWISE",
    "POOLING",
    "POSITION",
    "QUANTIZATION",
    "RANDOM",
    "RECURRENT",
    "REDUCTION",
    "REGIONS",
    "RESIZE",
    "SHAPE",
    "SORTING",
    "SPECTRAL",
    "SPLINE",
    "USER",
    "ActivationBackwardOp",
    "ActivationOp",
    "AdaLayerNormBackwardOp",
    "AdaLayerNormOp",
    "ArgMaxOp",
    "ArgMinOp",
    "ArgReduceOp",
    "ArgsortOp",
    "ArtifactOp",
    "AttentionBackwardAllOp",
    "AttentionBackwardOp",
    "AttentionConfig",
    "AttentionGradient",
    "AttentionLike",
    "AttentionOp",
    "AxialRope2dOp",
    "BatchElementwiseRegionOp",
    "BatchNormInferenceBackwardBetaOp",
    "BatchNormInferenceBackwardGammaOp",
    "BatchNormInferenceBackwardInputOp",
    "BatchNormInferenceOp",
    "BatchedDenseSolveOp",
    "BiMapOp",
    "BinaryOp",
    "CastOp",
    "CholeskyOp",
    "ClampOp",
    "CompareOp",
    "ComplexNormSqBackwardOp",
    "ComplexNormSqOp",
    "ComplexOp",
    "ConcatOp",
    "ConjugateOp",
    "ControlOp",
    "ConvBackwardInputOp",
    "ConvBackwardWeightOp",
    "ConvConfig",
    "ConvLike",
    "ConvOp",
    "ConvTransposeOp",
    "CrossEntropyOp",
    "CummaxOp",
    "CumprodOp",
    "CumsumBackwardOp",
    "CumsumOp",
    "CustomOp",
    "DenseSolveOp",
    "DequantGroupedMatMulMlxOp",
    "DequantGroupedMatMulOp",
    "DequantMatMulOp",
    "DequantMoEWeightsOp",
    "DequantizeOp",
    "DetOp",
    "DeterminantOp",
    "DotGeneralOp",
    "DynamicSliceOp",
    "DynamicUpdateSliceOp",
    "EighBackwardOp",
    "EighOp",
    "ElementwiseRegionOp",
    "ErfcOp",
    "ExpandOp",
    "Expm1Op",
    "FakeQuantizeBackwardOp",
    "FakeQuantizeLSQBackwardScaleOp",
    "FakeQuantizeLSQBackwardXOp",
    "FakeQuantizeLSQOp",
    "FakeQuantizeOp",
    "FftButterflyStageOp",
    "FftOp",
    "FftQOp",
    "FmaOp",
    "FullOp",
    "FusedAttentionBlockOp",
    "FusedConvBiasActOp",
    "FusedMatMulBiasActOp",
    "FusedMatMulResidualOp",
    "FusedResidualLNOp",
    "FusedResidualNormOp",
    "FusedResidualRmsNormOp",
    "FusedSwiGLUOp",
    "FusedTransformerLayerOp",
    "GatedResidualBackwardOp",
    "GatedResidualOp",
    "GatherBackwardOp",
    "GatherElementsOp",
    "GatherNdOp",
    "GatherOp",
    "GeneralGatherOp",
    "GeneralScatterOp",
    "GroupNormBackwardBetaOp",
    "GroupNormBackwardGammaOp",
    "GroupNormBackwardInputOp",
    "GroupNormOp",
    "GroupedMatMulOp",
    "GruOp",
    "HistogramOp",
    "IfOp",
    "Im2ColOp",
    "ImagOp",
    "IotaOp",
    "IrfftOp",
    "IsFiniteOp",
    "KvAppendOp",
    "LayerNorm2dOp",
    "LayerNormBackwardGammaOp",
    "LayerNormBackwardInputOp",
    "LayerNormOp",
    "LayerWeights",
    "Log1pOp",
    "LogDetOp",
    "LogMelBackwardOp",
    "LogMelOp",
    "LogicalNotOp",
    "LoraMatMulOp",
    "LstmOp",
    "MatMulOp",
    "MatrixOp",
    "MaxPoolBackwardOp",
    "NarrowOp",
    "NormBetaGradientOp",
    "NormGammaGradientOp",
    "NormInputGradientOp",
    "NormOp",
    "PadOp",
    "PartitionedConvOp",
    "PoolConfig",
    "PoolOp",
    "QConv2dOp",
    "QMatMulOp",
    "QrOp",
    "QuantizeOp",
    "RealFftOp",
    "RealOp",
    "RecurrentOp",
    "ReduceOp",
    "RegionOp",
    "ReluBackwardOp",
    "ReshapeOp",
    "ResizeNearest2xOp",
    "ResizeOp",
    "ReverseOp",
    "RfftOp",
    "RlxOp",
    "RmsNormBackwardBetaOp",
    "RmsNormBackwardGammaOp",
    "RmsNormBackwardInputOp",
    "RmsNormOp",
    "RngNormalOp",
    "RngUniformOp",
    "RnnOp",
    "RollOp",
    "RopeBackwardOp",
    "RopeOp",
    "RotaryOp",
    "SampleOp",
    "ScaledGroupedMatMulOp",
    "ScaledMatMulOp",
    "ScaledQuantScaleOp",
    "ScanBackwardOp",
    "ScanBackwardXsOp",
    "ScanGradientOp",
    "ScanOp",
    "ScatterAddOp",
    "ScatterElementsOp",
    "ScatterNdOp",
    "SliceOp",
    "SoftmaxCrossEntropyBackwardOp",
    "SoftmaxCrossEntropyOp",
    "SoftmaxCrossEntropyWithLogitsOp",
    "SoftmaxOp",
    "SolveOp",
    "SortOp",
    "SplineActivationBackwardCoeffOp",
    "SplineActivationBackwardXOp",
    "SplineActivationOp",
    "SplineOp",
    "StopGradientOp",
    "SvdOp",
    "TileOp",
    "TopKOp",
    "TransformRegionOp",
    "TransposeOp",
    "TriangularSolveOp",
    "TriluOp",
    "WelchPeaksOp",
    "WhereOp",
    "WhileOp",
    "WindowedOp",
    "YieldOp",
]
