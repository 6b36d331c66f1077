// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @full
// CHECK:       %0 = rlx.full 1.5 : tensor<2x3xf16>
// CHECK-NEXT:  %1 = rlx.full neg_inf sizes(%n) : tensor<4x?xf32>
// CHECK-NEXT:  %2 = rlx.full -7 : tensor<i64>
// CHECK-NEXT:  %3 = rlx.full 1 : tensor<2xi1>
// CHECK-NEXT:  %4 = rlx.full 0.25 : tensor<2xcomplex<f32>>
// GENERIC:     "rlx.full"() <{value = 1.500000e+00 : f64}> : () -> tensor<2x3xf16>
func.func @full(%n: index) -> tensor<2xcomplex<f32>> {
  %0 = rlx.full 1.5 : tensor<2x3xf16>
  %1 = rlx.full neg_inf sizes(%n) : tensor<4x?xf32>
  %2 = rlx.full -7 : tensor<i64>
  %3 = rlx.full 1 : tensor<2xi1>
  %4 = rlx.full 0.25 : tensor<2xcomplex<f32>>
  func.return %4 : tensor<2xcomplex<f32>>
}

// CHECK-LABEL: @iota
// CHECK:       %0 = rlx.iota axis(-1) : tensor<2x3xf32>
// CHECK-NEXT:  %1 = rlx.iota axis(0) sizes(%n) : tensor<?x4xi32>
func.func @iota(%n: index) -> tensor<?x4xi32> {
  %0 = rlx.iota axis(-1) : tensor<2x3xf32>
  %1 = rlx.iota axis(0) sizes(%n) : tensor<?x4xi32>
  func.return %1 : tensor<?x4xi32>
}

// CHECK-LABEL: @static_iota
// CHECK:       %0 = rlx.iota axis(1) : tensor<2x5xui8>
func.func @static_iota(%x: tensor<2xf32>) -> tensor<2x5xui8> {
  %0 = rlx.iota axis(1) : tensor<2x5xui8>
  func.return %0 : tensor<2x5xui8>
}
