"""Programs that JAX exports with symbolic sizes: one bundle for all of them."""

import numpy as np
import pytest
from tolerances import agree
from tools import need_module

import rlx_passes

TEXT = """
module @jit_f {
  func.func public @main(%arg0: tensor<?x?x8xf32>, %arg1: tensor<8x4xf32>) -> (tensor<2x?x4xf32>, tensor<?xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x?x8xf32>) -> tensor<i32>
    %1 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<?x?x8xf32>) -> tensor<i32>
    %2 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%2, %0) {error_message = "b >= 1", has_side_effect = true}
        : (tensor<i1>, tensor<i32>) -> ()
    %3:2 = call @inner(%0, %1, %arg0, %arg1)
        : (tensor<i32>, tensor<i32>, tensor<?x?x8xf32>, tensor<8x4xf32>) -> (tensor<2x?x4xf32>, tensor<?xi32>)
    return %3#0, %3#1 : tensor<2x?x4xf32>, tensor<?xi32>
  }
  func.func private @inner(%b: tensor<i32>, %s: tensor<i32>, %x: tensor<?x?x8xf32>, %w: tensor<8x4xf32>)
      -> (tensor<2x?x4xf32>, tensor<?xi32>) {
    %two = stablehlo.constant dense<2> : tensor<1xi32>
    %four = stablehlo.constant dense<4> : tensor<1xi32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0]
        : (tensor<?x?x8xf32>, tensor<8x4xf32>) -> tensor<?x?x4xf32>
    %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [2]
        : (tensor<?x?x4xf32>, tensor<f32>) -> tensor<?x?xf32>
    %2 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
    %4 = stablehlo.concatenate %2, %3, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %5 = stablehlo.dynamic_broadcast_in_dim %1, %4, dims = [0, 1]
        : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x1xf32>
    %6 = stablehlo.concatenate %2, %3, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %7 = stablehlo.dynamic_broadcast_in_dim %5, %6, dims = [0, 1, 2]
        : (tensor<?x?x1xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
    %8 = stablehlo.subtract %0, %7 : tensor<?x?x4xf32>
    %9 = stablehlo.concatenate %8, %0, dim = 0 : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
    %10 = stablehlo.multiply %s, %b : tensor<i32>
    %11 = stablehlo.reshape %10 : (tensor<i32>) -> tensor<1xi32>
    %12 = stablehlo.concatenate %two, %11, %four, dim = 0
        : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %13 = stablehlo.dynamic_reshape %9, %12 : (tensor<?x?x4xf32>, tensor<3xi32>) -> tensor<2x?x4xf32>
    %14 = stablehlo.dynamic_iota %3, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
    return %13, %14 : tensor<2x?x4xf32>, tensor<?xi32>
  }
}
"""


@pytest.mark.parametrize(("target", "module"), [("cpu", "llvmlite"), ("mlx", "mlx"), ("wgpu", "wgpu")])
def test_f25_jax_export_with_symbolic_sizes(target: str, module: str):
    need_module(module)
    program = rlx_passes.compile(TEXT, target)
    rng = np.random.default_rng(1)
    w = rng.standard_normal((8, 4)).astype(np.float32)
    for batch, length in ((3, 5), (1, 1), (2, 7)):
        x = rng.standard_normal((batch, length, 8)).astype(np.float32)
        product = x @ w
        centred = product - product.max(-1, keepdims=True)
        got = program({"arg0": x, "arg1": w})
        agree(got["out0"], np.concatenate([centred, product]).reshape(2, batch * length, 4))
        assert got["out1"].tolist() == list(range(length))
