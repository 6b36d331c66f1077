"""
Conditionals and loops. Only the ops themselves change; what their regions hold is converted before.

RLX's regions are isolated from above, so what one reads from outside becomes a captured operand.
"""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.constants import splat
from rlx_dialect.ops import BinaryOp, CompareOp, IfOp, WhileOp, YieldOp
from rlx_dialect.shapes import ShapeError, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.core.index import Index
from rlx_passes.dialects.stablehlo import control_flow as stable
from rlx_passes.dialects.stablehlo.reduction import ReturnOp
from rlx_passes.frontends.stablehlo.regions import returned
from rlx_passes.rewriting.conversion import Emitter, Listener, Rules
from rlx_passes.rewriting.vocabulary import splat_number

CONTROL = (stable.IfOp, stable.CaseOp, stable.WhileOp)
"""The ops that this file is about."""


def convert_control_flow(module: ModuleOp, declined: Listener) -> None:
    """Replace `stablehlo.if`, `case` and `while`, the innermost first. `declined` hears of each that stays."""
    for op in reversed(Index(module).of(*CONTROL)):
        try:
            _require_form(op)
        except (Refusal, ShapeError) as reason:
            declined(op, str(reason))
            continue
        if isinstance(op, stable.CaseOp):
            op = _as_conditionals(op)
        for inner in reversed(list(op.walk())):
            if isinstance(inner, stable.IfOp | stable.WhileOp) and (inner is op or inner.parent_op() is not None):
                _convert(inner, declined)


def _require_form(op: Operation) -> None:
    """Regions have one block that ends in a return, and carry tensors."""
    for region in op.regions:
        if len(region.blocks) != 1:
            raise Refusal("has a region of several blocks")
        returned(region.block)
    for value in (*op.operands, *op.results):
        shaped(value)


def _convert(op: stable.IfOp | stable.WhileOp, declined: Listener) -> None:
    captures = _captures(op.regions)
    regions = [_isolated(region, captures) for region in op.regions]
    try:
        if isinstance(op, stable.IfOp):
            new = IfOp(op.pred, captures, *regions)
        else:
            rounds, kept = _rounds(op), _changed(op)
            same = [at for at in range(len(op.operand)) if at not in kept]
            for done, at in enumerate(same):
                _capture(regions, at - done)
                captures.append(op.operand[at])
            new = WhileOp([op.operand[at] for at in kept], captures, *regions, max_iterations=rounds)
    except ShapeError as reason:
        for region in regions:
            region.erase()
        declined(op, str(reason))
        return
    new.location, new.attributes = op.location, dict(op.attributes)
    values = list[SSAValue](new.results)
    if isinstance(op, stable.WhileOp):
        values = list(op.operand)
        for at, value in zip(_changed(op), new.results):
            values[at] = value
    for old, value in zip(op.results, values):
        if value.owner is new:
            value.name_hint = old.name_hint
    Rewriter.replace_op(op, new, values)


def _changed(op: stable.WhileOp) -> list[int]:
    """The carried values that are not the same in all rounds, as weights are that a loop passes on; all if none is."""
    given, arguments = returned(op.body.block), op.body.block.args
    found = [at for at, (value, argument) in enumerate(zip(given, arguments)) if value is not argument]
    return found or list(range(len(given)))


def _capture(regions: Sequence[Region], at: int) -> None:
    """Make a carried value of a loop the last of its captures."""
    for region in regions:
        block = region.block
        argument = block.args[at]
        captured = block.insert_arg(argument.type, len(block.args))
        captured.name_hint = argument.name_hint
        if region is regions[-1] and (end := block.last_op) is not None:
            values = [value for place, value in enumerate(end.operands) if place != at]
            Rewriter.replace_op(end, YieldOp(*values), [])
        argument.replace_all_uses_with(captured)
        block.erase_arg(argument)


def _captures(regions: Sequence[Region]) -> list[SSAValue]:
    """The values from outside that ops in the regions read, each once, in order; but for small constants."""
    found: dict[SSAValue, None] = {}
    for region in regions:
        for op in region.walk():
            for value in op.operands:
                if not region.is_ancestor(value.owner) and not _is_small(value.owner):
                    found[value] = None
    return list(found)


def _is_small(owner: Operation | Block) -> bool:
    """Whether this is a constant better kept in a region than passed in from outside."""
    if not isinstance(owner, ConstantOp) or not isinstance(owner.value, DenseIntOrFPElementsAttr):
        return False
    return len(cast("DenseIntOrFPElementsAttr[Any]", owner.value).data.data) <= SMALL


SMALL = 64
"""Bytes of a constant that is repeated in a region, where folding and fusion see it."""


def _isolated(region: Region, captures: Sequence[SSAValue]) -> Region:
    """A copy of a region with the captures as further arguments, ended by `rlx.yield`; small constants come along."""
    copy = region.clone()
    block = copy.block
    given: dict[SSAValue, SSAValue] = {}
    for value in captures:
        given[value] = block.insert_arg(value.type, len(block.args))
        given[value].name_hint = value.name_hint
    for op in list(copy.walk()):
        for i, value in enumerate(op.operands):
            if copy.is_ancestor(value.owner):
                continue
            if value not in given and isinstance(value.owner, ConstantOp):
                constant = value.owner.clone()
                constant.location = value.owner.location
                Rewriter.insert_op(constant, InsertPoint.at_start(block))
                given[value] = constant.result
            op.operands[i] = given[value]
    end = block.last_op
    assert isinstance(end, ReturnOp)
    ending = YieldOp(*end.values)
    ending.location = end.location
    Rewriter.replace_op(end, ending)
    return copy


def _as_conditionals(op: stable.CaseOp) -> stable.IfOp:
    """
    One conditional in the other: `index == 0`, else `index == 1`, and so on. Any other number takes the last branch.

    A single branch is the one and the other.
    """
    *others, last = op.branches
    rest = last.clone()
    for number in range(len(others) - 1, 0, -1):
        block = Block()
        new = _conditional(op, number, [others[number].clone(), rest], InsertPoint.at_end(block))
        block.add_op(ReturnOp(new.results))
        rest = Region(block)
    outer = _conditional(op, 0, [(others[0] if others else last).clone(), rest], InsertPoint.before(op))
    outer.attributes = dict(op.attributes)
    for old, value in zip(op.results, outer.results):
        value.name_hint = old.name_hint
    Rewriter.replace_op(op, [], outer.results)
    return outer


def _conditional(op: stable.CaseOp, number: int, branches: Sequence[Region], at: InsertPoint) -> stable.IfOp:
    """`branches` by whether the index is `number`."""
    wanted = ConstantOp(splat(shaped(op.index).type, number))
    equal = CompareOp(CompareKind.EQ, op.index, wanted.result)
    new = stable.IfOp.create(operands=[equal.result], result_types=op.result_types, regions=list(branches))
    for each in (wanted, equal, new):
        each.location = op.location
        Rewriter.insert_op(each, at)
    return new


def _rounds(op: stable.WhileOp) -> int | None:
    """How often a loop runs that counts in known steps from one known number up to another; None for any other loop."""
    (condition,) = returned(op.cond.block)
    compare, given = condition.owner, returned(op.body.block)
    if not isinstance(compare, CompareOp) or compare.comparison is not CompareKind.LT:
        return None
    if compare.lhs not in op.cond.block.args:
        return None
    at = op.cond.block.args.index(compare.lhs)
    add, counter = given[at].owner, op.body.block.args[at]
    if not isinstance(add, BinaryOp) or add.binary is not BinaryKind.ADD or counter not in (add.lhs, add.rhs):
        return None
    step = splat_number(add.rhs if add.lhs is counter else add.lhs)
    start, end = splat_number(op.operand[at]), splat_number(compare.rhs)
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(step, int) and step > 0):
        return None
    return max(0, -((start - end) // step))


def _optimization_barrier(op: stable.OptimizationBarrierOp, emit: Emitter) -> Sequence[SSAValue]:
    """The operands: a barrier says when something is computed, not what."""
    return op.operands


RULES: Rules = {stable.OptimizationBarrierOp: _optimization_barrier}
