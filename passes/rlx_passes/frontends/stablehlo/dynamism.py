"""
Ops whose operands say sizes: where these are constants, the ops that have them as attributes, else ops of RLX that take
sizes of a run.
"""

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.constants import splat
from rlx_dialect.ops import ExpandOp, IotaOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import data_movement as static
from rlx_passes.dialects.stablehlo import dynamism as stable
from rlx_passes.dialects.stablehlo.control_flow import CustomCallOp
from rlx_passes.dialects.stablehlo.indexing import GatherOp
from rlx_passes.frontends.stablehlo import data_movement, indexing
from rlx_passes.frontends.stablehlo.bounds import bound, cut, spread, widened
from rlx_passes.frontends.stablehlo.data_movement import reshaped, transposed
from rlx_passes.frontends.stablehlo.sizes import dim, number_of, sizes_in, sizes_of
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
    axis = op.dimension.value.data
    size = shaped(op.operand).dims[axis]
    if size == DYNAMIC:
        return number_of(emit, dim(emit, op.operand, axis), op.result)
    return emit(ConstantOp(splat(shaped(op.result).type, size)))


def _dynamic_reshape(op: stable.DynamicReshapeOp, emit: Emitter) -> SSAValue:
    dims = shaped(op.result).dims
    if DYNAMIC not in dims:
        return reshaped(emit, op.operand, dims)
    return emit(ReshapeOp(op.operand, dims, sizes_in(emit, dims, op.output_shape)))


def _dynamic_broadcast_in_dim(op: stable.DynamicBroadcastInDimOp, emit: Emitter) -> SSAValue:
    result, axes = shaped(op.result), op.broadcast_dimensions.get_values()
    if result.static and shaped(op.operand).static:
        return _by(static.BroadcastInDimOp(op.operand, axes, result.type), emit)
    value = transposed(emit, op.operand, sorted(range(len(axes)), key=axes.__getitem__))
    aligned = [1] * (result.rank - min(axes, default=result.rank))
    for size, axis in zip(shaped(value).dims, sorted(axes)):
        aligned[axis - result.rank] = size
    if len(aligned) != shaped(value).rank:
        value = emit(ReshapeOp(value, aligned, sizes_of(emit, value)))
    return emit(ExpandOp(value, result.dims, sizes_in(emit, result.dims, op.output_dimensions)))


def _dynamic_iota(op: stable.DynamicIotaOp, emit: Emitter) -> SSAValue:
    result, axis = shaped(op.result), op.iota_dimension.value.data
    if result.static:
        return _by(static.IotaOp(axis, result.type), emit)
    return emit(IotaOp(result, sizes_in(emit, result.dims, op.output_shape), axis=axis))


def _dynamic_pad(op: stable.DynamicPadOp, emit: Emitter) -> SSAValue:
    edges = op.edge_padding_low, op.edge_padding_high
    gaps = _numbers(op.interior_padding)
    if shaped(op.operand).static and not any(constant_array(edge) is None for edge in edges):
        before, after = map(_numbers, edges)
        return data_movement.padded(emit, op.operand, op.padding_value, before, after, gaps)
    low, high = ([bound(emit, edge, at) for at in range(shaped(op.operand).rank)] for edge in edges)
    value = op.operand
    for axis, gap in enumerate(gaps):
        value = spread(emit, value, op.padding_value, axis, gap) if gap else value
    return widened(emit, value, op.padding_value, low, high)


def _real_dynamic_slice(op: stable.RealDynamicSliceOp, emit: Emitter) -> SSAValue:
    ends, steps = (op.start_indices, op.limit_indices), _numbers(op.strides)
    if not any(constant_array(end) is None for end in ends):
        first, end = map(_numbers, ends)
        return _by(static.SliceOp(op.operand, first, end, steps), emit)
    starts, limits = ([bound(emit, end, at) for at in range(shaped(op.operand).rank)] for end in ends)
    return cut(emit, op.operand, starts, limits, steps)


def _dynamic_gather(op: stable.DynamicGatherOp, emit: Emitter) -> SSAValue:
    numbers, sizes = op.dimension_numbers.data, _numbers(op.slice_sizes)
    return _by(GatherOp(op.operand, op.start_indices, numbers, sizes, op.result.type), emit)


def _custom_call(op: CustomCallOp, emit: Emitter) -> Sequence[SSAValue]:
    """What JAX asserts of sizes goes: what code relies on follows from the ops, and each run checks it."""
    if op.call_target_name.data != "shape_assertion" or op.results:
        raise Refusal("calls code outside of the program")
    return ()


RULES: Rules = {
    CustomCallOp: _custom_call,
    stable.DynamicBroadcastInDimOp: _dynamic_broadcast_in_dim,
    stable.DynamicGatherOp: _dynamic_gather,
    stable.DynamicIotaOp: _dynamic_iota,
    stable.DynamicPadOp: _dynamic_pad,
    stable.DynamicReshapeOp: _dynamic_reshape,
    stable.GetDimensionSizeOp: _get_dimension_size,
    stable.RealDynamicSliceOp: _real_dynamic_slice,
}
