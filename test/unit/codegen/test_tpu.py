"""Bundles for TPUs: compiled by libtpu where it is installed, run on XLA's CPU compiler."""

import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools import need_module
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.bundle.manifest import Manifest
from rlx_passes.codegen.emit import generator
from rlx_passes.codegen.tpu import OPEN_SIZES, TOPOLOGIES, compile_functions
from rlx_passes.core.errors import CodegenError, RunError, ToolMissing
from rlx_passes.core.printing import generic_text
from rlx_passes.dialects.stablehlo.control_flow import CompositeOp
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.pipeline.stages import build_pipeline
from rlx_passes.reading.dialects import tool_context
from rlx_passes.runtime.program import load_bundle
from rlx_passes.runtime.xla import BRANCHES, BY_ELEMENTS, XlaFunction

MLP = """
func.func @mlp(%x: tensor<4x8xf32> {rlx.input = "x"}, %w: tensor<8x16xf32> {rlx.prepared = "w_t"},
    %b: tensor<16xf32> {rlx.param = "b"})
    -> (tensor<4x16xf32> {rlx.output = "y"}) attributes {rlx.prepare = @mlp_prepare} {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu)
      : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}
func.func @mlp_prepare(%w: tensor<16x8xf32> {rlx.param = "w"}) -> (tensor<8x16xf32> {rlx.prepared = "w_t"}) {
  %0 = rlx.transpose %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  func.return %0 : tensor<8x16xf32>
}
"""


def lowered(text: str = MLP) -> ModuleOp:
    module = parse_module(tool_context(), text)
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    return module


def hide(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Make a Python package look absent."""
    found = importlib.util.find_spec

    def find(name: str, within: str | None = None) -> Any:
        return None if name == package else found(name, within)

    monkeypatch.setattr("importlib.util.find_spec", find)


def code_of(files: Any) -> dict[str, Any]:
    manifest = Manifest.from_json(files["manifest.json"])
    return dict(manifest.entries[0].code)


@pytest.mark.parametrize("name", ["../x", "a b", "x" * 151, "", "ä"])
def test_functions_name_files(name: str):
    need_module("jax")
    with pytest.raises(CodegenError, match="cannot name a file"):
        compile_functions({name: ""}, "v5e")


@pytest.mark.parametrize("chip", ["v5e", "tpu7x"])
def test_ahead_of_time_executable(chip: str):
    need_module("jax")
    need_module("libtpu")
    files = generator("tpu")(lowered(), chip)
    assert set(files) == {
        "manifest.json",
        "mlp.stablehlo.mlir",
        "mlp.tpu",
        "mlp_prepare.stablehlo.mlir",
        "mlp_prepare.tpu",
    }
    assert len(files["mlp.tpu"]) > 1000
    code = code_of(files)
    assert code["executable"] == "mlp.tpu"
    assert code["prepare_executable"] == "mlp_prepare.tpu"
    assert code["cost"]["flops"] >= 2 * 4 * 8 * 16
    assert "TPU" in code["cost"]["device"]
    text = files["mlp.stablehlo.mlir"].decode()
    assert 'stablehlo.composite "rlx.fused_matmul_bias_act"' in text
    assert "rlx.input" not in text


def test_the_environment_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    need_module("jax")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = dict(os.environ)
    generator("tpu")(lowered(), "v5e")
    assert dict(os.environ) == before
    assert list(tmp_path.iterdir()) == []


def test_bundle_runs(tmp_path: Path):
    need_module("jax")
    write_bundle(tmp_path / "mlp", generator("tpu")(lowered(), "v5e"))
    random = np.random.default_rng(0)
    x, w, b = (random.standard_normal(shape).astype(np.float32) for shape in ((4, 8), (16, 8), (16,)))
    y = load_bundle(tmp_path / "mlp").load({"w": w, "b": b})({"x": x})["y"]
    z = x @ w.T + b
    erf = np.vectorize(__import__("math").erf)
    np.testing.assert_allclose(y, 0.5 * z * (1 + erf(z / np.sqrt(2))), rtol=1e-5, atol=1e-5)


def test_without_libtpu(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    need_module("jax")
    hide(monkeypatch, "libtpu")
    files = generator("tpu")(lowered(), "v5e")
    assert set(files) == {"manifest.json", "mlp.stablehlo.mlir", "mlp_prepare.stablehlo.mlir"}
    assert "libtpu is not installed" in code_of(files)["note"]
    assert capsys.readouterr().err.startswith("warning: libtpu is not installed")


def test_without_jax(monkeypatch: pytest.MonkeyPatch):
    hide(monkeypatch, "jax")
    with pytest.raises(ToolMissing, match=r"'jax' is needed for target tpu: pip install 'rlx-dialect\[tpu\]'"):
        generator("tpu")(lowered(), "v5e")


def test_unknown_chip():
    with pytest.raises(CodegenError, match="'v5' is no chip known for tpu; did you mean"):
        generator("tpu")(lowered(), "v5")
    assert set(TOPOLOGIES) == {"v4", "v5e", "v5p", "v6e", "tpu7x"}


def test_a_module_that_the_compiler_refuses():
    need_module("jax")
    module = parse_module(
        tool_context(),
        """func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
             %0 = "stablehlo.reshape"(%x) : (tensor<4xf32>) -> tensor<2xf32>
             func.return %0 : tensor<2xf32>
           }""",
    )
    with pytest.raises(CodegenError, match=r"cannot compile this module for v5e: .*number of output elements"):
        generator("tpu")(module, "v5e")


def test_text_that_xla_refuses():
    need_module("jax")
    with pytest.raises(RunError, match=r"^it: XLA cannot compile it: .*"):
        XlaFunction("func.func @main() { nonsense }", "it")


def test_a_bundle_without_code(tmp_path: Path):
    need_module("jax")
    files = dict(generator("tpu")(lowered(), "v5e"))
    files["manifest.json"] = files["manifest.json"].replace(b'"stablehlo"', b'"elsewhere"')
    write_bundle(tmp_path / "mlp", files)
    with pytest.raises(RunError, match=r"names no file under 'code.stablehlo'"):
        load_bundle(tmp_path / "mlp")


MODELS = Path(__file__).parents[2] / "models"


@pytest.mark.parametrize(
    ("name", "composites"), [("bert", {"rlx.fused_matmul_bias_act": 12, "rlx.fused_residual_ln": 4}), ("llama", {})]
)
def test_a_model_from_text_to_bundle(name: str, composites: dict[str, int], tmp_path: Path):
    """Imported, raised, fused, lowered and compiled; the answers are those recorded with the model."""
    need_module("jax")
    module = parse_module(tool_context(), (MODELS / f"{name}.generic.mlir").read_text())
    for each in build_pipeline("tpu", stage="fuse"):
        each.apply(tool_context(), module)
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    names = [op.op_name.data for op in module.walk() if isinstance(op, CompositeOp)]
    assert {each: names.count(each) for each in composites} == composites
    write_bundle(tmp_path / name, generator("tpu")(module, "v6e"))
    with np.load(MODELS / f"{name}.npz") as stored:
        program = load_bundle(tmp_path / name)
        outputs = program({spec.name: stored[spec.name.replace("arg", "arg_")] for spec in program.entry.inputs})
        for i, got in enumerate(outputs.values()):
            np.testing.assert_allclose(got, stored[f"out_{i}"], rtol=1e-5, atol=1e-5)


def test_no_executable_of_open_sizes():
    need_module("jax")
    need_module("libtpu")
    text = MLP.replace("4x8xf32", "?x8xf32").replace("4x16xf32", "?x16xf32")
    files = generator("tpu")(lowered(text), "v5e")
    code = code_of(files)
    assert set(files) == {"manifest.json", "mlp.stablehlo.mlir", "mlp_prepare.stablehlo.mlir", "mlp_prepare.tpu"}
    assert code["note"] == OPEN_SIZES
    assert "executable" not in code
    assert code["prepare_executable"] == "mlp_prepare.tpu"


def test_a_size_that_elements_decide_is_refused_at_the_call():
    need_module("jax")
    module = lowered(
        "func.func @main(%x: tensor<1xf32>, %n: tensor<i64>) -> tensor<?xf32> {\n"
        "  %0 = tensor.extract %n[] : tensor<i64>\n"
        "  %1 = arith.index_cast %0 : i64 to index\n"
        "  %2 = rlx.expand %x sizes(%1) : tensor<1xf32> -> tensor<?xf32>\n"
        "  func.return %2 : tensor<?xf32>\n}"
    )
    function = XlaFunction(generic_text(module), "main")
    with pytest.raises(RunError, match=f"main: {BY_ELEMENTS}; make it static, or the size of an input"):
        function([np.ones(1, np.float32), np.array(3)])


def test_a_size_that_a_branch_decides_is_refused_at_the_call():
    need_module("jax")
    module = lowered("""func.func @main(%p: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = rlx.if %p() : (tensor<i1>) -> tensor<?xf32> {
    rlx.yield %x : tensor<?xf32>
  } else() {
    rlx.yield %y : tensor<?xf32>
  }
  func.return %0 : tensor<?xf32>
}""")
    function = XlaFunction(generic_text(module), "main")
    given = [np.array(True), np.ones(2, np.float32)]
    np.testing.assert_array_equal(function([*given, np.zeros(2, np.float32)])[0], np.ones(2, np.float32))
    with pytest.raises(RunError, match=f"main: {BY_ELEMENTS}, as the branch of an if that is taken here"):
        function([*given, np.zeros(3, np.float32)])


def test_a_branch_that_does_not_fit_is_refused_in_one_line():
    need_module("jax")
    module = lowered("""func.func @main(%p: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = rlx.if %p(%a = %x, %b = %y) : (tensor<i1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
    %1 = rlx.binary add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    rlx.yield %1 : tensor<?xf32>
  } else(%c, %d) {
    rlx.yield %c : tensor<?xf32>
  }
  func.return %0 : tensor<?xf32>
}""")
    function = XlaFunction(generic_text(module), "main")
    with pytest.raises(RunError, match="main: XLA cannot compile it: ") as refused:
        function([np.array(False), np.ones(2, np.float32), np.ones(3, np.float32)])
    assert str(refused.value).endswith(f"({BRANCHES})")
    assert "\n" not in str(refused.value)


def test_a_tensor_that_no_memory_holds_is_refused():
    need_module("jax")
    text = f"func.func @main() -> tensor<{2**50}x0xf32> {{ %0 = stablehlo.iota dim = 1 : tensor<{2**50}x0xf32>\n"
    with pytest.raises(RunError, match=f"main: no memory holds a tensor of {2**50} elements"):
        XlaFunction(text + f"func.return %0 : tensor<{2**50}x0xf32> }}", "main")
