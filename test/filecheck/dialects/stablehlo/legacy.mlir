// RUN: rlx-opt %s | rlx-opt --mlir-print-op-generic | rlx-opt | filecheck %s

// Ops of earlier versions: the text that JAX prints is what is printed, also by way of the generic form.

// CHECK-LABEL: @ops(
// CHECK: stablehlo.broadcast %{{.*}}, sizes = [3] : (tensor<8xf32>) -> tensor<3x8xf32>
// CHECK: stablehlo.dot %{{.*}}, %{{.*}}, precision = [DEFAULT, HIGHEST] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
// CHECK: stablehlo.einsum %{{.*}}, %{{.*}}, config = "ab,bc->ac" : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
// CHECK: stablehlo.unary_einsum %{{.*}}, config = "ab->ba" : (tensor<4x8xf32>) -> tensor<8x4xf32>
// CHECK: "stablehlo.torch_index_select"(
func.func @ops(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4xi32>, %arg3: tensor<8x3xf32>) {
  %0 = stablehlo.broadcast %arg1, sizes = [3] : (tensor<8xf32>) -> tensor<3x8xf32>
  %1 = stablehlo.dot %arg0, %arg3, precision = [DEFAULT, HIGHEST] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.einsum %arg0, %arg3, config = "ab,bc->ac" : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.unary_einsum %arg0, config = "ab->ba" : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %4 = "stablehlo.torch_index_select"(%arg0, %arg2) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}
