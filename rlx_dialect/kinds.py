"""
The vocabulary of op kinds: what claim tables and reports speak of, and how each kind is spelled in a program.

A kind has a CamelCase name (`FusedMatMulBiasAct`) and an op name (`rlx.fused_matmul_bias_act`). An op brings its kind
along: the name of its class without `Op`, or its `KIND`, in the chapter of its module, or its `CHAPTER`.

The kinds that the vocabulary started from are listed here. Some share an op with another (`SHARED`), some are an
argument of the function or a constant of another dialect, and those of `WITHOUT_OP` are spelled `rlx.custom "name"`,
with the op name's last part as the name.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.ir import Operation
from xdsl.utils.str_enum import StrEnum

from rlx_dialect.ops import kind_and_chapter, places

CUSTOM = "rlx.custom"
"""The op for every kind without an op of its own."""


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
    """A kind: `name` in claim tables, `op` in programs; `ours` marks additions to the dialect's first vocabulary."""

    name: str
    op: str
    chapter: str
    ours: bool = False

    @property
    def form(self) -> Form:
        """How the kind is spelled, which depends on the ops that there are."""
        if self.name in ("Input", "Param"):
            return Form.ARGUMENT
        if self.name == "Constant":
            return Form.CONSTANT
        own = kind_of(self.op)
        return Form.CUSTOM if own is None else Form.OWN if own is self else Form.SHARED

    @property
    def spelling(self) -> str:
        """The kind as written in a program."""
        match self.form:
            case Form.CUSTOM:
                return f'{CUSTOM} "{self.op.removeprefix("rlx.")}"'
            case Form.ARGUMENT:
                return f"an argument with the attribute {self.op}"
            case _:
                return self.op


_VOCABULARY = {
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

SHARED: Mapping[str, str] = MappingProxyType(
    {
        "Conv3d": "rlx.conv",
        "ConvTranspose3d": "rlx.conv_transpose",
        "Conv3dBackwardInput": "rlx.conv_backward_input",
        "Conv3dBackwardWeight": "rlx.conv_backward_weight",
        "MaxPool3dBackward": "rlx.max_pool_backward",
        "Interpolate3d": "rlx.resize",
        "EighBatch": "rlx.eigh",
        "EighBatchBackward": "rlx.eigh_backward",
        "ScaledQuantize": "rlx.quantize",
        "ScaledDequantize": "rlx.dequantize",
    }
)
"""Kinds whose op is that of another kind."""

_LEAVES = {"Input": "rlx.input", "Param": "rlx.param", "Constant": "arith.constant"}


def snake(name: str) -> str:
    """`FusedSwiGLU` as `fused_swiglu`; digits stay with the word before them, and names of things are one word."""
    for word, plain in (("MatMul", "Matmul"), ("SwiGLU", "Swiglu"), ("MoE", "Moe"), ("LSQ", "Lsq"), ("LN", "Ln")):
        name = name.replace(word, plain)
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


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
The kinds without an op of their own, by what they are about. They stay `rlx.custom` by design: what a user's function
computes only the user says, and the others are whole algorithms that libraries define in different ways, of which the
dialect fixes none.
"""

_KINDS: dict[str, OpKind] = {}
_OWN: dict[str, OpKind] = {}
"""By the name of the op whose kind it is."""

KINDS: Mapping[str, OpKind] = MappingProxyType(_KINDS)
"""Every kind by its name: those that the vocabulary started from, then those that ops have added."""


def kind_of(op: str) -> OpKind | None:
    """The kind of the op called `op`; None for an op outside of the vocabulary."""
    return _OWN.get(op)


def kind_name(op: type[Operation]) -> str:
    """What the kind of an op is called."""
    return getattr(op, "KIND", op.__name__.removesuffix("Op"))


def register_kind(name: str, op: str, chapter: str) -> OpKind:
    """
    Add a kind by its name and that of its op, which claim tables, reports and locks know from then on; the op need not
    be loaded.

    Raises `ValueError` for a kind that another op is named after.
    """
    kind = _KINDS.setdefault(name, OpKind(name, op, chapter, ours=True))
    if kind.op != op:
        raise ValueError(f"the op kind '{name}' is '{kind.op}', not '{op}'")
    return _OWN.setdefault(op, kind)


def forget_kind(name: str) -> None:
    """Take back a kind that another package registered, if it did; those of this dialect stay."""
    kind = _KINDS.get(name)
    if kind is None or kind in _HERE:
        return
    del _KINDS[name]
    if _OWN.get(kind.op) is kind:
        del _OWN[kind.op]


def register(op: type[Operation]) -> OpKind:
    """`register_kind` for an op: the kind is `KIND` or the class without `Op`, the chapter `CHAPTER` or the module."""
    chapter = getattr(op, "CHAPTER", op.__module__.rpartition(".")[2].replace("_", " "))
    return _OWN.get(op.name) or register_kind(kind_name(op), op.name, chapter)


def _standard() -> Iterator[OpKind]:
    ops = {**{kind_and_chapter(op)[0]: op for op in sorted(places()[1])}, **SHARED, **_LEAVES}
    for chapter, names in _VOCABULARY.items():
        for name in names.split():
            yield OpKind(name, ops.get(name, f"rlx.{snake(name)}"), chapter)


STANDARD: tuple[OpKind, ...] = tuple(_standard())
"""The 187 kinds that the vocabulary started from."""

_KINDS.update({kind.name: kind for kind in STANDARD})
for _op in sorted(places()[1]):
    register_kind(kind_and_chapter(_op)[0], _op, kind_and_chapter(_op)[1])
_HERE = frozenset(_KINDS.values())
"""The kinds of this dialect."""
