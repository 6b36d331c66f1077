"""The StableHLO that this project prints is the same program to JAX's own bindings, and the other way round."""

import importlib
from io import StringIO
from pathlib import Path
from typing import Any, cast

import pytest
from tools import need_module
from xdsl.printer import Printer

from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.reading.dialects import tool_context

TESTS = Path(__file__).parents[2]
MODELS = sorted((TESTS / "models").glob("*.generic.mlir"))
OPS = sorted(
    path for path in (TESTS / "filecheck" / "dialects" / "stablehlo").glob("*.mlir") if "invalid" not in path.stem
)


def printed(text: str, *, generic: bool) -> str:
    """`text`, read and printed by this project."""
    stream = StringIO()
    Printer(stream=stream, print_generic_format=generic).print_op(parse_module(tool_context(), text))
    return stream.getvalue()


@pytest.mark.parametrize("path", [*MODELS, *OPS], ids=lambda path: cast(Path, path).stem)
def test_jax_reads_the_same_program(path: Path):
    need_module("jax")
    mlir: Any = importlib.import_module("jax.interpreters.mlir")
    ir: Any = importlib.import_module("jaxlib.mlir.ir")
    source = path.read_text()
    with mlir.make_ir_context():
        pretty = str(ir.Module.parse(source))
        for text in (source, pretty):
            for generic in (False, True):
                module = ir.Module.parse(printed(text, generic=generic))
                assert module.operation.verify()
                assert str(module) == pretty
