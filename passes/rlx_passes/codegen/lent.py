"""
Arguments that a function writes into, which IREE takes for its own.

IREE 3.13 lets the first write into the value of an argument go to the caller's memory (iree-org/iree#16168), and takes
a copy that does nothing else for no copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects import scf, tensor
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    TensorType,
    UnregisteredOp,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

VIEWS = tensor.CastOp | tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ExtractSliceOp
BARRIER = UnregisteredOp.with_name("util.optimization_barrier")


def copy_lent(module: ModuleOp) -> None:
    """Give what writes into an argument a copy of it, made in a way that IREE does not see through."""
    for function in module.ops:
        if isinstance(function, FuncOp) and function.body.blocks:
            for argument in function.body.block.args:
                if writes := [use for use in argument.uses if _writes(use)]:
                    copy = _copied(argument, function.body.block)
                    for use in writes:
                        use.operation.operands[use.index] = copy


def _writes(use: Use) -> bool:
    """Whether an op may write into what it reads here, or hands it on to one that may."""
    op = use.operation
    if isinstance(op, tensor.InsertSliceOp):
        return use.index == 1
    if isinstance(op, LinalgStructuredOperation):
        return use.index >= len(op.inputs)
    if isinstance(op, VIEWS):
        return any(_writes(each) for result in op.results for each in result.uses)
    return isinstance(op, scf.ForOp | scf.WhileOp | scf.YieldOp | CallOp)


def _copied(value: SSAValue, block: Block) -> SSAValue:
    """The elements of `value`, each behind a barrier, in a tensor made at the start of `block`."""
    type = cast("TensorType[Attribute]", value.type)
    new = list(_ops(value, type))
    Rewriter.insert_op(new, InsertPoint.at_start(block))
    return new[-1].results[0]


def _ops(value: SSAValue, type: TensorType[Attribute]) -> Iterator[Operation]:
    sizes: list[SSAValue] = []
    for axis, dim in enumerate(type.get_shape()):
        if dim == DYNAMIC_INDEX:
            yield (place := ConstantOp(IntegerAttr(axis, IndexType())))
            yield (size := tensor.DimOp(value, place.result))
            sizes.append(size.result)
    yield (empty := tensor.EmptyOp(sizes, type))
    body = Block(arg_types=[type.element_type] * 2)
    body.add_op(barrier := BARRIER.create(operands=[body.args[0]], result_types=[type.element_type]))
    body.add_op(YieldOp(barrier.results[0]))
    rank = type.get_num_dims()
    yield GenericOp(
        [value],
        [empty.tensor],
        Region(body),
        [AffineMapAttr(AffineMap.identity(rank))] * 2,
        [IteratorTypeAttr(IteratorType.PARALLEL)] * rank,
        [type],
    )
