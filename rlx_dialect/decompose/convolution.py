"""Transposed convolutions and gradients of convolutions as plain convolutions."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.arith import ConstantOp
from xdsl.ir import SSAValue

from rlx_dialect.attributes import SpatialLayout
from rlx_dialect.constants import dense, splat
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.ops import (
    ConvBackwardInputOp,
    ConvBackwardWeightOp,
    ConvConfig,
    ConvOp,
    ConvTransposeOp,
    GatherOp,
    PartitionedConvOp,
    ReshapeOp,
    TransposeOp,
)
from rlx_dialect.shape_rules.windows import Window, backward_window, spatial_dims, spread, transposed
from rlx_dialect.shapes import DYNAMIC, Shaped, shaped


def picked(to: Plain, value: SSAValue, axis: int, indices: Sequence[int] | Sequence[Sequence[int]]) -> SSAValue:
    """The entries of `axis` at constant indices."""
    import numpy as np

    i64 = DTYPES["i64"].type
    array = np.array(indices, numpy_dtype(i64))
    table = to.add(ConstantOp(dense(Shaped(array.shape, i64).type, array))).result
    return to.add(GatherOp(value, table, axis=axis)).result


def mirrored(to: Plain, value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """`value` read backwards along `axes`, whose sizes are known."""
    for axis in axes:
        size = shaped(value).dims[axis]
        if size > 1:
            value = picked(to, value, axis, range(size - 1, -1, -1))
    return value


def permuted(to: Plain, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
    return to.add(TransposeOp(value, permutation)).result


def reshaped(to: Plain, value: SSAValue, dims: Sequence[int]) -> SSAValue:
    """`value` under dims that are all known, or that keep the unknown ones of `value` in their order."""
    return to.add(ReshapeOp(value, dims, to.sizes(value))).result


def config_of(window: Window, config: ConvConfig) -> ConvConfig:
    """`config` with the steps of another window."""
    return config._replace(
        stride=window.stride,
        low=window.low,
        high=window.high,
        dilation=window.dilation,
        input_dilation=window.input_dilation,
    )


def _adjoint(to: Plain, value: SSAValue, weight: SSAValue, window: Window, config: ConvConfig) -> Decomposition | None:
    """`value` convolved with the mirrored `weight`, whose input and output channels change places within each group."""
    channels, outputs, *kernel = shaped(weight).dims
    spatial = range(2, 2 + len(kernel))
    turned = mirrored(to, weight, spatial)
    if config.groups == 1:
        turned = permuted(to, turned, (1, 0, *spatial))
    elif DYNAMIC in (channels, outputs):
        return None
    else:
        groups = config.groups
        split = reshaped(to, turned, (groups, channels // groups, outputs, *kernel))
        swapped = permuted(to, split, (0, 2, 1, *(axis + 1 for axis in spatial)))
        turned = reshaped(to, swapped, (groups * outputs, channels // groups, *kernel))
    return to.done(to.add(ConvOp(value, turned, config_of(window, config))).result)


@plain_form(ConvTransposeOp)
def conv_transpose(op: ConvTransposeOp) -> Decomposition | None:
    """None for groups of channels whose number is not known."""
    window = transposed(op.window, op.output_pad.get_values())
    return _adjoint(Plain(), op.input, op.weight, window, op.config)


@plain_form(ConvBackwardInputOp)
def backward_input(op: ConvBackwardInputOp) -> Decomposition | None:
    """None for groups of channels whose number is not known."""
    window = backward_window(op.window, tuple(op.size.get_values()))
    return _adjoint(Plain(), op.gradient, op.weight, window, op.config)


@plain_form(ConvBackwardWeightOp)
def backward_weight(op: ConvBackwardWeightOp) -> Decomposition | None:
    """
    The input convolved with the gradient, batch and channels of both exchanged; steps and dilations change places too.

    None where spatial dims are not known, and for groups where the batch is not known.
    """
    to = Plain()
    config, window = op.config, op.window
    value, layout = shaped(op.input), config.layout
    sizes = spatial_dims(value, layout)
    counts = window.counts(sizes)
    if DYNAMIC in sizes:
        return None
    batch, groups = value.dims[0], config.groups
    channels = shaped(op.result).dims[1]
    if groups > 1 and DYNAMIC in (batch, channels):
        return None
    if 0 in counts:
        return None if DYNAMIC in shaped(op.result).dims else to.done(_zeros(to, shaped(op.result)))
    x, dy = (_channels_to_front(to, side, layout) for side in (op.input, op.gradient))
    if groups > 1:
        spatial = range(2, value.rank)
        split = reshaped(to, x, (groups, channels, batch, *sizes))
        x = reshaped(
            to, permuted(to, split, (1, 0, 2, *(axis + 1 for axis in spatial))), (channels, groups * batch, *sizes)
        )
    steps = zip(sizes, counts, window.kernel, window.low, window.stride, window.dilation, window.input_dilation)
    high = [d * (k - 1) + spread(n, step) - spread(size, gap) - low for size, n, k, low, step, d, gap in steps]
    plain = ConvConfig(
        window.dilation,
        window.low,
        high,
        window.stride,
        window.input_dilation,
        groups,
        accumulate=config.accumulate,
    )
    product = to.add(ConvOp(x, dy, plain)).result
    return to.done(permuted(to, product, (1, 0, *range(2, value.rank))))


def _zeros(to: Plain, result: Shaped) -> SSAValue:
    return to.add(ConstantOp(splat(result.type, 0))).result


def _channels_to_front(to: Plain, value: SSAValue, layout: SpatialLayout) -> SSAValue:
    """`[C, N, ..]`"""
    rank = shaped(value).rank
    if layout is SpatialLayout.CHANNELS_FIRST:
        return permuted(to, value, (1, 0, *range(2, rank)))
    return permuted(to, value, (rank - 1, 0, *range(1, rank - 1)))


@plain_form(PartitionedConvOp)
def partitioned(op: PartitionedConvOp) -> Decomposition | None:
    """A convolution of one channel with the mirrored filter. None for several leading dims that are not all known."""
    to = Plain()
    *leading, size = shaped(op.signal).dims
    if len(leading) > 1 and DYNAMIC in leading:
        return None
    batch = leading[0] if len(leading) == 1 else prod(leading)
    taps = shaped(op.filter).dims[0]
    rows = reshaped(to, op.signal, (batch, 1, size))
    kernel = reshaped(to, mirrored(to, op.filter, (0,)), (1, 1, taps))
    product = to.add(ConvOp(rows, kernel, ConvConfig(low=(taps - 1,), high=(taps - 1,)))).result
    return to.done(reshaped(to, product, (*leading, shaped(product).dims[-1])))
