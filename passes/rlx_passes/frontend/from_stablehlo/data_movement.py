"""Ops that make, move and repeat elements."""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.constants import dense
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import ConcatOp, ExpandOp, NarrowOp, ReshapeOp, TransposeOp
from rlx_dialect.shapes import shaped
from rlx_passes.conversion import Declined, Emitter, Rules
from rlx_passes.frontend.from_stablehlo.vocabulary import real, require_static
from rlx_passes.frontend.stablehlo import data_movement as stable


def _constant(op: stable.ConstantOp, emit: Emitter) -> SSAValue:
    value: Attribute = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        raise Declined(f"holds {value}")
    return emit(ConstantOp(cast("DenseIntOrFPElementsAttr[Any] | DenseResourceAttr", value)))


def reshaped(emit: Emitter, value: SSAValue, dims: Sequence[int]) -> SSAValue:
    """`value` under other dims, itself where they are its own."""
    return value if shaped(value).dims == tuple(dims) else emit(ReshapeOp(value, dims))


def transposed(emit: Emitter, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
    """`value` with its dims in another order, itself where the order stays."""
    unchanged = list(permutation) == list(range(len(permutation)))
    return value if unchanged else emit(TransposeOp(value, permutation))


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


def _reshape(op: stable.ReshapeOp, emit: Emitter) -> SSAValue:
    return reshaped(emit, op.operand, require_static(op.result).dims)


def _transpose(op: stable.TransposeOp, emit: Emitter) -> SSAValue:
    return transposed(emit, op.operand, op.permutation.get_values())


def _slice(op: stable.SliceOp, emit: Emitter) -> SSAValue:
    """One narrow for each dim that is cut. Every n-th element is one of n columns, where the rows fit into the dim."""
    value, source, result = op.operand, require_static(op.operand).dims, require_static(op.result).dims
    cuts = zip(op.start_indices.get_values(), op.strides.get_values())
    for axis, (start, stride) in enumerate(cuts):
        count = result[axis]
        if stride == 1:
            value = narrowed(emit, value, axis, start, count)
            continue
        first = start - start % stride
        if first + count * stride > source[axis]:
            raise Declined(f"takes every {stride}-th of {source[axis]} elements, whose last row is not whole")
        dims = shaped(value).dims
        rows = narrowed(emit, value, axis, first, count * stride)
        columns = reshaped(emit, rows, (*dims[:axis], count, stride, *dims[axis + 1 :]))
        column = narrowed(emit, columns, axis + 1, start % stride, 1)
        value = reshaped(emit, column, (*dims[:axis], count, *dims[axis + 1 :]))
    return value


def narrowed(emit: Emitter, value: SSAValue, axis: int, start: int, length: int) -> SSAValue:
    """`length` entries of `axis` from `start`; the value itself where these are all."""
    whole = (start, length) == (0, shaped(value).dims[axis])
    return value if whole else emit(NarrowOp(value, axis=axis, start=start, length=length))


def _concatenate(op: stable.ConcatenateOp, emit: Emitter) -> SSAValue:
    return emit(ConcatOp(op.inputs, axis=op.dimension.value.data))


def _iota(op: stable.IotaOp, emit: Emitter) -> SSAValue:
    """The numbers of one dim as a constant, stretched to the others."""
    import numpy as np

    result, axis = require_static(op.output), op.iota_dimension.value.data
    if not 0 <= axis < result.rank:
        raise Declined(f"counts along dim {axis} of {result}")
    size = result.dims[axis]
    numbers = np.arange(size).astype(numpy_dtype(real(op.output).element))
    row = emit(ConstantOp(dense(TensorType(result.element, [size]), numbers)))
    if result.rank == 1:
        return row
    column = reshaped(emit, row, (size, *[1] * (result.rank - 1 - axis)))
    return emit(ExpandOp(column, result.dims))


RULES: Rules = {
    stable.BroadcastInDimOp: _broadcast_in_dim,
    stable.ConcatenateOp: _concatenate,
    stable.ConstantOp: _constant,
    stable.IotaOp: _iota,
    stable.ReshapeOp: _reshape,
    stable.SliceOp: _slice,
    stable.TransposeOp: _transpose,
}
