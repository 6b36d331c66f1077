"""
`rlx-canonicalize-broadcasts`: broadcasts become implicit.

    %0 = rlx.reshape %b : tensor<8xf32> -> tensor<1x8xf32>
    %1 = rlx.expand %0 : tensor<1x8xf32> -> tensor<4x8xf32>      =>   %2 = rlx.binary add %x, %b
    %2 = rlx.binary add %x, %1

An elementwise op reads the source of a broadcast wherever NumPy's rule stretches it to the same result; where all its
operands are broadcasts, it is computed on the sources and its result is stretched instead. A constant whose elements
are equal becomes a constant of rank 0 there; moved by another op, it becomes a constant of the moved shape.
`rlx.expand` stays where another kind of op or a return reads it.

Ops that give back an operand bit for bit go: `x * 1`, `x / 1`, `x - 0`, `x + -0.0`, `max(-inf, x)`, a choice by a
constant, a conjunction with true, a reshape or transpose there and back. `x + 0.0`
stays, since it turns -0.0 into 0.0. Arithmetic on rank-0 constants is done, so that a variance's divisor is a number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from rlx_dialect.canonicalize.elementwise import chosen, kept_operand
from rlx_dialect.canonicalize.movement import undone_transpose
from rlx_dialect.constants import constant_of, dense, splat_of
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ErfcOp,
    ExpandOp,
    Expm1Op,
    IsFiniteOp,
    Log1pOp,
    LogicalNotOp,
    ReshapeOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, Dims, ShapeError, broadcast_dims, shaped
from rlx_passes.core.index import PatternPass, forget_index, index_of
from rlx_passes.rewriting.effects import is_dead
from rlx_passes.rewriting.evaluation import evaluated
from rlx_passes.rewriting.legality import NO_FUSE, broadcast_source
from rlx_passes.rewriting.patterns import definitions, erase_unread

MEETING = (BinaryOp, CompareOp, WhereOp)
UNARY = (ActivationOp, CastOp, ErfcOp, Log1pOp, Expm1Op, LogicalNotOp, IsFiniteOp)
MOVING = (ExpandOp, ReshapeOp, TransposeOp)


@dataclass(frozen=True)
class CanonicalizeBroadcastsPass(PatternPass):
    """Broadcasts become implicit in elementwise ops; see the module's text."""

    name: ClassVar[str] = "rlx-canonicalize-broadcasts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        index = index_of(op)
        unread = list[Operation](index.of(*MOVING, ConstantOp))
        rewriter = PatternRewriter(InsertPoint.at_start(op.body.block))
        rewriter.operation_insertion_handler = [unread.append]
        for inner in index.of(*MOVING, *MEETING, *UNARY):
            if NO_FUSE in inner.attributes:
                continue
            if isinstance(inner, MOVING):
                if not _fold_there_and_back(inner, rewriter):
                    _fold_moved_splat(inner, rewriter)
            elif not _fold(inner, rewriter):
                _read_sources(inner, rewriter)
        _erase_dead(unread, rewriter)
        if rewriter.has_done_action:
            forget_index()


def _erase_dead(pending: list[Operation], rewriter: PatternRewriter) -> None:
    """Erase the constants and moves among `pending` that nothing reads any more, and those that only they read."""
    while pending:
        op = pending.pop()
        if isinstance(op, (*MOVING, ConstantOp)) and op.parent is not None and is_dead(op):
            pending += definitions((op,))
            erase_unread(op, rewriter)


# Folds


def _fold_there_and_back(op: ExpandOp | ReshapeOp | TransposeOp, rewriter: PatternRewriter) -> bool:
    """Replace a reshape or transpose that undoes the one before it."""
    inner = op.input.owner
    if isinstance(inner, Operation) and NO_FUSE in inner.attributes:
        return False
    if isinstance(op, TransposeOp):
        source = undone_transpose(op)
    elif isinstance(op, ReshapeOp) and isinstance(inner, ReshapeOp) and shaped(op.result).static:
        source = inner.input
    else:
        return False
    if source is None or source.type != op.result.type:
        return False
    rewriter.replace(op, (), (source,))
    return True


def _fold_moved_splat(op: ExpandOp | ReshapeOp | TransposeOp, rewriter: PatternRewriter) -> None:
    """A constant of equal elements stays one under any move; if only elementwise ops read it, they read its source."""
    number = constant_of(op.input)
    result = shaped(op.result)
    if number is None or not result.static or splat_of(number) is None:
        return
    if all(isinstance(use.operation, (*MEETING, *UNARY, *MOVING)) for use in op.result.uses) and op.result.first_use:
        return
    size = number.get_element_type().compile_time_size
    raw = BytesAttr(number.data.data[:size])
    moved = ConstantOp(DenseIntOrFPElementsAttr(result.type, raw))  # pyright: ignore[reportArgumentType]
    moved.location = op.location
    rewriter.replace(op, moved)


def _fold(op: Operation, rewriter: PatternRewriter) -> bool:
    """Replace an op that gives back one of its operands bit for bit, or a number computed from numbers."""
    result = shaped(op.results[0])
    if not result.dims and all(constant_of(operand) is not None for operand in op.operands):
        number = evaluated(op.results[0])
        if number is not None:
            constant = ConstantOp(dense(result.type, number))
            constant.location = op.location
            rewriter.replace(op, constant)
            return True
    kept = kept_operand(op) if isinstance(op, BinaryOp) else chosen(op) if isinstance(op, WhereOp) else None
    if kept is None or kept.type != op.results[0].type:
        return False
    rewriter.replace(op, (), (kept,))
    return True


# Broadcasts


def _read_sources(op: Operation, rewriter: PatternRewriter) -> None:
    """Let `op` read what its operands are broadcasts of."""
    operands: list[SSAValue] = list(op.operands)
    sources = [_source(operand, op, rewriter) for operand in operands]
    if all(source is operand for source, operand in zip(sources, operands)):
        return
    result = shaped(op.results[0])
    small = _meet(sources)
    if small != result.dims:
        sizes = next(
            (_sizes(operand) for operand in operands if shaped(operand).dims == result.dims and _sizes(operand)), ()
        )
        if small is not None and len(sizes) == result.dims.count(DYNAMIC):
            _stretch_after(op, sources, small, sizes, rewriter)
            return
        sources = _as_many_as_fit(operands, sources, result.dims)
    op.operands = sources
    rewriter.notify_op_modified(op)


def _meet(values: Sequence[SSAValue]) -> Dims | None:
    """The dims of an elementwise op on `values`, or None where they do not fit together."""
    try:
        return reduce(broadcast_dims, (shaped(value).dims for value in values))
    except ShapeError:
        return None


def _stretch_after(
    op: Operation, sources: list[SSAValue], small: Dims, sizes: tuple[SSAValue, ...], rewriter: PatternRewriter
) -> None:
    """Compute `op` on the sources and stretch its result."""
    result = shaped(op.results[0])
    inner = type(op).create(
        operands=sources,
        result_types=[result.with_dims(small).type],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    outer = ExpandOp(inner.results[0], result.dims, sizes)
    inner.location = outer.location = op.location
    rewriter.replace(op, [inner, outer])
    _fold(inner, rewriter)


def _as_many_as_fit(operands: list[SSAValue], sources: list[SSAValue], dims: Dims) -> list[SSAValue]:
    """Sources in place of operands, from the first on, as long as the result keeps its dims."""
    chosen = operands
    for i, source in enumerate(sources):
        attempt = [*chosen[:i], source, *chosen[i + 1 :]]
        if _meet(attempt) == dims:
            chosen = attempt
    return chosen


def _sizes(operand: SSAValue) -> tuple[SSAValue, ...]:
    return tuple(operand.owner.sizes) if isinstance(operand.owner, ExpandOp) else ()


def _source(operand: SSAValue, reader: Operation, rewriter: PatternRewriter) -> SSAValue:
    """What `operand` is a broadcast of; a new constant of rank 0 for a larger one of equal elements."""
    source = broadcast_source(operand)
    constant = constant_of(source)
    if constant is None or not shaped(source).dims or isinstance(reader, UNARY) or splat_of(constant) is None:
        return source
    size = constant.get_element_type().compile_time_size
    type = shaped(source).with_dims(()).type
    first = BytesAttr(constant.data.data[:size])
    single = ConstantOp(DenseIntOrFPElementsAttr(type, first))  # pyright: ignore[reportArgumentType]
    single.location = reader.location
    rewriter.insert(single, InsertPoint.before(reader))
    return single.result
