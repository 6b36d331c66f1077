"""StableHLO slices and pads whose bounds a program works out, compiled once and run at several sizes."""

import numpy as np
import pytest
from tools import need_module

import rlx_passes

TEXT = """
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<f32>)
    -> (tensor<?x2xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %steps = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %n0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %m0 = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %n = stablehlo.reshape %n0 : (tensor<i32>) -> tensor<1xi32>
  %m = stablehlo.reshape %m0 : (tensor<i32>) -> tensor<1xi32>
  %limits = stablehlo.concatenate %n, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.real_dynamic_slice %x, %ones, %limits, %steps
      : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  %both0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %sum = stablehlo.add %n, %m : tensor<1xi32>
  %from = stablehlo.concatenate %n, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %to = stablehlo.concatenate %sum, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1 = stablehlo.real_dynamic_slice %both0, %from, %to, %steps
      : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x4xf32>
  %low = stablehlo.concatenate %m, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %high = stablehlo.concatenate %one, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_pad %x, %v, %low, %high, %none
      : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %0, %1, %2 : tensor<?x2xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
"""


@pytest.mark.parametrize(("target", "module"), [("cpu", "llvmlite"), ("tpu", "jax")])
def test_bounds_of_runs(target: str, module: str):
    need_module(module)
    program = rlx_passes.compile(TEXT, target)
    random = np.random.default_rng(0)
    for n, m in ((5, 3), (2, 4), (6, 1)):
        x, y = (random.standard_normal((rows, 4)).astype(np.float32) for rows in (n, m))
        every, rest, padded = program({"arg0": x, "arg1": y, "arg2": np.array(7, np.float32)}).values()
        np.testing.assert_array_equal(every, x[1::2, 1:3])
        np.testing.assert_array_equal(rest, y[::2])
        np.testing.assert_array_equal(padded, np.pad(x, ((m, 1), (0, 0)), constant_values=7))


GAPS = """
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x1xf32>, %v: tensor<f32>)
    -> (tensor<?x5xf32>, tensor<?x3xf32>, tensor<?x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %gaps = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %less = stablehlo.constant dense<[-1, 0]> : tensor<2xi32>
  %more = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %across = stablehlo.constant dense<[0, -1]> : tensor<2xi32>
  %m0 = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x1xf32>) -> tensor<i32>
  %m = stablehlo.reshape %m0 : (tensor<i32>) -> tensor<1xi32>
  %high = stablehlo.concatenate %m, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %edge = stablehlo.concatenate %m, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %v, %less, %high, %gaps
      : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x5xf32>
  %1 = stablehlo.dynamic_pad %x, %v, %more, %less, %none
      : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>
  %2 = stablehlo.dynamic_pad %x, %v, %across, %edge, %none
      : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %0, %1, %2 : tensor<?x5xf32>, tensor<?x3xf32>, tensor<?x4xf32>
}
"""


@pytest.mark.parametrize(("target", "module"), [("cpu", "llvmlite"), ("tpu", "jax"), ("wgpu", "wgpu")])
def test_gaps_and_edges_below_0(target: str, module: str):
    need_module(module)
    program = rlx_passes.compile(GAPS, target)
    for n, m in ((4, 1), (2, 3), (1, 2)):
        x = np.random.default_rng(n).standard_normal((n, 3)).astype(np.float32)
        inputs = {"arg0": x, "arg1": np.zeros((m, 1), np.float32), "arg2": np.array(7, np.float32)}
        wide = np.full((3 * n - 2, 5), 7, np.float32)
        wide[::3, ::2] = x
        spread, moved, both = program(inputs).values()
        np.testing.assert_array_equal(spread, np.pad(wide[1:], ((0, m), (0, 0)), constant_values=7))
        np.testing.assert_array_equal(moved, np.pad(x[:-1], ((2, 0), (0, 0)), constant_values=7))
        np.testing.assert_array_equal(both, np.pad(x[:, 1:], ((0, m), (0, 2)), constant_values=7))
