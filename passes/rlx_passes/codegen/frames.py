"""
A tensor put into a frame of one number, which IREE gets wrong.

After a product, IREE 3.13 takes the frame's fill for the start of the product's sums: wrong elements, or a refusal.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, ModuleOp, TensorType
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Block, Region
from xdsl.rewriter import InsertPoint, Rewriter


def pad_frames(module: ModuleOp) -> None:
    """
    Write each insertion into a fill, which is read nowhere else, in a form that IREE compiles well.

    %f = linalg.fill %c                              =>   %1 = tensor.pad %0 low[0, 1] high[0, 1] { %c }
    %1 = tensor.insert_slice %0 into %f[0, 1]

    With gaps between the elements, which are of known sizes then, %f becomes a `tensor.splat`.
    """
    for op in list(module.walk()):
        if isinstance(op, tensor.InsertSliceOp) and isinstance(op.dest.owner, FillOp) and op.dest.has_one_use():
            _rewrite(op, op.dest.owner)


def _rewrite(insert: tensor.InsertSliceOp, fill: FillOp) -> None:
    (number,) = fill.inputs
    frame, source = (cast("TensorType[Attribute]", each.type) for each in (insert.dest, insert.source))
    starts, steps = insert.static_offsets.get_values(), insert.static_strides.get_values()
    if insert.offsets or insert.strides or frame.get_num_dims() != source.get_num_dims():
        return
    if any(step != 1 for step in steps):
        if frame.has_static_shape():
            Rewriter.replace_op(fill, tensor.SplatOp(number, [], frame))
        return
    dims = list(zip(starts, source.get_shape(), frame.get_shape()))
    if any(DYNAMIC_INDEX in (size, whole) and (start or size != whole) for start, size, whole in dims):
        return
    high = [0 if size == DYNAMIC_INDEX else whole - start - size for start, size, whole in dims]
    body = Block([tensor.YieldOp(number)], arg_types=[IndexType()] * len(dims))
    pad = tensor.PadOp(insert.source, [], [], Region(body), starts, high, frame)
    Rewriter.insert_op(pad, InsertPoint.before(insert))
    Rewriter.replace_op(insert, [], pad.results)
    Rewriter.erase_op(fill)
