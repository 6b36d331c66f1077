"""Ops that move elements."""

from collections.abc import Sequence

from xdsl.dialects.builtin import i1, i32
from xdsl.ir import SSAValue

from rlx_dialect.ops import ConcatOp, ExpandOp, GatherOp, NarrowOp, ReshapeOp, ResizeNearest2xOp, TransposeOp
from rlx_dialect.shapes import normalize_axis, shaped
from rlx_passes.lowering.to_mlx.calls import Calls
from rlx_passes.lowering.to_mlx.pattern import ToMlx


class LowerReshape(ToMlx[ReshapeOp]):
    root = ReshapeOp

    def lower(self, op: ReshapeOp, calls: Calls) -> Sequence[SSAValue]:
        to = shaped(op.result)
        return (calls.call("mx.reshape", op.input, *op.sizes, to=to, shape=to.dims),)


class LowerExpand(ToMlx[ExpandOp]):
    root = ExpandOp

    def lower(self, op: ExpandOp, calls: Calls) -> Sequence[SSAValue]:
        to = shaped(op.result)
        return (calls.call("mx.broadcast_to", op.input, *op.sizes, to=to, shape=to.dims),)


class LowerTranspose(ToMlx[TransposeOp]):
    root = TransposeOp

    def lower(self, op: TransposeOp, calls: Calls) -> Sequence[SSAValue]:
        return (calls.transpose(op.input, op.permutation.get_values()),)


class LowerNarrow(ToMlx[NarrowOp]):
    root = NarrowOp

    def lower(self, op: NarrowOp, calls: Calls) -> Sequence[SSAValue]:
        axis = normalize_axis(op.axis.value.data, shaped(op.input).rank)
        return (calls.slice(op.input, axis, op.start.value.data, op.length.value.data),)


class LowerConcat(ToMlx[ConcatOp]):
    root = ConcatOp

    def lower(self, op: ConcatOp, calls: Calls) -> Sequence[SSAValue]:
        to = shaped(op.result)
        axis = normalize_axis(op.axis.value.data, to.rank)
        return (calls.call("mx.concatenate", *op.inputs, to=to, axis=axis),)


class LowerGather(ToMlx[GatherOp]):
    root = GatherOp

    def lower(self, op: GatherOp, calls: Calls) -> Sequence[SSAValue]:
        axis = normalize_axis(op.axis.value.data, shaped(op.table).rank)
        indices = calls.astype(op.indices, i32) if shaped(op.indices).element == i1 else op.indices
        return (calls.call("mx.take", op.table, indices, to=shaped(op.result), axis=axis),)


class LowerResizeNearest2x(ToMlx[ResizeNearest2xOp]):
    root = ResizeNearest2xOp

    def lower(self, op: ResizeNearest2xOp, calls: Calls) -> Sequence[SSAValue]:
        to, rows = shaped(op.result), list(shaped(op.input).dims)
        rows[2] = to.dims[2]
        tall = calls.call("mx.repeat", op.input, to=to.with_dims(rows), repeats=2, axis=2)
        return (calls.call("mx.repeat", tall, to=to, repeats=2, axis=3),)


PATTERNS = (
    LowerReshape(),
    LowerExpand(),
    LowerTranspose(),
    LowerNarrow(),
    LowerConcat(),
    LowerGather(),
    LowerResizeNearest2x(),
)
