"""Constants, and ops that move elements and compute nothing."""

from typing import Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.dialects.tensor import FromElementsOp
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.ops import ConcatOp, ExpandOp, GatherOp, NarrowOp, ReshapeOp, ResizeNearest2xOp, TransposeOp
from rlx_dialect.shapes import Shaped, normalize_axis, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import data_movement as stable
from rlx_passes.dialects.stablehlo.attributes import GatherDimensionNumbers
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.vocabulary import (
    broadcast_to,
    cast_to,
    cut,
    gathered,
    reshape_to,
    stretched,
    transpose_to,
)
from rlx_passes.rewriting.conversion import Rules


def _constant(op: ConstantOp, emit: StableEmitter) -> SSAValue:
    value: Attribute = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr) or not isinstance(op.result.type, TensorType):
        raise Refusal(f"is no dense tensor, but {op.result.type}")
    return emit(stable.ConstantOp(cast("DenseIntOrFPElementsAttr[Any]", value)))


def _from_elements(op: FromElementsOp, emit: StableEmitter) -> SSAValue:
    result = shaped(op.result)
    row = Shaped((1,), result.element).type
    parts = [emit(stable.ReshapeOp(cast_to(emit, emit.scalar(each), result.element), row)) for each in op.elements]
    joined = (
        parts[0]
        if len(parts) == 1
        else emit(stable.ConcatenateOp(parts, 0, Shaped((len(parts),), result.element).type))
    )
    return reshape_to(emit, joined, result.dims)


def _reshape(op: ReshapeOp, emit: StableEmitter) -> SSAValue:
    return reshape_to(emit, op.input, sized(op.result).dims)


def _expand(op: ExpandOp, emit: StableEmitter) -> SSAValue:
    return broadcast_to(emit, op.input, sized(op.result).dims)


def _transpose(op: TransposeOp, emit: StableEmitter) -> SSAValue:
    return transpose_to(emit, op.input, op.permutation.get_values())


def _narrow(op: NarrowOp, emit: StableEmitter) -> SSAValue:
    source = sized(op.input)
    axis = normalize_axis(op.axis.value.data, source.rank)
    start = [0] * source.rank
    limit = list(source.dims)
    start[axis] = op.start.value.data
    limit[axis] = op.start.value.data + op.length.value.data
    return cut(emit, op.input, start, limit, [1] * source.rank, sized(op.result).dims)


def _concat(op: ConcatOp, emit: StableEmitter) -> SSAValue:
    result = sized(op.result)
    axis = normalize_axis(op.axis.value.data, result.rank)
    return emit(stable.ConcatenateOp(op.inputs, axis, result.type))


def _gather(op: GatherOp, emit: StableEmitter) -> SSAValue:
    """Whole slices of one axis, the index without a dim of its own."""
    table, indices, result = sized(op.table), sized(op.indices), sized(op.result)
    axis = normalize_axis(op.axis.value.data, table.rank)
    numbers = GatherDimensionNumbers(
        offset_dims=(*range(axis), *range(axis + indices.rank, result.rank)),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        index_vector_dim=indices.rank,
    )
    sizes = (*table.dims[:axis], 1, *table.dims[axis + 1 :])
    return gathered(emit, op.table, op.indices, numbers, sizes, result)


def _resize_nearest2x(op: ResizeNearest2xOp, emit: StableEmitter) -> SSAValue:
    """Each row and each column twice."""
    source = sized(op.input)
    batch, channels, height, width = source.dims
    doubled = source.with_dims((batch, channels, height, 2, width, 2))
    squares = stretched(emit, op.input, (0, 1, 2, 4), doubled)
    return reshape_to(emit, squares, sized(op.result).dims)


RULES: Rules = {
    ResizeNearest2xOp: _resize_nearest2x,
    ConcatOp: _concat,
    ConstantOp: _constant,
    ExpandOp: _expand,
    FromElementsOp: _from_elements,
    GatherOp: _gather,
    NarrowOp: _narrow,
    ReshapeOp: _reshape,
    TransposeOp: _transpose,
}
