// RUN: rlx-opt --rlx-lower-dot-general %s | filecheck %s

// CHECK-LABEL: @plain
// CHECK:       %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT:  func.return %0
func.func @plain(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.dot_general %x, %w contracting([1] x [0]) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}

// Axes counted from the end, sizes that are not known, an accumulate type.
// CHECK-LABEL: @written_otherwise
// CHECK:       rlx.matmul %x, %w accumulate(f64) : (tensor<?x8xf16>, tensor<8x?xf16>) -> tensor<?x?xf16>
func.func @written_otherwise(%x: tensor<?x8xf16>, %w: tensor<8x?xf16>) -> tensor<?x?xf16> {
  %0 = rlx.dot_general %x, %w contracting([-1] x [-2]) accumulate(f64) : (tensor<?x8xf16>, tensor<8x?xf16>) -> tensor<?x?xf16>
  func.return %0 : tensor<?x?xf16>
}

// The rank is checked: these axes are the ones of a product on two dims only.
// MISS: RLX-F024 rank
// CHECK-LABEL: @rank_three
// CHECK:       rlx.dot_general
func.func @rank_three(%x: tensor<2x8x3xf32>, %w: tensor<8x16xf32>) -> tensor<2x3x16xf32> {
  %0 = rlx.dot_general %x, %w contracting([1] x [0]) : (tensor<2x8x3xf32>, tensor<8x16xf32>) -> tensor<2x3x16xf32>
  func.return %0 : tensor<2x3x16xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @transposed
// CHECK:       rlx.dot_general
func.func @transposed(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %0 = rlx.dot_general %x, %w contracting([1] x [1]) : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @batched
// CHECK:       rlx.dot_general
func.func @batched(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4xf32> {
  %0 = rlx.dot_general %x, %w contracting([1] x [0]) batch([0] x [1]) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
