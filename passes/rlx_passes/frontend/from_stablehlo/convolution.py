"""Convolutions."""

from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerType
from xdsl.ir import SSAValue

from rlx_dialect.attributes import SpatialLayout
from rlx_dialect.ops import CastOp, ConvConfig, ConvOp
from rlx_passes.conversion import Declined, Emitter, Rules
from rlx_passes.frontend.from_stablehlo.data_movement import transposed
from rlx_passes.frontend.from_stablehlo.vocabulary import real
from rlx_passes.frontend.stablehlo import contraction as stable


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
    Input and result keep their layout where both have the same one of RLX's; else they are transposed to channels first.

    A result wider than the operands becomes a convolution of widened operands, which is the same number.
    """
    if op.batch_group_count.value.data != 1:
        raise Declined("convolves groups of the batch")
    if op.window_reversal is not None and any(op.window_reversal.get_values()):
        raise Declined("mirrors its kernel")
    numbers, element = op.dimension_numbers.data, real(op.result).element
    spatial = tuple(map(str, range(len(numbers.input) - 2)))
    layout, first = _layout(numbers.input), ("b", "f", *spatial)
    value, weight = (
        side if real(side).element == element else emit(CastOp(side, element)) for side in (op.lhs, op.rhs)
    )
    kept = layout is not None and numbers.output == numbers.input
    if not kept:
        value = transposed(emit, value, [numbers.input.index(dim) for dim in first])
    weight = transposed(emit, weight, [numbers.kernel.index(dim) for dim in ("o", "i", *spatial)])
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
        groups=op.feature_group_count.value.data,
        layout=layout if kept and layout is not None else SpatialLayout.CHANNELS_FIRST,
    )
    result = emit(ConvOp(value, weight, config))
    return result if kept else transposed(emit, result, [first.index(dim) for dim in numbers.output])


RULES: Rules = {stable.ConvolutionOp: _convolution}
