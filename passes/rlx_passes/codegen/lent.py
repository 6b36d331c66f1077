"""
Arguments that a function writes into, which IREE takes for its own.

IREE 3.13 lets the first write into the value of an argument go to the caller's memory (iree-org/iree#16168), and takes
a copy that does nothing else for no copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects import scf, tensor
from xdsl.dialects.arith import ConstantOp, SelectOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    TensorType,
    UnregisteredOp,
    i1,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_passes.lowerings.to_linalg.scalars import constant

VIEWS = tensor.CastOp | tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ExtractSliceOp
BARRIER = UnregisteredOp.with_name("util.optimization_barrier")


def copy_lent(module: ModuleOp) -> None:
    """Give what writes into an argument a copy of it, made in a way that IREE does not see through."""
    for function in module.ops:
        if isinstance(function, FuncOp) and function.body.blocks:
            for argument in function.body.block.args:
                if writes := [use for use in argument.uses if _writes(use, {argument})]:
                    copy = _copied(argument, function.body.block)
                    for use in writes:
                        use.operation.operands[use.index] = copy


def _writes(use: Use, seen: set[SSAValue]) -> bool:
    """Whether an op may write into what it reads here, or hands it on to one that may."""
    op = use.operation
    if isinstance(op, tensor.InsertSliceOp):
        return use.index == 1
    if isinstance(op, LinalgStructuredOperation):
        return use.index >= len(op.inputs)
    if isinstance(op, CallOp):
        return True
    return any(is_written(value, seen) for value in _handed_on(op, use.index))


def _handed_on(op: Operation, index: int) -> Sequence[SSAValue]:
    """The values that may be operand `index` itself: views of it, and what loops and branches carry it in."""
    if isinstance(op, VIEWS):
        return op.results
    if isinstance(op, scf.ForOp):
        carried = index - 3  # after the bounds and the step; the body's first argument counts
        return () if carried < 0 else (op.body.block.args[carried + 1], op.results[carried])
    if isinstance(op, scf.WhileOp):
        return (op.before_region.block.args[index],)
    parent = op.parent_op()
    if isinstance(op, scf.ConditionOp) and isinstance(parent, scf.WhileOp):
        return () if index == 0 else (parent.after_region.block.args[index - 1], parent.results[index - 1])
    if isinstance(op, scf.YieldOp) and isinstance(parent, scf.WhileOp):
        return (parent.before_region.block.args[index],)
    if isinstance(op, scf.YieldOp) and isinstance(parent, scf.ForOp):
        return parent.body.block.args[index + 1], parent.results[index]
    return (parent.results[index],) if isinstance(op, scf.YieldOp) and parent is not None else ()


def is_written(value: SSAValue, seen: set[SSAValue] | None = None) -> bool:
    """Whether some op may write into the memory of `value`."""
    seen = set() if seen is None else seen
    if value in seen:
        return False
    seen.add(value)
    return any(_writes(use, seen) for use in value.uses)


def _copied(value: SSAValue, block: Block) -> SSAValue:
    """The elements of `value` in a tensor made at the start of `block`, under a condition that always holds."""
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
    element = type.element_type
    yield (true := ConstantOp(IntegerAttr(1, i1)))
    # With a barrier in the body IREE uses no vectors, and puts rows whose length only a run knows on the stack.
    yield (always := BARRIER.create(operands=[true.result], result_types=[i1]))
    made = Block()
    zero = constant(made, element, 0)
    for op in list(made.ops):
        op.detach()
        yield op
    body = Block(arg_types=[element] * 2)
    body.add_op(held := SelectOp(always.results[0], body.args[0], zero.value))
    body.add_op(YieldOp(held.result))
    rank = type.get_num_dims()
    yield GenericOp(
        [value],
        [empty.tensor],
        Region(body),
        [AffineMapAttr(AffineMap.identity(rank))] * 2,
        [IteratorTypeAttr(IteratorType.PARALLEL)] * rank,
        [type],
    )
