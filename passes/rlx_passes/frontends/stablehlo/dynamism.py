"""Ops whose operands say sizes: where these are constants, the ops that have them as attributes."""

from xdsl.dialects.arith import ConstantOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.constants import splat
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import data_movement as static
from rlx_passes.dialects.stablehlo import dynamism as stable
from rlx_passes.dialects.stablehlo.indexing import GatherOp
from rlx_passes.frontends.stablehlo import data_movement, indexing
from rlx_passes.frontends.stablehlo.data_movement import reshaped
from rlx_passes.frontends.stablehlo.vocabulary import require_static
from rlx_passes.rewriting.conversion import Emitter, Rules
from rlx_passes.rewriting.vocabulary import constant_array


def _by(op: Operation, emit: Emitter) -> SSAValue:
    """What the rule of a static op makes of it."""
    rule = {**data_movement.RULES, **indexing.RULES}[type(op)]
    try:
        return emit.values_of(rule(op, emit))[0]
    finally:
        op.drop_all_references()


def _numbers(value: SSAValue) -> list[int]:
    array = constant_array(value)
    if array is None:
        raise Refusal("has sizes that are known only when the program runs")
    return [int(number) for number in array.ravel()]


def _get_dimension_size(op: stable.GetDimensionSizeOp, emit: Emitter) -> SSAValue:
    size = require_static(op.operand).dims[op.dimension.value.data]
    return emit(ConstantOp(splat(shaped(op.result).type, size)))


def _dynamic_reshape(op: stable.DynamicReshapeOp, emit: Emitter) -> SSAValue:
    return reshaped(emit, op.operand, require_static(op.result).dims)


def _dynamic_broadcast_in_dim(op: stable.DynamicBroadcastInDimOp, emit: Emitter) -> SSAValue:
    result = require_static(op.result)
    return _by(static.BroadcastInDimOp(op.operand, op.broadcast_dimensions.get_values(), result.type), emit)


def _dynamic_iota(op: stable.DynamicIotaOp, emit: Emitter) -> SSAValue:
    return _by(static.IotaOp(op.iota_dimension.value.data, require_static(op.result).type), emit)


def _dynamic_pad(op: stable.DynamicPadOp, emit: Emitter) -> SSAValue:
    edges = map(_numbers, (op.edge_padding_low, op.edge_padding_high, op.interior_padding))
    return data_movement.padded(emit, op.operand, op.padding_value, *edges)


def _real_dynamic_slice(op: stable.RealDynamicSliceOp, emit: Emitter) -> SSAValue:
    bounds = map(_numbers, (op.start_indices, op.limit_indices, op.strides))
    return _by(static.SliceOp(op.operand, *bounds), emit)


def _dynamic_gather(op: stable.DynamicGatherOp, emit: Emitter) -> SSAValue:
    numbers, sizes = op.dimension_numbers.data, _numbers(op.slice_sizes)
    return _by(GatherOp(op.operand, op.start_indices, numbers, sizes, op.result.type), emit)


RULES: Rules = {
    stable.DynamicBroadcastInDimOp: _dynamic_broadcast_in_dim,
    stable.DynamicGatherOp: _dynamic_gather,
    stable.DynamicIotaOp: _dynamic_iota,
    stable.DynamicPadOp: _dynamic_pad,
    stable.DynamicReshapeOp: _dynamic_reshape,
    stable.GetDimensionSizeOp: _get_dimension_size,
    stable.RealDynamicSliceOp: _real_dynamic_slice,
}
