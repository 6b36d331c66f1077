"""mlir-opt reads the dialect as IRDL: every example passes, wrong operands and attributes do not."""

import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from io import StringIO
from itertools import accumulate
from pathlib import Path

import pytest
from programs import parse
from tools import need_module, need_program
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.printer import Printer
from xdsl.rewriter import Rewriter

from rlx_dialect.description.facts import accepted
from rlx_dialect.description.irdl import irdl_text, obstacle
from rlx_dialect.ops import ALL_OPS, ArtifactOp
from rlx_dialect.ops.base import RlxOp

EXAMPLES = Path(__file__).parents[2] / "filecheck" / "dialect"
FILES = sorted(path for path in EXAMPLES.glob("*.mlir") if not path.stem.endswith("_invalid"))
UNDECLARED = frozenset(op.name for op in ALL_OPS if obstacle(op) is not None)


@cache
def functions(path: Path) -> tuple[FuncOp, ...]:
    """The functions of a file without region ops; any other undeclared op is one of an unknown dialect there."""
    found: list[FuncOp] = []
    for chunk in accepted(path):
        for func in parse(chunk, path.name).walk():
            if isinstance(func, FuncOp) and not any(op.regions for op in func.body.walk()):
                for op in [op for op in func.walk() if op.name in UNDECLARED]:
                    other = UnregisteredOp.with_name("other.op").create(
                        operands=op.operands, result_types=op.result_types
                    )
                    Rewriter.replace_op(op, other)
                found.append(func)
    return tuple(found)


def mlir_opt(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`text` through MLIR, which knows the dialect by its declarations alone."""
    program = need_program("mlir-opt-22", "mlir-opt")
    declarations = folder / "rlx.irdl"
    declarations.write_text(irdl_text())
    return subprocess.run(
        [program, f"--irdl-file={declarations}", "--split-input-file", "--allow-unregistered-dialect", "-"],
        input=text,
        capture_output=True,
        text=True,
    )


def generic(functions: tuple[FuncOp, ...]) -> str:
    out = StringIO()
    for func in functions:
        module = ModuleOp([func.clone()])
        Printer(out, print_generic_format=True, print_properties_as_attributes=True).print_op(module)
        out.write("\n// -----\n")
    return out.getvalue()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_examples_pass(path: Path, tmp_path: Path):
    done = mlir_opt(generic(functions(path)), tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_declared_op_has_an_example():
    tried = {op.name for path in FILES for func in functions(path) for op in func.walk()}
    declared = {op.name for op in ALL_OPS} - UNDECLARED
    assert sorted(declared - tried - {ArtifactOp.name}) == []


def test_what_cannot_be_declared():
    """Regions, terminators, and lists of several types: nothing else is left out."""
    reasons = {op.name: obstacle(op) for op in ALL_OPS if op.name in UNDECLARED}
    assert set(reasons.values()) <= {"has regions", "ends a block", "inputs may mix types", "operands may mix types"}
    assert reasons["rlx.concat"] == "inputs may mix types"
    assert all(f"//   {name}: {reason}\n" in irdl_text() for name, reason in reasons.items())


def test_f43_no_choice_names_a_constraint_twice():
    said: dict[str, str] = {}
    for name, text in re.findall(r"(%\w+) = (irdl\..*)", irdl_text()):
        said[name] = text
        if text.startswith("irdl.any_of"):
            choices = [said[each] for each in re.findall(r"%\w+", text)]
            assert len(set(choices)) == len(choices) > 1, text


def test_f43_the_compiler_of_iree_reads_the_dialect(tmp_path: Path):
    need_module("iree.compiler")
    declarations = tmp_path / "rlx.irdl"
    declarations.write_text(irdl_text())
    program = Path(sys.executable).parent / "iree-opt"
    done = subprocess.run([program, f"--irdl-file={declarations}"], input="", capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def wrong() -> Iterator[tuple[str, str, str]]:
    x, y, b = "tensor<2x3xf32>", "tensor<3xf32>", "f32"
    unary = '"rlx.activation"({}) {{{}}} : ({}) -> {}'
    norm = '"rlx.layer_norm"({}) {{{}}} : ({}) -> {}'
    rest = "axis = -1 : i64, epsilon = 1.0e-5 : f64"
    yield "operand count", unary.format("%x, %x", 'kind = "relu"', f"{x}, {x}", x), "1 operands, but got 2"
    yield "operand type", unary.format("%b", 'kind = "relu"', b, b), "expected base type 'builtin.tensor'"
    yield "one type", unary.format("%x", 'kind = "relu"', x, y), f"expected '{x}' but got '{y}'"
    yield "word", unary.format("%x", 'kind = "swish"', x, x), "does not satisfy the constraint"
    yield "missing attribute", unary.format("%x", "", x, x), '"kind" is expected but not provided'
    yield "result count", f'"rlx.activation"(%x) {{kind = "relu"}} : ({x}) -> ()', "1 results, but got 0"
    wanted = "expected base attribute 'builtin.integer'"
    yield "attribute", norm.format("%x, %y, %y", rest.replace("-1 : i64", '"a"'), f"{x}, {y}, {y}", x), wanted
    fused = f'"rlx.fused_attention_block"(%x) : ({x}) -> {x}'
    yield "segments", fused, "operandSegmentSizes"


@pytest.mark.parametrize(("text", "message"), [pytest.param(*case[1:], id=case[0]) for case in wrong()])
def test_wrong_ops_are_refused(text: str, message: str, tmp_path: Path):
    result = "" if text.endswith("()") else "%0 = "
    arguments = "%x: tensor<2x3xf32>, %y: tensor<3xf32>, %b: f32"
    done = mlir_opt(f"func.func @f({arguments}) {{\n  {result}{text}\n  func.return\n}}\n", tmp_path)
    assert done.returncode != 0
    assert message in done.stderr


def first_uses() -> Iterator[tuple[str, list[str], list[str], dict[str, str]]]:
    """Every declared op as it first appears in an example: name, types of operands and results, attributes."""

    def text(attribute: Attribute) -> str:
        out = StringIO()
        Printer(out).print_attribute(attribute)
        return out.getvalue()

    seen: set[str] = set()
    for op in (op for path in FILES for func in functions(path) for op in func.walk()):
        if isinstance(op, RlxOp) and op.name not in seen:
            seen.add(op.name)
            attributes = {name: text(value) for name, value in (*op.properties.items(), *op.attributes.items())}
            yield (
                op.name,
                [text(type) for type in op.operand_types],
                [text(type) for type in op.result_types],
                attributes,
            )


def mutations() -> Iterator[tuple[str, str]]:
    """Each declared op made wrong: an operand or result too many or of another kind, a wrong attribute, one missing."""
    declared = irdl_text()
    for name, operands, results, attributes in first_uses():
        yield "", chunk(name, operands, results, attributes)
        yield f"{name}: operand more", chunk(name, [*operands, OTHER], results, attributes)
        for i in range(len(operands)):
            yield f"{name}: operand {i}", chunk(name, [*operands[:i], OTHER, *operands[i + 1 :]], results, attributes)
        yield f"{name}: result", chunk(name, operands, [OTHER, *results[1:]], attributes)
        own = declared.partition(f"irdl.operation @{name.removeprefix('rlx.')} ")[2].partition("irdl.operation")[0]
        for key in (key for key in attributes if f'"{key}" =' in own):
            rest = {other: value for other, value in attributes.items() if other != key}
            yield f"{name}: without {key}", chunk(name, operands, results, rest)
            if key != "to":  # an element type, which IRDL takes any attribute for
                yield f"{name}: {key}", chunk(name, operands, results, {**rest, key: OTHER})


OTHER = "tuple<f32>"


def chunk(name: str, operands: list[str], results: list[str], attributes: dict[str, str]) -> str:
    made = "".join(f'  %a{i} = "other.op"() : () -> {type}\n' for i, type in enumerate(operands))
    left = ", ".join(f"%r{i}" for i in range(len(results)))
    written = ", ".join(f"{key} = {value}" for key, value in attributes.items())
    arguments = ", ".join(f"%a{i}" for i in range(len(operands)))
    types = f"({', '.join(operands)}) -> ({', '.join(results)})"
    op = f'  {left + " = " if left else ""}"{name}"({arguments}) {{{written}}} : {types}\n'
    return f"func.func @f() {{\n{made}{op}  func.return\n}}\n// -----\n"


def test_every_declared_op_is_checked(tmp_path: Path):
    """Operands, results and attributes of each op, all in one run: the line of an error tells which was refused."""
    names, texts = zip(*mutations())
    starts = list(accumulate((text.count("\n") for text in texts), initial=1))
    done = mlir_opt("".join(texts), tmp_path)
    places = re.finditer(
        r"^within split at <stdin>:(\d+) offset :(\d+):\d+: error|^<stdin>:(\d+):\d+: error", done.stderr, re.M
    )
    lines = [int(place[3]) if place[3] else int(place[1]) + int(place[2]) - 1 for place in places]
    refused = {bisect_right(starts, line) - 1 for line in lines}
    assert {names[i] for i in refused if not names[i]} == set(), done.stderr
    assert [name for i, name in enumerate(names) if name and i not in refused] == []
