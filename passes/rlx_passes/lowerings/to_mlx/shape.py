"""Ops that move elements."""

from xdsl.ir import SSAValue

from rlx_dialect.ops import ConcatOp, ExpandOp, GatherOp, NarrowOp, ReshapeOp, ResizeNearest2xOp, TransposeOp
from rlx_dialect.shapes import normalize_axis, shaped
from rlx_passes.lowerings.to_mlx.calls import Calls
from rlx_passes.rewriting.conversion import Rules


def _reshape(op: ReshapeOp, calls: Calls) -> SSAValue:
    to = shaped(op.result)
    return calls.call("mx.reshape", op.input, *op.sizes, to=to, shape=to.dims)


def _expand(op: ExpandOp, calls: Calls) -> SSAValue:
    to = shaped(op.result)
    return calls.call("mx.broadcast_to", op.input, *op.sizes, to=to, shape=to.dims)


def _transpose(op: TransposeOp, calls: Calls) -> SSAValue:
    return calls.transpose(op.input, op.permutation.get_values())


def _narrow(op: NarrowOp, calls: Calls) -> SSAValue:
    axis = normalize_axis(op.axis.value.data, shaped(op.input).rank)
    return calls.slice(op.input, axis, op.start.value.data, op.length.value.data)


def _concat(op: ConcatOp, calls: Calls) -> SSAValue:
    to = shaped(op.result)
    axis = normalize_axis(op.axis.value.data, to.rank)
    return calls.call("mx.concatenate", *op.inputs, to=to, axis=axis)


def _gather(op: GatherOp, calls: Calls) -> SSAValue:
    axis = normalize_axis(op.axis.value.data, shaped(op.table).rank)
    indices = calls.within(op.indices, op.table, axis)
    return calls.call("mx.take", op.table, indices, to=shaped(op.result), axis=axis)


def _resize_nearest2x(op: ResizeNearest2xOp, calls: Calls) -> SSAValue:
    to, rows = shaped(op.result), list(shaped(op.input).dims)
    rows[2] = to.dims[2]
    tall = calls.call("mx.repeat", op.input, to=to.with_dims(rows), repeats=2, axis=2)
    return calls.call("mx.repeat", tall, to=to, repeats=2, axis=3)


RULES: Rules = {
    ReshapeOp: _reshape,
    ExpandOp: _expand,
    TransposeOp: _transpose,
    NarrowOp: _narrow,
    ConcatOp: _concat,
    GatherOp: _gather,
    ResizeNearest2xOp: _resize_nearest2x,
}
