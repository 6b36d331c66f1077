// RUN: rlx-opt --rlx-raise-dot-general %s | filecheck %s

// Several free axes on the left stay leading dims.
// CHECK-LABEL: @linear
// CHECK-NEXT:  %0 = rlx.matmul %x, %w : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
func.func @linear(%x: tensor<2x4x8xf32>, %w: tensor<8x16xf32>) -> tensor<2x4x16xf32> {
  %0 = rlx.dot_general %x, %w contracting([2] x [0]) : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
  func.return %0 : tensor<2x4x16xf32>
}

// CHECK-LABEL: @weight_transposed
// CHECK-NEXT:  %0 = rlx.transpose %w [1, 0] : tensor<16x8xf16> -> tensor<8x16xf16>
// CHECK-NEXT:  %1 = rlx.matmul %x, %0 accumulate(f32)
func.func @weight_transposed(%x: tensor<4x8xf16>, %w: tensor<16x8xf16>) -> tensor<4x16xf16> {
  %0 = rlx.dot_general %x, %w contracting([-1] x [-1]) accumulate(f32) : (tensor<4x8xf16>, tensor<16x8xf16>) -> tensor<4x16xf16>
  func.return %0 : tensor<4x16xf16>
}

// CHECK-LABEL: @scores
// CHECK-NEXT:  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
// CHECK-NEXT:  %1 = rlx.matmul %q, %0 : (tensor<2x4x5x8xf32>, tensor<2x4x8x6xf32>) -> tensor<2x4x5x6xf32>
func.func @scores(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>) -> tensor<2x4x5x6xf32> {
  %0 = rlx.dot_general %q, %k contracting([3] x [3]) batch([0, 1] x [0, 1]) : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>) -> tensor<2x4x5x6xf32>
  func.return %0 : tensor<2x4x5x6xf32>
}

// The batch axes lie elsewhere on both sides, and not in the same order.
// CHECK-LABEL: @batch_elsewhere
// CHECK-NEXT:  %0 = rlx.transpose %q [2, 0, 1, 3] : tensor<2x5x4x8xf32> -> tensor<4x2x5x8xf32>
// CHECK-NEXT:  %1 = rlx.transpose %k [2, 1, 3, 0] : tensor<6x2x4x8xf32> -> tensor<4x2x8x6xf32>
// CHECK-NEXT:  %2 = rlx.matmul %0, %1
func.func @batch_elsewhere(%q: tensor<2x5x4x8xf32>, %k: tensor<6x2x4x8xf32>) -> tensor<4x2x5x6xf32> {
  %0 = rlx.dot_general %q, %k contracting([3] x [3]) batch([2, 0] x [2, 1]) : (tensor<2x5x4x8xf32>, tensor<6x2x4x8xf32>) -> tensor<4x2x5x6xf32>
  func.return %0 : tensor<4x2x5x6xf32>
}

// Beside a batch, further free axes of the left meet ones on the right.
// CHECK-LABEL: @free_beside_batch
// CHECK-NEXT:  %0 = rlx.reshape %w : tensor<2x8x6xf32> -> tensor<2x1x8x6xf32>
// CHECK-NEXT:  %1 = rlx.matmul %x, %0 : (tensor<2x3x5x8xf32>, tensor<2x1x8x6xf32>) -> tensor<2x3x5x6xf32>
func.func @free_beside_batch(%x: tensor<2x3x5x8xf32>, %w: tensor<2x8x6xf32>) -> tensor<2x3x5x6xf32> {
  %0 = rlx.dot_general %x, %w contracting([3] x [1]) batch([0] x [0]) : (tensor<2x3x5x8xf32>, tensor<2x8x6xf32>) -> tensor<2x3x5x6xf32>
  func.return %0 : tensor<2x3x5x6xf32>
}

// CHECK-LABEL: @sizes_unknown
// CHECK-NEXT:  %0 = rlx.matmul %x, %w : (tensor<?x?x8xf32>, tensor<8x16xf32>) -> tensor<?x?x16xf32>
func.func @sizes_unknown(%x: tensor<?x?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x?x16xf32> {
  %0 = rlx.dot_general %x, %w contracting([2] x [0]) : (tensor<?x?x8xf32>, tensor<8x16xf32>) -> tensor<?x?x16xf32>
  func.return %0 : tensor<?x?x16xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @two_summed
// CHECK-NEXT:  rlx.dot_general
func.func @two_summed(%x: tensor<4x2x8xf32>, %w: tensor<2x8x5xf32>) -> tensor<4x5xf32> {
  %0 = rlx.dot_general %x, %w contracting([1, 2] x [0, 1]) : (tensor<4x2x8xf32>, tensor<2x8x5xf32>) -> tensor<4x5xf32>
  func.return %0 : tensor<4x5xf32>
}

// The sides are exchanged: the right one has the free axes that may stay.
// CHECK-LABEL: @two_free_on_the_right
// CHECK-NEXT:  %0 = rlx.transpose %w [1, 2, 0] : tensor<8x2x5xf32> -> tensor<2x5x8xf32>
// CHECK-NEXT:  %1 = rlx.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT:  %2 = rlx.matmul %0, %1 : (tensor<2x5x8xf32>, tensor<8x4xf32>) -> tensor<2x5x4xf32>
// CHECK-NEXT:  %3 = rlx.transpose %2 [2, 0, 1] : tensor<2x5x4xf32> -> tensor<4x2x5xf32>
func.func @two_free_on_the_right(%x: tensor<4x8xf32>, %w: tensor<8x2x5xf32>) -> tensor<4x2x5xf32> {
  %0 = rlx.dot_general %x, %w contracting([1] x [0]) : (tensor<4x8xf32>, tensor<8x2x5xf32>) -> tensor<4x2x5xf32>
  func.return %0 : tensor<4x2x5xf32>
}

// CHECK-LABEL: @exchanged_beside_batch
// CHECK-NEXT:  %0 = rlx.transpose %v [0, 2, 1, 3] : tensor<2x7x4x8xf32> -> tensor<2x4x7x8xf32>
// CHECK-NEXT:  %1 = rlx.reshape %0 : tensor<2x4x7x8xf32> -> tensor<2x4x1x7x8xf32>
// CHECK-NEXT:  %2 = rlx.matmul %p, %1 : (tensor<2x4x3x5x7xf32>, tensor<2x4x1x7x8xf32>) -> tensor<2x4x3x5x8xf32>
// CHECK-NEXT:  %3 = rlx.transpose %2 [0, 1, 4, 2, 3] : tensor<2x4x3x5x8xf32> -> tensor<2x4x8x3x5xf32>
func.func @exchanged_beside_batch(%v: tensor<2x7x4x8xf32>, %p: tensor<2x4x3x5x7xf32>) -> tensor<2x4x8x3x5xf32> {
  %0 = rlx.dot_general %v, %p contracting([1] x [4]) batch([0, 2] x [0, 1]) : (tensor<2x7x4x8xf32>, tensor<2x4x3x5x7xf32>) -> tensor<2x4x8x3x5xf32>
  func.return %0 : tensor<2x4x8x3x5xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @several_free_on_both
// CHECK-NEXT:  rlx.dot_general
func.func @several_free_on_both(%x: tensor<4x2x8xf32>, %w: tensor<8x2x5xf32>) -> tensor<4x2x2x5xf32> {
  %0 = rlx.dot_general %x, %w contracting([2] x [0]) : (tensor<4x2x8xf32>, tensor<8x2x5xf32>) -> tensor<4x2x2x5xf32>
  func.return %0 : tensor<4x2x2x5xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @nothing_free_on_the_right
// CHECK-NEXT:  rlx.dot_general
func.func @nothing_free_on_the_right(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4xf32> {
  %0 = rlx.dot_general %x, %w contracting([1] x [0]) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @vector
// CHECK-NEXT:  rlx.dot_general
func.func @vector(%x: tensor<8xf32>, %w: tensor<8x5xf32>) -> tensor<5xf32> {
  %0 = rlx.dot_general %x, %w contracting([0] x [0]) : (tensor<8xf32>, tensor<8x5xf32>) -> tensor<5xf32>
  func.return %0 : tensor<5xf32>
}

// The right side would have to be reshaped, and has a size that nobody knows.
// MISS: RLX-F014 dynamic
// CHECK-LABEL: @unknown_on_the_right
// CHECK-NEXT:  rlx.dot_general
func.func @unknown_on_the_right(%x: tensor<2x3x5x8xf32>, %w: tensor<2x8x?xf32>) -> tensor<2x3x5x?xf32> {
  %0 = rlx.dot_general %x, %w contracting([3] x [1]) batch([0] x [0]) : (tensor<2x3x5x8xf32>, tensor<2x8x?xf32>) -> tensor<2x3x5x?xf32>
  func.return %0 : tensor<2x3x5x?xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced
// CHECK-NEXT:  rlx.dot_general
func.func @fenced(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.dot_general %x, %w contracting([1] x [0]) {rlx.no_fuse} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}

// An order of axes on top of another one: together they are none.
// CHECK-LABEL: @transposed_back
// CHECK-NEXT:  %[[Y:.*]] = rlx.matmul %x, %w
// CHECK-NEXT:  func.return %[[Y]]
func.func @transposed_back(%x: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %0 = rlx.transpose %x [1, 0] : tensor<1x4xf32> -> tensor<4x1xf32>
  %1 = rlx.dot_general %0, %w contracting([0] x [0]) : (tensor<4x1xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  func.return %1 : tensor<1x4xf32>
}

// As `bmm` wants it: heads are joined with the batch, and split again behind the product.
// CHECK-LABEL: @joined_batch
// CHECK-NEXT:  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
// CHECK-NEXT:  %1 = rlx.matmul %q, %0 : (tensor<2x4x5x8xf32>, tensor<2x4x8x6xf32>) -> tensor<2x4x5x6xf32>
// CHECK-NEXT:  func.return %1
func.func @joined_batch(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>) -> tensor<2x4x5x6xf32> {
  %0 = rlx.reshape %q : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
  %1 = rlx.reshape %k : tensor<2x4x6x8xf32> -> tensor<8x6x8xf32>
  %2 = rlx.transpose %1 [0, 2, 1] : tensor<8x6x8xf32> -> tensor<8x8x6xf32>
  %3 = rlx.matmul %0, %2 : (tensor<8x5x8xf32>, tensor<8x8x6xf32>) -> tensor<8x5x6xf32>
  %4 = rlx.reshape %3 : tensor<8x5x6xf32> -> tensor<2x4x5x6xf32>
  func.return %4 : tensor<2x4x5x6xf32>
}

// As einsum writes it: ones are added, moved and dropped on the way.
// CHECK-LABEL: @ones_on_the_way
// CHECK-NEXT:  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
// CHECK-NEXT:  %1 = rlx.matmul %q, %0 : (tensor<2x4x5x8xf32>, tensor<2x4x8x6xf32>) -> tensor<2x4x5x6xf32>
// CHECK-NEXT:  func.return %1
func.func @ones_on_the_way(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>) -> tensor<2x4x5x6xf32> {
  %0 = rlx.reshape %q : tensor<2x4x5x8xf32> -> tensor<2x4x5x8x1xf32>
  %1 = rlx.reshape %0 : tensor<2x4x5x8x1xf32> -> tensor<8x5x8xf32>
  %2 = rlx.reshape %k : tensor<2x4x6x8xf32> -> tensor<2x4x1x6x8xf32>
  %3 = rlx.transpose %2 [0, 1, 4, 3, 2] : tensor<2x4x1x6x8xf32> -> tensor<2x4x8x6x1xf32>
  %4 = rlx.reshape %3 : tensor<2x4x8x6x1xf32> -> tensor<8x8x6xf32>
  %5 = rlx.matmul %1, %4 : (tensor<8x5x8xf32>, tensor<8x8x6xf32>) -> tensor<8x5x6xf32>
  %6 = rlx.reshape %5 : tensor<8x5x6xf32> -> tensor<2x4x5x1x6xf32>
  %7 = rlx.transpose %6 [0, 1, 2, 4, 3] : tensor<2x4x5x1x6xf32> -> tensor<2x4x5x6x1xf32>
  %8 = rlx.reshape %7 : tensor<2x4x5x6x1xf32> -> tensor<2x4x5x6xf32>
  func.return %8 : tensor<2x4x5x6xf32>
}

// A batch of one whose rows are joined is no batch.
// CHECK-LABEL: @joined_rows
// CHECK-NEXT:  %0 = rlx.matmul %x, %w : (tensor<2x6x16xf32>, tensor<16x8xf32>) -> tensor<2x6x8xf32>
// CHECK-NEXT:  func.return %0
func.func @joined_rows(%x: tensor<2x6x16xf32>, %w: tensor<16x8xf32>) -> tensor<2x6x8xf32> {
  %0 = rlx.reshape %x : tensor<2x6x16xf32> -> tensor<1x12x16xf32>
  %1 = rlx.reshape %w : tensor<16x8xf32> -> tensor<1x16x8xf32>
  %2 = rlx.matmul %0, %1 : (tensor<1x12x16xf32>, tensor<1x16x8xf32>) -> tensor<1x12x8xf32>
  %3 = rlx.reshape %2 : tensor<1x12x8xf32> -> tensor<2x6x8xf32>
  func.return %3 : tensor<2x6x8xf32>
}

// One head of one sentence: the right side is a batch as well.
// CHECK-LABEL: @single_head
// CHECK-NEXT:  %0 = rlx.matmul %q, %k : (tensor<1x1x5x8xf32>, tensor<1x1x8x6xf32>) -> tensor<1x1x5x6xf32>
// CHECK-NEXT:  func.return %0
func.func @single_head(%q: tensor<1x1x5x8xf32>, %k: tensor<1x1x8x6xf32>) -> tensor<1x1x5x6xf32> {
  %0 = rlx.reshape %q : tensor<1x1x5x8xf32> -> tensor<1x5x8xf32>
  %1 = rlx.reshape %k : tensor<1x1x8x6xf32> -> tensor<1x8x6xf32>
  %2 = rlx.matmul %0, %1 : (tensor<1x5x8xf32>, tensor<1x8x6xf32>) -> tensor<1x5x6xf32>
  %3 = rlx.reshape %2 : tensor<1x5x6xf32> -> tensor<1x1x5x6xf32>
  func.return %3 : tensor<1x1x5x6xf32>
}

// CHECK-LABEL: @joined_softmax
// CHECK-NEXT:  %0 = rlx.softmax %x axis(3) : tensor<2x4x5x6xf32>
// CHECK-NEXT:  func.return %0
func.func @joined_softmax(%x: tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32> {
  %0 = rlx.reshape %x : tensor<2x4x5x6xf32> -> tensor<8x5x6xf32>
  %1 = rlx.softmax %0 axis(2) : tensor<8x5x6xf32>
  %2 = rlx.reshape %1 : tensor<8x5x6xf32> -> tensor<2x4x5x6xf32>
  func.return %2 : tensor<2x4x5x6xf32>
}

// Rows become columns.
// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @split_otherwise
// CHECK:       rlx.matmul {{.*}} -> tensor<8x5x6xf32>
func.func @split_otherwise(%q: tensor<8x5x8xf32>, %k: tensor<8x8x6xf32>) -> tensor<8x30xf32> {
  %0 = rlx.matmul %q, %k : (tensor<8x5x8xf32>, tensor<8x8x6xf32>) -> tensor<8x5x6xf32>
  %1 = rlx.reshape %0 : tensor<8x5x6xf32> -> tensor<8x30xf32>
  func.return %1 : tensor<8x30xf32>
}

// One product for all of the batch.
// MISS: RLX-F015 dims-not-known-equal
// CHECK-LABEL: @batch_of_one_side
// CHECK:       rlx.matmul {{.*}} -> tensor<8x5x6xf32>
func.func @batch_of_one_side(%q: tensor<8x5x8xf32>, %k: tensor<1x8x6xf32>) -> tensor<2x4x5x6xf32> {
  %0 = rlx.matmul %q, %k : (tensor<8x5x8xf32>, tensor<1x8x6xf32>) -> tensor<8x5x6xf32>
  %1 = rlx.reshape %0 : tensor<8x5x6xf32> -> tensor<2x4x5x6xf32>
  func.return %1 : tensor<2x4x5x6xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @width_unknown
// CHECK:       rlx.matmul {{.*}} -> tensor<8x5x6xf32>
func.func @width_unknown(%q: tensor<8x5x?xf32>, %k: tensor<8x?x6xf32>) -> tensor<2x4x5x6xf32> {
  %0 = rlx.matmul %q, %k : (tensor<8x5x?xf32>, tensor<8x?x6xf32>) -> tensor<8x5x6xf32>
  %1 = rlx.reshape %0 : tensor<8x5x6xf32> -> tensor<2x4x5x6xf32>
  func.return %1 : tensor<2x4x5x6xf32>
}

// A softmax along another axis, and one that comes out otherwise.
// MISS: RLX-F016 axis
// CHECK-LABEL: @softmax_of_columns
// CHECK:       rlx.softmax {{.*}} axis(1) : tensor<8x5x6xf32>
func.func @softmax_of_columns(%x: tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32> {
  %0 = rlx.reshape %x : tensor<2x4x5x6xf32> -> tensor<8x5x6xf32>
  %1 = rlx.softmax %0 axis(1) : tensor<8x5x6xf32>
  %2 = rlx.reshape %1 : tensor<8x5x6xf32> -> tensor<2x4x5x6xf32>
  func.return %2 : tensor<2x4x5x6xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @softmax_split_otherwise
// CHECK:       rlx.softmax {{.*}} : tensor<8x5x6xf32>
func.func @softmax_split_otherwise(%x: tensor<2x4x5x6xf32>) -> tensor<4x2x5x6xf32> {
  %0 = rlx.reshape %x : tensor<2x4x5x6xf32> -> tensor<8x5x6xf32>
  %1 = rlx.softmax %0 axis(2) : tensor<8x5x6xf32>
  %2 = rlx.reshape %1 : tensor<8x5x6xf32> -> tensor<4x2x5x6xf32>
  func.return %2 : tensor<4x2x5x6xf32>
}

// What is of three axes anyway stays so: an attention of one head.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @of_three_axes
// CHECK:       rlx.matmul {{.*}} -> tensor<8x5x6xf32>
func.func @of_three_axes(%p: tensor<8x5x8xf32>, %v: tensor<2x4x8x6xf32>) -> tensor<2x4x5x6xf32> {
  %0 = rlx.reshape %v : tensor<2x4x8x6xf32> -> tensor<8x8x6xf32>
  %1 = rlx.matmul %p, %0 : (tensor<8x5x8xf32>, tensor<8x8x6xf32>) -> tensor<8x5x6xf32>
  %2 = rlx.reshape %1 : tensor<8x5x6xf32> -> tensor<2x4x5x6xf32>
  func.return %2 : tensor<2x4x5x6xf32>
}

// Ones stay behind the rows of the result, for what moves them on.
// CHECK-LABEL: @ones_behind_the_rows
// CHECK-NEXT:  %0 = rlx.matmul %q, %k : (tensor<2x4x5x8xf32>, tensor<2x4x8x6xf32>) -> tensor<2x4x5x6xf32>
// CHECK-NEXT:  %1 = rlx.reshape %0 : tensor<2x4x5x6xf32> -> tensor<2x4x5x1x6xf32>
// CHECK-NEXT:  func.return %1
func.func @ones_behind_the_rows(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x8x6xf32>) -> tensor<2x4x5x1x6xf32> {
  %0 = rlx.reshape %q : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
  %1 = rlx.reshape %k : tensor<2x4x8x6xf32> -> tensor<8x8x6xf32>
  %2 = rlx.matmul %0, %1 : (tensor<8x5x8xf32>, tensor<8x8x6xf32>) -> tensor<8x5x6xf32>
  %3 = rlx.reshape %2 : tensor<8x5x6xf32> -> tensor<2x4x5x1x6xf32>
  func.return %3 : tensor<2x4x5x1x6xf32>
}
