// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @activation
// CHECK:       %0 = rlx.activation gelu %x : tensor<2x3xf32>
// CHECK-NEXT:  %1 = rlx.activation neg %n : tensor<?xi32>
// GENERIC:     "rlx.activation"(%x) <{kind = "gelu"}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @activation(%x: tensor<2x3xf32>, %n: tensor<?xi32>) -> (tensor<2x3xf32>, tensor<?xi32>) {
  %0 = rlx.activation gelu %x : tensor<2x3xf32>
  %1 = rlx.activation neg %n : tensor<?xi32>
  func.return %0, %1 : tensor<2x3xf32>, tensor<?xi32>
}

// CHECK-LABEL: @cast
// CHECK:       rlx.cast %x : tensor<2xf32> -> tensor<2xbf16>
func.func @cast(%x: tensor<2xf32>) -> tensor<2xbf16> {
  %0 = rlx.cast %x : tensor<2xf32> -> tensor<2xbf16>
  func.return %0 : tensor<2xbf16>
}

// A size known only at run time meets another; only a static 1 stretches.
// CHECK-LABEL: @binary
// CHECK:       rlx.binary add %x, %y : (tensor<4x1x?xf32>, tensor<3x?xf32>) -> tensor<4x3x?xf32>
func.func @binary(%x: tensor<4x1x?xf32>, %y: tensor<3x?xf32>) -> tensor<4x3x?xf32> {
  %0 = rlx.binary add %x, %y : (tensor<4x1x?xf32>, tensor<3x?xf32>) -> tensor<4x3x?xf32>
  func.return %0 : tensor<4x3x?xf32>
}

// CHECK-LABEL: @compare_where
// CHECK:       %0 = rlx.compare lt %x, %y : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xi1>
// CHECK-NEXT:  %1 = rlx.where %0, %x, %y : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
func.func @compare_where(%x: tensor<2x2xf32>, %y: tensor<f32>) -> tensor<2x2xf32> {
  %0 = rlx.compare lt %x, %y : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xi1>
  %1 = rlx.where %0, %x, %y : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  func.return %1 : tensor<2x2xf32>
}

// CHECK-LABEL: @own_kinds
// CHECK:       rlx.erfc %x : tensor<2xf64>
// CHECK-NEXT:  rlx.log1p %x : tensor<2xf64>
// CHECK-NEXT:  rlx.expm1 %x : tensor<2xf64>
// CHECK-NEXT:  rlx.is_finite %x : tensor<2xf64> -> tensor<2xi1>
// CHECK-NEXT:  rlx.logical_not %{{.*}} : tensor<2xi1>
func.func @own_kinds(%x: tensor<2xf64>) -> tensor<2xi1> {
  %0 = rlx.erfc %x : tensor<2xf64>
  %1 = rlx.log1p %x : tensor<2xf64>
  %2 = rlx.expm1 %x : tensor<2xf64>
  %3 = rlx.is_finite %x : tensor<2xf64> -> tensor<2xi1>
  %4 = rlx.logical_not %3 : tensor<2xi1>
  func.return %4 : tensor<2xi1>
}

// What has no finite digits, the sign of zero and the smallest number survive text.
// CHECK-LABEL: @special_constants
// CHECK:       dense<0xff800000> : tensor<f32>
// CHECK-NEXT:  dense<[0x7fc00000, -0.000000e+00, {{.*}}, 0x7f800000]> : tensor<4xf32>
// CHECK-NEXT:  dense<0xfc00> : tensor<2xf16>
// CHECK-NEXT:  dense<0xff80> : tensor<bf16>
func.func @special_constants() -> tensor<4xf32> {
  %0 = arith.constant dense<0xFF800000> : tensor<f32>
  %1 = arith.constant dense<[0x7FC00000, -0.0, 1.4e-45, 0x7F800000]> : tensor<4xf32>
  %2 = arith.constant dense<0xFC00> : tensor<2xf16>
  %3 = arith.constant dense<0xFF80> : tensor<bf16>
  func.return %1 : tensor<4xf32>
}
