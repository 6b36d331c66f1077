"""Malformed StableHLO ends in errors with a place, one line each, whatever is wrong with it."""

import random
import re
from pathlib import Path

import pytest

from rlx_passes.core.errors import RlxError
from rlx_passes.frontends.stablehlo.convert_stablehlo_to_rlx import ConvertStableHLOToRLXPass
from rlx_passes.reading.diagnostics import Diagnostic, of_error
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source
from rlx_passes.reading.verifying import verify

LIT = Path(__file__).parents[2] / "filecheck"
FILES = [
    *sorted(path for path in (LIT / "frontends" / "stablehlo").glob("*.mlir") if not path.stem.startswith("convert_")),
    LIT / "dialects" / "stablehlo" / "ops.mlir",
]


def errors_of(text: str) -> tuple[Diagnostic, ...]:
    """What a tool says of a text that it reads, verifies and imports; any other exception is a fault."""
    context = tool_context()
    try:
        module = parse(context, Source("a.mlir", text))
        verify(module)
        ConvertStableHLOToRLXPass().apply(context, module)
        verify(module)
    except RlxError as fault:
        return of_error(fault)
    return ()


def line(op: str) -> str:
    return f"func.func @f(%x: tensor<4xf32>, %z: tensor<4xcomplex<f32>>, %i: tensor<i32>) {{\n  {op}\n  return\n}}"


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ("%0 = stablehlo.ad %x, %x : tensor<4xf32>", "unknown op 'stablehlo.ad'; did you mean"),
        ("%0 = stablehlo.add %x : tensor<4xf32>", "Expected ','"),
        ("%0 = stablehlo.compare LESS, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>", "Expected `EQ`"),
        ("%0 = stablehlo.reduce_precision %x, format = 5 : tensor<4xf32>", "expected"),
        ("%0 = stablehlo.rng_bit_generator %x, algorithm = DICE "
         ": (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xui32>)", "Expected `DEFAULT`"),
        ("%0 = stablehlo.complex %x, %x : tensor<4xf32>", "expected a tensor of complex numbers, got tensor<4xf32>"),
        ("%0 = stablehlo.reduce(%x init: %i) applies func.call across dimensions = [0] "
         ": (tensor<4xf32>, tensor<i32>) -> tensor<f32>", "'func.call' is no elementwise op of two operands"),
        ("%0 = stablehlo.dot_general %x, %x, dims = [0] x [0] "
         ": (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>", "expected batching_dims, contracting_dims, "
                                                            "precision or algorithm, got dims"),
        ("%0 = stablehlo.tuple %x : tensor<4xf32>", "expected a tuple type"),
        ("%0 = stablehlo.slice %x [0:4:0] : (tensor<4xf32>) -> tensor<4xf32>", "0:4:0 is no part of dim 0"),
        ("%0 = stablehlo.add %x, %z : tensor<4xf32>", "operand"),
    ],
)  # fmt: skip
def test_one_error_at_its_place(op: str, message: str):
    (found,) = errors_of(line(op))
    assert found.severity == "error"
    assert found.place is not None
    assert (found.place.file, found.place.line) == ("a.mlir", 2)
    assert message in found.message
    assert "\n" not in found.message


def mutated(text: str, rng: random.Random) -> str:
    """`text` with a number, a type, a value or a few letters changed."""
    patterns = {
        r"-?\b\d+\b": ["0", "1", "-1", "3", "9", "99999999999999999999"],
        r"\b(f32|i32|i1|i64|ui32)\b": ["f32", "i32", "i1", "ui64", "bf16", "complex<f32>", "complex<f64>", "none"],
        r"tensor<[^>]*>": ["tensor<*xf32>", "tensor<?xf32>", "tensor<0xf32>", "f32", "!stablehlo.token", "tensor<f32>"],
        r"\[[^\[\]]*\]": ["[]", "[0]", "[0, 0]", "[-1]", "[1, 0, 2]"],
        r"stablehlo\.\w+": ["stablehlo.add", "stablehlo.sort", "stablehlo.return", "chlo.erf", "stablehlo.nothing"],
    }
    pattern = rng.choice(list(patterns))
    found = list(re.finditer(pattern, text))
    if not found or rng.random() < 0.2:
        at = rng.randrange(len(text))
        return text[:at] + text[at + rng.randrange(1, 9) :]
    place = rng.choice(found)
    return text[: place.start()] + rng.choice(patterns[pattern]) + text[place.end() :]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mutants(path: Path):
    """Changed here and there, a program is imported or refused; nothing else happens."""
    rng = random.Random(path.stem)
    text = re.sub(r"(?m)^//.*\n", "", path.read_text())
    programs = text.split("\n\n") if "builtin.module" not in text else [text]
    for _ in range(12):
        for program in programs:
            errors = errors_of(mutated(program, rng) if program.strip() else "")
            assert all(error.severity == "error" and "\n" not in error.message for error in errors)
            assert not any(re.match(r"\w+Error: ", error.message) for error in errors), errors
