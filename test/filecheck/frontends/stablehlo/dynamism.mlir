// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// Sizes that are constants.
// CHECK-LABEL: @known(
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT:   rlx.expand %{{.*}} : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:   arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
// CHECK-NEXT:   rlx.expand %{{.*}} : tensor<8xi32> -> tensor<4x8xi32>
// CHECK-NEXT:   arith.constant dense<8> : tensor<i32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<i32>
func.func @known(%x: tensor<4x8xf32>, %v: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<i32>) {
  %s = stablehlo.constant dense<[8, 4]> : tensor<2xi64>
  %t = stablehlo.constant dense<[4, 8]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<8x4xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %v, %t, dims = [1] : (tensor<8xf32>, tensor<2xi64>) -> tensor<4x8xf32>
  %2 = stablehlo.dynamic_iota %t, dim = 1 : (tensor<2xi64>) -> tensor<4x8xi32>
  %3 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x8xf32>) -> tensor<i32>
  return %0, %1, %2, %3 : tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<i32>
}

// Edges that are constants.
// CHECK-LABEL: @edges(
// CHECK-NEXT:   rlx.narrow %{{.*}} axis(0) start(1) length(2) : tensor<4xf32> -> tensor<2xf32>
// CHECK-NEXT:   rlx.pad constant %{{.*}} low [1] high [0] value(2.0) : tensor<4xf32> -> tensor<5xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<5xf32>
func.func @edges(%x: tensor<4xf32>, %z: tensor<f32>) -> (tensor<2xf32>, tensor<5xf32>) {
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %none = stablehlo.constant dense<0> : tensor<1xi64>
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.real_dynamic_slice %x, %one, %three, %one : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %1 = stablehlo.dynamic_pad %x, %c, %one, %none, %none : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
  return %0, %1 : tensor<2xf32>, tensor<5xf32>
}
