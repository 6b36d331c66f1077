// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @nearest2x
// CHECK:       %0 = rlx.resize_nearest2x %x : tensor<?x3x?x5xf32> -> tensor<?x3x?x10xf32>
// CHECK-NEXT:  %1 = rlx.resize_nearest2x %y : tensor<1x0x2x0xi8> -> tensor<1x0x4x0xi8>
// GENERIC:     "rlx.resize_nearest2x"(%x) : (tensor<?x3x?x5xf32>) -> tensor<?x3x?x10xf32>
func.func @nearest2x(%x: tensor<?x3x?x5xf32>, %y: tensor<1x0x2x0xi8>) -> (tensor<?x3x?x10xf32>, tensor<1x0x4x0xi8>) {
  %0 = rlx.resize_nearest2x %x : tensor<?x3x?x5xf32> -> tensor<?x3x?x10xf32>
  %1 = rlx.resize_nearest2x %y : tensor<1x0x2x0xi8> -> tensor<1x0x4x0xi8>
  func.return %0, %1 : tensor<?x3x?x10xf32>, tensor<1x0x4x0xi8>
}
