"""`rlx-parallelize`: linalg ops that go over the same rows, block by block, the blocks at once."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import AffineMapAttr, ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass

from rlx_passes.lowerings.to_loops.memrefs import type_of
from rlx_passes.lowerings.to_loops.rounds import write_rounds
from rlx_passes.lowerings.to_loops.rows import Group, Kernel, is_movable
from rlx_passes.rewriting.conversion import on_copy

WORTH = 20000.0
"""Nanoseconds of work below which a group is left as it is."""


@dataclass(frozen=True)
class ParallelizePass(ModulePass):
    """
    Group linalg ops over memory that go over the same rows, and run blocks of rows of a group in a `scf.parallel`.

    What is made for a block is read while it is in the cache; memory that only a group needs becomes memory of a round.
    Rows are those of one or more leading axes; the results of a run do not depend on how many rounds run at once. Ops
    are left where they are if they take less time than it takes to wake a thread.
    """

    name = "rlx-parallelize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, parallelize)


def parallelize(module: ModuleOp) -> None:
    """What the pass does, in place."""
    for op in list(module.walk()):
        if isinstance(op, memref.CopyOp):
            _as_generic(op)
    blocks = [
        block
        for op in module.walk()
        if not isinstance(op, linalg.GenericOp | scf.ParallelOp)
        for region in op.regions
        for block in region.blocks
    ]
    for block in blocks:
        for group in groups(block):
            if group.sizes and sum(kernel.work() for kernel in group.kernels) >= WORTH:
                write_rounds(group)


def _as_generic(op: memref.CopyOp) -> None:
    block = op.parent
    assert block is not None
    type = type_of(op.destination)
    rank = len(type.get_shape())
    body = Block(arg_types=[type.element_type, type.element_type])
    body.add_op(linalg.YieldOp(body.args[0]))
    maps = [AffineMapAttr(AffineMap.identity(rank))] * 2
    kinds = [IteratorTypeAttr(IteratorType.PARALLEL)] * rank
    block.insert_op_before(linalg.GenericOp([op.source], [op.destination], Region(body), maps, kinds), op)
    block.erase_op(op)


def groups(block: Block) -> list[Group]:
    """The groups of a block, each as long as it gets; ops between those of a group are moved before it."""
    found: list[Group] = []
    group = Group()
    starts: dict[Operation, linalg.FillOp] = _starts(block)
    filled = {fill: op for op, fill in starts.items()}
    between: list[Operation] = []
    for op in list(block.ops):
        if op in filled:
            continue
        if isinstance(op, linalg.GenericOp | linalg.FillOp):
            kernel = Kernel(op, starts.get(op))
            if not group.take(kernel):
                found.append(group)
                group = Group()
                between = []
                group.take(kernel)
            for each in between:
                _move(each, group)
            between = []
        elif is_movable(op):
            between.append(op)
        else:
            found.append(group)
            group = Group()
            between = []
    return [*found, group]


def _move(op: Operation, group: Group) -> None:
    """Move an op before those of a group."""
    first = group.kernels[0]
    at = first.start or first.op
    if len(group.kernels) > 1 and op.parent is not None and at.parent is not None:
        op.detach()
        at.parent.insert_op_before(op, at)


def _starts(block: Block) -> dict[Operation, linalg.FillOp]:
    """By op that adds to what it finds: the fill that put it there, where nothing comes between that touches it."""
    found: dict[Operation, linalg.FillOp] = {}
    filled: dict[SSAValue, linalg.FillOp] = {}
    for op in block.ops:
        if isinstance(op, linalg.FillOp):
            filled[op.outputs[0]] = op
        elif isinstance(op, linalg.GenericOp):
            fill = filled.pop(op.outputs[0], None)
            if fill is not None and not _between(fill, op):
                found[op] = fill
        elif not is_movable(op):
            filled = {}
    return found


def _between(fill: linalg.FillOp, op: Operation) -> bool:
    """Whether an op after `fill` and before `op` uses what was filled."""
    target = fill.outputs[0]
    at = fill.next_op
    while at is not None and at is not op:
        if any(use.operation is at or _holds(at, use.operation) for use in target.uses):
            return True
        at = at.next_op
    return False


def _holds(op: Operation, inner: Operation) -> bool:
    parent = inner.parent_op()
    return parent is op or (parent is not None and _holds(op, parent))
