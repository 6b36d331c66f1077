// RUN: rlx-opt --convert-rlx-to-linalg --split-input-file %s | filecheck %s

// No transpose: the maps read the packed heads where they lie, and the result is written as the layout has it.

// CHECK-LABEL: func.func @bsm(
// CHECK-NOT:     linalg.transpose
// CHECK:         tensor.expand_shape %q {{.*}} into tensor<2x5x4x8xf32>
// CHECK:         affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK:         tensor.collapse_shape {{.*}} into tensor<2x5x32xf32>
func.func @bsm(%q: tensor<2x5x32xf32>, %k: tensor<2x7x32xf32>) -> tensor<2x5x32xf32> {
  %0 = rlx.attention %q, %k, %k layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5)
      : (tensor<2x5x32xf32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>) -> tensor<2x5x32xf32>
  func.return %0 : tensor<2x5x32xf32>
}

// -----

// Causal scores are replaced by the most negative finite value, in each place where they are read.

// CHECK-LABEL: func.func @causal(
// CHECK:         linalg.index 3
// CHECK-NEXT:    linalg.index 2
// CHECK:         arith.cmpi sle
// CHECK:         -3.40282347e+38
// CHECK:         arith.maximumf
// CHECK:         arith.cmpi sle
// CHECK:         math.exp
func.func @causal(%q: tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32> {
  %0 = rlx.attention %q, %q, %q layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(0)
      : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  func.return %0 : tensor<2x4x5x8xf32>
}
