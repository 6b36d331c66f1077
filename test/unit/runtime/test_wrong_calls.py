"""What Python callers hand over by mistake: one line each."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools import need_module

import rlx_passes
from rlx_dialect.builder import Graph
from rlx_passes.core.errors import RlxError

PROGRAM = """
func.func @main(%x: tensor<4xf32> {rlx.input = "x"}) -> tensor<4xf32> {
  %0 = rlx.activation relu %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
"""


@pytest.mark.parametrize(
    ("module", "target", "message"),
    [
        (None, "cpu", "compile needs a ModuleOp or its text, got NoneType"),
        (PROGRAM, 3, "compile needs a target or its name, got int"),
        (Path("net.mlir"), "cpu", "compile needs a ModuleOp or its text, got PosixPath; path.read_text() is one"),
        (Graph("main"), "cpu", "compile needs a ModuleOp or its text, got Graph; its .module() is one"),
        (
            "nets/net.mlir",
            "cpu",
            "compile needs the text of a module, and 'nets/net.mlir' is the name of a file: read it first",
        ),
    ],
)
def test_what_is_not_compiled(module: Any, target: Any, message: str):
    with pytest.raises(RlxError) as raised:
        rlx_passes.compile(module, target)
    assert str(raised.value) == message


def test_an_origin_that_there_is_not():
    origin: Any = "rlxx"
    with pytest.raises(RlxError, match=r"^origin is 'rlxx': one of stablehlo, rlx was expected$"):
        rlx_passes.compile(PROGRAM, "cpu", origin=origin)


def test_what_is_no_file_of_onnx():
    model: Any = 3
    with pytest.raises(RlxError, match=r"^from_onnx needs the path of an .onnx file, got int$"):
        rlx_passes.from_onnx(model)


@pytest.mark.parametrize("kind", ["class", "object"])
def test_f49_a_module_of_pytorch(kind: str):
    need_module("torch")
    relu: Any = importlib.import_module("torch").nn.ReLU
    with pytest.raises(RlxError, match=r"got \w+; from_torch\(module, example_inputs\)\.module is one$"):
        rlx_passes.compile(relu if kind == "class" else relu(), "cpu")


def test_f49_a_function_of_jax():
    need_module("jax")
    jax: Any = importlib.import_module("jax")
    with pytest.raises(RlxError, match=r"; jax\.jit\(f\)\.lower\(\*args\)\.as_text\(\) is one$"):
        rlx_passes.compile(jax.jit(np.sin), "cpu")


ARRAY = np.zeros(4, np.float32)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (None, "takes each input by name, got NoneType; pass a dict"),
        ([ARRAY], "takes each input by name, got list; pass a dict"),
        ({3: ARRAY}, "lacks input 'x'; given: 3"),
        ({"x": [[1.0], [2.0, 3.0]]}, "input 'x' is no array: "),
    ],
)
def test_what_is_not_run(inputs: Any, message: str):
    need_module("llvmlite")
    with pytest.raises(RlxError) as raised:
        rlx_passes.compile(PROGRAM, "cpu", origin="rlx")(inputs)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
