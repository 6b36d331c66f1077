// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// Queries in groups of heads, each of which reads one key head.
// CHECK-LABEL: @groups
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
// CHECK-NEXT:  func.return %0
func.func @groups(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %q : tensor<2x4x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %1 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %2 = rlx.transpose %1 [0, 1, 2, 4, 3] : tensor<2x2x1x5x8xf32> -> tensor<2x2x1x8x5xf32>
  %3 = rlx.matmul %0, %2 : (tensor<2x2x2x3x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x2x3x5xf32>
  %4 = arith.constant dense<0.353553385> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x2x2x3x5xf32>
  %7 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %8 = rlx.matmul %6, %7 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %9 = rlx.reshape %8 : tensor<2x2x2x3x8xf32> -> tensor<2x4x3x8xf32>
  func.return %9 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @groups_stretched
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
// CHECK-NEXT:  func.return %0
func.func @groups_stretched(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %q : tensor<2x4x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %1 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %2 = rlx.expand %1 : tensor<2x2x1x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %3 = rlx.transpose %2 [0, 1, 2, 4, 3] : tensor<2x2x2x5x8xf32> -> tensor<2x2x2x8x5xf32>
  %4 = rlx.matmul %0, %3 : (tensor<2x2x2x3x8xf32>, tensor<2x2x2x8x5xf32>) -> tensor<2x2x2x3x5xf32>
  %5 = arith.constant dense<0.353553385> : tensor<f32>
  %6 = rlx.binary mul %4, %5 : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x2x2x3x5xf32>
  %8 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %9 = rlx.expand %8 : tensor<2x2x1x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %10 = rlx.matmul %7, %9 : (tensor<2x2x2x3x5xf32>, tensor<2x2x2x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %11 = rlx.reshape %10 : tensor<2x2x2x3x8xf32> -> tensor<2x4x3x8xf32>
  func.return %11 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @groups_with_keys
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3535533905932738) masked_rows(nan)
func.func @groups_with_keys(%m: tensor<2x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %q : tensor<2x4x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %1 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %2 = rlx.transpose %1 [0, 1, 2, 4, 3] : tensor<2x2x1x5x8xf32> -> tensor<2x2x1x8x5xf32>
  %3 = rlx.matmul %0, %2 : (tensor<2x2x2x3x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x2x3x5xf32>
  %4 = arith.constant dense<0.353553385> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %6 = rlx.reshape %m : tensor<2x5xi1> -> tensor<2x1x1x1x5xi1>
  %7 = arith.constant dense<0xff800000> : tensor<f32>
  %8 = rlx.where %6, %5, %7 : (tensor<2x1x1x1x5xi1>, tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %9 = rlx.softmax %8 : tensor<2x2x2x3x5xf32>
  %10 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %11 = rlx.matmul %9, %10 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %12 = rlx.reshape %11 : tensor<2x2x2x3x8xf32> -> tensor<2x4x3x8xf32>
  func.return %12 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @groups_with_bias
// CHECK-NEXT:  %0 = rlx.reshape %b : tensor<2x2x2x3x5xf32> -> tensor<2x4x3x5xf32>
// CHECK-NEXT:  %1 = rlx.attention %q, %k, %v mask bias(%0) layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
func.func @groups_with_bias(%b: tensor<2x2x2x3x5xf32>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %q : tensor<2x4x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %1 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %2 = rlx.transpose %1 [0, 1, 2, 4, 3] : tensor<2x2x1x5x8xf32> -> tensor<2x2x1x8x5xf32>
  %3 = rlx.matmul %0, %2 : (tensor<2x2x2x3x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x2x3x5xf32>
  %4 = arith.constant dense<0.353553385> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %6 = rlx.binary add %5, %b : (tensor<2x2x2x3x5xf32>, tensor<2x2x2x3x5xf32>) -> tensor<2x2x2x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x2x2x3x5xf32>
  %8 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %9 = rlx.matmul %7, %8 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %10 = rlx.reshape %9 : tensor<2x2x2x3x8xf32> -> tensor<2x4x3x8xf32>
  func.return %10 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @groups_with_bias_for_all
// CHECK-NEXT:  %0 = rlx.reshape %b : tensor<2x1x1x1x5xf32> -> tensor<2x1x1x5xf32>
// CHECK-NEXT:  %1 = rlx.attention %q, %k, %v mask bias(%0) layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
func.func @groups_with_bias_for_all(%b: tensor<2x1x1x1x5xf32>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %q : tensor<2x4x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %1 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %2 = rlx.transpose %1 [0, 1, 2, 4, 3] : tensor<2x2x1x5x8xf32> -> tensor<2x2x1x8x5xf32>
  %3 = rlx.matmul %0, %2 : (tensor<2x2x2x3x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x2x3x5xf32>
  %4 = arith.constant dense<0.353553385> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %6 = rlx.binary add %5, %b : (tensor<2x2x2x3x5xf32>, tensor<2x1x1x1x5xf32>) -> tensor<2x2x2x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x2x2x3x5xf32>
  %8 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %9 = rlx.matmul %7, %8 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %10 = rlx.reshape %9 : tensor<2x2x2x3x8xf32> -> tensor<2x4x3x8xf32>
  func.return %10 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @groups_causal
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3535533905932738) causal_offset(2)
func.func @groups_causal(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<[[true, true, true, false, false], [true, true, true, true, false], [true, true, true, true, true]]> : tensor<3x5xi1>
  %1 = rlx.reshape %q : tensor<2x4x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %2 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %3 = rlx.transpose %2 [0, 1, 2, 4, 3] : tensor<2x2x1x5x8xf32> -> tensor<2x2x1x8x5xf32>
  %4 = rlx.matmul %1, %3 : (tensor<2x2x2x3x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x2x3x5xf32>
  %5 = arith.constant dense<0.353553385> : tensor<f32>
  %6 = rlx.binary mul %4, %5 : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %7 = arith.constant dense<0xff800000> : tensor<f32>
  %8 = rlx.where %0, %6, %7 : (tensor<3x5xi1>, tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %9 = rlx.softmax %8 : tensor<2x2x2x3x5xf32>
  %10 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %11 = rlx.matmul %9, %10 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %12 = rlx.reshape %11 : tensor<2x2x2x3x8xf32> -> tensor<2x4x3x8xf32>
  func.return %12 : tensor<2x4x3x8xf32>
}

// As JAX writes einsum over groups: the scores' axes are moved, the result is joined in one step.
// CHECK-LABEL: @groups_by_place
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bshd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
// CHECK-NEXT:  %1 = rlx.reshape %0 : tensor<2x3x4x8xf32> -> tensor<2x3x32xf32>
// CHECK-NEXT:  func.return %1
func.func @groups_by_place(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x5x2x8xf32>) -> tensor<2x3x32xf32> {
  %0 = rlx.reshape %q : tensor<2x3x4x8xf32> -> tensor<2x3x2x2x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3, 4] : tensor<2x3x2x2x8xf32> -> tensor<2x2x3x2x8xf32>
  %2 = rlx.transpose %k [0, 2, 3, 1] : tensor<2x5x2x8xf32> -> tensor<2x2x8x5xf32>
  %3 = rlx.reshape %2 : tensor<2x2x8x5xf32> -> tensor<2x2x1x8x5xf32>
  %4 = rlx.transpose %v [0, 2, 1, 3] : tensor<2x5x2x8xf32> -> tensor<2x2x5x8xf32>
  %5 = rlx.reshape %4 : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %6 = rlx.matmul %1, %3 : (tensor<2x2x3x2x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x3x2x5xf32>
  %7 = arith.constant dense<0.353553385> : tensor<f32>
  %8 = rlx.binary mul %6, %7 : (tensor<2x2x3x2x5xf32>, tensor<f32>) -> tensor<2x2x3x2x5xf32>
  %9 = rlx.transpose %8 [0, 1, 3, 2, 4] : tensor<2x2x3x2x5xf32> -> tensor<2x2x2x3x5xf32>
  %10 = rlx.softmax %9 : tensor<2x2x2x3x5xf32>
  %11 = rlx.matmul %10, %5 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %12 = rlx.transpose %11 [0, 3, 1, 2, 4] : tensor<2x2x2x3x8xf32> -> tensor<2x3x2x2x8xf32>
  %13 = rlx.reshape %12 : tensor<2x3x2x2x8xf32> -> tensor<2x3x32xf32>
  func.return %13 : tensor<2x3x32xf32>
}

// The mask has ones where the axes were moved: its elements stay in order.
// CHECK-LABEL: @axes_moved_before_the_mask
// CHECK-NEXT:  %0 = rlx.reshape %m : tensor<2x1x1x5xi1> -> tensor<2x5xi1>
// CHECK-NEXT:  %1 = rlx.attention %q, %k, %v mask keys(%0) layout(bshd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3535533905932738) masked_rows(nan)
// CHECK-NEXT:  func.return %1
func.func @axes_moved_before_the_mask(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x5x2x8xf32>, %m: tensor<2x1x1x5xi1>) -> tensor<2x3x4x8xf32> {
  %0 = rlx.reshape %q : tensor<2x3x4x8xf32> -> tensor<2x3x2x2x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3, 4] : tensor<2x3x2x2x8xf32> -> tensor<2x2x3x2x8xf32>
  %2 = rlx.transpose %k [0, 2, 3, 1] : tensor<2x5x2x8xf32> -> tensor<2x2x8x5xf32>
  %3 = rlx.reshape %2 : tensor<2x2x8x5xf32> -> tensor<2x2x1x8x5xf32>
  %4 = rlx.transpose %v [0, 2, 1, 3] : tensor<2x5x2x8xf32> -> tensor<2x2x5x8xf32>
  %5 = rlx.reshape %4 : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %6 = rlx.matmul %1, %3 : (tensor<2x2x3x2x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x3x2x5xf32>
  %7 = arith.constant dense<0.353553385> : tensor<f32>
  %8 = rlx.binary mul %6, %7 : (tensor<2x2x3x2x5xf32>, tensor<f32>) -> tensor<2x2x3x2x5xf32>
  %9 = rlx.transpose %8 [3, 0, 1, 2, 4] : tensor<2x2x3x2x5xf32> -> tensor<2x2x2x3x5xf32>
  %10 = rlx.reshape %m : tensor<2x1x1x5xi1> -> tensor<1x2x1x1x5xi1>
  %11 = arith.constant dense<0xff800000> : tensor<f32>
  %12 = rlx.where %10, %9, %11 : (tensor<1x2x1x1x5xi1>, tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %13 = rlx.softmax %12 : tensor<2x2x2x3x5xf32>
  %14 = rlx.transpose %13 [1, 2, 0, 3, 4] : tensor<2x2x2x3x5xf32> -> tensor<2x2x2x3x5xf32>
  %15 = rlx.matmul %14, %5 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %16 = rlx.transpose %15 [0, 3, 1, 2, 4] : tensor<2x2x2x3x8xf32> -> tensor<2x3x2x2x8xf32>
  %17 = rlx.reshape %16 : tensor<2x3x2x2x8xf32> -> tensor<2x3x4x8xf32>
  func.return %17 : tensor<2x3x4x8xf32>
}

// CHECK-LABEL: @result_left_in_groups
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
// CHECK-NEXT:  %1 = rlx.reshape %0 : tensor<2x4x3x8xf32> -> tensor<2x2x2x3x8xf32>
func.func @result_left_in_groups(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x2x2x3x8xf32> {
  %0 = rlx.reshape %q : tensor<2x4x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %1 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %2 = rlx.transpose %1 [0, 1, 2, 4, 3] : tensor<2x2x1x5x8xf32> -> tensor<2x2x1x8x5xf32>
  %3 = rlx.matmul %0, %2 : (tensor<2x2x2x3x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x2x3x5xf32>
  %4 = arith.constant dense<0.353553385> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x2x2x3x5xf32>
  %7 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %8 = rlx.matmul %6, %7 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  func.return %8 : tensor<2x2x2x3x8xf32>
}

// As JAX writes einsum: the values stand on the left.
// CHECK-LABEL: @einsum_order
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bshd) heads(4) kv_heads(4)
// CHECK-NEXT:  func.return %0
func.func @einsum_order(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x4x8xf32>, %v: tensor<2x5x4x8xf32>) -> tensor<2x3x4x8xf32> {
  %0 = rlx.transpose %q [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %1 = rlx.transpose %k [0, 2, 3, 1] : tensor<2x5x4x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %0, %1 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %5 = rlx.softmax %4 : tensor<2x4x3x5xf32>
  %6 = rlx.transpose %v [0, 2, 3, 1] : tensor<2x5x4x8xf32> -> tensor<2x4x8x5xf32>
  %7 = rlx.transpose %5 [0, 1, 3, 2] : tensor<2x4x3x5xf32> -> tensor<2x4x5x3xf32>
  %8 = rlx.matmul %6, %7 : (tensor<2x4x8x5xf32>, tensor<2x4x5x3xf32>) -> tensor<2x4x8x3xf32>
  %9 = rlx.transpose %8 [0, 3, 1, 2] : tensor<2x4x8x3xf32> -> tensor<2x3x4x8xf32>
  func.return %9 : tensor<2x3x4x8xf32>
}

// CHECK-LABEL: @einsum_order_alone
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4)
// CHECK-NEXT:  %1 = rlx.transpose %0 [0, 1, 3, 2]
// CHECK-NEXT:  func.return %1
func.func @einsum_order_alone(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x8x3xf32> {
  %0 = rlx.transpose %v [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %5 = rlx.softmax %4 : tensor<2x4x3x5xf32>
  %6 = rlx.transpose %5 [0, 1, 3, 2] : tensor<2x4x3x5xf32> -> tensor<2x4x5x3xf32>
  %7 = rlx.matmul %0, %6 : (tensor<2x4x8x5xf32>, tensor<2x4x5x3xf32>) -> tensor<2x4x8x3xf32>
  func.return %7 : tensor<2x4x8x3xf32>
}

// The bias differs inside of a group and not between groups: no dims say that once the groups are joined.
// MISS: RLX-F022 layout
// CHECK-LABEL: @bias_inside_groups
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @bias_inside_groups(%b: tensor<2x1x2x3x5xf32>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %q : tensor<2x4x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %1 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %2 = rlx.transpose %1 [0, 1, 2, 4, 3] : tensor<2x2x1x5x8xf32> -> tensor<2x2x1x8x5xf32>
  %3 = rlx.matmul %0, %2 : (tensor<2x2x2x3x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x2x3x5xf32>
  %4 = arith.constant dense<0.353553385> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %6 = rlx.binary add %5, %b : (tensor<2x2x2x3x5xf32>, tensor<2x1x2x3x5xf32>) -> tensor<2x2x2x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x2x2x3x5xf32>
  %8 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %9 = rlx.matmul %7, %8 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %10 = rlx.reshape %9 : tensor<2x2x2x3x8xf32> -> tensor<2x4x3x8xf32>
  func.return %10 : tensor<2x4x3x8xf32>
}

// MISS: RLX-F022 layout
// CHECK-LABEL: @bias_under_moved_axes
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @bias_under_moved_axes(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x5x2x8xf32>, %b: tensor<2x2x2x3x5xf32>) -> tensor<2x3x4x8xf32> {
  %0 = rlx.reshape %q : tensor<2x3x4x8xf32> -> tensor<2x3x2x2x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3, 4] : tensor<2x3x2x2x8xf32> -> tensor<2x2x3x2x8xf32>
  %2 = rlx.transpose %k [0, 2, 3, 1] : tensor<2x5x2x8xf32> -> tensor<2x2x8x5xf32>
  %3 = rlx.reshape %2 : tensor<2x2x8x5xf32> -> tensor<2x2x1x8x5xf32>
  %4 = rlx.transpose %v [0, 2, 1, 3] : tensor<2x5x2x8xf32> -> tensor<2x2x5x8xf32>
  %5 = rlx.reshape %4 : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %6 = rlx.matmul %1, %3 : (tensor<2x2x3x2x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x3x2x5xf32>
  %7 = arith.constant dense<0.353553385> : tensor<f32>
  %8 = rlx.binary mul %6, %7 : (tensor<2x2x3x2x5xf32>, tensor<f32>) -> tensor<2x2x3x2x5xf32>
  %9 = rlx.transpose %8 [3, 0, 1, 2, 4] : tensor<2x2x3x2x5xf32> -> tensor<2x2x2x3x5xf32>
  %10 = rlx.binary add %9, %b : (tensor<2x2x2x3x5xf32>, tensor<2x2x2x3x5xf32>) -> tensor<2x2x2x3x5xf32>
  %11 = rlx.softmax %10 : tensor<2x2x2x3x5xf32>
  %12 = rlx.transpose %11 [1, 2, 0, 3, 4] : tensor<2x2x2x3x5xf32> -> tensor<2x2x2x3x5xf32>
  %13 = rlx.matmul %12, %5 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  %14 = rlx.transpose %13 [0, 3, 1, 2, 4] : tensor<2x2x2x3x8xf32> -> tensor<2x3x2x2x8xf32>
  %15 = rlx.reshape %14 : tensor<2x3x2x2x8xf32> -> tensor<2x3x4x8xf32>
  func.return %15 : tensor<2x3x4x8xf32>
}

// The queries come in groups; there is no value with one axis of heads.
// MISS: RLX-F022 layout
// CHECK-LABEL: @groups_of_other_heads
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @groups_of_other_heads(%q: tensor<2x2x2x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x2x2x3x8xf32> {
  %0 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %1 = rlx.transpose %0 [0, 1, 2, 4, 3] : tensor<2x2x1x5x8xf32> -> tensor<2x2x1x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x2x2x3x8xf32>, tensor<2x2x1x8x5xf32>) -> tensor<2x2x2x3x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3x5xf32>
  %5 = rlx.softmax %4 : tensor<2x2x2x3x5xf32>
  %6 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %7 = rlx.matmul %5, %6 : (tensor<2x2x2x3x5xf32>, tensor<2x2x1x5x8xf32>) -> tensor<2x2x2x3x8xf32>
  func.return %7 : tensor<2x2x2x3x8xf32>
}
