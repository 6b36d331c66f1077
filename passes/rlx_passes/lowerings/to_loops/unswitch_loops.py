"""`rlx-unswitch-loops`: what hardly ever happens is asked for once in many rounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_passes.lowerings.arith_machine import USUAL
from rlx_passes.lowerings.to_loops.memrefs import Emit, index
from rlx_passes.lowerings.to_loops.nests import INDEPENDENT
from rlx_passes.rewriting.conversion import on_copy
from rlx_passes.rewriting.effects import is_pure

ROUNDS = 512
"""So many rounds are asked about at a time; what they read stays in the nearest cache until it is used."""
COST = 24
"""Ops of a condition and of what it reads, beyond which asking costs more than it saves."""


@dataclass(frozen=True)
class UnswitchLoopsPass(ModulePass):
    """
    Take each `scf.if` that is marked `rlx.usual` out of its loop, which is marked `rlx.independent`.

    The loop becomes one over stretches of its rounds. A first loop asks whether the conditions hold in all rounds of a
    stretch; if so, a second one does the rounds without asking, else a third one by the other branches. Where that
    cannot be or does not pay, the other branch, which is right in both cases, takes the place of the `scf.if`.
    """

    name = "rlx-unswitch-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, unswitch)


def unswitch(module: ModuleOp) -> None:
    """What the pass does, in place."""
    marked = [op for op in module.walk() if isinstance(op, scf.IfOp) and USUAL in op.attributes]
    for block in dict.fromkeys(op.parent for op in marked):
        loop = block.parent_op() if block is not None else None
        if isinstance(loop, scf.ForOp) and INDEPENDENT in loop.attributes:
            _split(loop)
    for op in list(module.walk()):
        if isinstance(op, scf.IfOp) and USUAL in op.attributes:
            _take(op, common=False)


def _marked(block: Block) -> Iterator[scf.IfOp]:
    return (op for op in block.ops if isinstance(op, scf.IfOp) and USUAL in op.attributes)


def _split(loop: scf.ForOp) -> None:
    """Unswitch `loop` by those conditions that are cheap."""
    body = loop.body.block
    needed = {op: _needed(op.cond, body) for op in _marked(body)}
    needed = {op: ops for op, ops in needed.items() if ops is not None}
    if not needed or not _is_one(loop.step) or loop.iter_args:
        return
    for op in list(_marked(body)):
        if op not in needed:
            _take(op, common=False)
    outer = Block(arg_types=[IndexType()])
    start, emit = outer.args[0], outer.add_op
    left = arith.SubiOp(loop.ub, start)
    rounds = arith.MinUIOp(left.result, index(ROUNDS, emit))
    end = arith.AddiOp(start, rounds.result)
    outer.add_ops([left, rounds, end])
    asked = _asked(loop, start, end.result, needed, emit)
    choice = scf.IfOp(
        asked.results[0],
        [],
        [_done(loop, start, end.result, common=True)],
        [_done(loop, start, end.result, common=False)],
    )
    outer.add_ops([choice, scf.YieldOp()])
    size = arith.ConstantOp(IntegerAttr(ROUNDS, IndexType()))
    Rewriter.insert_op(size, InsertPoint.before(loop))
    Rewriter.replace_op(loop, scf.ForOp(loop.lb, loop.ub, size.result, [], outer))


def _is_one(step: SSAValue) -> bool:
    value = step.owner.value if isinstance(step.owner, arith.ConstantOp) else None
    return isinstance(value, IntegerAttr) and value.value.data == 1


def _needed(condition: SSAValue, body: Block) -> set[Operation] | None:
    """The ops of `body` that `condition` is computed by, or None where they may not or should not run twice."""
    found: set[Operation] = set()
    todo = [condition]
    while todo:
        op = todo.pop().owner
        if not isinstance(op, Operation) or op.parent is not body or op in found:
            continue
        if op.regions or not (isinstance(op, memref.LoadOp) or is_pure(op)):
            return None
        found.add(op)
        if len(found) > COST:
            return None
        todo += op.operands
    return found


def _asked(
    loop: scf.ForOp, start: SSAValue, end: SSAValue, needed: dict[scf.IfOp, set[Operation]], emit: Emit
) -> scf.ForOp:
    """The loop that tells whether all conditions hold in the rounds from `start` to `end`."""
    every = set[Operation]().union(*needed.values())
    block = Block(arg_types=[IndexType(), i1])
    values: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: block.args[0]}
    for op in loop.body.block.ops:
        if op in every:
            block.add_op(op.clone(values))
    all_hold: SSAValue = block.args[1]
    for op in needed:
        both = arith.AndIOp(all_hold, values.get(op.cond, op.cond))
        block.add_op(both)
        all_hold = both.result
    block.add_op(scf.YieldOp(all_hold))
    yes = arith.ConstantOp(IntegerAttr(1, i1))
    asked = scf.ForOp(start, end, loop.step, [yes.result], block)
    emit(yes)
    emit(asked)
    return asked


def _done(loop: scf.ForOp, start: SSAValue, end: SSAValue, *, common: bool) -> Block:
    """The rounds from `start` to `end`, by the branches that are `common` or by the others."""
    copy = loop.clone()
    del copy.attributes[INDEPENDENT]
    copy.operands = [start, end, loop.step]
    for op in list(_marked(copy.body.block)):
        _take(op, common=common)
    return Block([copy, scf.YieldOp()])


def _take(op: scf.IfOp, *, common: bool) -> None:
    """Put the ops of a branch where `op` is."""
    block = (op.true_region if common else op.false_region).block
    last = block.last_op
    assert last is not None
    results = list(last.operands)
    block.erase_op(last)
    for inside in list(block.ops):
        inside.detach()
        Rewriter.insert_op(inside, InsertPoint.before(op))
    Rewriter.replace_op(op, [], results)
