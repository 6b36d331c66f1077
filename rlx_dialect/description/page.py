"""
The reference page of the ops, made from their definitions and from the examples that the tests run.

    python -m rlx_dialect.description.page test/filecheck/dialect > docs/ops.md
"""

import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IndexType, IntegerAttr, StringAttr, TensorType, UnitAttr
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import (
    AnyOf,
    AttrConstraint,
    AttrOrPropDef,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    MessageConstraint,
    OptionalDef,
    ParamAttrConstraint,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    VarConstraint,
    VariadicDef,
)
from xdsl.traits import Pure

from rlx_dialect.attributes import WordOf
from rlx_dialect.declared import syntax
from rlx_dialect.description.facts import element_types, meaning, refusals
from rlx_dialect.kinds import KINDS, WITHOUT_OP, OpKind, kind_of
from rlx_dialect.ops import ALL_OPS

CLASSES: dict[type[Attribute], str] = {
    DenseArrayBase: "list of integers",
    FloatAttr: "real number",
    IndexType: "index",
    IntegerAttr: "integer",
    StringAttr: "string",
    TensorType: "tensor",
    TypeAttribute: "type",
    UnitAttr: "flag",
}
"""What a class of attributes or types is called on the page."""

HEADER = """# Ops

<!-- Made by docs/generate.py from the definitions of the ops; the examples are those that the tests run. -->

Tensors are ranked; `?` is a size known only at run time. Unless stated otherwise, operands have one element type, a `?`
never broadcasts, and dims that meet are equal when the program runs. Element types are those that the verifier accepts
for the examples, with other operands of the same type changed along; floats are f32, f16, bf16, f64, f8e4m3fn and
f8e5m2. An op that does not fit its operands is refused with its name, the operand and both values; the messages listed
under an op are those that the tests expect, word for word. `rlx_dialect/reference` has the formulas in NumPy.
"""


def ops_page(examples: Path) -> str:
    """The page, with examples from the lit files in the folder `examples`."""
    chapters: dict[str, list[type[IRDLOperation]]] = {}
    for op in ALL_OPS:
        kind = kind_of(op.name)
        chapters.setdefault("other" if kind is None else kind.chapter, []).append(op)
    order = [*dict.fromkeys(kind.chapter for kind in KINDS.values() if kind.chapter in chapters), "other"]
    parts = [HEADER]
    for chapter in order:
        ops = chapters.get(chapter, [])
        if ops:
            parts.append(f"## {chapter.capitalize()}\n")
            parts += [_section(op, examples) for op in sorted(ops, key=lambda op: op.name)]
    return "\n".join([*parts, _kinds()])


def _section(op: type[IRDLOperation], examples: Path) -> str:
    lines = [f"### `{op.name}`", "", inspect.cleandoc(op.__doc__ or ""), ""]
    if (same := meaning(op.name)) is not None:
        lines += [same, ""]
    definition = op.get_irdl_definition()
    if (text := syntax(op)) is not None:
        shown = re.sub(r"custom<\w+>\((\$\w+)\)", r"\1", text)
        shown = re.sub(r"custom<FurtherTypes>\((\S+), (\S+)\)", r"(`,` \1^)? (`,` \2^)?", shown)
        lines += ["```", f"{op.name} {shown}", "```", ""]
    for title, fields in (("Operands", definition.operands), ("Results", definition.results)):
        if fields:
            shown = (f"`{name.rstrip('_')}`: {_range(field.constr)}{_count(field)}" for name, field in fields)
            lines += [f"{title}: {'; '.join(shown)}.", ""]
    fields = {**definition.properties, **definition.attributes}
    attributes = {name: field for name, field in fields.items() if not name.endswith("SegmentSizes")}
    if (taken := element_types(op.name, examples)) is not None:
        lines += [taken, ""]
    if attributes:
        lines += ["Attributes:", "", *(f"- `{name}`: {_attribute(field)}" for name, field in attributes.items()), ""]
    if not op.has_trait(Pure):
        lines += ["Not pure.", ""]
    if (example := example_of(op.name, examples)) is not None:
        lines += ["```mlir", example, "```", ""]
    if refused := refusals(op.name, examples):
        lines += ["Refused, from the tests:", "", *(f"- `{message}`" for message in refused), ""]
    return "\n".join(lines)


def _range(constraint: RangeConstraint) -> str:
    if isinstance(constraint, RangeLengthConstraint):
        return _range(constraint.constraint)
    return _constraint(constraint.constr) if isinstance(constraint, RangeOf) else "any"


def _count(field: object) -> str:
    return ", optional" if isinstance(field, OptionalDef) else ", any number" if isinstance(field, VariadicDef) else ""


def _attribute(field: AttrOrPropDef) -> str:
    default = field.default_value
    shown = "" if default is None else f"; by default `{default}`"
    return f"{_constraint(field.constr)}{_count(field)}{shown}"


def _constraint(constraint: AttrConstraint) -> str:
    match constraint:
        case WordOf():
            return ", ".join(f"`{word}`" for word in constraint.words)
        case MessageConstraint():
            return _constraint(constraint.constr)
        case VarConstraint():
            return f"{_constraint(constraint.constraint)} of type `{constraint.name}`"
        case AnyOf():
            return " or ".join(_constraint(each) for each in constraint.attr_constrs)
        case BaseAttr():
            return CLASSES.get(constraint.attr, constraint.attr.__name__)
        case ParamAttrConstraint():
            return CLASSES.get(constraint.base_attr, constraint.base_attr.__name__)
        case EqAttrConstraint():
            return CLASSES.get(type(constraint.attr), f"`{constraint.attr}`")
        case _:
            return "any"


def example_of(name: str, examples: Path) -> str | None:
    """The first use of an op in the lit file that uses it most, verbatim; None where there is none."""
    use = re.compile(rf"^\s*(%.* = )?{re.escape(name)}(?![\w.])")
    best: Sequence[str] = ()
    places: Sequence[int] = ()
    for lines in _files(examples):
        found = [at for at, line in enumerate(lines) if use.match(line)]
        if len(found) > len(places):
            best, places = lines, found
    return inspect.cleandoc("\n".join(_balanced(best[places[0] :]))) if places else None


@cache
def _files(examples: Path) -> Sequence[Sequence[str]]:
    paths = sorted(path for path in examples.glob("*.mlir") if not path.stem.endswith("_invalid"))
    return [path.read_text().splitlines() for path in paths]


def _balanced(lines: Sequence[str]) -> Iterator[str]:
    """Lines up to the one that closes the last brace."""
    depth = 0
    for line in lines:
        yield line
        depth += line.count("{") - line.count("}")
        if depth <= 0:
            return


def _kinds() -> str:
    standard = [kind for kind in KINDS.values() if not kind.ours]
    lines = [
        "## Kinds",
        "",
        "Claim tables and reports speak of kinds. A kind without an op of its own is spelled `rlx.custom`, which",
        "passes carry through unread; whoever runs it tells the reference what it computes. By design these have",
        "none:",
        "",
        *(f"- {group}: {', '.join(names)}" for group, names in WITHOUT_OP.items()),
        "",
        f"| kind ({len(standard)}) | chapter | in a program |",
        "| --- | --- | --- |",
        *map(_row, standard),
        "",
        "Beside them this dialect has:",
        "",
        "| kind | chapter | in a program |",
        "| --- | --- | --- |",
        *(_row(kind) for kind in KINDS.values() if kind.ours and kind.op.startswith("rlx.")),
    ]
    return "\n".join(lines) + "\n"


def _row(kind: OpKind) -> str:
    return f"| {kind.name} | {kind.chapter} | `{kind.spelling}` |"


if __name__ == "__main__":
    sys.stdout.write(ops_page(Path(sys.argv[1])))
