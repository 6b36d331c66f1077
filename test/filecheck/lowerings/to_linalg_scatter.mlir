// RUN: rlx-opt --convert-rlx-to-linalg %s | filecheck %s

// An element of the result looks at every index: the updates are the inner loop, and no two elements are written at once.

// CHECK-LABEL: @added
// CHECK:       linalg.generic
// CHECK-SAME:    iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME:    ins(%u : tensor<8x3xf32>) outs(%x : tensor<6x3xf32>)
// CHECK:         tensor.extract %i
// CHECK:         tensor.extract %u
// CHECK:         arith.addf
// CHECK:         arith.select
func.func @added(%x: tensor<6x3xf32>, %i: tensor<8xi64>, %u: tensor<8x3xf32>) -> tensor<6x3xf32> {
  %0 = rlx.scatter_add %x, %i, %u axis(0) : (tensor<6x3xf32>, tensor<8xi64>, tensor<8x3xf32>) -> tensor<6x3xf32>
  func.return %0 : tensor<6x3xf32>
}
