"""Rotary position embeddings and the key-value cache in plain ops."""

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.ir import SSAValue

from rlx_dialect.attributes import RopeStyle, RopeTable
from rlx_dialect.constants import dense
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import (
    AxialRope2dOp,
    ConcatOp,
    KvAppendOp,
    NarrowOp,
    ReshapeOp,
    RopeBackwardOp,
    RopeOp,
    RotaryOp,
)
from rlx_dialect.shapes import shaped


def _part(to: Plain, value: SSAValue, start: int, length: int) -> SSAValue:
    """`length` entries of the last axis from `start`."""
    dims = shaped(value).dims
    if start == 0 and length == dims[-1]:
        return value
    return to.add(NarrowOp(value, axis=len(dims) - 1, start=start, length=length)).result


def _joined(to: Plain, parts: Sequence[SSAValue]) -> SSAValue:
    """The parts one after the other on the last axis."""
    return to.add(ConcatOp(parts, axis=shaped(parts[0]).rank - 1)).result


def _paired(to: Plain, value: SSAValue, n_rot: int, style: RopeStyle) -> tuple[SSAValue, SSAValue]:
    """The first and the second elements of all pairs among the first `n_rot` of the last axis."""
    half = n_rot // 2
    if style is RopeStyle.NEOX:
        return _part(to, value, 0, half), _part(to, value, half, half)
    outer, sizes = shaped(value).dims[:-1], to.sizes(value)
    pairs = to.add(ReshapeOp(_part(to, value, 0, n_rot), (*outer, half, 2), sizes)).result
    first, second = (to.add(ReshapeOp(_part(to, pairs, at, 1), (*outer, half), sizes)).result for at in (0, 1))
    return first, second


def unpaired(to: Plain, first: SSAValue, second: SSAValue, style: RopeStyle) -> SSAValue:
    """The inverse of `_paired`."""
    if style is RopeStyle.NEOX:
        return _joined(to, [first, second])
    *outer, half = shaped(first).dims
    sizes = to.sizes(first)
    sides = [to.add(ReshapeOp(side, (*outer, half, 1), sizes)).result for side in (first, second)]
    return to.add(ReshapeOp(_joined(to, sides), (*outer, 2 * half), sizes)).result


def _tables(to: Plain, op: RotaryOp, table: SSAValue) -> tuple[SSAValue, SSAValue]:
    """What `table` holds for the first and for the second elements of all pairs, laid along the axes of the input."""
    value, lies = shaped(op.input), shaped(table)
    dims = [1] * value.rank
    dims[op.axis.value.data % value.rank], dims[-1] = lies.dims[-2:]
    if lies.rank == 3:
        dims[0] = lies.dims[0]
    laid = to.add(ReshapeOp(table, dims, to.sizes(table))).result
    if op.entries is RopeTable.HALF:
        return laid, laid
    return _paired(to, laid, op.n_rot.value.data, op.pairs)


def _rotary(op: RotaryOp, backward: bool) -> Decomposition:
    to = Plain()
    n_rot, width = op.n_rot.value.data, shaped(op.input).dims[-1]
    (cos_i, cos_j), (sin_i, sin_j) = _tables(to, op, op.cos), _tables(to, op, op.sin)
    i, j = _paired(to, op.input, n_rot, op.pairs)
    if backward:
        first = to.plus(to.times(i, cos_i), to.times(j, sin_j))
        second = to.minus(to.times(j, cos_j), to.times(i, sin_i))
    else:
        first = to.minus(to.times(i, cos_i), to.times(j, sin_i))
        second = to.plus(to.times(j, cos_j), to.times(i, sin_j))
    turned = unpaired(to, first, second, op.pairs)
    if n_rot < width:
        turned = _joined(to, [turned, _part(to, op.input, n_rot, width - n_rot)])
    return to.done(turned)


@plain_form(RopeOp)
def rope(op: RopeOp) -> Decomposition:
    return _rotary(op, backward=False)


@plain_form(RopeBackwardOp)
def rope_backward(op: RopeBackwardOp) -> Decomposition:
    return _rotary(op, backward=True)


@plain_form(AxialRope2dOp)
def axial_rope2d(op: AxialRope2dOp) -> Decomposition:
    """`rlx.rope` with constant tables."""
    import numpy as np

    from rlx_dialect.reference.position import axial_angles

    to = Plain()
    value = shaped(op.input)
    axis, width = op.axis.value.data % value.rank, value.dims[-1]
    height, columns = op.grid.get_values()
    angles = axial_angles(value.dims[axis], (height, columns), width, op.theta.value.data)
    dtype, type = numpy_dtype(value.element), value.with_dims(angles.shape).type
    cos, sin = (to.add(ConstantOp(dense(type, function(angles).astype(dtype)))).result for function in (np.cos, np.sin))
    turned = to.add(RopeOp(op.input, cos, sin, n_rot=width, axis=axis, style=RopeStyle.GPTJ))
    return to.done(turned.result)


@plain_form(KvAppendOp)
def kv_append(op: KvAppendOp) -> Decomposition:
    to = Plain()
    axis = op.axis.value.data % shaped(op.cache).rank
    kept = to.add(NarrowOp(op.cache, axis=axis, start=0, length=op.position.value.data))
    return to.done(to.add(ConcatOp([kept.result, op.rows], axis=axis)).result)
