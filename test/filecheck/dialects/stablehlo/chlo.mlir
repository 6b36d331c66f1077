// RUN: rlx-opt %s | rlx-opt --mlir-print-op-generic | rlx-opt | filecheck %s

// CHLO: the text that JAX prints is what is printed, also by way of the generic form.

// CHECK-LABEL: @ops(
// CHECK: chlo.broadcast_add %{{.*}}, %{{.*}} {broadcast_dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK: chlo.broadcast_compare %{{.*}}, %{{.*}}
// CHECK: chlo.broadcast_select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK: chlo.conj %{{.*}} : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
// CHECK: chlo.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: "chlo.constant_like"(
// CHECK: chlo.is_inf %{{.*}} : tensor<4x8xf32> -> tensor<4x8xi1>
// CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK: chlo.polygamma %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK: chlo.zeta %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK: chlo.bessel_i1e %{{.*}} : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK: chlo.mulhi %{{.*}}, %{{.*}} : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
// CHECK: chlo.broadcast_complex %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xcomplex<f32>>
func.func @ops(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4xi32>, %arg3: tensor<4x8xi1>, %arg4: tensor<4xcomplex<f32>>) {
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = chlo.broadcast_compare %arg0, %arg1 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  %2 = chlo.broadcast_select %arg3, %arg0, %arg1 : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %3 = chlo.conj %arg4 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %4 = chlo.constant dense<1.000000e+00> : tensor<4xf32>
  %5 = "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = chlo.is_inf %arg0 : tensor<4x8xf32> -> tensor<4x8xi1>
  %7 = chlo.next_after %arg0, %arg0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %8 = chlo.polygamma %arg0, %arg0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %9 = chlo.zeta %arg0, %arg0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %10 = chlo.bessel_i1e %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %11 = chlo.mulhi %arg2, %arg2 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %12 = chlo.broadcast_complex %arg0, %arg1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xcomplex<f32>>
  return
}
