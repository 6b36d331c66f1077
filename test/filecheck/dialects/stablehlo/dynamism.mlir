// RUN: rlx-opt %s | rlx-opt --mlir-print-op-generic | rlx-opt | filecheck %s

// Sizes of run time: the text that JAX prints is what is printed, also by way of the generic form.

// CHECK-LABEL: @ops(
// CHECK: stablehlo.get_dimension_size %{{.*}}, dim = 0 : (tensor<4x8xf32>) -> tensor<i32>
// CHECK: stablehlo.dynamic_reshape %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<8x4xf32>
// CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [1] : (tensor<8xf32>, tensor<2xi64>) -> tensor<4x8xf32>
// CHECK: stablehlo.dynamic_iota %{{.*}}, dim = 0 : (tensor<2xi64>) -> tensor<4x8xi32>
// CHECK: stablehlo.dynamic_pad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
// CHECK: stablehlo.real_dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
// CHECK: stablehlo.set_dimension_size %{{.*}}, %{{.*}}, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
// CHECK: "stablehlo.dynamic_gather"(
func.func @ops(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4xi32>, %arg3: tensor<f32>, %arg4: tensor<2xi64>, %arg5: tensor<i32>) {
  %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<4x8xf32>) -> tensor<i32>
  %1 = stablehlo.dynamic_reshape %arg0, %arg4 : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<8x4xf32>
  %2 = stablehlo.dynamic_broadcast_in_dim %arg1, %arg4, dims = [1] : (tensor<8xf32>, tensor<2xi64>) -> tensor<4x8xf32>
  %3 = stablehlo.dynamic_iota %arg4, dim = 0 : (tensor<2xi64>) -> tensor<4x8xi32>
  %4 = stablehlo.dynamic_pad %arg0, %arg3, %arg4, %arg4, %arg4 : (tensor<4x8xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %5 = stablehlo.real_dynamic_slice %arg0, %arg4, %arg4, %arg4 : (tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %6 = stablehlo.set_dimension_size %arg0, %arg5, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
  %7 = "stablehlo.dynamic_gather"(%arg0, %arg2, %arg4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<4x8xf32>, tensor<4xi32>, tensor<2xi64>) -> tensor<4x8xf32>
  return
}
