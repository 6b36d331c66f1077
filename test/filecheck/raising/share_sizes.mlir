// RUN: rlx-opt --rlx-share-sizes %s | filecheck %s

// The rows of a product are those of its left side.
// CHECK-LABEL: @rows_of_a_product
// CHECK:       %n = tensor.dim %x, %c0
// CHECK-NOT:   tensor.dim
// CHECK:       rlx.reshape %0 sizes(%n)
func.func @rows_of_a_product(%x: tensor<?x4xf32>, %w: tensor<4x6xf32>, %e: tensor<?x2xf32>) -> tensor<?x2x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %0 = rlx.matmul %x, %w : (tensor<?x4xf32>, tensor<4x6xf32>) -> tensor<?x6xf32>
  %1 = tensor.dim %0, %c0 : tensor<?x6xf32>
  %2 = rlx.reshape %0 sizes(%1) : tensor<?x6xf32> -> tensor<?x2x3xf32>
  %3 = rlx.full 1.0 sizes(%n) : tensor<?x1x1xf32>
  %4 = rlx.binary mul %2, %3 : (tensor<?x2x3xf32>, tensor<?x1x1xf32>) -> tensor<?x2x3xf32>
  func.return %4 : tensor<?x2x3xf32>
}

// A size that was reckoned.
// CHECK-LABEL: @reckoned
// CHECK:       tensor.dim %x
// CHECK:       %m = arith.muli
// CHECK-NOT:   tensor.dim
// CHECK:       rlx.full 1.0 sizes(%m)
func.func @reckoned(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = arith.muli %n, %c2 : index
  %0 = rlx.concat %x, %x axis(0) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = tensor.dim %0, %c0 : tensor<?x4xf32>
  %2 = rlx.full 1.0 sizes(%1) : tensor<?x4xf32>
  %3 = rlx.binary add %0, %2 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  func.return %3 : tensor<?x4xf32>
}

// Nothing says that the two have equal sizes; what an argument has is read from it.
// CHECK-LABEL: @others
// CHECK-COUNT-2: tensor.dim
func.func @others(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = rlx.activation relu %y : tensor<?xf32>
  %m = tensor.dim %0, %c0 : tensor<?xf32>
  %1 = rlx.full 1.0 sizes(%n) : tensor<?xf32>
  %2 = rlx.full 1.0 sizes(%m) : tensor<?xf32>
  func.return %1, %2 : tensor<?xf32>, tensor<?xf32>
}
