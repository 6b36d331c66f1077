"""
A tensor put into a frame of one number, which IREE gets wrong.

After a product, IREE 3.13 takes the frame's fill for the start of the product's sums: wrong elements, or a refusal.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter


def pad_frames(module: ModuleOp) -> None:
    """
    Write each insertion into a fill, which is read nowhere else, in a form that IREE compiles well.

    %f = linalg.fill %c                              =>   %1 = tensor.pad %0 low[0, 1] high[0, 1] { %c }
    %1 = tensor.insert_slice %0 into %f[0, 1]

    With gaps between the elements, if all sizes are known, %f becomes a `tensor.splat`.
    """
    for op in list(module.walk()):
        if isinstance(op, tensor.InsertSliceOp) and isinstance(op.dest.owner, FillOp) and op.dest.has_one_use():
            _rewrite(op, op.dest.owner)


def _rewrite(insert: tensor.InsertSliceOp, fill: FillOp) -> None:
    (number,) = fill.inputs
    frame, source = (cast("TensorType[Attribute]", each.type) for each in (insert.dest, insert.source))
    starts, steps = insert.static_offsets.get_values(), insert.static_strides.get_values()
    empty = fill.outputs[0].owner
    if insert.offsets or insert.strides or frame.get_num_dims() != source.get_num_dims():
        return
    if not isinstance(empty, tensor.EmptyOp):
        return
    if any(step != 1 for step in steps):
        if frame.has_static_shape():
            Rewriter.replace_op(fill, tensor.SplatOp(number, [], frame))
        return
    sizes, wholes = iter(insert.sizes), iter(empty.dynamic_sizes)
    high, beyond = list[int](), list[SSAValue]()
    for start, static, whole in zip(starts, insert.static_sizes.get_values(), frame.get_shape()):
        size = next(sizes) if static == DYNAMIC_INDEX else static
        room = next(wholes) if whole == DYNAMIC_INDEX else whole
        if isinstance(size, int) and isinstance(room, int):
            high.append(room - start - size)
        elif size is room and not start:
            high.append(0)
        else:
            high.append(DYNAMIC_INDEX)
            beyond.append(_difference(insert, _difference(insert, room, size), start))
    body = Block([tensor.YieldOp(number)], arg_types=[IndexType()] * len(starts))
    pad = tensor.PadOp(insert.source, [], beyond, Region(body), starts, high, frame)
    Rewriter.insert_op(pad, InsertPoint.before(insert))
    Rewriter.replace_op(insert, [], pad.results)
    Rewriter.erase_op(fill)


def _difference(at: Operation, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
    """`a - b`, before an op."""
    values: list[SSAValue] = []
    for each in (a, b):
        if isinstance(each, int):
            constant = arith.ConstantOp(IntegerAttr(each, IndexType()))
            Rewriter.insert_op(constant, InsertPoint.before(at))
            each = constant.result
        values.append(each)
    difference = arith.SubiOp(values[0], values[1])
    Rewriter.insert_op(difference, InsertPoint.before(at))
    return difference.result
