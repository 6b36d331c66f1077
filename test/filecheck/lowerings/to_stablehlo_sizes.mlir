// RUN: rlx-opt --convert-rlx-to-stablehlo --split-input-file %s | filecheck %s

// Sizes that only a run knows are read off tensors, and shapes are made of them.
// CHECK-LABEL: @broadcast
// CHECK:       %[[SIZE:.*]] = stablehlo.get_dimension_size %x, dim = 0
// CHECK:       %[[SHAPE:.*]] = stablehlo.concatenate
// CHECK:       %[[BIAS:.*]] = stablehlo.dynamic_broadcast_in_dim %b, %[[SHAPE]], dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
// CHECK:       stablehlo.add %x, %[[BIAS]] : tensor<?x4xf32>
func.func @broadcast(%x: tensor<?x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.binary add %x, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}

// -----

// What the program makes of a size is arithmetic on numbers.
// CHECK-LABEL: @merged
// CHECK:       %[[A:.*]] = stablehlo.get_dimension_size %x, dim = 0
// CHECK:       %[[B:.*]] = stablehlo.get_dimension_size %x, dim = 1
// CHECK:       %[[N:.*]] = stablehlo.multiply %[[A]], %[[B]] : tensor<i32>
// CHECK:       stablehlo.dynamic_reshape %x
// CHECK-NOT:   tensor.dim
func.func @merged(%x: tensor<?x?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %n = arith.muli %a, %b : index
  %0 = rlx.reshape %x sizes(%n) : tensor<?x?x4xf32> -> tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}

// -----

// A limit that only a run knows takes the place of an attribute.
// CHECK-LABEL: @bounds
// CHECK:       stablehlo.real_dynamic_slice %x
// CHECK:       stablehlo.dynamic_iota
func.func @bounds(%x: tensor<?x4xf32>) -> tensor<?x2xf32> {
  %0 = rlx.narrow %x axis(1) start(1) length(2) : tensor<?x4xf32> -> tensor<?x2xf32>
  %1 = rlx.trilu lower %0 diagonal(0) : tensor<?x2xf32>
  func.return %1 : tensor<?x2xf32>
}
