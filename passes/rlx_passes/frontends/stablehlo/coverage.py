"""Which StableHLO and CHLO ops are read and what they become, as the dialects and the rules themselves say."""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import NamedTuple, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.ir import Operation

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.ops import ActivationOp, BinaryOp, CompareOp, IfOp, RlxOp, WhereOp, WhileOp
from rlx_passes.dialects.stablehlo import CHLO, STABLEHLO
from rlx_passes.dialects.stablehlo import control_flow as structured
from rlx_passes.dialects.stablehlo.reduction import ReturnOp
from rlx_passes.dialects.stablehlo.shardy import SDY
from rlx_passes.frontends.stablehlo import KINDS, REASONS
from rlx_passes.frontends.stablehlo.functions import Function
from rlx_passes.frontends.stablehlo.regions import applied
from rlx_passes.frontends.stablehlo.vocabulary import Arithmetic

RULES = "rlx_passes.frontends.stablehlo"
BODY, NOTHING = "what its body is", "a constant, or its operands"
WORDS: dict[type, str] = {Activation: ActivationOp.name, BinaryKind: BinaryOp.name, CompareKind: CompareOp.name}
"""The ops that are made by their kinds."""
ELSEWHERE: dict[type[Operation], str] = {
    structured.CaseOp: IfOp.name,
    structured.IfOp: IfOp.name,
    structured.WhileOp: WhileOp.name,
    structured.CompositeOp: "the RLX op of its name, or its decomposition",
    ReturnOp: "the end of a region",
}
"""What is converted, but by no rule of its own."""


class Coverage(NamedTuple):
    """One op that is read, the RLX ops that it may become, and why it stays where it becomes none."""

    op: str
    becomes: tuple[str, ...]
    stays: str = ""


def stablehlo_coverage() -> list[Coverage]:
    """A row for each op of StableHLO, CHLO and the part of Shardy that is read, by name."""
    ops = [*STABLEHLO.operations, *CHLO.operations, *SDY.operations]
    return sorted(map(_row, ops), key=lambda row: row.op)


def _row(op: type[Operation]) -> Coverage:
    if op in ELSEWHERE:
        return Coverage(op.name, (ELSEWHERE[op],))
    if op in KINDS:
        return Coverage(op.name, tuple(sorted(set(_named(KINDS[op], set())))) or (NOTHING,))
    reason = "says how values lie on devices" if op in set(SDY.operations) else "has no RLX kind"
    return Coverage(op.name, (), REASONS.get(op, reason))


def _named(thing: object, seen: set[int]) -> Iterator[str]:
    """The RLX ops that a rule may make: those named in its text and in that of the functions of rules that it calls."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    match thing:
        case type() if issubclass(thing, RlxOp):
            yield thing.name
        case type() if issubclass(thing, Operation):
            yield from _named(KINDS.get(thing), seen)
        case type() if thing in WORDS:
            yield WORDS[thing]
        case Activation() | BinaryKind() | CompareKind():
            yield WORDS[type(thing)]
        case Function():
            yield from (name for name in thing.ops() if name != ConstantOp.name)
        case FunctionType() if thing is applied:
            yield BODY
        case FunctionType() if thing.__module__.startswith(RULES):
            names: Mapping[str, object] = {**thing.__globals__, **inspect.getclosurevars(thing).nonlocals}
            for found in _values(ast.parse(textwrap.dedent(inspect.getsource(thing))), names):
                yield from _named(found, seen)
            code = thing.__code__
            if "where" in code.co_names and "of" in (*code.co_varnames, *code.co_cellvars):
                yield WhereOp.name
        case type() if thing.__module__.startswith(RULES) and thing is not Arithmetic:
            for _, method in inspect.getmembers(thing, inspect.isfunction):
                yield from _named(method, seen)
        case dict():
            for value in cast("dict[object, object]", thing).values():
                if isinstance(value, type) and issubclass(value, RlxOp):
                    yield value.name
        case _:
            pass


def _values(tree: ast.AST, names: Mapping[str, object]) -> Iterator[object]:
    """What the names in a text stand for, but for those that it only asks about: by `isinstance`, or as annotations."""
    pending = list(ast.iter_child_nodes(tree))
    while pending:
        node = pending.pop()
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass")) | ast.arg() | ast.Compare() | ast.MatchClass():
                continue
            case ast.FunctionDef():
                pending += node.body
            case ast.AnnAssign():
                pending += [node.value] if node.value else []
            case ast.Attribute(value=ast.Name(id=owner)) if isinstance(names.get(owner), ModuleType):
                yield getattr(names[owner], node.attr, None)
            case ast.Name():
                yield names.get(node.id)
            case _:
                pending += ast.iter_child_nodes(node)


def stablehlo_section() -> list[str]:
    """The lines of the page of frontends about StableHLO."""
    rows = stablehlo_coverage()
    converted = [row for row in rows if row.becomes]
    lines = [
        "## StableHLO",
        "",
        "`--convert-stablehlo-to-rlx` reads what `jax.jit(f).lower(...).as_text()` prints, and its generic form.",
        "Private functions are inlined. `params=3-`, or `inputs=x,pos`, says which arguments are params,",
        "`names=x,pos,w` or a file of names what they are called. An input that JAX donates is given up for its",
        "result (`rlx.donate`). An op that RLX cannot express stays, with a remark that says where and why; so does",
        "one of the ops below if it is used in a way that RLX cannot express.",
        "",
        f"{len(rows)} ops are read, {len(converted)} of them become RLX ops.",
        "",
        "| op | may become |",
        "| --- | --- |",
    ]
    lines += [f"| `{row.op}` | {', '.join(_shown(each) for each in row.becomes)} |" for row in converted]
    lines += ["", "| op | stays, because it |", "| --- | --- |"]
    lines += [f"| `{row.op}` | {row.stays} |" for row in rows if not row.becomes]
    return lines


def _shown(name: str) -> str:
    return f"`{name}`" if name.startswith("rlx.") else name
