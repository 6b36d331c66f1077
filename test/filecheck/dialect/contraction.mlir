// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @matmul
// CHECK:       rlx.matmul %x, %w : (tensor<2x?x8xf32>, tensor<8x5xf32>) -> tensor<2x?x5xf32>
// GENERIC:     "rlx.matmul"(%x, %w) : (tensor<2x?x8xf32>, tensor<8x5xf32>) -> tensor<2x?x5xf32>
func.func @matmul(%x: tensor<2x?x8xf32>, %w: tensor<8x5xf32>) -> tensor<2x?x5xf32> {
  %0 = rlx.matmul %x, %w : (tensor<2x?x8xf32>, tensor<8x5xf32>) -> tensor<2x?x5xf32>
  func.return %0 : tensor<2x?x5xf32>
}

// Both sides give their batch.
// CHECK-LABEL: @batch
// CHECK:       rlx.matmul %x, %w accumulate(f64) : (tensor<1x4x8xf16>, tensor<5x8x6xf16>) -> tensor<5x4x6xf16>
func.func @batch(%x: tensor<1x4x8xf16>, %w: tensor<5x8x6xf16>) -> tensor<5x4x6xf16> {
  %0 = rlx.matmul %x, %w accumulate(f64) : (tensor<1x4x8xf16>, tensor<5x8x6xf16>) -> tensor<5x4x6xf16>
  func.return %0 : tensor<5x4x6xf16>
}

// CHECK-LABEL: @empty
// CHECK:       rlx.matmul %x, %w : (tensor<1x0x32xf32>, tensor<32x16xf32>) -> tensor<1x0x16xf32>
func.func @empty(%x: tensor<1x0x32xf32>, %w: tensor<32x16xf32>) -> tensor<1x0x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<1x0x32xf32>, tensor<32x16xf32>) -> tensor<1x0x16xf32>
  func.return %0 : tensor<1x0x16xf32>
}

// CHECK-LABEL: @dot_general
// CHECK:       rlx.dot_general %x, %y contracting([2] x [1]) : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT:  rlx.dot_general %x, %z contracting([2] x [2]) batch([0] x [0]) : (tensor<2x3x4xf32>, tensor<2x6x4xf32>) -> tensor<2x3x6xf32>
// GENERIC:     "rlx.dot_general"(%x, %y) <{lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 1>
func.func @dot_general(%x: tensor<2x3x4xf32>, %y: tensor<5x4xf32>, %z: tensor<2x6x4xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x6xf32>) {
  %0 = rlx.dot_general %x, %y contracting([2] x [1]) : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  %1 = rlx.dot_general %x, %z contracting([2] x [2]) batch([0] x [0]) : (tensor<2x3x4xf32>, tensor<2x6x4xf32>) -> tensor<2x3x6xf32>
  func.return %0, %1 : tensor<2x3x5xf32>, tensor<2x3x6xf32>
}
