// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @cumsum
// CHECK:       %0 = rlx.cumsum %x axis(1) : tensor<2x?xf32>
// CHECK-NEXT:  %1 = rlx.cumsum %0 axis(-1) exclusive reverse : tensor<2x?xf32>
// GENERIC:     "rlx.cumsum"(%x) <{axis = 1 : i64}> : (tensor<2x?xf32>) -> tensor<2x?xf32>
func.func @cumsum(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = rlx.cumsum %x axis(1) : tensor<2x?xf32>
  %1 = rlx.cumsum %0 axis(-1) exclusive reverse : tensor<2x?xf32>
  func.return %1 : tensor<2x?xf32>
}

// CHECK-LABEL: @cumsum_of_integers
// CHECK:       %0 = rlx.cumsum %x axis(0) reverse : tensor<2x3xi8>
func.func @cumsum_of_integers(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %0 = rlx.cumsum %x axis(0) reverse : tensor<2x3xi8>
  func.return %0 : tensor<2x3xi8>
}

// CHECK-LABEL: @cumprod
// CHECK:       %0 = rlx.cumprod %x axis(1) exclusive : tensor<2x3xf16>
func.func @cumprod(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %0 = rlx.cumprod %x axis(1) exclusive : tensor<2x3xf16>
  func.return %0 : tensor<2x3xf16>
}

// CHECK-LABEL: @cummax
// CHECK:       %0 = rlx.cummax %x axis(1) reverse : tensor<2x3xf32>
// CHECK-NEXT:  %1 = rlx.cummax %n axis(0) exclusive : tensor<3xi32>
func.func @cummax(%x: tensor<2x3xf32>, %n: tensor<3xi32>) -> tensor<3xi32> {
  %0 = rlx.cummax %x axis(1) reverse : tensor<2x3xf32>
  %1 = rlx.cummax %n axis(0) exclusive : tensor<3xi32>
  func.return %1 : tensor<3xi32>
}
