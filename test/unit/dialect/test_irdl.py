"""mlir-opt reads the dialect as IRDL: every example passes, wrong operands and attributes do not."""

import subprocess
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from programs import parse
from tools import need_program
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.printer import Printer
from xdsl.rewriter import Rewriter

from rlx_dialect.irdl import irdl_text, obstacle
from rlx_dialect.ops import ALL_OPS, ArtifactOp

EXAMPLES = Path(__file__).parents[2] / "filecheck" / "dialect"
FILES = sorted(path for path in EXAMPLES.glob("*.mlir") if not path.stem.endswith("_invalid"))
UNDECLARED = frozenset(op.name for op in ALL_OPS if obstacle(op) is not None)


@cache
def functions(path: Path) -> tuple[FuncOp, ...]:
    """The functions of a file without region ops; another op that has no declaration is one of an unknown dialect there."""
    found: list[FuncOp] = []
    for chunk in path.read_text().split("// -----"):
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
