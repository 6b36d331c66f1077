"""Ops that make, move and repeat elements."""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType, i1
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.constants import constant_op, dense
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import (
    ConcatOp,
    ExpandOp,
    FullOp,
    NarrowOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import data_movement as stable
from rlx_passes.dialects.stablehlo import legacy
from rlx_passes.frontends.stablehlo.vocabulary import require_static
from rlx_passes.rewriting.conversion import Emitter, Rules
from rlx_passes.rewriting.vocabulary import splat_number


def _constant(op: stable.ConstantOp, emit: Emitter) -> SSAValue:
    value: Attribute = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        raise Refusal(f"holds {value}")
    return emit(constant_op(cast("DenseIntOrFPElementsAttr[Any] | DenseResourceAttr", value)))


def reshaped(emit: Emitter, value: SSAValue, dims: Sequence[int]) -> SSAValue:
    """`value` under other dims, itself where they are its own."""
    return value if shaped(value).dims == tuple(dims) else emit(ReshapeOp(value, dims))


def transposed(emit: Emitter, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
    """`value` with its dims in another order, itself where the order stays."""
    unchanged = list(permutation) == list(range(len(permutation)))
    return value if unchanged else emit(TransposeOp(value, permutation))


def expanded(emit: Emitter, value: SSAValue, dims: Sequence[int]) -> SSAValue:
    """`value` stretched to `dims`, itself where these are its own."""
    return value if shaped(value).dims == tuple(dims) else emit(ExpandOp(value, dims))


def _broadcast_in_dim(op: stable.BroadcastInDimOp, emit: Emitter) -> SSAValue:
    """Ones are inserted by a reshape; what then must stretch, by an expand."""
    dims, target = op.broadcast_dimensions.get_values(), require_static(op.result).dims
    value = transposed(emit, op.operand, sorted(range(len(dims)), key=dims.__getitem__))
    aligned = [1] * len(target)
    for size, dim in zip(shaped(value).dims, sorted(dims)):
        aligned[dim] = size
    if tuple(aligned) == target:
        return reshaped(emit, value, target)
    return emit(ExpandOp(reshaped(emit, value, aligned[min(dims, default=len(target)) :]), target))


def _broadcast(op: legacy.BroadcastOp, emit: Emitter) -> SSAValue:
    return expanded(emit, op.operand, require_static(op.result).dims)


def _reshape(op: stable.ReshapeOp, emit: Emitter) -> SSAValue:
    return reshaped(emit, op.operand, require_static(op.result).dims)


def _transpose(op: stable.TransposeOp, emit: Emitter) -> SSAValue:
    return transposed(emit, op.operand, op.permutation.get_values())


def _slice(op: stable.SliceOp, emit: Emitter) -> SSAValue:
    """
    One narrow for each dim that is cut. Every n-th element is one of n columns, where the rows fit into the dim; where
    the last row is not whole, a slice with steps.
    """
    value, source, result = op.operand, require_static(op.operand).dims, require_static(op.result).dims
    starts, strides = op.start_indices.get_values(), op.strides.get_values()
    if not all(_whole_rows(*dim) for dim in zip(starts, strides, result, source)):
        return emit(SliceOp(value, result, starts=starts, steps=strides))
    for axis, (start, stride) in enumerate(zip(starts, strides)):
        count = result[axis]
        if stride == 1:
            value = narrowed(emit, value, axis, start, count)
            continue
        first = start - start % stride
        dims = shaped(value).dims
        rows = narrowed(emit, value, axis, first, count * stride)
        columns = reshaped(emit, rows, (*dims[:axis], count, stride, *dims[axis + 1 :]))
        column = narrowed(emit, columns, axis + 1, start % stride, 1)
        value = reshaped(emit, column, (*dims[:axis], count, *dims[axis + 1 :]))
    return value


def _whole_rows(start: int, stride: int, count: int, size: int) -> bool:
    """Whether the elements are a column of whole rows of `stride` elements."""
    return stride == 1 or start - start % stride + count * stride <= size


def narrowed(emit: Emitter, value: SSAValue, axis: int, start: int, length: int) -> SSAValue:
    """`length` entries of `axis` from `start`; the value itself where these are all."""
    whole = (start, length) == (0, shaped(value).dims[axis])
    return value if whole else emit(NarrowOp(value, axis=axis, start=start, length=length))


def _pad(op: stable.PadOp, emit: Emitter) -> SSAValue:
    edges = (edges.get_values() for edges in (op.edge_padding_low, op.edge_padding_high, op.interior_padding))
    return padded(emit, op.operand, op.padding_value, *edges)


def padded(
    emit: Emitter, value: SSAValue, padding: SSAValue, low: Sequence[int], high: Sequence[int], interior: Sequence[int]
) -> SSAValue:
    """
    `value` with `padding` before, after and between its elements.

    What comes between the elements is added as rows of its own: `[n, 1]` padded to `[n, 1 + interior]` and
    flattened, less the last gap. An unknown padding value takes the places where zeros and ones, padded alike, differ.
    """
    number = splat_number(padding)
    dims = require_static(value).dims
    if not any((*low, *high)) and not any(gap and size > 1 for gap, size in zip(interior, dims)):
        return value
    if number == 0 or (number is not None and not isinstance(number, complex)):
        return _padded(emit, value, low, high, interior, 0 if isinstance(number, complex) else number)
    inside = _padded(emit, emit(FullOp(1, Shaped(dims, i1))), low, high, interior, 0)
    return emit(WhereOp(inside, _padded(emit, value, low, high, interior, 0), padding))


def _padded(
    emit: Emitter, value: SSAValue, low: Sequence[int], high: Sequence[int], interior: Sequence[int], number: float
) -> SSAValue:
    """`value` with `number` before, after and between its elements."""
    after = list(high)
    for axis, gap in enumerate(interior):
        dims = shaped(value).dims
        if gap and dims[axis] > 1:
            rows = reshaped(emit, value, (*dims[: axis + 1], 1, *dims[axis + 1 :]))
            edges = [gap if i == axis + 1 else 0 for i in range(len(dims) + 1)]
            wide = emit(PadOp(rows, [0] * len(edges), edges, value=number))
            value = reshaped(emit, wide, (*dims[:axis], dims[axis] * (1 + gap), *dims[axis + 1 :]))
            after[axis] -= gap
    if not any((*low, *after)):
        return value
    return emit(PadOp(value, low, after, value=number))


def _reverse(op: stable.ReverseOp, emit: Emitter) -> SSAValue:
    axes = op.dimensions.get_values()
    return emit(ReverseOp(op.operand, axes)) if axes else op.operand


def _concatenate(op: stable.ConcatenateOp, emit: Emitter) -> SSAValue:
    return emit(ConcatOp(op.inputs, axis=op.dimension.value.data))


def _iota(op: stable.IotaOp, emit: Emitter) -> SSAValue:
    """The numbers of one dim as a constant, stretched to the others."""
    import numpy as np

    result, axis = require_static(op.output), op.iota_dimension.value.data
    if not 0 <= axis < result.rank:
        raise Refusal(f"counts along dim {axis} of {result}")
    size = result.dims[axis]
    numbers = np.arange(size).astype(numpy_dtype(result.element))
    row = emit(constant_op(dense(TensorType(result.element, [size]), numbers)))
    if result.rank == 1:
        return row
    column = reshaped(emit, row, (size, *[1] * (result.rank - 1 - axis)))
    return emit(ExpandOp(column, result.dims))


RULES: Rules = {
    legacy.BroadcastOp: _broadcast,
    stable.BroadcastInDimOp: _broadcast_in_dim,
    stable.ConcatenateOp: _concatenate,
    stable.ConstantOp: _constant,
    stable.IotaOp: _iota,
    stable.PadOp: _pad,
    stable.ReshapeOp: _reshape,
    stable.ReverseOp: _reverse,
    stable.SliceOp: _slice,
    stable.TransposeOp: _transpose,
}
