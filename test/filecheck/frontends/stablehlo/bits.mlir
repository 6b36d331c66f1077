// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// A shift that moves zeros in: the sign of a signed value is taken along after the first bit.
// CHECK-LABEL: @shift_right_logical(
// CHECK-NEXT:   arith.constant dense<1> : tensor<i32>
// CHECK-NEXT:   rlx.binary shr %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK-NEXT:   arith.constant dense<2147483647> : tensor<i32>
// CHECK-NEXT:   rlx.binary bit_and %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK-NEXT:   arith.constant dense<0> : tensor<i32>
// CHECK-NEXT:   rlx.compare eq %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi1>
// CHECK-NEXT:   arith.constant dense<1> : tensor<i32>
// CHECK-NEXT:   rlx.binary sub %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK-NEXT:   rlx.binary shr %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:   rlx.binary shr %{{.*}}, %{{.*}} : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4xi32>, tensor<4xui32>
func.func @shift_right_logical(%x: tensor<4xi32>, %s: tensor<4xi32>, %u: tensor<4xui32>) -> (tensor<4xi32>, tensor<4xui32>) {
  %0 = stablehlo.shift_right_logical %x, %s : tensor<4xi32>
  %1 = stablehlo.shift_right_logical %u, %u : tensor<4xui32>
  return %0, %1 : tensor<4xi32>, tensor<4xui32>
}

// A shift of an unsigned value that copies the sign goes through the signed type.
// CHECK-LABEL: @shift_right_arithmetic(
// CHECK-NEXT:   rlx.cast %{{.*}} : tensor<4xui32> -> tensor<4xi32>
// CHECK-NEXT:   rlx.cast %{{.*}} : tensor<4xui32> -> tensor<4xi32>
// CHECK-NEXT:   rlx.binary shr %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:   rlx.cast %{{.*}} : tensor<4xi32> -> tensor<4xui32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xui32>
func.func @shift_right_arithmetic(%u: tensor<4xui32>) -> tensor<4xui32> {
  %0 = stablehlo.shift_right_arithmetic %u, %u : tensor<4xui32>
  return %0 : tensor<4xui32>
}

// Bits counted in pairs, fours and bytes.
// CHECK-LABEL: @popcnt(
// CHECK-NEXT:   arith.constant dense<1> : tensor<i8>
// CHECK-NEXT:   rlx.binary shr %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
// CHECK-NEXT:   arith.constant dense<85> : tensor<i8>
// CHECK-NEXT:   rlx.binary bit_and %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
// CHECK-NEXT:   rlx.binary sub %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
// CHECK-NEXT:   arith.constant dense<51> : tensor<i8>
// CHECK-NEXT:   rlx.binary bit_and %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
// CHECK-NEXT:   arith.constant dense<2> : tensor<i8>
// CHECK-NEXT:   rlx.binary shr %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
// CHECK-NEXT:   arith.constant dense<51> : tensor<i8>
// CHECK-NEXT:   rlx.binary bit_and %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
// CHECK-NEXT:   rlx.binary add %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
// CHECK-NEXT:   arith.constant dense<4> : tensor<i8>
// CHECK-NEXT:   rlx.binary shr %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
// CHECK-NEXT:   rlx.binary add %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
// CHECK-NEXT:   arith.constant dense<15> : tensor<i8>
// CHECK-NEXT:   rlx.binary bit_and %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xi8>
func.func @popcnt(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.popcnt %x : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// The bits of a fraction below the exponent of 1.0: a number in [1, 2).
// CHECK-LABEL: @uniform(
// CHECK-NEXT:   arith.constant dense<9> : tensor<4xui32>
// CHECK-NEXT:   rlx.binary shr %{{.*}}, %{{.*}} : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
// CHECK-NEXT:   rlx.cast %{{.*}} : tensor<4xui32> -> tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<1.1920929e-07> : tensor<f32>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.binary add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @uniform(%u: tensor<4xui32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<9> : tensor<4xui32>
  %one = stablehlo.constant dense<1065353216> : tensor<4xui32>
  %0 = stablehlo.shift_right_logical %u, %c : tensor<4xui32>
  %1 = stablehlo.or %0, %one : tensor<4xui32>
  %2 = stablehlo.bitcast_convert %1 : (tensor<4xui32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
