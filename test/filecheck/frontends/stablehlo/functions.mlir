// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// The angle of a point on the unit circle.
// CHECK-LABEL: @asin(
// CHECK-NEXT:   arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.binary sub %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.binary add %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.activation sqrt %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.binary atan2 %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @asin(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.asin %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A narrow float is computed in f32.
// CHECK-LABEL: @atanh(
// CHECK-NEXT:   rlx.cast %{{.*}} : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT:   rlx.activation abs %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.binary add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.binary sub %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.binary div %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.log1p %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.activation recip %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.activation abs %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.compare lt %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT:   rlx.compare lt %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT:   rlx.binary bit_or %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
// CHECK-NEXT:   rlx.activation neg %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.cast %{{.*}} : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xbf16>
func.func @atanh(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = chlo.atanh %x : tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// A half is rounded away from zero, the sign of a zero kept.
// CHECK-LABEL: @round(
// CHECK-NEXT:   rlx.activation abs %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.activation floor %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.binary sub %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:   rlx.compare le %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>) -> tensor<4xi1>
// CHECK-NEXT:   arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.binary add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.activation recip %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.activation abs %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.compare lt %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT:   rlx.compare lt %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT:   rlx.binary bit_or %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
// CHECK-NEXT:   rlx.activation neg %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @round(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.round_nearest_afz %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A format that is a type's.
// CHECK-LABEL: @reduce_precision(
// CHECK-NEXT:   rlx.cast %{{.*}} : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT:   rlx.cast %{{.*}} : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @reduce_precision(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.reduce_precision %x, format = e8m7 : tensor<4xf32>
  %1 = stablehlo.reduce_precision %x, format = e8m23 : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// The sign of a zero is that zero in StableHLO, the positive one in RLX.
// CHECK-LABEL: @sign(
// CHECK-NEXT:   rlx.activation sign %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.compare eq %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.activation sign %{{.*}} : tensor<4xi32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi32>
func.func @sign(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = stablehlo.sign %x : tensor<4xf32>
  %1 = stablehlo.sign %i : tensor<4xi32>
  return %0, %1 : tensor<4xf32>, tensor<4xi32>
}
