// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// Operands that stretch.
// CHECK-LABEL: @broadcasts(
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT:   rlx.binary add %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:   rlx.compare lt %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>
func.func @broadcasts(%x: tensor<4x8xf32>, %v: tensor<4xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>) {
  %0 = chlo.broadcast_add %x, %v {broadcast_dimensions = array<i64: 0>} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %1 = chlo.broadcast_compare %x, %w {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  %2 = chlo.broadcast_select %1, %x, %w : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>
}

// Constants of CHLO.
// CHECK-LABEL: @constants(
// CHECK-NEXT:   arith.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.expand %{{.*}} : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @constants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = chlo.constant dense<1.0> : tensor<4xf32>
  %1 = "chlo.constant_like"(%x) <{value = 2.0 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
