"""The runtime of cpu bundles: buffers, sizes known at run time only, dtypes, and errors."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from backends import cpu_bundle
from programs import parse
from tools import need_module

from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.errors import BundleError, RunError
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.runtime.cpu import CpuProgram
from rlx_passes.runtime.program import load_bundle

TEXT = """
func.func @scale(%x: tensor<?x4xf32> {rlx.input = "x"}, %w: tensor<4xf32> {rlx.param = "w"})
    -> (tensor<?x4xf32> {rlx.output = "y"}) {
  %e = rlx.activation exp %w : tensor<4xf32>
  %0 = rlx.binary mul %x, %e : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}
func.func @same(%x: tensor<64x32xf32> {rlx.input = "x"}) -> (tensor<64x32xf32> {rlx.output = "y"}) {
  func.return %x : tensor<64x32xf32>
}
func.func @both(%x: tensor<4xbf16> {rlx.input = "x"}, %c: tensor<4xi1> {rlx.input = "c"},
    %n: tensor<ui8> {rlx.input = "n"})
    -> (tensor<4xbf16> {rlx.output = "negative"}, tensor<4xi1> {rlx.output = "other"},
        tensor<ui8> {rlx.output = "next"}) {
  %one = arith.constant dense<1> : tensor<ui8>
  %0 = rlx.activation neg %x : tensor<4xbf16>
  %1 = rlx.logical_not %c : tensor<4xi1>
  %2 = rlx.binary add %n, %one : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  func.return %0, %1, %2 : tensor<4xbf16>, tensor<4xi1>, tensor<ui8>
}
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("iree.compiler")
    need_module("iree.runtime")
    return cpu_bundle(TEXT, tmp_path_factory.mktemp("cpu") / "bundle", "iree")


def test_params_are_prepared_once_and_kept(bundle: Path):
    w = np.arange(4, dtype=np.float32)
    program = load_bundle(bundle, "scale")
    assert isinstance(program, CpuProgram)
    program.load({"w": w})
    expected = np.exp(w)
    w[:] = 0
    for rows in (1, 3, 0):
        y = program({"x": np.ones((rows, 4), np.float32)})["y"]
        assert y.shape == (rows, 4)
        assert np.allclose(y, expected, rtol=1e-6)


def test_results_are_the_callers_own(bundle: Path):
    program = load_bundle(bundle, "same")
    x = np.ones((64, 32), np.float32)
    first = program({"x": x})["y"]
    x[:] = 2
    second = program({"x": x})["y"]
    second[:] = 3
    assert first.tolist() == np.ones((64, 32)).tolist()
    assert x.tolist() == np.full((64, 32), 2).tolist()


def test_inputs_of_any_memory_layout(bundle: Path):
    whole = np.arange(64 * 33, dtype=np.float32)
    program = load_bundle(bundle, "same")
    for start in range(5):
        x = whole[start : start + 64 * 32].reshape(64, 32)
        assert np.array_equal(program({"x": x})["y"], x)
    turned = whole[: 64 * 32].reshape(32, 64).T
    assert np.array_equal(program({"x": turned})["y"], turned)
    frozen = whole[: 64 * 32].reshape(64, 32).copy()
    frozen.flags.writeable = False
    assert np.array_equal(program({"x": frozen})["y"], frozen)


def test_dtypes_that_are_stored_otherwise(bundle: Path):
    x = np.array([1, -2, 3, -4], ml_dtypes.bfloat16)
    c = np.array([True, False, True, True])
    outputs = load_bundle(bundle, "both")({"x": x, "c": c, "n": np.array(255, np.uint8)})
    assert outputs["negative"].dtype == x.dtype
    assert outputs["negative"].astype(np.float32).tolist() == [-1, 2, -3, 4]
    assert outputs["other"].dtype == np.bool_
    assert outputs["other"].tolist() == [False, True, False, False]
    assert (outputs["next"].dtype, outputs["next"].shape, outputs["next"].item()) == (np.uint8, (), 0)


def test_code_that_is_damaged_is_an_error(bundle: Path, tmp_path: Path):
    files = {file.name: file.read_bytes() for file in bundle.iterdir()}
    write_bundle(tmp_path / "cut", files | {"main.vmfb": files["main.vmfb"][:1000]})
    with pytest.raises(RunError, match=r"IREE cannot load 'main.vmfb'"):
        load_bundle(tmp_path / "cut", "same")
    del files["main.vmfb"]
    write_bundle(tmp_path / "none", files)
    with pytest.raises(BundleError, match=r"has no file 'main.vmfb'"):
        load_bundle(tmp_path / "none", "same")


def test_a_function_that_is_not_there_is_named(bundle: Path, tmp_path: Path):
    files = {file.name: file.read_bytes() for file in bundle.iterdir()}
    manifest = files["manifest.json"].replace(b'"main": "same"', b'"main": "other"')
    write_bundle(tmp_path / "bundle", files | {"manifest.json": manifest})
    with pytest.raises(RunError, match=r"has no function 'other'"):
        load_bundle(tmp_path / "bundle", "same")


def test_loops_that_carry_unknown_sizes_run_in_order(tmp_path: Path):
    """With threads a third of these calls gave the three smallest."""
    need_module("iree.compiler")
    need_module("iree.runtime")
    module = parse("""
func.func @main(%x: tensor<?xf32> {rlx.input = "x"})
    -> (tensor<1xf32> {rlx.output = "one"}, tensor<3xf32> {rlx.output = "three"}) {
  %0 = rlx.activation abs %x : tensor<?xf32>
  %one, %at = rlx.top_k %0 k(1) axis(0) : (tensor<?xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  %three, %where = rlx.top_k %0 k(3) axis(0) : (tensor<?xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  func.return %one, %three : tensor<1xf32>, tensor<3xf32>
}
""")
    lower_to_linalg(module)
    write_bundle(tmp_path / "bundle", generator("cpu", "iree")(module))
    program = load_bundle(tmp_path / "bundle")
    assert program.entry.code["in_order"] is True
    for size in range(3, 103):
        got = program({"x": np.arange(size, dtype=np.float32)})
        assert [*got["one"], *got["three"]] == [size - 1, size - 1, size - 2, size - 3]
