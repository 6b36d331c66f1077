"""Convolutions: summed in the accumulate type through the type of the result, then rounded."""

from functools import partial

from xdsl.ir import SSAValue

from rlx_dialect.attributes import SpatialLayout
from rlx_dialect.ops import ConvOp
from rlx_dialect.shapes import Shaped
from rlx_passes.dialects.stablehlo.attributes import ConvDimensionNumbers, Precision
from rlx_passes.dialects.stablehlo.contraction import ConvolutionOp
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.vocabulary import accumulator, cast_to
from rlx_passes.rewriting.conversion import Rules


def _conv(precision: Precision, op: ConvOp, emit: StableEmitter) -> SSAValue:
    result, window, config = sized(op.result), op.window, op.config
    spatial = tuple(map(str, range(result.rank - 2)))
    first = config.layout is SpatialLayout.CHANNELS_FIRST
    lies = ("b", "f", *spatial) if first else ("b", *spatial, "f")
    wide = accumulator(result.element, op.accumulate)
    value, weight = (cast_to(emit, side, wide) for side in (op.input, op.weight))
    convolved = ConvolutionOp(
        value,
        weight,
        ConvDimensionNumbers(lies, ("o", "i", *spatial), lies),
        Shaped(result.dims, wide).type,
        strides=window.stride,
        padding=list(zip(window.low, window.high)),
        lhs_dilation=window.input_dilation,
        rhs_dilation=window.dilation,
        window_reversal=[False] * len(spatial),
        feature_group_count=config.groups,
        precision=precision,
    )
    return cast_to(emit, emit(convolved), result.element)


def rules(precision: Precision) -> Rules:
    """The rules of this chapter; products are made with `precision`."""
    return {ConvOp: partial(_conv, precision)}
