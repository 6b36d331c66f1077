// RUN: rlx-opt --convert-rlx-to-linalg --split-input-file %s | filecheck %s

// A reshape splits and merges only the dims that change.

// CHECK-LABEL: func.func @heads(
// CHECK:         [[D:%.*]] = tensor.dim %x
// CHECK-NEXT:    tensor.expand_shape %x {{.*}} output_shape [[[D]], 5, 4, 8] : tensor<?x5x32xf32> into tensor<?x5x4x8xf32>
// CHECK-NEXT:    func.return
func.func @heads(%x: tensor<?x5x32xf32>) -> tensor<?x5x4x8xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x5x32xf32>
  %0 = rlx.reshape %x sizes(%d) : tensor<?x5x32xf32> -> tensor<?x5x4x8xf32>
  func.return %0 : tensor<?x5x4x8xf32>
}

// -----

// CHECK-LABEL: func.func @regrouped(
// CHECK:         tensor.collapse_shape %x {{.*}} : tensor<4x6xf32> into tensor<24xf32>
// CHECK-NEXT:    tensor.expand_shape {{.*}} : tensor<24xf32> into tensor<3x8xf32>
func.func @regrouped(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %0 = rlx.reshape %x : tensor<4x6xf32> -> tensor<3x8xf32>
  func.return %0 : tensor<3x8xf32>
}

// -----

// CHECK-LABEL: func.func @pieces(
// CHECK:         [[A:%.*]] = tensor.extract_slice %x[0, 2] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
// CHECK:         tensor.insert_slice %x into {{.*}}[0, 0] [4, 6] [1, 1]
// CHECK-NEXT:    tensor.insert_slice [[A]] into {{.*}}[0, 6] [4, 3] [1, 1]
func.func @pieces(%x: tensor<4x6xf32>) -> tensor<4x9xf32> {
  %0 = rlx.narrow %x axis(1) start(2) length(3) : tensor<4x6xf32> -> tensor<4x3xf32>
  %1 = rlx.concat %x, %0 axis(1) : (tensor<4x6xf32>, tensor<4x3xf32>) -> tensor<4x9xf32>
  func.return %1 : tensor<4x9xf32>
}

// -----

// CHECK-LABEL: func.func @gather(
// CHECK:         arith.index_cast
// CHECK:         tensor.extract %t[
func.func @gather(%t: tensor<2x6x4xf32>, %i: tensor<5xi32>) -> tensor<2x5x4xf32> {
  %0 = rlx.gather %t, %i axis(1) : (tensor<2x6x4xf32>, tensor<5xi32>) -> tensor<2x5x4xf32>
  func.return %0 : tensor<2x5x4xf32>
}
