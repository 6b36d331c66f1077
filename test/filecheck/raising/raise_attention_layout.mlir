// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// Attention ops: heads split before and joined after stay packed, mask and scale as they are.
// CHECK-LABEL: @joined
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) masked_rows(zero) : (tensor<2x3x32xf32>
// CHECK-NEXT:  func.return %0
func.func @joined(%q: tensor<2x3x32xf32>, %k: tensor<2x5x32xf32>, %v: tensor<2x5x32xf32>, %m: tensor<2x5xi1>) -> tensor<2x3x32xf32> {
  %0 = rlx.reshape %q : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %2 = rlx.reshape %k : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %4 = rlx.reshape %v : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %5 = rlx.transpose %4 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %6 = rlx.attention %1, %3, %5 mask keys(%m) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) masked_rows(zero) : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x5xi1>) -> tensor<2x4x3x8xf32>
  %7 = rlx.transpose %6 [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  %8 = rlx.reshape %7 : tensor<2x3x4x8xf32> -> tensor<2x3x32xf32>
  func.return %8 : tensor<2x3x32xf32>
}

// Heads that are not joined go by place.
// CHECK-LABEL: @by_place
// CHECK:       %3 = rlx.attention %0, %1, %2 layout(bshd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x3x4x8xf32>
// CHECK-NEXT:  func.return %3
func.func @by_place(%q: tensor<2x3x32xf32>, %k: tensor<2x5x32xf32>, %v: tensor<2x5x32xf32>) -> tensor<2x3x4x8xf32> {
  %0 = rlx.reshape %q : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %2 = rlx.reshape %k : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %4 = rlx.reshape %v : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %5 = rlx.transpose %4 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %6 = rlx.attention %1, %3, %5 layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  %7 = rlx.transpose %6 [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  func.return %7 : tensor<2x3x4x8xf32>
}

// Key heads that are repeated in a row become fewer.
// CHECK-LABEL: @repeated
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5)
// CHECK-NEXT:  func.return %0
func.func @repeated(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %1 = rlx.expand %0 : tensor<2x2x1x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %2 = rlx.reshape %1 : tensor<2x2x2x5x8xf32> -> tensor<2x4x5x8xf32>
  %3 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %4 = rlx.expand %3 : tensor<2x2x1x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %5 = rlx.reshape %4 : tensor<2x2x2x5x8xf32> -> tensor<2x4x5x8xf32>
  %6 = rlx.attention %q, %2, %5 layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %6 : tensor<2x4x3x8xf32>
}

// The heads of the result are read apart: nothing is gained by another layout of the operands alone.
// CHECK-LABEL: @read_by_head
// CHECK:       layout(bhsd)
func.func @read_by_head(%q: tensor<2x3x32xf32>, %k: tensor<2x5x32xf32>, %v: tensor<2x5x32xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %q : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %2 = rlx.reshape %k : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %4 = rlx.reshape %v : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %5 = rlx.transpose %4 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %6 = rlx.attention %1, %3, %5 layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %6 : tensor<2x4x3x8xf32>
}

// The keys are no head split: their heads lie first in what is given.
// CHECK-LABEL: @keys_by_head
// CHECK:       layout(bhsd)
func.func @keys_by_head(%q: tensor<2x3x32xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x3x32xf32> {
  %0 = rlx.reshape %q : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %6 = rlx.attention %1, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  %7 = rlx.transpose %6 [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  %8 = rlx.reshape %7 : tensor<2x3x4x8xf32> -> tensor<2x3x32xf32>
  func.return %8 : tensor<2x3x32xf32>
}

// The result is read twice before its heads are joined.
// CHECK-LABEL: @read_twice
// CHECK:       layout(bhsd)
func.func @read_twice(%q: tensor<2x3x32xf32>, %k: tensor<2x5x32xf32>, %v: tensor<2x5x32xf32>) -> (tensor<2x3x32xf32>, tensor<2x4x3x8xf32>) {
  %0 = rlx.reshape %q : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %2 = rlx.reshape %k : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %4 = rlx.reshape %v : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %5 = rlx.transpose %4 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %6 = rlx.attention %1, %3, %5 layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  %7 = rlx.transpose %6 [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  %8 = rlx.reshape %7 : tensor<2x3x4x8xf32> -> tensor<2x3x32xf32>
  func.return %8, %6 : tensor<2x3x32xf32>, tensor<2x4x3x8xf32>
}
