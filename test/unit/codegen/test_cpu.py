"""Code for cpu: what a bundle holds, which chips there are, and what a user reads when something is wrong."""

from __future__ import annotations

import builtins
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import context, parse, random_inputs
from tools import need_module
from xdsl.dialects.builtin import BytesAttr, ModuleOp

from rlx_dialect.ops import ArtifactOp
from rlx_dialect.reference import run
from rlx_dialect.signature import find_function
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen import cpu
from rlx_passes.codegen.emit import EmitPass, generator
from rlx_passes.core.errors import CodegenError, ToolMissing
from rlx_passes.core.numerics import difference
from rlx_passes.lowerings.hoist_prepare import HoistPreparePass
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.pipeline.target import builtin_targets
from rlx_passes.runtime.program import load_bundle

PROGRAM = """
func.func @main(%x: tensor<?x4xf32> {rlx.input = "x"}, %w: tensor<6x4xf32> {rlx.param = "w"},
    %b: tensor<6xf32> {rlx.param = "b"})
    -> (tensor<?x6xf32> {rlx.output = "y"}) {
  %t = rlx.transpose %w [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %y = rlx.fused_matmul_bias_act %x, %t, %b activation(gelu)
      : (tensor<?x4xf32>, tensor<4x6xf32>, tensor<6xf32>) -> tensor<?x6xf32>
  func.return %y : tensor<?x6xf32>
}
"""


def lowered(text: str = PROGRAM) -> ModuleOp:
    module = parse(text)
    HoistPreparePass().apply(context(), module)
    lower_to_linalg(module)
    return module


@pytest.fixture(autouse=True)
def iree():
    need_module("iree.compiler")
    need_module("iree.runtime")


@pytest.mark.parametrize("chip", ["", "generic"])
def test_a_bundle_from_text_to_numbers(chip: str, tmp_path: Path):
    files = generator("cpu", "iree")(lowered(), chip)
    manifest = json.loads(files["manifest.json"])
    assert (manifest["target"], manifest["chip"]) == ("cpu", chip or "host")
    assert manifest["entries"][0]["code"] == {"file": "main.vmfb", "main": "main", "prepare": "main_prepare"}
    write_bundle(tmp_path / "bundle", files)

    inputs = random_inputs(find_function(parse(PROGRAM), "main"))
    program = load_bundle(tmp_path / "bundle").load({"w": inputs["w"], "b": inputs["b"]})
    expected = run(parse(PROGRAM), "main", inputs)["y"]
    assert difference(program({"x": inputs["x"]})["y"], expected) is None


def test_no_weights_in_the_code():
    wide = (
        PROGRAM.replace("6x4x", "512x512x")
        .replace("4x6x", "512x512x")
        .replace("x4x", "x512x")
        .replace("<6x", "<512x")
        .replace("x6x", "x512x")
    )
    assert len(generator("cpu", "iree")(lowered(wide))["main.vmfb"]) < 512 * 512


@pytest.mark.parametrize("chip", ["no-such-cpu", "host --help", "x;y"])
def test_a_wrong_chip_is_named(chip: str):
    with pytest.raises(CodegenError, match=chip.replace("-", "."), check=_is_short):
        generator("cpu", "iree")(lowered(), chip)


def test_what_iree_says_is_one_short_message():
    with pytest.raises(
        CodegenError, match=r"IREE cannot compile this module for cpu \(host\): .*error", check=_is_short
    ):
        cpu.compile_linalg("func.func @f() -> i32 { return }", "host")


def _is_short(error: Exception) -> bool:
    return len(str(error)) < 1000 and "\n" not in str(error)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch):
    given = builtins.__import__

    def without(name: str, *rest: Any, **options: Any) -> Any:
        if name.startswith("iree"):
            raise ImportError(name)
        return given(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ToolMissing, match=r"'iree.compiler' is needed for target cpu.*pip install rlx-dialect\[cpu\]"):
        cpu.compile_linalg("", "host")


def test_the_emit_pass_leaves_artifacts():
    module = lowered()
    EmitPass("cpu", via="iree").apply(context(), module)
    module.verify()
    files = {op.file.data: op for op in module.ops if isinstance(op, ArtifactOp)}
    assert len(files) == len(list(module.ops)) == 2
    assert isinstance(files["main.vmfb"].contents, BytesAttr)
    assert len(files["main.vmfb"].data) > 1000
    assert json.loads(files["manifest.json"].data)["target"] == "cpu"


def test_the_emit_pass_names_an_unknown_target():
    with pytest.raises(CodegenError, match="nothing makes code for target 'cuad'; did you mean 'cuda'"):
        EmitPass("cuad").apply(context(), lowered())


@pytest.mark.parametrize("target", builtin_targets())
def test_every_generator_is_there(target: str):
    assert callable(generator(target))


def test_entries_of_one_module_share_the_code(tmp_path: Path):
    text = "".join(
        f'func.func @{name}(%x: tensor<3xf32> {{rlx.input = "x"}}) -> (tensor<3xf32> {{rlx.output = "y"}}) {{\n'
        f"  %0 = rlx.activation {name} %x : tensor<3xf32>\n  func.return %0 : tensor<3xf32>\n}}\n"
        for name in ("neg", "relu")
    )
    files: Mapping[str, bytes] = generator("cpu", "iree")(lowered(text))
    assert sorted(files) == ["main.vmfb", "manifest.json"]
    write_bundle(tmp_path / "bundle", files)
    x = np.array([-1, 0, 2], np.float32)
    assert load_bundle(tmp_path / "bundle", "neg")({"x": x})["y"].tolist() == [1, 0, -2]
    assert load_bundle(tmp_path / "bundle", "relu")({"x": x})["y"].tolist() == [0, 0, 2]
