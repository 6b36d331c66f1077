"""Which buffers a memref may lie in."""

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any, cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from rlx_passes.lowerings.to_llvm.types import bytes_of

Piece = tuple[object, int, int]
"""A buffer, and from which of its bytes to which; a negative end says to the last."""

_VIEWS = (
    *(memref.SubviewOp, memref.ReinterpretCastOp, memref.CastOp, memref.CollapseShapeOp, memref.ExpandShapeOp),
    memref.ViewOp,
)


def pieces_of(value: SSAValue, shared: Mapping[SSAValue, SSAValue]) -> frozenset[Piece]:
    """
    The pieces of memory that `value` may lie in, told from the ops that made it.

    Arguments lie in memory of their own, but for those that stand in `shared` with the same value.
    """
    seen: set[SSAValue] = set()
    found: set[Piece] = set()
    rest = [value]
    while rest:
        each = rest.pop()
        if each in seen:
            continue
        seen.add(each)
        if (piece := _piece(each)) is not None:
            found.add(piece)
        elif more := list(_sources(each)):
            rest.extend(more)
        else:
            found.add((_buffer(each, shared), 0, -1))
    return frozenset(found)


def overlap(one: frozenset[Piece], other: frozenset[Piece]) -> bool:
    """Whether two memrefs may have memory in common."""
    return any(
        a == b and (begin < stop or stop < 0) and (start < end or end < 0)
        for a, begin, end in one
        for b, start, stop in other
    )


def _buffer(value: SSAValue, shared: Mapping[SSAValue, SSAValue]) -> object:
    owner = value.owner
    return owner.name_.string_value() if isinstance(owner, memref.GetGlobalOp) else shared.get(value, value)


def _piece(value: SSAValue) -> Piece | None:
    """The part of a buffer that `memref.view` names, where that is known."""
    op = value.owner
    if not isinstance(op, memref.ViewOp) or next(_sources(op.source), None) is not None:
        return None
    shift, type_ = op.byte_shift.owner, cast("MemRefType[Any]", op.result.type)
    if not isinstance(shift, arith.ConstantOp) or DYNAMIC_INDEX in type_.get_shape():
        return None
    start = cast("IntegerAttr", shift.value).value.data
    return op.source, start, start + prod(type_.get_shape()) * bytes_of(type_.element_type)


def _sources(value: SSAValue) -> Iterator[SSAValue]:
    """The memrefs that `value` may be, or be a view of; none for a buffer."""
    if isinstance(value, BlockArgument):
        yield from _incoming(value)
    op = value.owner
    if not isinstance(op, Operation):
        return
    place = cast("OpResult", value).index
    if isinstance(op, _VIEWS):
        yield op.operands[0]
    elif isinstance(op, arith.SelectOp):
        yield from (op.lhs, op.rhs)
    elif isinstance(op, scf.IfOp):
        yield from (_last(region.block).operands[place] for region in op.regions)
    elif isinstance(op, scf.ForOp):
        yield from (op.iter_args[place], _last(op.body.block).operands[place])
    elif isinstance(op, scf.WhileOp):
        yield _last(op.before_region.block).operands[1 + place]


def _incoming(argument: BlockArgument) -> Iterator[SSAValue]:
    op = argument.block.parent_op()
    if isinstance(op, scf.ForOp):
        yield from (op.iter_args[argument.index - 1], _last(op.body.block).operands[argument.index - 1])
    elif isinstance(op, scf.WhileOp) and argument.block is op.before_region.block:
        yield from (op.arguments[argument.index], _last(op.after_region.block).operands[argument.index])
    elif isinstance(op, scf.WhileOp):
        yield _last(op.before_region.block).operands[1 + argument.index]


def _last(block: Block) -> Operation:
    return cast("Operation", block.last_op)
