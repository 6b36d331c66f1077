// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @bi_map
// CHECK:       %0 = rlx.bi_map %x, %w : (tensor<?x4x4xf32>, tensor<3x4xf32>) -> tensor<?x3x3xf32>
// CHECK-NEXT:  %1 = rlx.bi_map %y, %v : (tensor<4x4xbf16>, tensor<?x4xbf16>) -> tensor<?x?xbf16>
// GENERIC:     "rlx.bi_map"(%x, %w)
func.func @bi_map(%x: tensor<?x4x4xf32>, %w: tensor<3x4xf32>, %y: tensor<4x4xbf16>, %v: tensor<?x4xbf16>) {
  %0 = rlx.bi_map %x, %w : (tensor<?x4x4xf32>, tensor<3x4xf32>) -> tensor<?x3x3xf32>
  %1 = rlx.bi_map %y, %v : (tensor<4x4xbf16>, tensor<?x4xbf16>) -> tensor<?x?xbf16>
  func.return
}
