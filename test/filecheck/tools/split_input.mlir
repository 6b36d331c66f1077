// RUN: rlx-opt --split-input-file %s | filecheck %s

// CHECK:      func.func @first
// CHECK:      // -----
// CHECK-NEXT: builtin.module
// CHECK:      func.func @second
// CHECK-NOT:  // -----
func.func @first(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}

// -----

func.func @second(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
