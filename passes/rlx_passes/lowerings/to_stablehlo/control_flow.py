"""
Conditionals, loops and scans as StableHLO's.

StableHLO's regions see values from outside, so captures go. A bound on the rounds, or a scan's place, is carried too.
"""

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

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
)
from rlx_dialect.shapes import DYNAMIC, Shaped, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import control_flow as stablehlo
from rlx_passes.dialects.stablehlo.reduction import ReturnOp
from rlx_passes.rewriting.conversion import Emitter, Rules

PLACE = Shaped((), i64)
"""What counts rounds."""

STATIC = "make its sizes static"


def _plain(emit: Emitter, op: Operation) -> SSAValue:
    """The first result of an op of RLX, converted."""
    return emit.lower(op)[0]


def _number(emit: Emitter, value: int) -> SSAValue:
    return _plain(emit, ConstantOp(splat(PLACE.type, value)))


def _truth(emit: Emitter, value: SSAValue) -> SSAValue:
    """The one element of `value` in rank 0."""
    return _plain(emit, ReshapeOp(value, ())) if shaped(value).dims else value


def _body(emit: Emitter, region: Region, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """What the ops of `region` yield on `arguments`."""
    for argument, value in zip(region.block.args, arguments, strict=True):
        if argument.type != value.type:
            raise Refusal(
                f"has no form in StableHLO: a region takes {argument.type} where {value.type} is given", STATIC
            )
    return list(emit.body(region, arguments))


def _require_types(values: Sequence[SSAValue], types: Sequence[Attribute]) -> None:
    for value, type in zip(values, types, strict=True):
        if value.type != type:
            raise Refusal(f"has no form in StableHLO: a region gives {value.type} where {type} is declared", STATIC)


def _if(op: IfOp, emit: Emitter) -> Sequence[SSAValue]:
    blocks: list[Block] = []
    for region in (op.then, op.otherwise):
        blocks.append(Block())
        given = _body(emit.inside(blocks[-1]), region, op.captures)
        _require_types(given, op.result_types)
        blocks[-1].add_op(ReturnOp(given))
    condition = _truth(emit, op.condition)
    new = stablehlo.IfOp.create(operands=[condition], result_types=op.result_types, regions=list(map(Region, blocks)))
    return emit.add(new).results


def _while(op: WhileOp, emit: Emitter) -> Sequence[SSAValue]:
    start = list(op.carried)
    _require_types(start, op.result_types)
    if op.limit is not None:
        start.append(_number(emit, 0))
    count, types = len(op.carried), [value.type for value in start]
    test, step = emit.inside(Block(arg_types=types)), emit.inside(Block(arg_types=types))

    (goes_on,) = _body(test, op.cond, [*test.block.args[:count], *op.captures])
    goes_on = _truth(test, goes_on)
    if op.limit is not None:
        below = _plain(test, CompareOp(CompareKind.LT, test.block.args[count], _number(test, op.limit)))
        goes_on = _plain(test, BinaryOp(BinaryKind.BIT_AND, goes_on, below))
    test.add(ReturnOp([goes_on]))

    given = _body(step, op.body, [*step.block.args[:count], *op.captures])
    if op.limit is not None:
        given.append(_plain(step, BinaryOp(BinaryKind.ADD, step.block.args[count], _number(step, 1))))
    _require_types(given, types)
    step.add(ReturnOp(given))
    return emit.add(_loop(start, test.block, step.block)).results[:count]


def _scan(op: ScanOp, emit: Emitter) -> Sequence[SSAValue]:
    rounds, count = op.rounds(), len(op.carried)
    if rounds == DYNAMIC or any(not shaped(result).static for result in op.results):
        raise Refusal("has no form in StableHLO: sizes must be static", STATIC)
    rooms = [_plain(emit, ConstantOp(splat(shaped(result).type, 0))) for result in op.results[count:]]
    if rounds == 0:
        return [*op.carried, *rooms]
    start = [*op.carried, *rooms, _number(emit, 0)]
    types = [value.type for value in start]
    test, step = emit.inside(Block(arg_types=types)), emit.inside(Block(arg_types=types))
    test.add(ReturnOp([_plain(test, CompareOp(CompareKind.LT, test.block.args[-1], _number(test, rounds)))]))

    arguments = step.block.args
    place = arguments[-1]
    if op.reverse is not None:
        place = _plain(step, BinaryOp(BinaryKind.SUB, _number(step, rounds - 1), place))
    zero = _number(step, 0)
    entries = [_entry(step, value, place, zero) for value in op.scanned]
    given = _body(step, op.body, [*arguments[:count], *entries, *op.captures])
    for i, value in enumerate(given[count:], count):
        row = _plain(step, ReshapeOp(value, (1, *shaped(value).dims)))
        given[i] = _plain(step, DynamicUpdateSliceOp(arguments[i], row, [place, *[zero] * shaped(value).rank]))
    given.append(_plain(step, BinaryOp(BinaryKind.ADD, arguments[-1], _number(step, 1))))
    _require_types(given, types)
    step.add(ReturnOp(given))
    return emit.add(_loop(start, test.block, step.block)).results[: len(op.results)]


def _entry(emit: Emitter, whole: SSAValue, place: SSAValue, zero: SSAValue) -> SSAValue:
    """The entry at `place` of axis 0."""
    _, *dims = shaped(whole).dims
    row = _plain(emit, DynamicSliceOp(whole, [place, *[zero] * len(dims)], lengths=[1, *dims]))
    return _plain(emit, ReshapeOp(row, dims))


def _loop(start: Sequence[SSAValue], test: Block, step: Block) -> stablehlo.WhileOp:
    return stablehlo.WhileOp.create(
        operands=start, result_types=[value.type for value in start], regions=[Region(test), Region(step)]
    )


RULES: Rules = {IfOp: _if, WhileOp: _while, ScanOp: _scan}
