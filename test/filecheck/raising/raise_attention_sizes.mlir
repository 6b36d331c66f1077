// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// Heads are split by sizes that are read from the left side of a product: its rows are those of the result.
// CHECK-LABEL: @sizes_of_the_left_side
// CHECK:       %[[Q:.*]] = rlx.matmul
// CHECK-NEXT:  %[[K:.*]] = rlx.activation
// CHECK-NEXT:  %[[A:.*]] = rlx.attention %[[Q]], %[[K]], %[[K]] layout(bsm)
// CHECK-NEXT:  func.return %[[A]]
func.func @sizes_of_the_left_side(%x: tensor<?x?x16xf32>, %w: tensor<16x32xf32>) -> tensor<?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x16xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x16xf32>
  %q = rlx.matmul %x, %w : (tensor<?x?x16xf32>, tensor<16x32xf32>) -> tensor<?x?x32xf32>
  %k = rlx.activation relu %q : tensor<?x?x32xf32>
  %0 = rlx.reshape %q sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<?x?x4x8xf32> -> tensor<?x4x?x8xf32>
  %2 = rlx.reshape %k sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 3, 1] : tensor<?x?x4x8xf32> -> tensor<?x4x8x?xf32>
  %4 = rlx.reshape %k sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %5 = rlx.transpose %4 [0, 2, 1, 3] : tensor<?x?x4x8xf32> -> tensor<?x4x?x8xf32>
  %6 = rlx.matmul %1, %3 : (tensor<?x4x?x8xf32>, tensor<?x4x8x?xf32>) -> tensor<?x4x?x?xf32>
  %7 = rlx.softmax %6 axis(-1) : tensor<?x4x?x?xf32>
  %8 = rlx.matmul %7, %5 : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  %9 = rlx.transpose %8 [0, 2, 1, 3] : tensor<?x4x?x8xf32> -> tensor<?x?x4x8xf32>
  %10 = rlx.reshape %9 sizes(%b, %s) : tensor<?x?x4x8xf32> -> tensor<?x?x32xf32>
  func.return %10 : tensor<?x?x32xf32>
}

// Keys are another argument, whose axes have the same names.
// CHECK-LABEL: @names_say_so
// CHECK:       rlx.attention %{{.*}}, %k, %k layout(bsm)
func.func @names_say_so(%x: tensor<?x?x16xf32> {rlx.dims = ["b", "s", 16]}, %w: tensor<16x32xf32>, %k: tensor<?x?x32xf32> {rlx.dims = ["b", "s", 32]}) -> tensor<?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x16xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x16xf32>
  %q = rlx.matmul %x, %w : (tensor<?x?x16xf32>, tensor<16x32xf32>) -> tensor<?x?x32xf32>
  %0 = rlx.reshape %q sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<?x?x4x8xf32> -> tensor<?x4x?x8xf32>
  %2 = rlx.reshape %k sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 3, 1] : tensor<?x?x4x8xf32> -> tensor<?x4x8x?xf32>
  %4 = rlx.reshape %k sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %5 = rlx.transpose %4 [0, 2, 1, 3] : tensor<?x?x4x8xf32> -> tensor<?x4x?x8xf32>
  %6 = rlx.matmul %1, %3 : (tensor<?x4x?x8xf32>, tensor<?x4x8x?xf32>) -> tensor<?x4x?x?xf32>
  %7 = rlx.softmax %6 axis(-1) : tensor<?x4x?x?xf32>
  %8 = rlx.matmul %7, %5 : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  %9 = rlx.transpose %8 [0, 2, 1, 3] : tensor<?x4x?x8xf32> -> tensor<?x?x4x8xf32>
  %10 = rlx.reshape %9 sizes(%b, %s) : tensor<?x?x4x8xf32> -> tensor<?x?x32xf32>
  func.return %10 : tensor<?x?x32xf32>
}

// The same without names: rows and places of the keys might be split otherwise, so that their heads are split as written.
// CHECK-LABEL: @nobody_says_so
// CHECK:       rlx.attention %{{.*}}, %{{.*}}, %{{.*}} layout(bshd)
func.func @nobody_says_so(%x: tensor<?x?x16xf32>, %w: tensor<16x32xf32>, %k: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x16xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x16xf32>
  %q = rlx.matmul %x, %w : (tensor<?x?x16xf32>, tensor<16x32xf32>) -> tensor<?x?x32xf32>
  %0 = rlx.reshape %q sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<?x?x4x8xf32> -> tensor<?x4x?x8xf32>
  %2 = rlx.reshape %k sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 3, 1] : tensor<?x?x4x8xf32> -> tensor<?x4x8x?xf32>
  %4 = rlx.reshape %k sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %5 = rlx.transpose %4 [0, 2, 1, 3] : tensor<?x?x4x8xf32> -> tensor<?x4x?x8xf32>
  %6 = rlx.matmul %1, %3 : (tensor<?x4x?x8xf32>, tensor<?x4x8x?xf32>) -> tensor<?x4x?x?xf32>
  %7 = rlx.softmax %6 axis(-1) : tensor<?x4x?x?xf32>
  %8 = rlx.matmul %7, %5 : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  %9 = rlx.transpose %8 [0, 2, 1, 3] : tensor<?x4x?x8xf32> -> tensor<?x?x4x8xf32>
  %10 = rlx.reshape %9 sizes(%b, %s) : tensor<?x?x4x8xf32> -> tensor<?x?x32xf32>
  func.return %10 : tensor<?x?x32xf32>
}
