"""Weights of products, laid out by the function that prepares values: their names in the bundle, and values."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends import cpu_bundle
from numpy.typing import NDArray
from tools import need_module

from rlx_passes.runtime.program import load_bundle

TEXT = """
func.func @linear(%x: tensor<?x64xf32>, %w: tensor<64x200xf32> {rlx.param = "w"},
    %c: tensor<4xf32> {rlx.donate = 1 : i64})
    -> (tensor<?x200xf32> {rlx.output = "y"}, tensor<4xf32> {rlx.output = "d"}) {
  %0 = rlx.matmul %x, %w : (tensor<?x64xf32>, tensor<64x200xf32>) -> tensor<?x200xf32>
  %1 = rlx.binary add %c, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %0, %1 : tensor<?x200xf32>, tensor<4xf32>
}
func.func @two(%x: tensor<96x256xf32> {rlx.input = "x"}, %w: tensor<384x256xf32> {rlx.param = "w"},
    %v: tensor<256x384xf32> {rlx.param = "v"})
    -> (tensor<96x384xf32> {rlx.output = "y"}, tensor<96x384xf32> {rlx.output = "z"}, tensor<256x384xf32>) {
  %0 = rlx.transpose %w [1, 0] : tensor<384x256xf32> -> tensor<256x384xf32>
  %1 = rlx.matmul %x, %0 : (tensor<96x256xf32>, tensor<256x384xf32>) -> tensor<96x384xf32>
  %2 = rlx.matmul %x, %v : (tensor<96x256xf32>, tensor<256x384xf32>) -> tensor<96x384xf32>
  func.return %1, %2, %v : tensor<96x384xf32>, tensor<96x384xf32>, tensor<256x384xf32>
}
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("llvmlite")
    return cpu_bundle(TEXT, tmp_path_factory.mktemp("panels") / "bundle", "native")


def random(*shape: int) -> NDArray[Any]:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


def test_a_param_that_only_products_read_is_no_argument_of_calls(bundle: Path):
    entry = load_bundle(bundle, "linear").entry
    assert [(role, name) for role, name in entry.call.arguments if role != "input"] == [("prepared", "w.panels")]
    assert [spec.name for spec in entry.inputs] == ["arg0", "arg2"]
    assert [spec.name for spec in entry.params] == ["w"]
    assert entry.donated == {"arg2": "d"}


def test_values_for_any_number_of_rows(bundle: Path):
    w, c = random(64, 200), random(4)
    program = load_bundle(bundle, "linear").load({"w": w})
    for rows in (0, 1, 2, 12, 47, 48, 49, 96, 200):
        x = random(rows, 64)
        found = program({"arg0": x, "arg2": c.copy()})
        assert np.allclose(found["y"], x @ w, rtol=1e-5, atol=1e-5)
        assert np.array_equal(found["d"], c + c)


def test_a_matrix_that_others_read_is_kept_beside_its_panels(bundle: Path):
    x, w, v = random(96, 256), random(384, 256), random(256, 384)
    program = load_bundle(bundle, "two").load({"w": w, "v": v})
    roles = [role for role, _ in program.entry.call.arguments]
    assert roles.count("param") == 1
    assert roles.count("prepared") == 2
    found = list(program({"x": x}).values())
    assert np.allclose(found[0], x @ w.T, rtol=1e-5, atol=1e-4)
    assert np.allclose(found[1], x @ v, rtol=1e-5, atol=1e-4)
    assert np.array_equal(found[2], v)
