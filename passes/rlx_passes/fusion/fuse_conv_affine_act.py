"""`rlx-fuse-conv-affine-act`"""

from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.decompose.normalization import inverse_deviation
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import BatchNormInferenceOp, BinaryOp, ConvOp, ReshapeOp
from rlx_dialect.shape_rules.windows import channel_axis
from rlx_dialect.shapes import DYNAMIC, Dims, show
from rlx_passes.fusion.conv_forms import (
    ConvLimits,
    ConvPass,
    as_vector,
    channel_vector,
    fused_conv,
    require_same_dims,
    tail_of,
)
from rlx_passes.rewriting.legality import dims_of, only_reader, other_operand, require, require_kind
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern


class Affine(NamedTuple):
    """The ops that scale and shift a value, and the operands of it: two broadcast sources, or a batch norm."""

    ops: tuple[Operation, ...]
    value: SSAValue
    parts: tuple[SSAValue, SSAValue] | BatchNormInferenceOp


@dataclass(frozen=True)
class ConvAffineAct(FusionPattern[ConvOp]):
    """
    %0 = rlx.conv %x, %w                  %4 = rlx.reshape %s [M, 1, 1, 1]
    %1 = rlx.binary mul %0, %s            %5 = rlx.binary mul %w, %4
    %2 = rlx.binary add %1, %t      =>    %3 = rlx.fused_conv_bias_act %x, %5, %t activation(relu)
    %3 = rlx.activation relu %2

    Scale and shift lie along the channels, or are one element each; instead of both a `rlx.batch_norm_inference` may
    stand there. A residual may be added before the activation, which is optional; both as in `ConvBiasAct`. The values
    are near, not equal: the sum is scaled before it is taken.
    """

    title = "conv_affine_act"
    roots = (ConvOp,)

    limits: ConvLimits = field(default_factory=ConvLimits)

    def match(self, conv: ConvOp, /) -> Fusion:
        reader = only_reader(conv.result, (BinaryOp, BatchNormInferenceOp))
        self.limits.check(conv)
        affine = normalised(conv, reader) if isinstance(reader, BatchNormInferenceOp) else scaled(conv, reader)
        tail = tail_of(self.title, affine.value, self.limits)
        if self.limits.all_or_nothing and tail.activation is None:
            raise Miss(Reason.EPILOGUE, conv, detail="no activation")
        dims = dims_of(conv.weight)
        require(dims[0] != DYNAMIC, Reason.DYNAMIC, conv, detail=lambda: f"the weight has dims {show(dims)}")

        to = Plain()
        if isinstance(affine.parts, BatchNormInferenceOp):
            weight, bias = folded(to, conv.weight, affine.parts)
        else:
            scale, bias = (as_vector(to, part, dims[0]) for part in affine.parts)
            weight = to.times(conv.weight, along_outputs(to, scale, dims))
        return fused_conv(conv, affine.ops, to, weight, bias, tail)


def scaled(conv: ConvOp, product: BinaryOp) -> Affine:
    """`conv * scale + shift`. Raises `Miss` where `product` is not the first part of that."""
    require_kind(product, BinaryKind.MUL)
    add = only_reader(product.result, BinaryOp)
    require_kind(add, BinaryKind.ADD)
    for op in (product, add):
        require_same_dims(conv, op)
    scale = channel_vector(other_operand(product, conv.result), conv, product)
    shift = channel_vector(other_operand(add, product.result), conv, add)
    return Affine((product, add), add.result, (scale, shift))


def normalised(conv: ConvOp, norm: BatchNormInferenceOp) -> Affine:
    """The batch norm of `conv` over its channels. Raises `Miss` where it is one over another axis."""
    rank, axis = len(dims_of(conv.result)), norm.axis.value.data
    along = axis % rank == channel_axis(conv.config.layout, rank)
    require(along, Reason.AXIS, norm, detail=f"axis {axis} of rank {rank}")
    return Affine((norm,), norm.result, norm)


def folded(to: Plain, weight: SSAValue, norm: BatchNormInferenceOp) -> tuple[SSAValue, SSAValue]:
    """Weight and bias of a convolution with a batch norm in it; halves are multiplied in f32."""
    gamma, beta, mean, variance = (to.widened(v) for v in (norm.gamma, norm.beta, norm.mean, norm.variance))
    gain = to.times(inverse_deviation(to, variance, norm.epsilon.value.data), gamma)
    product = to.times(to.widened(weight), along_outputs(to, gain, dims_of(weight)))
    bias = to.minus(beta, to.times(mean, gain))
    return to.narrowed(product, weight), to.narrowed(bias, norm.beta)


def along_outputs(to: Plain, vector: SSAValue, dims: Dims) -> SSAValue:
    """`[M]` as `[M, 1, ..]`, along the outputs of a weight of `dims`."""
    return to.add(ReshapeOp(vector, (dims[0], *(1 for _ in dims[1:])))).result


@dataclass(frozen=True)
class FuseConvAffineActPass(ConvPass):
    """
    Fuse a convolution with the scale and shift of its channels, a residual added next, and the activation at the end.

    Options as those of `rlx-fuse-conv-bias-act`; under `compat-epilogues` a chain without relu is not fused.
    """

    name = "rlx-fuse-conv-affine-act"
    pattern = ConvAffineAct
