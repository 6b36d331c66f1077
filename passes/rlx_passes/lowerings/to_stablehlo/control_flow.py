"""
Conditionals, loops and scans as StableHLO's.

StableHLO's regions see values from outside, so captures go. A bound on the rounds, or a scan's place, is carried too.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.dims import Dim, Size
from rlx_dialect.ops import (
    BinaryOp,
    CompareOp,
    IfOp,
    ReshapeOp,
    ScanOp,
    WhileOp,
)
from rlx_dialect.shapes import DYNAMIC, Shaped, same_but_for_sizes, shaped
from rlx_dialect.xdsl_repairs import retype
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import control_flow as stablehlo
from rlx_passes.dialects.stablehlo.indexing import DynamicUpdateSliceOp
from rlx_passes.dialects.stablehlo.reduction import ReturnOp
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, erased, told
from rlx_passes.lowerings.to_stablehlo.vocabulary import cast_to, part, reshape_to, splat
from rlx_passes.rewriting.conversion import Rules

PLACE = Shaped((), i64)
"""What counts rounds."""


def _plain(emit: StableEmitter, op: Operation) -> SSAValue:
    """The first result of an op of RLX, converted."""
    return emit.lower(op)[0]


def _number(emit: StableEmitter, value: Size) -> SSAValue:
    return cast_to(emit, emit.number(value), i64) if isinstance(value, Dim) else splat(emit, PLACE, value)


def _truth(emit: StableEmitter, value: SSAValue) -> SSAValue:
    """The one element of `value` in rank 0."""
    return _plain(emit, ReshapeOp(value, ())) if shaped(value).dims else value


def _body(emit: StableEmitter, region: Region, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """What the ops of `region` yield on `arguments`."""
    for argument, value in zip(region.block.args, arguments, strict=True):
        if not same_but_for_sizes(argument.type, erased(value.type)):
            raise Refusal(f"has no form in StableHLO: a region takes {argument.type} where {value.type} is given")
    return list(emit.body(region, arguments))


def _carried(op: WhileOp | ScanOp, emit: StableEmitter) -> list[SSAValue]:
    """What a loop begins with, of the sizes that it has in all rounds."""
    values: list[SSAValue] = []
    for value, result in zip(op.carried, op.results):
        type = told(result)
        if DYNAMIC in type.dims:
            raise Refusal(
                f"carries {type}, whose sizes must be known in the rounds: XLA has none that change",
                "give it a room of the largest size",
            )
        if shaped(value).dims != type.dims:
            value = emit.as_type(value, type.type)
            retype(value, type.type)
        values.append(value)
    return values


def _returned(emit: StableEmitter, values: Sequence[SSAValue], types: Sequence[Attribute]) -> None:
    """The end of a region that gives `values` under `types`."""
    emit.add(ReturnOp([emit.as_type(value, type) for value, type in zip(values, types, strict=True)]))


def _if(op: IfOp, emit: StableEmitter) -> Sequence[SSAValue]:
    blocks: list[Block] = []
    for region in (op.then, op.otherwise):
        blocks.append(Block())
        inner = emit.inside(blocks[-1])
        given = _body(inner, region, op.captures)
        _returned(inner, given, op.result_types)
    condition = _truth(emit, op.condition)
    new = stablehlo.IfOp.create(
        operands=[condition],
        result_types=[told(result).type for result in op.results],
        regions=list(map(Region, blocks)),
    )
    return emit.add(new).results


def _while(op: WhileOp, emit: StableEmitter) -> Sequence[SSAValue]:
    start = _carried(op, emit)
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
    _returned(step, given, types)
    return emit.add(_loop(start, test.block, step.block)).results[:count]


def _scan(op: ScanOp, emit: StableEmitter) -> Sequence[SSAValue]:
    rounds, count = op.rounds(), len(op.carried)
    given = [told(result) for result in op.results[count:]]
    if rounds == DYNAMIC or any(DYNAMIC in type.dims for type in given):
        raise Refusal("has no form in StableHLO: sizes must be known in the rounds", "make its sizes static")
    rooms = [splat(emit, type, 0) for type in given]
    if rounds == 0:
        return [*op.carried, *rooms]
    start = [*_carried(op, emit), *rooms, _number(emit, 0)]
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
        row = reshape_to(step, value, (1, *shaped(value).dims))
        given[i] = step(DynamicUpdateSliceOp(arguments[i], row, [place, *[zero] * shaped(value).rank]))
    given.append(_plain(step, BinaryOp(BinaryKind.ADD, arguments[-1], _number(step, 1))))
    _returned(step, given, types)
    return emit.add(_loop(start, test.block, step.block)).results[: len(op.results)]


def _entry(emit: StableEmitter, whole: SSAValue, place: SSAValue, zero: SSAValue) -> SSAValue:
    """The entry at `place` of axis 0."""
    _, *dims = shaped(whole).dims
    return reshape_to(emit, part(emit, whole, [place, *[zero] * len(dims)], (1, *dims)), dims)


def _loop(start: Sequence[SSAValue], test: Block, step: Block) -> stablehlo.WhileOp:
    return stablehlo.WhileOp.create(
        operands=start, result_types=[value.type for value in start], regions=[Region(test), Region(step)]
    )


RULES: Rules = {IfOp: _if, WhileOp: _while, ScanOp: _scan}
