// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// CHECK-LABEL: @plain
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(6) scale(0.3535533905932738) : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x6xf32>) -> tensor<2x4x3x6xf32>
// CHECK-NEXT:  func.return %0
func.func @plain(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x6xf32>) -> tensor<2x4x3x6xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x3x5xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x6xf32>) -> tensor<2x4x3x6xf32>
  func.return %5 : tensor<2x4x3x6xf32>
}

// Head splits whose result is joined again.
// CHECK-LABEL: @packed
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : (tensor<2x3x32xf32>
// CHECK-NEXT:  func.return %0
func.func @packed(%q: tensor<2x3x32xf32>, %k: tensor<2x5x32xf32>, %v: tensor<2x5x32xf32>) -> tensor<2x3x32xf32> {
  %0 = rlx.reshape %q : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %2 = rlx.reshape %k : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %4 = rlx.transpose %3 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %5 = rlx.matmul %1, %4 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %6 = arith.constant dense<2.82842708> : tensor<f32>
  %7 = rlx.binary div %5, %6 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %8 = rlx.softmax %7 : tensor<2x4x3x5xf32>
  %9 = rlx.reshape %v : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %10 = rlx.transpose %9 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %11 = rlx.matmul %8, %10 : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  %12 = rlx.transpose %11 [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  %13 = rlx.reshape %12 : tensor<2x3x4x8xf32> -> tensor<2x3x32xf32>
  func.return %13 : tensor<2x3x32xf32>
}

// As ONNX exporters write it: one transpose splits the heads and turns the keys.
// CHECK-LABEL: @packed_onnx
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
// CHECK-NEXT:  func.return %0
func.func @packed_onnx(%q: tensor<2x3x32xf32>, %k: tensor<2x5x32xf32>, %v: tensor<2x5x32xf32>) -> tensor<2x3x32xf32> {
  %0 = rlx.reshape %k : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 3, 1] : tensor<2x5x4x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.reshape %q : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %4 = rlx.matmul %3, %1 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %5 = arith.constant dense<0.353553385> : tensor<f32>
  %6 = rlx.binary mul %4, %5 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x3x5xf32>
  %8 = rlx.reshape %v : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %9 = rlx.transpose %8 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %10 = rlx.matmul %7, %9 : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  %11 = rlx.transpose %10 [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  %12 = rlx.reshape %11 : tensor<2x3x4x8xf32> -> tensor<2x3x32xf32>
  func.return %12 : tensor<2x3x32xf32>
}

// Split, but not joined.
// CHECK-LABEL: @split_alone
// CHECK:       rlx.attention %{{.*}}, %{{.*}}, %{{.*}} layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>
func.func @split_alone(%q: tensor<2x3x32xf32>, %k: tensor<2x5x32xf32>, %v: tensor<2x5x32xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %q : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %2 = rlx.reshape %k : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %4 = rlx.transpose %3 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %5 = rlx.matmul %1, %4 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %6 = arith.constant dense<0.353553385> : tensor<f32>
  %7 = rlx.binary mul %5, %6 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %8 = rlx.softmax %7 : tensor<2x4x3x5xf32>
  %9 = rlx.reshape %v : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %10 = rlx.transpose %9 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %11 = rlx.matmul %8, %10 : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %11 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @by_place
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bshd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : (tensor<2x3x4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @by_place(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x4x8xf32>, %v: tensor<2x5x4x8xf32>) -> tensor<2x3x4x8xf32> {
  %0 = rlx.transpose %q [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %1 = rlx.transpose %k [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %2 = rlx.transpose %1 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %3 = rlx.matmul %0, %2 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<0.353553385> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.transpose %v [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %8 = rlx.matmul %6, %7 : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  %9 = rlx.transpose %8 [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  func.return %9 : tensor<2x3x4x8xf32>
}

// CHECK-LABEL: @keys_given_transposed
// CHECK-NEXT:  %0 = rlx.transpose %kt [0, 1, 3, 2]
// CHECK-NEXT:  %1 = rlx.attention %q, %0, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
func.func @keys_given_transposed(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>, %kt: tensor<2x4x8x5xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.matmul %q, %kt : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %1 = arith.constant dense<0.353553385> : tensor<f32>
  %2 = rlx.binary mul %0, %1 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %3 = rlx.softmax %2 : tensor<2x4x3x5xf32>
  %4 = rlx.matmul %3, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %4 : tensor<2x4x3x8xf32>
}

// Rank 3 is one head.
// CHECK-LABEL: @one_head
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(6) scale(0.3535533905932738) : (tensor<2x3x8xf32>, tensor<2x5x8xf32>, tensor<2x5x6xf32>) -> tensor<2x3x6xf32>
func.func @one_head(%q: tensor<2x3x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x6xf32>) -> tensor<2x3x6xf32> {
  %0 = rlx.transpose %k [0, 2, 1] : tensor<2x5x8xf32> -> tensor<2x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x3x8xf32>, tensor<2x8x5xf32>) -> tensor<2x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x3x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x3x5xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x3x5xf32>, tensor<2x5x6xf32>) -> tensor<2x3x6xf32>
  func.return %5 : tensor<2x3x6xf32>
}

// K29: the result has the rank of what it replaces.
// CHECK-LABEL: @k29_two_dims
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(6) scale(0.3535533905932738) : (tensor<3x8xf32>, tensor<5x8xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
func.func @k29_two_dims(%q: tensor<3x8xf32>, %k: tensor<5x8xf32>, %v: tensor<5x6xf32>) -> tensor<3x6xf32> {
  %0 = rlx.transpose %k [1, 0] : tensor<5x8xf32> -> tensor<8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %4 = rlx.softmax %3 : tensor<3x5xf32>
  %5 = rlx.matmul %4, %v : (tensor<3x5xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  func.return %5 : tensor<3x6xf32>
}

// CHECK-LABEL: @scale_on_query
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5)
func.func @scale_on_query(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<5.000000e-01> : tensor<f32>
  %1 = rlx.binary mul %q, %0 : (tensor<2x4x3x8xf32>, tensor<f32>) -> tensor<2x4x3x8xf32>
  %2 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %3 = rlx.matmul %1, %2 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x3x5xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %5 : tensor<2x4x3x8xf32>
}

// K26: half of the scale on either side, and NaN replaced by zero after the softmax.
// CHECK-LABEL: @k26_scale_split_and_guard
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v mask bias(%bias) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) masked_rows(zero)
// CHECK-NEXT:  func.return %0
func.func @k26_scale_split_and_guard(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>, %bias: tensor<2x1x1x5xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<0.594603539> : tensor<f32>
  %1 = rlx.binary mul %q, %0 : (tensor<2x4x3x8xf32>, tensor<f32>) -> tensor<2x4x3x8xf32>
  %2 = rlx.binary mul %k, %0 : (tensor<2x4x5x8xf32>, tensor<f32>) -> tensor<2x4x5x8xf32>
  %3 = rlx.transpose %2 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %4 = rlx.matmul %1, %3 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %5 = rlx.binary add %4, %bias : (tensor<2x4x3x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.compare ne %6, %6 : (tensor<2x4x3x5xf32>, tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xi1>
  %8 = arith.constant dense<0.000000e+00> : tensor<f32>
  %9 = rlx.where %7, %8, %6 : (tensor<2x4x3x5xi1>, tensor<f32>, tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %10 = rlx.matmul %9, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %10 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @scale_before_the_split
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
func.func @scale_before_the_split(%q: tensor<2x3x32xf32>, %k: tensor<2x5x32xf32>, %v: tensor<2x5x32xf32>) -> tensor<2x3x32xf32> {
  %0 = arith.constant dense<0.353553385> : tensor<f32>
  %1 = rlx.binary mul %q, %0 : (tensor<2x3x32xf32>, tensor<f32>) -> tensor<2x3x32xf32>
  %2 = rlx.reshape %1 : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %3 = rlx.transpose %2 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %4 = rlx.reshape %k : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %5 = rlx.transpose %4 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %6 = rlx.transpose %5 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %7 = rlx.matmul %3, %6 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %8 = rlx.softmax %7 : tensor<2x4x3x5xf32>
  %9 = rlx.reshape %v : tensor<2x5x32xf32> -> tensor<2x5x4x8xf32>
  %10 = rlx.transpose %9 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %11 = rlx.matmul %8, %10 : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  %12 = rlx.transpose %11 [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  %13 = rlx.reshape %12 : tensor<2x3x4x8xf32> -> tensor<2x3x32xf32>
  func.return %13 : tensor<2x3x32xf32>
}

// CHECK-LABEL: @softcap
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) softcap(50.0)
func.func @softcap(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<5.000000e+01> : tensor<f32>
  %5 = rlx.binary div %3, %4 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.activation tanh %5 : tensor<2x4x3x5xf32>
  %7 = rlx.binary mul %4, %6 : (tensor<f32>, tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %8 = rlx.softmax %7 : tensor<2x4x3x5xf32>
  %9 = rlx.matmul %8, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %9 : tensor<2x4x3x8xf32>
}

// K27: each key head appears twice in a row.
// CHECK-LABEL: @k27_grouped
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8)
// CHECK-NEXT:  func.return %0
func.func @k27_grouped(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %1 = rlx.expand %0 : tensor<2x2x1x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %2 = rlx.reshape %1 : tensor<2x2x2x5x8xf32> -> tensor<2x4x5x8xf32>
  %3 = rlx.transpose %2 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %4 = rlx.matmul %q, %3 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %5 = arith.constant dense<0.353553385> : tensor<f32>
  %6 = rlx.binary mul %4, %5 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x3x5xf32>
  %8 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %9 = rlx.expand %8 : tensor<2x2x1x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %10 = rlx.reshape %9 : tensor<2x2x2x5x8xf32> -> tensor<2x4x5x8xf32>
  %11 = rlx.matmul %7, %10 : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %11 : tensor<2x4x3x8xf32>
}

// K27: all key heads stand twice one after the other, which is another order.
// CHECK-LABEL: @k27_tiled
// CHECK:       rlx.attention %q, %{{.*}}, %{{.*}} layout(bhsd) heads(4) kv_heads(4)
func.func @k27_tiled(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %k : tensor<2x2x5x8xf32> -> tensor<2x1x2x5x8xf32>
  %1 = rlx.expand %0 : tensor<2x1x2x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %2 = rlx.reshape %1 : tensor<2x2x2x5x8xf32> -> tensor<2x4x5x8xf32>
  %3 = rlx.transpose %2 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %4 = rlx.matmul %q, %3 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %5 = arith.constant dense<0.353553385> : tensor<f32>
  %6 = rlx.binary mul %4, %5 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x3x5xf32>
  %8 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x1x2x5x8xf32>
  %9 = rlx.expand %8 : tensor<2x1x2x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %10 = rlx.reshape %9 : tensor<2x2x2x5x8xf32> -> tensor<2x4x5x8xf32>
  %11 = rlx.matmul %7, %10 : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %11 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @grouped_packed
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bsm) heads(4) kv_heads(2) head_dim(8) v_head_dim(8)
// CHECK-NEXT:  func.return %0
func.func @grouped_packed(%q: tensor<2x3x32xf32>, %k: tensor<2x5x16xf32>, %v: tensor<2x5x16xf32>) -> tensor<2x3x32xf32> {
  %0 = rlx.reshape %q : tensor<2x3x32xf32> -> tensor<2x3x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %2 = rlx.reshape %k : tensor<2x5x16xf32> -> tensor<2x5x2x8xf32>
  %3 = rlx.reshape %2 : tensor<2x5x2x8xf32> -> tensor<2x5x2x1x8xf32>
  %4 = rlx.expand %3 : tensor<2x5x2x1x8xf32> -> tensor<2x5x2x2x8xf32>
  %5 = rlx.reshape %4 : tensor<2x5x2x2x8xf32> -> tensor<2x5x4x8xf32>
  %6 = rlx.transpose %5 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %7 = rlx.transpose %6 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %8 = rlx.matmul %1, %7 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %9 = arith.constant dense<0.353553385> : tensor<f32>
  %10 = rlx.binary mul %8, %9 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %11 = rlx.softmax %10 : tensor<2x4x3x5xf32>
  %12 = rlx.reshape %v : tensor<2x5x16xf32> -> tensor<2x5x2x8xf32>
  %13 = rlx.reshape %12 : tensor<2x5x2x8xf32> -> tensor<2x5x2x1x8xf32>
  %14 = rlx.expand %13 : tensor<2x5x2x1x8xf32> -> tensor<2x5x2x2x8xf32>
  %15 = rlx.reshape %14 : tensor<2x5x2x2x8xf32> -> tensor<2x5x4x8xf32>
  %16 = rlx.transpose %15 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %17 = rlx.matmul %11, %16 : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  %18 = rlx.transpose %17 [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  %19 = rlx.reshape %18 : tensor<2x3x4x8xf32> -> tensor<2x3x32xf32>
  func.return %19 : tensor<2x3x32xf32>
}

// CHECK-LABEL: @values_repeated_alone
// CHECK:       rlx.attention %q, %k, %{{.*}} layout(bhsd) heads(4) kv_heads(4)
func.func @values_repeated_alone(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x3x5xf32>
  %5 = rlx.reshape %v : tensor<2x2x5x8xf32> -> tensor<2x2x1x5x8xf32>
  %6 = rlx.expand %5 : tensor<2x2x1x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %7 = rlx.reshape %6 : tensor<2x2x2x5x8xf32> -> tensor<2x4x5x8xf32>
  %8 = rlx.matmul %4, %7 : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %8 : tensor<2x4x3x8xf32>
}

// The product stretches one key head.
// CHECK-LABEL: @single_key_head
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(1)
func.func @single_key_head(%q: tensor<2x4x3x8xf32>, %k: tensor<2x1x5x8xf32>, %v: tensor<2x1x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x1x5x8xf32> -> tensor<2x1x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x1x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x3x5xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x5xf32>, tensor<2x1x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %5 : tensor<2x4x3x8xf32>
}

// The softmax in f32 is what attention does anyway.
// CHECK-LABEL: @half_through_f32
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : (tensor<2x4x3x8xf16>
func.func @half_through_f32(%q: tensor<2x4x3x8xf16>, %k: tensor<2x4x5x8xf16>, %v: tensor<2x4x5x8xf16>) -> tensor<2x4x3x8xf16> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf16> -> tensor<2x4x8x5xf16>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf16>, tensor<2x4x8x5xf16>) -> tensor<2x4x3x5xf16>
  %2 = arith.constant dense<3.535160e-01> : tensor<f16>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf16>, tensor<f16>) -> tensor<2x4x3x5xf16>
  %4 = rlx.cast %3 : tensor<2x4x3x5xf16> -> tensor<2x4x3x5xf32>
  %5 = rlx.softmax %4 : tensor<2x4x3x5xf32>
  %6 = rlx.cast %5 : tensor<2x4x3x5xf32> -> tensor<2x4x3x5xf16>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x5xf16>, tensor<2x4x5x8xf16>) -> tensor<2x4x3x8xf16>
  func.return %7 : tensor<2x4x3x8xf16>
}

// CHECK-LABEL: @sizes_unknown
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : (tensor<?x4x?x8xf32>
func.func @sizes_unknown(%q: tensor<?x4x?x8xf32>, %k: tensor<?x4x?x8xf32>, %v: tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<?x4x?x8xf32> -> tensor<?x4x8x?xf32>
  %1 = rlx.matmul %q, %0 : (tensor<?x4x?x8xf32>, tensor<?x4x8x?xf32>) -> tensor<?x4x?x?xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<?x4x?x?xf32>, tensor<f32>) -> tensor<?x4x?x?xf32>
  %4 = rlx.softmax %3 : tensor<?x4x?x?xf32>
  %5 = rlx.matmul %4, %v : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  func.return %5 : tensor<?x4x?x8xf32>
}

// What only moves elements may be read elsewhere: nothing is computed twice.
// CHECK-LABEL: @keys_read_elsewhere
// CHECK-NEXT:  %0 = rlx.transpose %k [0, 2, 1, 3]
// CHECK-NEXT:  %1 = rlx.attention %q, %0, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
// CHECK-NEXT:  func.return %1, %0
func.func @keys_read_elsewhere(%k: tensor<2x5x4x8xf32>, %q: tensor<2x4x3x8xf32>, %v: tensor<2x4x5x8xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>) {
  %0 = rlx.transpose %k [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
  %1 = rlx.transpose %0 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %5 = rlx.softmax %4 : tensor<2x4x3x5xf32>
  %6 = rlx.matmul %5, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %6, %0 : tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>
}

// Weights that are a result as well are computed again for it.
// CHECK-LABEL: @f26_weights_returned
// CHECK:       %[[P:.*]] = rlx.softmax
// CHECK-NEXT:  %[[O:.*]] = rlx.attention %q, %k, %v layout(bhsd)
// CHECK-NEXT:  func.return %[[O]], %[[P]]
func.func @f26_weights_returned(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x4x3x5xf32>) {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x3x5xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %5, %4 : tensor<2x4x3x8xf32>, tensor<2x4x3x5xf32>
}

// And so are those of which a result is made; places lie before the batch, as in modules of PyTorch.
// CHECK-LABEL: @f26_mean_of_weights_returned
// CHECK:       %[[P:.*]] = rlx.softmax
// CHECK:       %[[A:.*]] = rlx.attention %{{.*}}, %{{.*}}, %{{.*}} layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.3535533905932738)
// CHECK-NEXT:  %[[M:.*]] = rlx.reduce mean %[[P]]
// CHECK-NEXT:  %[[O:.*]] = rlx.transpose %[[A]] [1, 0, 2]
// CHECK-NEXT:  func.return %[[O]], %[[M]]
func.func @f26_mean_of_weights_returned(%q: tensor<3x4x8xf32>, %k: tensor<5x4x8xf32>, %v: tensor<5x4x8xf32>) -> (tensor<3x4x8xf32>, tensor<3x5xf32>) {
  %0 = rlx.transpose %q [1, 0, 2] : tensor<3x4x8xf32> -> tensor<4x3x8xf32>
  %1 = arith.constant dense<0.353553385> : tensor<f32>
  %2 = rlx.binary mul %0, %1 : (tensor<4x3x8xf32>, tensor<f32>) -> tensor<4x3x8xf32>
  %3 = rlx.transpose %k [1, 2, 0] : tensor<5x4x8xf32> -> tensor<4x8x5xf32>
  %4 = rlx.matmul %2, %3 : (tensor<4x3x8xf32>, tensor<4x8x5xf32>) -> tensor<4x3x5xf32>
  %5 = rlx.softmax %4 : tensor<4x3x5xf32>
  %6 = rlx.transpose %v [1, 0, 2] : tensor<5x4x8xf32> -> tensor<4x5x8xf32>
  %7 = rlx.matmul %5, %6 : (tensor<4x3x5xf32>, tensor<4x5x8xf32>) -> tensor<4x3x8xf32>
  %8 = rlx.reduce mean %5 axes [0] : tensor<4x3x5xf32> -> tensor<3x5xf32>
  %9 = rlx.transpose %7 [1, 0, 2] : tensor<4x3x8xf32> -> tensor<3x4x8xf32>
  func.return %9, %8 : tensor<3x4x8xf32>, tensor<3x5xf32>
}
