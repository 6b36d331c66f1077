"""Constants, and ops that move elements and compute nothing."""

from typing import Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, TensorType
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.ops import ConcatOp, ExpandOp, GatherOp, NarrowOp, ReshapeOp, ResizeNearest2xOp, TransposeOp
from rlx_dialect.shapes import normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import data_movement as stable
from rlx_passes.dialects.stablehlo.attributes import GatherDimensionNumbers
from rlx_passes.dialects.stablehlo.indexing import GatherOp as StableGatherOp
from rlx_passes.lowerings.to_stablehlo.vocabulary import broadcast_to, reshape_to, static, transpose_to
from rlx_passes.rewriting.conversion import Emitter, Rules


def _constant(op: ConstantOp, emit: Emitter) -> SSAValue:
    value: Attribute = op.value
    if isinstance(op.result.type, IndexType):
        raise Refusal("is part of a size that is only known at run time", "make its sizes static")
    if not isinstance(value, DenseIntOrFPElementsAttr) or not isinstance(op.result.type, TensorType):
        raise Refusal(f"is no dense tensor, but {op.result.type}")
    return emit(stable.ConstantOp(cast("DenseIntOrFPElementsAttr[Any]", value)))


def _reshape(op: ReshapeOp, emit: Emitter) -> SSAValue:
    return reshape_to(emit, op.input, static(op.result).dims)


def _expand(op: ExpandOp, emit: Emitter) -> SSAValue:
    return broadcast_to(emit, op.input, static(op.result).dims)


def _transpose(op: TransposeOp, emit: Emitter) -> SSAValue:
    return transpose_to(emit, op.input, op.permutation.get_values())


def _narrow(op: NarrowOp, emit: Emitter) -> SSAValue:
    source = static(op.input)
    axis = normalize_axis(op.axis.value.data, source.rank)
    start = [0] * source.rank
    limit = list(source.dims)
    start[axis] = op.start.value.data
    limit[axis] = op.start.value.data + op.length.value.data
    return emit(stable.SliceOp(op.input, start, limit))


def _concat(op: ConcatOp, emit: Emitter) -> SSAValue:
    result = static(op.result)
    axis = normalize_axis(op.axis.value.data, result.rank)
    return emit(stable.ConcatenateOp(op.inputs, axis, result.type))


def _gather(op: GatherOp, emit: Emitter) -> SSAValue:
    """Whole slices of one axis, the index without a dim of its own."""
    table, indices, result = static(op.table), static(op.indices), static(op.result)
    axis = normalize_axis(op.axis.value.data, table.rank)
    numbers = GatherDimensionNumbers(
        offset_dims=(*range(axis), *range(axis + indices.rank, result.rank)),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        index_vector_dim=indices.rank,
    )
    sizes = (*table.dims[:axis], 1, *table.dims[axis + 1 :])
    return emit(StableGatherOp(op.table, op.indices, numbers, sizes, result.type))


def _resize_nearest2x(op: ResizeNearest2xOp, emit: Emitter) -> SSAValue:
    """Each row and each column twice."""
    source = static(op.input)
    batch, channels, height, width = source.dims
    doubled = source.with_dims((batch, channels, height, 2, width, 2))
    squares = emit(stable.BroadcastInDimOp(op.input, (0, 1, 2, 4), doubled.type))
    return reshape_to(emit, squares, static(op.result).dims)


RULES: Rules = {
    ResizeNearest2xOp: _resize_nearest2x,
    ConcatOp: _concat,
    ConstantOp: _constant,
    ExpandOp: _expand,
    GatherOp: _gather,
    NarrowOp: _narrow,
    ReshapeOp: _reshape,
    TransposeOp: _transpose,
}
