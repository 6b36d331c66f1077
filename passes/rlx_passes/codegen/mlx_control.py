"""Control flow as Python statements."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute, Operation, Region, SSAValue

from rlx_dialect.ops import IfOp, ScanOp, WhileOp, YieldOp
from rlx_dialect.shapes import shaped


class Scope(Protocol):
    """What writes the ops of a function."""

    known: dict[SSAValue, str]

    def of(self, value: SSAValue) -> str:
        """The name of a value."""
        ...

    def name(self, value: SSAValue, wanted: str | None = None) -> str:
        """The new name of a value that is defined here."""
        ...

    def lines(self, op: Operation) -> list[str]:
        """The statements of one op."""
        ...

    def fresh(self, wanted: str) -> str:
        """A name that nothing has."""
        ...

    def library(self, function: str) -> str:
        """The name of a library function, which is needed from now on."""
        ...

    def dtype(self, element: Attribute) -> str:
        """An element type as MLX has it."""
        ...


def control_lines(op: IfOp | WhileOp | ScanOp, scope: Scope) -> list[str]:
    """The statements of an op with regions, each of which reads what the op gives it by the names outside."""
    match op:
        case IfOp():
            return list(_if(op, scope))
        case WhileOp():
            return list(_while(op, scope))
        case ScanOp():
            return list(_scan(op, scope))


def _assigned(names: Sequence[str], values: Sequence[str]) -> list[str]:
    """All names at once, for a value may be the old one of another name."""
    pairs = [(name, value) for name, value in zip(names, values, strict=True) if name != value]
    return [f"{', '.join(name for name, _ in pairs)} = {', '.join(value for _, value in pairs)}"] if pairs else []


def _bind(arguments: Sequence[SSAValue], names: Sequence[str], scope: Scope) -> None:
    scope.known.update(zip(arguments, names, strict=True))


def _body(region: Region, scope: Scope) -> tuple[list[str], list[str]]:
    """The statements of a region, and the names that it yields."""
    lines: list[str] = []
    for op in region.block.ops:
        if isinstance(op, YieldOp):
            return lines, [scope.of(value) for value in op.arguments]
        lines += scope.lines(op)
    return lines, []


def _inside(lines: Sequence[str]) -> Iterator[str]:
    return (f"    {line}" for line in (lines or ["pass"]))


def _if(op: IfOp, scope: Scope) -> Iterator[str]:
    captures = [scope.of(value) for value in op.captures]
    results = [scope.name(result) for result in op.results]
    for head, region in ((f"if {scope.of(op.condition)}.item():", op.then), ("else:", op.otherwise)):
        _bind(region.block.args, captures, scope)
        lines, given = _body(region, scope)
        yield head
        yield from _inside([*lines, *_assigned(results, given)])


def _while(op: WhileOp, scope: Scope) -> Iterator[str]:
    first, captures = [scope.of(value) for value in op.carried], [scope.of(value) for value in op.captures]
    names = [scope.name(result) for result in op.results]
    for region in (op.cond, op.body):
        _bind(region.block.args, [*names, *captures], scope)
    asked, (condition,) = _body(op.cond, scope)
    lines, given = _body(op.body, scope)
    yield from _assigned(names, first)
    yield "while True:" if op.limit is None else f"for _ in range({op.limit}):"
    yield from _inside([*asked, f"if not {condition}.item():", "    break", *lines, *_assigned(names, given)])


def _scan(op: ScanOp, scope: Scope) -> Iterator[str]:
    count = len(op.carried)
    first, captures = [scope.of(value) for value in op.carried], [scope.of(value) for value in op.captures]
    scanned = [scope.of(value) for value in op.scanned]
    names = [scope.name(result) for result in op.results]
    arguments = op.body.block.args
    entries = [scope.name(argument) for argument in arguments[count : count + len(scanned)]]
    _bind(arguments, [*names[:count], *entries, *captures], scope)
    lines, given = _body(op.body, scope)
    place = scope.fresh("place")
    yield from _assigned(names[:count], first)
    for name in names[count:]:
        yield f"{name} = []"
    rounds = op.rounds()
    number = f"{scanned[0]}.shape[0]" if rounds == DYNAMIC_INDEX else str(rounds)
    yield f"for {place} in {'reversed' if op.reverse is not None else ''}(range({number})):"
    taken = [f"{entry} = {whole}[{place}]" for entry, whole in zip(entries, scanned)]
    kept = [f"{name}.append({value})" for name, value in zip(names[count:], given[count:])]
    yield from _inside([*taken, *lines, *_assigned(names[:count], given[:count]), *kept])
    for name, result in zip(names[count:], op.results[count:]):
        value = shaped(result)
        shape = [0, *(0 if size == DYNAMIC_INDEX else size for size in value.dims[1:])]
        turned = f"{name}[::-1]" if op.reverse is not None else name
        yield f"{name} = {scope.library('stacked')}({turned}, shape={shape}, dtype={scope.dtype(value.element)})"
