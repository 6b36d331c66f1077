"""Convolutions."""

from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerType
from xdsl.ir import SSAValue

from rlx_dialect.attributes import SpatialLayout
from rlx_dialect.ops import CastOp, ConvConfig, ConvOp, ReverseOp
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import contraction as stable
from rlx_passes.frontends.stablehlo.data_movement import reshaped, transposed
from rlx_passes.frontends.stablehlo.vocabulary import require_static
from rlx_passes.rewriting.conversion import Emitter, Rules


def _layout(dims: tuple[str, ...]) -> SpatialLayout | None:
    """The layout that has its dims in this order."""
    spatial = tuple(map(str, range(len(dims) - 2)))
    orders: dict[tuple[str, ...], SpatialLayout] = {
        ("b", "f", *spatial): SpatialLayout.CHANNELS_FIRST,
        ("b", *spatial, "f"): SpatialLayout.CHANNELS_LAST,
    }
    return orders.get(dims)


def _list(values: DenseArrayBase[IntegerType] | None) -> tuple[int, ...]:
    return () if values is None else tuple(values.get_values())


def _convolution(op: stable.ConvolutionOp, emit: Emitter) -> SSAValue:
    """
    Input and result keep a layout they share that RLX has; else they are transposed to channels first.

    A result wider than the operands becomes a convolution of widened operands, which is the same number. A kernel that
    is mirrored is reversed. Groups of the batch, each with its part of the kernels, become groups of channels:
    `[G N, C, ..]` to `[N, G C, ..]`.
    """
    numbers, element = op.dimension_numbers.data, shaped(op.result).element
    spatial = tuple(map(str, range(len(numbers.input) - 2)))
    layout, first = _layout(numbers.input), ("b", "f", *spatial)
    value, weight = (
        side if shaped(side).element == element else emit(CastOp(side, element)) for side in (op.lhs, op.rhs)
    )
    groups, of_batch = op.feature_group_count.value.data, op.batch_group_count.value.data
    kept = layout is not None and numbers.output == numbers.input and of_batch == 1
    if not kept:
        value = transposed(emit, value, [numbers.input.index(dim) for dim in first])
    if of_batch != 1:
        value = _batch_to_channels(emit, value, of_batch)
        groups *= of_batch
    weight = transposed(emit, weight, [numbers.kernel.index(dim) for dim in ("o", "i", *spatial)])
    if op.window_reversal is not None:
        mirrored = [axis for axis, flag in enumerate(op.window_reversal.get_values(), 2) if flag]
        weight = emit(ReverseOp(weight, mirrored)) if mirrored else weight
    pads = (
        [] if op.padding is None else [int(n) for n in cast("DenseIntOrFPElementsAttr[Any]", op.padding).get_values()]
    )
    if len(pads) == 1:
        pads *= 2 * len(spatial)
    config = ConvConfig(
        stride=_list(op.window_strides),
        low=pads[::2],
        high=pads[1::2],
        dilation=_list(op.rhs_dilation),
        input_dilation=_list(op.lhs_dilation),
        groups=groups,
        layout=layout if kept and layout is not None else SpatialLayout.CHANNELS_FIRST,
    )
    result = emit(ConvOp(value, weight, config))
    return result if kept else transposed(emit, result, [first.index(dim) for dim in numbers.output])


def _batch_to_channels(emit: Emitter, value: SSAValue, groups: int) -> SSAValue:
    batch, channels, *spatial = require_static(value).dims
    if batch % groups:
        raise Refusal(f"cuts a batch of {batch} into {groups} groups")
    parts = reshaped(emit, value, (groups, batch // groups, channels, *spatial))
    inside = transposed(emit, parts, [1, 0, *range(2, len(spatial) + 3)])
    return reshaped(emit, inside, (batch // groups, groups * channels, *spatial))


RULES: Rules = {stable.ConvolutionOp: _convolution}
