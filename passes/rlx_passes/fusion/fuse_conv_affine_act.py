"""`rlx-fuse-conv-affine-act`"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from xdsl.dialects.builtin import Float16Type
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.decompose.normalization import inverse_deviation
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import BatchNormInferenceOp, BinaryOp, ConvOp, ReshapeOp
from rlx_dialect.shape_rules.windows import channel_axis
from rlx_dialect.shapes import DYNAMIC, show
from rlx_passes.fusion.conv_forms import (
    ConvLimits,
    ConvPass,
    as_vector,
    channel_vector,
    fused_conv,
    require_same_dims,
    tail_of,
)
from rlx_passes.rewriting.evaluation import evaluated
from rlx_passes.rewriting.legality import dims_of, only_reader, other_operand, require, require_kind, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern

if TYPE_CHECKING:
    from rlx_dialect.arrays import Array


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
    are near, not equal: the sum is scaled before it is taken. Halves are multiplied in f32, and no weight is folded
    that leaves its type.
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

        require_in_range(conv, affine)

        to = Plain()
        if isinstance(affine.parts, BatchNormInferenceOp):
            weight, bias = folded(to, conv.weight, affine.parts)
        else:
            scale, bias = (as_vector(to, part, dims[0]) for part in affine.parts)
            weight = scaled_weight(to, conv.weight, to.widened(scale))
        weight, bias = (to.narrowed(value, conv.weight) for value in (weight, bias))
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
    """Weight and bias of a convolution with a batch norm in it; those of halves in f32."""
    gamma, beta, mean, variance = (to.widened(v) for v in (norm.gamma, norm.beta, norm.mean, norm.variance))
    gain = to.times(inverse_deviation(to, variance, norm.epsilon.value.data), gamma)
    return scaled_weight(to, weight, gain), to.minus(beta, to.times(mean, gain))


def scaled_weight(to: Plain, weight: SSAValue, gain: SSAValue) -> SSAValue:
    """`weight` with each output times its element of `gain`, in the type of that."""
    dims = dims_of(weight)
    wide = to.widened(weight)
    return to.times(wide, to.add(ReshapeOp(gain, (dims[0], *(1 for _ in dims[1:])))).result)


def require_in_range(conv: ConvOp, affine: Affine) -> None:
    """
    The weight and bias with `affine` in them can be told in the element type of `conv`: no number is too large, and the
    greatest of each output is none of those below the normal ones, which have few digits or none.

    Raises `Miss` for numbers that are not, and for f16, whose range ends at 65504, where they are not known. A batch
    norm passes unknown, since the gain of one that was trained is near 1.
    """
    import numpy as np
    from ml_dtypes import finfo

    element = tensor_type(conv.weight).element_type
    numbers = factors(affine)
    weight = None if numbers is None else evaluated(conv.weight)
    if numbers is None or weight is None:
        known = isinstance(affine.parts, BatchNormInferenceOp) or not isinstance(element, Float16Type)
        require(known, Reason.OUT_OF_RANGE, conv, detail="numbers of f16 that only a run knows")
        return
    limits = cast(Any, finfo(numpy_dtype(element)))
    least, most = float(limits.smallest_normal), float(limits.max)
    with np.errstate(all="ignore"):
        greatest = np.abs(weight.astype(np.float64)).max(axis=tuple(range(1, weight.ndim)), initial=0)
        peaks = greatest * np.abs(numbers[0])
        fits = ((peaks == 0) | (peaks >= least)) & (peaks <= most) & (np.abs(numbers[1]) <= most)
    require(bool(fits.all()), Reason.OUT_OF_RANGE, conv, detail=lambda: f"the weight reaches {peaks[~fits][0]:.3g}")


def factors(affine: Affine) -> tuple[Array, Array] | None:
    """Gain and shift of each channel, or one of all, as f64; None where they are not known."""
    import numpy as np

    norm = affine.parts
    if isinstance(norm, BatchNormInferenceOp):
        values: tuple[SSAValue, ...] = (norm.gamma, norm.beta, norm.mean, norm.variance)
    else:
        values = norm
    arrays = [None if array is None else array.astype(np.float64).ravel() for array in map(evaluated, values)]
    known = [array for array in arrays if array is not None]
    if len(known) < len(arrays):
        return None
    if not isinstance(norm, BatchNormInferenceOp):
        return known[0], known[1]
    gamma, beta, mean, variance = known
    with np.errstate(all="ignore"):
        gain = gamma / np.sqrt(variance + norm.epsilon.value.data)
    return gain, beta - mean * gain


@dataclass(frozen=True)
class FuseConvAffineActPass(ConvPass):
    """
    Fuse a convolution with the scale and shift of its channels, a residual added next, and the activation at the end.

    Options as those of `rlx-fuse-conv-bias-act`; under `compat-epilogues` a chain without relu is not fused.
    """

    name = "rlx-fuse-conv-affine-act"
    pattern = ConvAffineAct
