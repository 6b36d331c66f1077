// RUN: rlx-opt %s | rlx-opt --mlir-print-op-generic | rlx-opt | filecheck %s

// Random numbers: the text that JAX prints is what is printed, also by way of the generic form.

// CHECK-LABEL: @ops(
// CHECK: stablehlo.rng %{{.*}}, %{{.*}}, %{{.*}}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x8xf32>
// CHECK: stablehlo.rng_bit_generator %{{.*}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
func.func @ops(%arg0: tensor<2xui64>, %arg1: tensor<f32>, %arg2: tensor<2xi64>) {
  %0 = stablehlo.rng %arg1, %arg1, %arg2, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x8xf32>
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}
