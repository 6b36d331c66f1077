"""Ops that move elements to or from where other values say."""

from typing import cast

from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, ScatterReduction
from rlx_dialect.dtypes import is_unsigned
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    GatherOp,
    GeneralGatherOp,
    GeneralScatterOp,
)
from rlx_dialect.shape_rules.indexing import GatherNumbers, ScatterNumbers
from rlx_dialect.shapes import Dims, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import indexing as stable
from rlx_passes.dialects.stablehlo import legacy
from rlx_passes.dialects.stablehlo.elementwise_binary import SubtractOp
from rlx_passes.frontends.stablehlo.data_movement import narrowed, reshaped
from rlx_passes.frontends.stablehlo.elementwise import binary_kind
from rlx_passes.frontends.stablehlo.regions import is_second, single_op
from rlx_passes.frontends.stablehlo.vocabulary import require_static, splat
from rlx_passes.rewriting.conversion import Emitter, Rules
from rlx_passes.rewriting.vocabulary import constant_array, integer_width, splat_number


def _take_axis(op: stable.GatherOp, table: Dims, indices: Dims) -> int | None:
    """The axis of which a gather takes whole slices in NumPy's order of dims; None for any other gather."""
    numbers = op.dimension_numbers.data
    if len(numbers.start_index_map) != 1 or numbers.collapsed_slice_dims != numbers.start_index_map:
        return None
    axis, count = numbers.start_index_map[0], len(indices)
    whole = op.slice_sizes.get_values() == (*table[:axis], 1, *table[axis + 1 :])
    ordered = numbers.offset_dims == (*range(axis), *range(axis + count, len(table) - 1 + count))
    return axis if whole and ordered and table[axis] else None


def _gather(op: stable.GatherOp, emit: Emitter) -> SSAValue:
    """
    Whole slices along one axis are `rlx.gather`, whose indices must not be out of range: they are clamped here, as
    StableHLO's gather and `rlx.general_gather` clamp theirs.
    """
    table, indices = require_static(op.operand).dims, require_static(op.start_indices).dims
    numbers, kept = op.dimension_numbers.data, list(indices)
    if numbers.index_vector_dim < len(indices):
        kept.pop(numbers.index_vector_dim)
    axis = _take_axis(op, table, tuple(kept))
    if axis is None:
        sizes = op.slice_sizes.get_values()
        return emit(GeneralGatherOp(op.operand, op.start_indices, GatherNumbers(*numbers), sizes))
    positions = _clamped(emit, op.start_indices, table[axis] - 1)
    return emit(GatherOp(op.operand, reshaped(emit, positions, kept), axis=axis))


def _clamped(emit: Emitter, indices: SSAValue, last: int) -> SSAValue:
    """The indices moved into `[0, last]`; those that are known to lie there stay as they are."""
    element = shaped(indices).element
    known = constant_array(indices)
    if known is not None and bool(((known >= 0) & (known <= last)).all()):
        return indices
    if not is_unsigned(element):
        indices = emit(BinaryOp(BinaryKind.MAX, indices, splat(emit, element, 0)))
    largest = (1 << (integer_width(element) - (not is_unsigned(element)))) - 1
    return indices if last >= largest else emit(BinaryOp(BinaryKind.MIN, indices, splat(emit, element, last)))


def _scatter(op: stable.ScatterOp, emit: Emitter) -> SSAValue:
    """Updates out of range are skipped by both. A difference adds what is negated."""
    if len(op.arguments) != 3:
        raise Refusal(f"scatters into {len(op.arguments) // 2} tensors together")
    operand, indices, updates = op.arguments
    body, element = op.update_computation, shaped(operand).element
    combination = single_op(body)
    if is_second(body):
        reduction = ScatterReduction.NONE
    elif isinstance(combination, SubtractOp):
        reduction, updates = ScatterReduction.ADD, emit(ActivationOp(Activation.NEG, updates))
    else:
        kind = None if combination is None else binary_kind(type(combination), element)
        found = REDUCTIONS.get(kind)
        if found is None:
            raise Refusal("combines its elements in a way that is no reduction of rlx.general_scatter")
        reduction = found
    numbers = ScatterNumbers(*op.scatter_dimension_numbers.data)
    return emit(GeneralScatterOp(operand, indices, updates, numbers, reduction))


REDUCTIONS: dict[BinaryKind | None, ScatterReduction] = {
    BinaryKind.ADD: ScatterReduction.ADD,
    BinaryKind.MUL: ScatterReduction.MUL,
    BinaryKind.MAX: ScatterReduction.MAX,
    BinaryKind.MIN: ScatterReduction.MIN,
}


def _dynamic_slice(op: stable.DynamicSliceOp, emit: Emitter) -> SSAValue:
    """Starts are clamped by both; known ones are clamped here, and the slice is narrowed."""
    sizes, dims = op.slice_sizes.get_values(), shaped(op.operand).dims
    known = [splat_number(start) for start in op.start_indices]
    if not shaped(op.operand).static or not all(isinstance(start, int) for start in known):
        return emit(DynamicSliceOp(op.operand, op.start_indices, lengths=sizes))
    value = op.operand
    for axis, (start, size) in enumerate(zip(cast("list[int]", known), sizes)):
        value = narrowed(emit, value, axis, max(0, min(start, dims[axis] - size)), size)
    return value


def _dynamic_update_slice(op: stable.DynamicUpdateSliceOp, emit: Emitter) -> SSAValue:
    return emit(DynamicUpdateSliceOp(op.operand, op.update, op.start_indices))


def _torch_index_select(op: legacy.TorchIndexSelectOp, emit: Emitter) -> SSAValue:
    if op.batch_dims.value.data:
        raise Refusal("selects by other indices for each entry of a batch")
    axis = op.dim.value.data
    size = require_static(op.operand).dims[axis]
    if not size:
        raise Refusal("indexes a dim of size 0")
    return emit(GatherOp(op.operand, _clamped(emit, op.index, size - 1), axis=axis))


RULES: Rules = {
    legacy.TorchIndexSelectOp: _torch_index_select,
    stable.DynamicSliceOp: _dynamic_slice,
    stable.DynamicUpdateSliceOp: _dynamic_update_slice,
    stable.GatherOp: _gather,
    stable.ScatterOp: _scatter,
}
