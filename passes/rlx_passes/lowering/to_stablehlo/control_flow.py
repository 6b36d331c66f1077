"""
Conditionals, loops and scans as StableHLO's. Only the ops themselves change: what their regions hold is rlx still, and is converted where it stands.

StableHLO's regions see values from outside, so captures go. A bound on the rounds, and the place of a scan, is one more carried value.
"""

from collections.abc import Sequence
from typing import NoReturn

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.constants import splat
from rlx_dialect.ops import (
    BinaryOp,
    CompareOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    IfOp,
    ReshapeOp,
    ScanOp,
    WhileOp,
    YieldOp,
)
from rlx_dialect.shapes import DYNAMIC, Shaped, shaped
from rlx_passes.frontend.stablehlo import control_flow as stablehlo
from rlx_passes.frontend.stablehlo.reduction import ReturnOp
from rlx_passes.lowering.errors import LoweringError

PLACE = Shaped((), i64)
"""What counts rounds."""

CONTROL: frozenset[type[Operation]] = frozenset((IfOp, WhileOp, ScanOp))
"""The ops that this file is about."""


def convert_control_flow(module: ModuleOp) -> None:
    """Replace every `rlx.if`, `rlx.while` and `rlx.scan`, the innermost first. Raises `LoweringError` where sizes are not known."""
    for op in reversed(list(module.walk())):
        match op:
            case IfOp():
                _if(op)
            case WhileOp():
                _while(op)
            case ScanOp():
                _scan(op)
            case _:
                pass


class _Ops:
    """Ops in the order they were added, at the end of a block or before an op."""

    def __init__(self, at: InsertPoint, like: Operation):
        self.at, self.like = at, like

    def __call__(self, op: Operation) -> SSAValue:
        op.location = self.like.location
        Rewriter.insert_op(op, self.at)
        return op.results[0]

    def scalar(self, value: int) -> SSAValue:
        return self(ConstantOp(splat(PLACE.type, value)))

    def truth(self, value: SSAValue) -> SSAValue:
        """The one element of `value` in rank 0."""
        return self(ReshapeOp(value, ())) if shaped(value).dims else value


def _refuse(op: Operation, what: str) -> NoReturn:
    raise LoweringError(op, f"has no StableHLO form: {what}")


def _taken(op: Operation, region: Region, arguments: Sequence[SSAValue], block: Block) -> list[SSAValue]:
    """Move the ops of `region` to the end of `block`, on `arguments`, without the `rlx.yield`; what that gives."""
    old = region.block
    for argument, value in zip(tuple(old.args), arguments, strict=True):
        if argument.type != value.type:
            _refuse(op, f"a region takes {argument.type} where {value.type} is given")
        argument.replace_all_uses_with(value)
    for inner in list(old.ops):
        inner.detach()
        if isinstance(inner, YieldOp):
            given = list(inner.arguments)
            inner.drop_all_references()
            return given
        block.add_op(inner)
    return _refuse(op, "a region ends without rlx.yield")


def _require_types(op: Operation, values: Sequence[SSAValue], types: Sequence[Attribute]) -> None:
    for value, type in zip(values, types, strict=True):
        if value.type != type:
            _refuse(op, f"a region gives {value.type} where {type} is declared")


def _if(op: IfOp) -> None:
    blocks: list[Block] = []
    for region in (op.then, op.otherwise):
        blocks.append(Block())
        given = _taken(op, region, op.captures, blocks[-1])
        _require_types(op, given, op.result_types)
        blocks[-1].add_op(ReturnOp(given))
    condition = _Ops(InsertPoint.before(op), op).truth(op.condition)
    new = stablehlo.IfOp.create(operands=[condition], result_types=op.result_types, regions=list(map(Region, blocks)))
    _replace(op, new, len(op.results))


def _while(op: WhileOp) -> None:
    before = _Ops(InsertPoint.before(op), op)
    start = list(op.carried)
    _require_types(op, start, op.result_types)
    if op.limit is not None:
        start.append(before.scalar(0))
    count, types = len(op.carried), [value.type for value in start]
    test, step = Block(arg_types=types), Block(arg_types=types)

    (goes_on,) = _taken(op, op.cond, [*test.args[:count], *op.captures], test)
    ops = _Ops(InsertPoint.at_end(test), op)
    goes_on = ops.truth(goes_on)
    if op.limit is not None:
        below = ops(CompareOp(CompareKind.LT, test.args[count], ops.scalar(op.limit)))
        goes_on = ops(BinaryOp(BinaryKind.BIT_AND, goes_on, below))
    test.add_op(ReturnOp([goes_on]))

    given = _taken(op, op.body, [*step.args[:count], *op.captures], step)
    if op.limit is not None:
        ops = _Ops(InsertPoint.at_end(step), op)
        given.append(ops(BinaryOp(BinaryKind.ADD, step.args[count], ops.scalar(1))))
    _require_types(op, given, types)
    step.add_op(ReturnOp(given))
    _replace(op, _loop(start, test, step), count)


def _scan(op: ScanOp) -> None:
    rounds, count = op.rounds(), len(op.carried)
    if rounds == DYNAMIC or any(not shaped(result).static for result in op.results):
        _refuse(op, "sizes must be static")
    before = _Ops(InsertPoint.before(op), op)
    start = [*op.carried, *(before(ConstantOp(splat(shaped(r).type, 0))) for r in op.results[count:]), before.scalar(0)]
    types = [value.type for value in start]
    test, step = Block(arg_types=types), Block(arg_types=types)

    ops = _Ops(InsertPoint.at_end(test), op)
    test.add_op(ReturnOp([ops(CompareOp(CompareKind.LT, test.args[-1], ops.scalar(rounds)))]))

    ops = _Ops(InsertPoint.at_end(step), op)
    place = step.args[-1]
    if op.reverse is not None:
        place = ops(BinaryOp(BinaryKind.SUB, ops.scalar(rounds - 1), place))
    zero = ops.scalar(0)
    entries = [_entry(value, place, zero, ops) for value in op.scanned]
    given = _taken(op, op.body, [*step.args[:count], *entries, *op.captures], step)
    for i, value in enumerate(given[count:], count):
        row = ops(ReshapeOp(value, (1, *shaped(value).dims)))
        starts = [place, *[zero] * shaped(value).rank]
        given[i] = ops(DynamicUpdateSliceOp(step.args[i], row, starts))
    given.append(ops(BinaryOp(BinaryKind.ADD, step.args[-1], ops.scalar(1))))
    _require_types(op, given, types)
    step.add_op(ReturnOp(given))
    _replace(op, _loop(start, test, step), len(op.results))


def _entry(whole: SSAValue, place: SSAValue, zero: SSAValue, ops: _Ops) -> SSAValue:
    """The entry at `place` of axis 0."""
    _, *dims = shaped(whole).dims
    row = ops(DynamicSliceOp(whole, [place, *[zero] * len(dims)], lengths=[1, *dims]))
    return ops(ReshapeOp(row, dims))


def _loop(start: Sequence[SSAValue], test: Block, step: Block) -> stablehlo.WhileOp:
    return stablehlo.WhileOp.create(
        operands=start, result_types=[value.type for value in start], regions=[Region(test), Region(step)]
    )


def _replace(op: Operation, new: Operation, results: int) -> None:
    """`new` in place of `op`, whose results are the first of the new ones."""
    new.location = op.location
    new.attributes = dict(op.attributes)
    Rewriter.replace_op(op, new, new.results[:results])
