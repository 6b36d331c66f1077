"""Ops that move elements to or from where other values say."""

from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.dtypes import is_unsigned
from rlx_dialect.ops import BinaryOp, GatherOp
from rlx_dialect.shapes import Dims, shaped
from rlx_passes.conversion import Declined, Emitter, Rules
from rlx_passes.frontend.from_stablehlo.data_movement import reshaped
from rlx_passes.frontend.from_stablehlo.vocabulary import constant_array, integer_width, require_static, splat
from rlx_passes.frontend.stablehlo import indexing as stable


def _take_axis(op: stable.GatherOp, table: Dims, indices: Dims) -> int:
    """The axis of which a gather takes whole slices in NumPy's order of dims. Raises `Declined` for any other gather."""
    numbers = op.dimension_numbers.data
    if len(numbers.start_index_map) != 1 or numbers.collapsed_slice_dims != numbers.start_index_map:
        raise Declined("takes slices by an index of more than one dim, or keeps the dim it indexes")
    if numbers.operand_batching_dims:
        raise Declined("has batching dims")
    axis, count = numbers.start_index_map[0], len(indices)
    if op.slice_sizes.get_values() != (*table[:axis], 1, *table[axis + 1 :]):
        raise Declined("takes parts of slices")
    if numbers.offset_dims != (*range(axis), *range(axis + count, len(table) - 1 + count)):
        raise Declined("orders the dims of its result in another way than numpy.take")
    return axis


def _gather(op: stable.GatherOp, emit: Emitter) -> SSAValue:
    """Indices out of range are clamped here, in StableHLO's gather as well; RLX's does not allow them."""
    table, indices = require_static(op.operand).dims, require_static(op.start_indices).dims
    vector = op.dimension_numbers.data.index_vector_dim
    if vector != len(indices):
        if indices[vector] != 1:
            raise Declined("takes slices by an index of more than one dim")
        indices = (*indices[:vector], *indices[vector + 1 :])
    axis = _take_axis(op, table, indices)
    positions = _clamped(emit, op.start_indices, table[axis] - 1)
    return emit(GatherOp(op.operand, reshaped(emit, positions, indices), axis=axis))


def _clamped(emit: Emitter, indices: SSAValue, last: int) -> SSAValue:
    """The indices moved into `[0, last]`; those that are known to lie there stay as they are."""
    element = shaped(indices).element
    if last < 0:
        raise Declined("indexes a dim of size 0")
    known = constant_array(indices)
    if known is not None and bool(((known >= 0) & (known <= last)).all()):
        return indices
    if not is_unsigned(element):
        indices = emit(BinaryOp(BinaryKind.MAX, indices, splat(emit, element, 0)))
    largest = (1 << (integer_width(element) - (not is_unsigned(element)))) - 1
    return indices if last >= largest else emit(BinaryOp(BinaryKind.MIN, indices, splat(emit, element, last)))


RULES: Rules = {
    stable.GatherOp: _gather,
}
