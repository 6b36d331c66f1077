// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @clamp
// CHECK:       %0 = rlx.clamp %x low(-1.0) high(inf) : tensor<2x?xf32>
// CHECK-NEXT:  %1 = rlx.clamp %n low(-128) high(6) : tensor<3xi8>
// GENERIC:     "rlx.clamp"(%x) <{low = -1.000000e+00 : f64, high = 0x7ff0000000000000 : f64}> : (tensor<2x?xf32>) -> tensor<2x?xf32>
func.func @clamp(%x: tensor<2x?xf32>, %n: tensor<3xi8>) -> tensor<3xi8> {
  %0 = rlx.clamp %x low(-1.0) high(inf) : tensor<2x?xf32>
  %1 = rlx.clamp %n low(-128) high(6) : tensor<3xi8>
  func.return %1 : tensor<3xi8>
}

// CHECK-LABEL: @stop_gradient
// CHECK:       %0 = rlx.stop_gradient %x : tensor<2x3xf32>
func.func @stop_gradient(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = rlx.stop_gradient %x : tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @fma
// CHECK:       %0 = rlx.fma %a, %b, %c : (tensor<2x3xf16>, tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
func.func @fma(%a: tensor<2x3xf16>, %b: tensor<2x3xf16>, %c: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %0 = rlx.fma %a, %b, %c : (tensor<2x3xf16>, tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return %0 : tensor<2x3xf16>
}

// CHECK-LABEL: @fma_of_open_dims
// CHECK:       %0 = rlx.fma %a, %b, %a : (tensor<?x3xf64>, tensor<2x?xf64>, tensor<?x3xf64>) -> tensor<2x3xf64>
func.func @fma_of_open_dims(%a: tensor<?x3xf64>, %b: tensor<2x?xf64>) -> tensor<2x3xf64> {
  %0 = rlx.fma %a, %b, %a : (tensor<?x3xf64>, tensor<2x?xf64>, tensor<?x3xf64>) -> tensor<2x3xf64>
  func.return %0 : tensor<2x3xf64>
}

// CHECK-LABEL: @clamp_of_unsigned
// CHECK:       %0 = rlx.clamp %x low(3) high(200) : tensor<4xui8>
func.func @clamp_of_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = rlx.clamp %x low(3) high(200) : tensor<4xui8>
  func.return %0 : tensor<4xui8>
}
