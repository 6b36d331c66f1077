"""Products, convolutions and transposes of complex numbers, and constants of them, on cpu and GPUs."""

import numpy as np
import pytest
from programs import parse
from test_fault_rows_of_code import PACKAGES
from tools import need_module

import rlx_passes
from rlx_dialect.reference import run

TEXT = """
func.func @main(%x: tensor<3x4xcomplex<f32>> {rlx.input = "x"}, %i: tensor<1x2x3x3xcomplex<f32>> {rlx.input = "i"},
    %w: tensor<2x2x2x2xcomplex<f32>> {rlx.input = "w"}) -> (tensor<4x4xcomplex<f32>> {rlx.output = "product"},
    tensor<1x2x2x2xcomplex<f32>> {rlx.output = "conv"}, tensor<3x4xcomplex<f32>> {rlx.output = "sum"}) {
  %0 = rlx.transpose %x [1, 0] : tensor<3x4xcomplex<f32>> -> tensor<4x3xcomplex<f32>>
  %1 = rlx.matmul %0, %x : (tensor<4x3xcomplex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  %2 = rlx.conv %i, %w
      : (tensor<1x2x3x3xcomplex<f32>>, tensor<2x2x2x2xcomplex<f32>>) -> tensor<1x2x2x2xcomplex<f32>>
  %3 = rlx.full 0.25 : tensor<3x4xcomplex<f32>>
  %4 = rlx.binary add %x, %3
      : (tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  func.return %1, %2, %4 : tensor<4x4xcomplex<f32>>, tensor<1x2x2x2xcomplex<f32>>, tensor<3x4xcomplex<f32>>
}"""


@pytest.mark.parametrize("target", ["cpu", "wgpu"])
def test_complex_numbers(target: str):
    for package in PACKAGES[target]:
        need_module(package)
    rng = np.random.default_rng(0)
    shapes = {"x": (3, 4), "i": (1, 2, 3, 3), "w": (2, 2, 2, 2)}
    inputs = {
        name: (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)
        for name, shape in shapes.items()
    }
    got = rlx_passes.compile(TEXT, target, origin="rlx")(inputs)
    for name, value in run(parse(TEXT), None, inputs).items():
        np.testing.assert_allclose(got[name], value, rtol=1e-5, atol=1e-5)
