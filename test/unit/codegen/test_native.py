"""Native cpu bundles: what they hold, and that a program of C runs them."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from backends import cpu_bundle
from programs import parse
from tools import need_module, need_program

from rlx_dialect.xdsl_repairs import RlxParser
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.bundle.manifest import Manifest
from rlx_passes.bundle.words import Words
from rlx_passes.codegen.emit import generator
from rlx_passes.core.errors import CodegenError, RunError
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.reading.dialects import tool_context
from rlx_passes.runtime.program import load_bundle
from rlx_passes.tools.rlx_run import main

SAMPLE = Path(__file__).parents[3] / "examples" / "run_bundle.c"

TEXT = """
func.func @main(%x: tensor<3x4xf32> {rlx.input = "x"}, %w: tensor<6x4xf32> {rlx.param = "w"},
    %b: tensor<6xf32> {rlx.param = "b\\22*/"})
    -> (tensor<3x6xf32> {rlx.output = "y"}) {
  %e = rlx.activation exp %w : tensor<6x4xf32>
  %t = rlx.transpose %e [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %y = rlx.fused_matmul_bias_act %x, %t, %b activation(relu)
      : (tensor<3x4xf32>, tensor<4x6xf32>, tensor<6xf32>) -> tensor<3x6xf32>
  func.return %y : tensor<3x6xf32>
}
func.func @"any.name"(%x: tensor<?x2xf32> {rlx.input = "x"}, %s: tensor<f32> {rlx.input = "s"})
    -> (tensor<?x2xf32> {rlx.output = "y"}, tensor<f32> {rlx.output = "t"}) {
  %0 = rlx.binary mul %x, %s : (tensor<?x2xf32>, tensor<f32>) -> tensor<?x2xf32>
  func.return %0, %s : tensor<?x2xf32>, tensor<f32>
}
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("llvmlite")
    return cpu_bundle(TEXT, tmp_path_factory.mktemp("native") / "bundle", "native", "generic")


def test_what_a_bundle_holds(bundle: Path):
    data = json.loads((bundle / "manifest.json").read_text())
    assert (data["target"], data["via"], data["chip"]) == ("cpu", "native", "generic")
    assert data["files"] == ["manifest.json", "program.h", "program.o", "runtime.o"]
    symbols = [
        [part and part["symbol"] for part in (entry["code"]["main"], entry["code"]["prepare"])]
        for entry in data["entries"]
    ]
    assert symbols == [["rlx_run_main", "rlx_run_main_prepare"], ["rlx_run_any_name", None]]


def test_where_things_stand_among_the_words(bundle: Path):
    manifest = Manifest.from_json((bundle / "manifest.json").read_text())
    words = Words.of_main(manifest.entry("any.name"), 64)
    assert [(at, spec.name) for at, _, spec in words.arguments] == [(0, "x"), (2, "s")]
    assert [(at, spec.name) for at, spec in words.results] == [(5, "y"), (3, "t")]
    assert (words.arena, words.count) == (4, 7)
    assert Words.of_main(manifest.entry("any.name"), 0).count == 6


def test_the_header(bundle: Path):
    lines = (bundle / "program.h").read_text().splitlines()
    assert "int32_t rlx_run_main(int64_t *words);" in lines
    assert "int32_t rlx_run_main_prepare(int64_t *words);" in lines
    assert "/* Entry 'any.name'. An arena is that many bytes, aligned to 64, for one call at a time. */" in lines
    listed = [line for line in lines if line.startswith("  {")]
    assert listed[0] == """  {"x", 'i', 48, 0, -1}, /* f32 [3, 4] */ \\"""
    assert """  {"w", 'p', 96, -1, 0}, /* f32 [6, 4] */ \\""" in listed
    assert """  {"b\\042\\052/", 'p', 24, 1, -1}, /* f32 [6] */ \\""" in listed
    assert listed[-2:] == [
        """  {"y", 'o', -1, 4, -1}, /* f32 [?, 2] */ \\""",
        """  {"t", 'o', 4, 3, -1}, /* f32 [] */ \\""",
    ]


def test_a_program_of_c_runs_it(bundle: Path, tmp_path: Path):
    compiler = need_program("cc", "gcc")
    rng = np.random.default_rng(0)
    x, w, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((3, 4), (6, 4), (6,)))
    run = tmp_path / "run"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-DENTRY=main", "-DPREPARE", f"-I{bundle}"]
    objects = [bundle / "program.o", bundle / "runtime.o"]
    subprocess.run([compiler, *flags, SAMPLE, *objects, "-lpthread", "-lm", "-o", run], check=True)
    header = (bundle / "program.h").read_text()
    first = header.index('{"w"') < header.index('{"b')
    (tmp_path / "weights.bin").write_bytes(b"".join(each.tobytes() for each in ((w, b) if first else (b, w))))
    (tmp_path / "inputs.bin").write_bytes(x.tobytes())
    command = [run, tmp_path / "weights.bin", tmp_path / "inputs.bin"]
    made = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, np.float32).reshape(3, 6)
    y = load_bundle(bundle, "main").load({"w": w, 'b"*/': b})({"x": x})["y"]
    assert np.array_equal(made, y)
    assert np.allclose(y, np.maximum(x @ np.exp(w.T) + b, 0), rtol=1e-5)
    (tmp_path / "weights.bin").write_bytes(b"")
    failed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (failed.returncode, failed.stderr.startswith("the file is too short for ")) == (1, True)


def test_sizes_of_calls(bundle: Path):
    program = load_bundle(bundle, "any.name")
    for rows in (0, 1, 5, 300):
        x = np.arange(rows * 2, dtype=np.float32).reshape(rows, 2)
        outputs = program({"x": x, "s": np.array(3, np.float32)})
        assert np.array_equal(outputs["y"], x * 3)
        assert outputs["t"] == 3


CHECKED = """
func.func @main(%x: tensor<4xf32> {rlx.input = "x"}) -> (tensor<4xf32> {rlx.output = "y"}) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %first = tensor.extract %x[%0] : tensor<4xf32>
  %fine = arith.cmpf oge, %first, %zero : f32
  cf.assert %fine, "the first number is negative"
  func.return %x : tensor<4xf32>
}
"""


def test_an_assertion_of_code_is_told_in_its_words(tmp_path: Path):
    need_module("llvmlite")
    write_bundle(tmp_path / "bundle", generator("cpu", "native")(RlxParser(tool_context(), CHECKED).parse_module()))
    program = load_bundle(tmp_path / "bundle")
    x = np.arange(4, dtype=np.float32)
    assert np.array_equal(program({"x": x})["y"], x)
    with pytest.raises(RunError, match=r"^entry 'main' failed: the first number is negative$"):
        program({"x": x - 1})
    assert "/* 1: 'the first number is negative' */" in (tmp_path / "bundle" / "program.h").read_text()


def test_rlx_run(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    np.savez(tmp_path / "in.npz", x=np.ones((2, 2), np.float32), s=np.array(3, np.float32))
    command = [str(bundle), "--entry=any.name", f"--input={tmp_path / 'in.npz'}"]
    assert main([*command, "--threads=1"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "y: [2, 2] float32: 3.0, 3.0, 3.0, 3.0"
    assert main([*command, "--threads=5000"]) == 1
    assert (
        capsys.readouterr().err
        == "rlx-run: error: entry 'any.name' cannot run on 5000 threads: 1 to 1024 were expected\n"
    )


def test_an_unknown_chip(bundle: Path):
    module = parse(TEXT)
    lower_to_linalg(module)
    with pytest.raises(CodegenError, match="'no-such-cpu' is no name of a CPU"):
        generator("cpu", "native")(module, "no-such-cpu")
