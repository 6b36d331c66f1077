// RUN: rlx-opt %s | rlx-opt --mlir-print-op-generic | rlx-opt | filecheck %s

// Ops with bodies: the text that JAX prints is what is printed, also by way of the generic form.

// CHECK-LABEL: @ops(
// CHECK: "stablehlo.map"(
// CHECK: "stablehlo.select_and_scatter"(
func.func @ops(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>, %arg2: tensor<1x4x4x1xf32>, %arg3: tensor<1x2x2x1xf32>) {
  %0 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    %2 = stablehlo.add %arg4, %arg5 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.select_and_scatter"(%arg2, %arg3, %arg1) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    %2 = stablehlo.compare GE, %arg4, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    %2 = stablehlo.add %arg4, %arg5 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<1x4x4x1xf32>, tensor<1x2x2x1xf32>, tensor<f32>) -> tensor<1x4x4x1xf32>
  return
}
