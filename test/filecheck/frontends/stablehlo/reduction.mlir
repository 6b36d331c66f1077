// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// The greater of two values and its index: an extremum. JAX's comparison, NaN before all else.
// CHECK-LABEL: @argmax(
// CHECK-NEXT:   rlx.arg_reduce max %{{.*}} axis(1) : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>)
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi32>
func.func @argmax(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>)  {
    %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %j, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %j, %k : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}

// Another function is applied to halves until one entry is left.
// CHECK-LABEL: @xor(
// CHECK-NEXT:   arith.constant dense<0> : tensor<i32>
// CHECK-NEXT:   rlx.narrow %{{.*}} axis(0) start(0) length(1) : tensor<3xi32> -> tensor<1xi32>
// CHECK-NEXT:   rlx.narrow %{{.*}} axis(0) start(1) length(1) : tensor<3xi32> -> tensor<1xi32>
// CHECK-NEXT:   rlx.narrow %{{.*}} axis(0) start(2) length(1) : tensor<3xi32> -> tensor<1xi32>
// CHECK-NEXT:   rlx.binary bit_xor %{{.*}}, %{{.*}} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
// CHECK-NEXT:   rlx.concat %{{.*}}, %{{.*}} axis(0) : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT:   rlx.narrow %{{.*}} axis(0) start(0) length(1) : tensor<2xi32> -> tensor<1xi32>
// CHECK-NEXT:   rlx.narrow %{{.*}} axis(0) start(1) length(1) : tensor<2xi32> -> tensor<1xi32>
// CHECK-NEXT:   rlx.binary bit_xor %{{.*}}, %{{.*}} : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<1xi32> -> tensor<i32>
// CHECK-NEXT:   rlx.binary bit_xor %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<i32>
func.func @xor(%x: tensor<3xi32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.xor across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// A function of each element by itself.
// CHECK-LABEL: @map(
// CHECK-NEXT:   arith.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.binary max %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @map(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    %1 = stablehlo.multiply %a, %c : tensor<f32>
    %2 = stablehlo.maximum %1, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
