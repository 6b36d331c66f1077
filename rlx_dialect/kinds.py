"""
The closed vocabulary of op kinds: what claim tables and reports speak of, and how each kind is spelled in a program.

A kind has a CamelCase name (`FusedMatMulBiasAct`) and an op name (`rlx.fused_matmul_bias_act`). Where the dialect has an op of that name
the kind has an op of its own; a kind without one is spelled `rlx.custom "name"`, with the op name's last part as the name. Kinds that are
no op at all, because a function's argument or a constant of another dialect says the same, stand in `Form.ARGUMENT` and `Form.CONSTANT`.
`WITHOUT_OP` says which kinds are spelled `rlx.custom`, and why.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from xdsl.utils.str_enum import StrEnum

CUSTOM = "rlx.custom"
"""The op that stands for every kind without an op of its own."""


class Form(StrEnum):
    """How a kind is spelled in a program."""

    OWN = "own"
    """An op of this dialect, or of the package that registered the kind."""
    SHARED = "shared"
    """An op of this dialect that another kind is named after."""
    CUSTOM = "custom"
    """`rlx.custom "name"`."""
    ARGUMENT = "argument"
    """An argument of the function, with an attribute that says which."""
    CONSTANT = "constant"
    """`arith.constant`."""


@dataclass(frozen=True)
class OpKind:
    """One kind: `name` in claim tables, `op` in programs; `ours` marks those that this dialect adds to the vocabulary it started from."""

    name: str
    op: str
    chapter: str
    ours: bool = False

    @property
    def form(self) -> Form:
        """How the kind is spelled, which depends on the ops that the dialect has."""
        if self.name in ("Input", "Param"):
            return Form.ARGUMENT
        if self.name == "Constant":
            return Form.CONSTANT
        if not self.op.startswith("rlx."):
            return Form.OWN
        if self.op not in _own_ops():
            return Form.CUSTOM
        return Form.OWN if kind_of(self.op) is self else Form.SHARED

    @property
    def spelling(self) -> str:
        """The kind as it stands in a program."""
        match self.form:
            case Form.CUSTOM:
                return f'{CUSTOM} "{self.op.removeprefix("rlx.")}"'
            case Form.ARGUMENT:
                return f"an argument with the attribute {self.op}"
            case _:
                return self.op


_CHAPTERS = {
    "leaves": "Input Param Constant",
    "elementwise": "Activation Cast Binary Compare Where StopGradient Fma Clamp",
    "contraction": "MatMul DotGeneral LoraMatMul GroupedMatMul BiMap",
    "fused": """
        FusedMatMulBiasAct FusedMatMulResidual FusedSwiGLU FusedConvBiasAct FusedResidualLN FusedResidualRmsNorm
        AdaLayerNorm GatedResidual FusedAttentionBlock FusedTransformerLayer
        ElementwiseRegion TransformRegion BatchElementwiseRegion
    """,
    "normalization": "LayerNorm RmsNorm GroupNorm LayerNorm2d BatchNormInference Softmax",
    "loss": "SoftmaxCrossEntropy SoftmaxCrossEntropyWithLogits",
    "attention": "Attention Rope AxialRope2d KvAppend",
    "convolution": """
        Conv Im2Col ConvTranspose2d Conv3d ConvTranspose3d PartitionedConv Pool ResizeNearest2x Interpolate3d
    """,
    "shape": """
        Reshape Transpose Narrow Concat Expand Gather Slice Reverse Pad Reduce Roll Tile Trilu
        ScatterAdd ScatterNd ScatterElements GatherNd GatherElements
    """,
    "order": "Sort ArgSort ArgMax ArgMin TopK Histogram Cumsum CumProd CumMax",
    "random": "Sample RngNormal RngUniform",
    "complex": "ComplexNormSq Conjugate",
    "spectral": "Fft WelchPeaks FftQ FftButterflyStage LogMel",
    "control flow": "If While Scan",
    "linear algebra": "DenseSolve BatchedDenseSolve Cholesky TriangularSolve Det LogDet Svd Qr Eigh EighBatch",
    "quantization": """
        Quantize Dequantize FakeQuantize FakeQuantizeLSQ DequantGroupedMatMul DequantGroupedMatMulMlx DequantMoEWeights
        ScaledGroupedMatMul DequantMatMul QMatMul QConv2d ScaledMatMul ScaledQuantize ScaledQuantScale ScaledDequantize
    """,
    "recurrent": "SelectiveScan Mamba2 GatedDeltaNet Lstm Gru Rnn",
    "gradients": """
        AttentionBackward AttentionBackwardAll AdaLayerNormBackward GatedResidualBackward
        FakeQuantizeLSQBackwardX FakeQuantizeLSQBackwardScale FakeQuantizeBackward EighBackward EighBatchBackward
        CumsumBackward ReluBackward ActivationBackward ComplexNormSqBackward MaxPool2dBackward MaxPool3dBackward
        Conv2dBackwardInput Conv2dBackwardWeight Conv3dBackwardInput Conv3dBackwardWeight SoftmaxCrossEntropyBackward
        LayerNormBackwardInput LayerNormBackwardGamma RmsNormBackwardInput RmsNormBackwardGamma RmsNormBackwardBeta
        GroupNormBackwardInput GroupNormBackwardGamma GroupNormBackwardBeta
        BatchNormInferenceBackwardInput BatchNormInferenceBackwardGamma BatchNormInferenceBackwardBeta
        RopeBackward GatherBackward SynthMatMulBackward SplineActivationBackwardX SplineActivationBackwardCoeff
        GatedDeltaNetBackward ScanBackward ScanBackwardXs GaussianSplatRenderBackward LogMelBackward
        ReEigBackward LogEigBackward SpdBatchNormBackwardX SpdBatchNormBackwardG
        SpdLogMapBackward SpdExpMapBackward SpdParallelTransportBackward SpdMatrixFnBatchBackward
    """,
    "models": """
        SynthMatMul SynthReconstruct SplineActivation GaussianSplatRender GaussianSplatPrepare GaussianSplatRasterize
        ReEig LogEig SpdBatchNorm SpdKarcherMean SpdKarcherMeanWeighted SpdLogMap SpdExpMap SpdParallelTransport
        SpdMatrixFnBatch
    """,
    "user ops": "Custom CustomFn",
}
"""The kinds that the vocabulary started from, by chapter."""

_OURS = {
    "elementwise": "LogicalNot IsFinite Erfc Log1p Expm1",
    "convolution": "Resize",
    "shape": "Full Iota DynamicSlice DynamicUpdateSlice GeneralGather GeneralScatter",
    "order": "ArgReduce",
    "complex": "Complex Real Imag",
    "spectral": "Rfft Irfft",
    "program": "Artifact Yield",
}
"""The kinds that this dialect adds."""

_IRREGULAR: Mapping[str, str] = MappingProxyType(
    {
        "Input": "rlx.input",
        "Param": "rlx.param",
        "Constant": "arith.constant",
        "CumProd": "rlx.cumprod",
        "CumMax": "rlx.cummax",
        "QMatMul": "rlx.qmatmul",
        "QConv2d": "rlx.qconv2d",
        "Conv3d": "rlx.conv",
        "Im2Col": "rlx.im2col",
        "ConvTranspose2d": "rlx.conv_transpose",
        "ConvTranspose3d": "rlx.conv_transpose",
        "Conv2dBackwardInput": "rlx.conv_backward_input",
        "Conv2dBackwardWeight": "rlx.conv_backward_weight",
        "Conv3dBackwardInput": "rlx.conv_backward_input",
        "Conv3dBackwardWeight": "rlx.conv_backward_weight",
        "MaxPool2dBackward": "rlx.max_pool_backward",
        "MaxPool3dBackward": "rlx.max_pool_backward",
        "Interpolate3d": "rlx.resize",
        "ArgSort": "rlx.argsort",
        "EighBatch": "rlx.eigh",
        "ScaledQuantize": "rlx.quantize",
        "ScaledDequantize": "rlx.dequantize",
        "EighBatchBackward": "rlx.eigh_backward",
    }
)
"""Kinds whose op is not the snake case of their name."""


def snake(name: str) -> str:
    """`FusedSwiGLU` as `fused_swiglu`; digits stay with the word before them, and names of things are one word."""
    for word, plain in (("MatMul", "Matmul"), ("SwiGLU", "Swiglu"), ("MoE", "Moe"), ("LSQ", "Lsq"), ("LN", "Ln")):
        name = name.replace(word, plain)
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _table() -> Iterator[OpKind]:
    for chapters, ours in ((_CHAPTERS, False), (_OURS, True)):
        for chapter, names in chapters.items():
            for name in names.split():
                yield OpKind(name, _IRREGULAR.get(name, f"rlx.{snake(name)}"), chapter, ours)


WITHOUT_OP: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        group: tuple(names.split())
        for group, names in {
            "a user's function with derivatives of its own, whose meaning is the user's": "CustomFn",
            "the renderer of Gaussian splats": """
                GaussianSplatRender GaussianSplatPrepare GaussianSplatRasterize GaussianSplatRenderBackward
            """,
            "the geometry of symmetric positive definite matrices": """
                ReEig ReEigBackward LogEig LogEigBackward SpdBatchNorm SpdBatchNormBackwardX SpdBatchNormBackwardG
                SpdKarcherMean SpdKarcherMeanWeighted SpdLogMap SpdLogMapBackward SpdExpMap SpdExpMapBackward
                SpdParallelTransport SpdParallelTransportBackward SpdMatrixFnBatch SpdMatrixFnBatchBackward
            """,
            "weights made from a codebook": "SynthMatMul SynthMatMulBackward SynthReconstruct",
            "state spaces": "SelectiveScan Mamba2 GatedDeltaNet GatedDeltaNetBackward",
        }.items()
    }
)
"""
The kinds without an op of their own, by what they are about. They stay `rlx.custom` by design: what a user's function computes only the user
says, and the others are whole algorithms that libraries define in different ways, of which the dialect fixes none.
"""

_KINDS = {kind.name: kind for kind in _table()}

KINDS: Mapping[str, OpKind] = MappingProxyType(_KINDS)
"""Every kind by its name, those that other packages registered included."""

STANDARD: tuple[OpKind, ...] = tuple(kind for kind in KINDS.values() if not kind.ours)
"""The 187 kinds that the vocabulary started from."""


def register_kind(name: str, op: str, chapter: str) -> None:
    """Add the kind of an op of another package. Raises `ValueError` where the name is that of another op."""
    if _KINDS.setdefault(name, OpKind(name, op, chapter)).op != op:
        raise ValueError(f"the op kind '{name}' is '{_KINDS[name].op}', not '{op}'")
    _by_op.cache_clear()


def forget_kind(name: str) -> None:
    """Take back a kind that was registered, if it was."""
    _KINDS.pop(name, None)
    _by_op.cache_clear()


def kind_of(op: str) -> OpKind | None:
    """The kind that the op called `op` is named after; None for an op outside of the vocabulary."""
    return _by_op().get(op)


@cache
def _by_op() -> Mapping[str, OpKind]:
    found: dict[str, OpKind] = {}
    for kind in sorted(KINDS.values(), key=lambda kind: kind.op != f"rlx.{snake(kind.name)}"):
        found.setdefault(kind.op, kind)
    return found


@cache
def _own_ops() -> frozenset[str]:
    from rlx_dialect.ops import ALL_OPS  # here, so that claim tables load no dialect

    return frozenset(op.name for op in ALL_OPS)
