// RUN: rlx-opt --convert-rlx-to-linalg --split-input-file %s | filecheck %s

// Two passes: the mean, then the squares of the distance to it.

// CHECK-LABEL: func.func @layer_norm(
// CHECK:         iterator_types = ["parallel", "reduction"]} ins(%x :
// CHECK:         iterator_types = ["parallel", "reduction"]} ins(%x, %{{.*}} :
// CHECK:         arith.subf
// CHECK:         iterator_types = ["parallel", "parallel"]
// CHECK:         math.sqrt
func.func @layer_norm(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.layer_norm %x, %g, %g epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @softmax(
// CHECK:         arith.maximumf
// CHECK:         arith.subf
// CHECK-NEXT:    math.exp
// CHECK:         arith.divf
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.softmax %x : tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// -----

// The number of elements is only known when the program runs.

// CHECK-LABEL: func.func @mean(
// CHECK:         [[N:%.*]] = tensor.dim %x
// CHECK:         arith.index_cast [[N]]
// CHECK:         arith.divf
// CHECK:         tensor.expand_shape {{.*}} into tensor<4x1xf32>
func.func @mean(%x: tensor<4x?xf32>) -> tensor<4x1xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<4x?xf32> -> tensor<4x1xf32>
  func.return %0 : tensor<4x1xf32>
}

// -----

// The greatest of unsigned numbers starts at 0.

// CHECK-LABEL: func.func @unsigned(
// CHECK:         arith.constant 0 : i8
// CHECK:         arith.maxui
func.func @unsigned(%x: tensor<4x8xui8>) -> tensor<4xui8> {
  %0 = rlx.reduce max %x axes [1] : tensor<4x8xui8> -> tensor<4xui8>
  func.return %0 : tensor<4xui8>
}

// -----

// CHECK-LABEL: func.func @rms_norm_of_rows(
// CHECK:         math.sqrt
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0 : i64, 1 : i64], [2 : i64]] : tensor<?x3x8xf32> into tensor<?x8xf32>
func.func @rms_norm_of_rows(%x: tensor<?x3x8xf32>, %g: tensor<8xf32>) -> tensor<?x8xf32> {
  %0 = rlx.rms_norm %x, %g, %g epsilon(1.0e-5) flatten : (tensor<?x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  func.return %0 : tensor<?x8xf32>
}
