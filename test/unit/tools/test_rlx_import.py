"""`rlx-import`, and `.onnx` files in the other tools."""

import importlib
import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools import need_module

from rlx_passes.tools import rlx_compile, rlx_import, rlx_opt, rlx_run
from rlx_passes.weights.reading import read_params

need_module("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

RNG = np.random.default_rng(5)
W = RNG.standard_normal((8, 16)).astype(np.float32)
B = RNG.standard_normal(16).astype(np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """`y = relu(x @ w + b)` of any number of rows."""
    nodes = [
        helper.make_node("MatMul", ["x", "layer/w"], ["t"], name="mm"),
        helper.make_node("Add", ["t", "b"], ["u"], name="bias"),
        helper.make_node("Relu", ["u"], ["y"], name="act"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        initializer=[numpy_helper.from_array(W, "layer/w"), numpy_helper.from_array(B, "b")],
    )
    message: Any = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    path = tmp_path / "m.onnx"
    path.write_bytes(message.SerializeToString())
    return path


def test_program_and_weights(model: Path, capsys: pytest.CaptureFixture[str]):
    out = model.with_suffix(".mlir")
    os.umask(mask := os.umask(0))
    assert rlx_import.main([str(model), "-o", str(out)]) == 0
    assert capsys.readouterr() == ("", "")
    text = out.read_text()
    assert 'rlx.dims = ["rows", 8 : i64]' in text
    assert 'tensor<8x16xf32> {rlx.param = "layer/w"}' in text
    weights = out.with_suffix(".safetensors")
    assert weights.stat().st_mode & 0o777 == 0o666 & ~mask
    params = read_params(weights)
    np.testing.assert_array_equal(params["layer/w"], W)
    np.testing.assert_array_equal(params["b"], B)
    assert rlx_opt.main([str(out), "--rlx-fusion=target=cpu"]) == 0
    assert "rlx.fused_matmul_bias_act" in capsys.readouterr().out


def test_the_safetensors_package_reads_the_weights(model: Path):
    need_module("safetensors")
    weights = model.parent / "other.safetensors"
    assert rlx_import.main([str(model), "-o", str(model.with_suffix(".mlir")), "--weights", str(weights)]) == 0
    package: Any = importlib.import_module("safetensors.numpy")
    read = package.load_file(weights)
    assert set(read) == {"layer/w", "b"}
    np.testing.assert_array_equal(read["b"], B)


def test_a_model_to_an_array(model: Path):
    """Compiled and run without a file in between; the model itself holds the params."""
    need_module("llvmlite")
    out, y = model.parent / "out", model.parent / "y.npy"
    x = RNG.standard_normal((4, 8)).astype(np.float32)
    np.save(model.parent / "x.npy", x)
    compile = [str(model), "--dim", "rows=4", "--target=cpu", "-o", str(out)]
    assert rlx_compile.main(compile) == 0
    run = [str(out), "--input", f"x={model.parent}/x.npy", "--params", str(model), "--output", str(y)]
    assert rlx_run.main(run) == 0
    np.testing.assert_allclose(np.load(y), np.maximum(x @ W + B, 0), rtol=1e-5, atol=1e-5)


def test_rlx_opt_reads_a_model(model: Path, capsys: pytest.CaptureFixture[str]):
    flags = ["--dim", "rows=4", "--rlx-raise", "--rlx-fusion=target=rocm", "--mlir-print-debuginfo"]
    assert rlx_opt.main([str(model), *flags]) == 0
    out, err = capsys.readouterr()
    (fused,) = (line for line in out.splitlines() if "rlx.fused_matmul_bias_act" in line)
    assert "relu" in fused
    assert fused.endswith('loc(fused["mm"(unknown), "bias"(unknown), "act"(unknown)])')
    assert "error" not in err


def test_inline(model: Path, capsys: pytest.CaptureFixture[str]):
    assert rlx_import.main([str(model), "--inline-params", "--name", "net"]) == 0
    out = capsys.readouterr().out
    assert "func.func @net(%x: tensor<?x8xf32>" in out
    assert "rlx.param" not in out
    assert out.count("arith.constant dense<") == 2
    assert sorted(path.name for path in model.parent.iterdir()) == ["m.onnx"]


@pytest.mark.parametrize("constants", [False, True], ids=["initializers", "constants"])
def test_memory_for_weights_in_the_program(constants: bool, tmp_path: Path):
    """Twice the file, and the constants of the program; its text, which holds them in hexadecimal, comes in parts."""
    weights = [numpy_helper.from_array(RNG.standard_normal((256, 256)).astype(np.float32), f"w{i}") for i in range(16)]
    nodes = [helper.make_node("Constant", [], [each.name], value=each) for each in weights if constants]
    values = ["x", *(f"t{i}" for i in range(15)), "y"]
    nodes += [helper.make_node("MatMul", [values[i], f"w{i}"], [values[i + 1]]) for i in range(16)]
    sides = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 256]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", sides[:1], sides[1:], initializer=[] if constants else weights)
    path, out = tmp_path / "m.onnx", tmp_path / "m.mlir"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    del weights, nodes, graph
    tracemalloc.start()
    try:
        assert rlx_import.main([str(path), "-o", str(out), "--inline-params"]) == 0
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    size = path.stat().st_size
    assert out.read_text().count("arith.constant dense<") == 16
    assert out.stat().st_size > 2 * size
    assert peak < 2 * size + (1 << 20)  # protobuf's own copy is not traced


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the model is missing: an .onnx file"),
        (["m.mlir"], "m.mlir: models are read from .onnx files; rlx-opt reads programs"),
        (["none.onnx"], "none.onnx: no such file"),
        (["m.onnx", "--dim", "rows"], "--dim rows: expected NAME=SIZE, as in --dim batch=1"),
        (["m.onnx", "--dim", "rows=-1"], "--dim rows=-1: expected NAME=SIZE"),
        (["m.onnx", "--dim", "rows=1", "--dim", "rows=2"], "--dim rows=2: 'rows' is given already"),
        (["m.onnx", "--dim", "row=1"], "m.onnx: no dim 'row'; did you mean 'rows'? (there are rows)"),
        (
            ["m.onnx", "--inline-params", "--weights", "w.safetensors"],
            "--inline-params leaves no weights for --weights",
        ),
        (["m.onnx", "-o", "no/m.mlir"], "no/m.mlir: no such folder: no"),
        (["m.onnx", "-o", "m.mlir", "--weights", "no/w"], "no/w: no such folder: no"),
        (["m.onnx", "--frob"], "unknown flag or pass '--frob'"),
        (["m.onnx", "n.onnx"], "more than one input: 'n.onnx'"),
    ],
)
def test_usage(
    arguments: list[str], message: str, model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(model.parent)
    assert rlx_import.main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"rlx-import: error: {message}")
    assert err.count("\n") == 1
    assert sorted(path.name for path in model.parent.iterdir()) == ["m.onnx"]


def test_dims_are_for_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "p.mlir"
    path.write_text("builtin.module {}\n")
    assert rlx_opt.main([str(path), "--dim", "rows=4"]) == 1
    assert "--dim and --set are for models in .onnx files" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "lost"),
    [
        (["-o", "m.onnx"], "m.onnx: is the model as well"),
        (["-o", "m.safetensors"], "m.safetensors: is the program as well"),
        (["-o", "p.mlir", "--weights", "p.mlir"], "p.mlir: is the program as well"),
        (["-o", "p.mlir", "--weights", "m.onnx"], "m.onnx: is the model as well"),
    ],
)
def test_one_file_for_two_things(
    flags: list[str], lost: str, model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(model.parent)
    before = model.read_bytes()
    assert rlx_import.main([str(model), *flags]) == 1
    message = f"rlx-import: error: {lost}, which would be lost; -o and --weights say what goes where\n"
    assert capsys.readouterr() == ("", message)
    assert [path.name for path in model.parent.iterdir()] == ["m.onnx"]
    assert model.read_bytes() == before
