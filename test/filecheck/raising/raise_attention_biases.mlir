// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// CHECK-LABEL: @bias_and_keys
// CHECK:       %[[W:.*]] = rlx.where %m, %b, %{{.*}}
// CHECK:       rlx.attention %q, %k, %v mask bias(%[[W]]) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) masked_rows(nan)
func.func @bias_and_keys(%b: tensor<4x3x5xf32>, %m: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.binary add %3, %b : (tensor<2x4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %5 = arith.constant dense<0xff800000> : tensor<f32>
  %6 = rlx.where %m, %4, %5 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x3x5xf32>
  %8 = rlx.matmul %7, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %8 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @two_biases
// CHECK:       %[[A:.*]] = rlx.binary add %c, %b : (tensor<2x1x1x5xf32>, tensor<4x3x5xf32>) -> tensor<2x4x3x5xf32>
// CHECK-NEXT:  %{{.*}} = rlx.attention %q, %k, %v mask bias(%[[A]])
func.func @two_biases(%b: tensor<4x3x5xf32>, %c: tensor<2x1x1x5xf32>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.binary add %3, %b : (tensor<2x4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %5 = rlx.binary add %4, %c : (tensor<2x4x3x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @one_head_bias
// CHECK:       %[[B:.*]] = rlx.reshape %b : tensor<2x3x5xf32> -> tensor<2x1x3x5xf32>
// CHECK-NEXT:  %{{.*}} = rlx.attention %q, %k, %v mask bias(%[[B]]) layout(bsm) heads(1)
func.func @one_head_bias(%q: tensor<2x3x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>, %b: tensor<2x3x5xf32>) -> tensor<2x3x8xf32> {
  %0 = rlx.transpose %k [0, 2, 1] : tensor<2x5x8xf32> -> tensor<2x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x3x8xf32>, tensor<2x8x5xf32>) -> tensor<2x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x3x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
  %4 = rlx.binary add %3, %b : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %5 = rlx.softmax %4 : tensor<2x3x5xf32>
  %6 = rlx.matmul %5, %v : (tensor<2x3x5xf32>, tensor<2x5x8xf32>) -> tensor<2x3x8xf32>
  func.return %6 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @one_head_keys
// CHECK:       %[[B:.*]] = rlx.reshape %m : tensor<2x1x5xi1> -> tensor<2x5xi1>
// CHECK-NEXT:  %{{.*}} = rlx.attention %q, %k, %v mask keys(%[[B]]) layout(bsm) heads(1)
func.func @one_head_keys(%q: tensor<2x3x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>, %m: tensor<2x1x5xi1>) -> tensor<2x3x8xf32> {
  %0 = rlx.transpose %k [0, 2, 1] : tensor<2x5x8xf32> -> tensor<2x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x3x8xf32>, tensor<2x8x5xf32>) -> tensor<2x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x3x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
  %4 = arith.constant dense<0xff800000> : tensor<f32>
  %5 = rlx.where %m, %3, %4 : (tensor<2x1x5xi1>, tensor<2x3x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x3x5xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x3x5xf32>, tensor<2x5x8xf32>) -> tensor<2x3x8xf32>
  func.return %7 : tensor<2x3x8xf32>
}

// In f16 a score beyond 16 is not lost beside the lowest number, and a smaller one is: a row of hidden keys is neither their mean nor what a bias leaves.
// MISS: RLX-F019 attributes
// CHECK-LABEL: @f16_lowest_added
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @f16_lowest_added(%m: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf16>, %k: tensor<2x4x5x8xf16>, %v: tensor<2x4x5x8xf16>) -> tensor<2x4x3x8xf16> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf16> -> tensor<2x4x8x5xf16>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf16>, tensor<2x4x8x5xf16>) -> tensor<2x4x3x5xf16>
  %2 = arith.constant dense<3.535160e-01> : tensor<f16>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf16>, tensor<f16>) -> tensor<2x4x3x5xf16>
  %4 = arith.constant dense<0.000000e+00> : tensor<f16>
  %5 = arith.constant dense<-6.550400e+04> : tensor<f16>
  %6 = rlx.where %m, %4, %5 : (tensor<2x1x1x5xi1>, tensor<f16>, tensor<f16>) -> tensor<2x1x1x5xf16>
  %7 = rlx.binary add %3, %6 : (tensor<2x4x3x5xf16>, tensor<2x1x1x5xf16>) -> tensor<2x4x3x5xf16>
  %8 = rlx.softmax %7 : tensor<2x4x3x5xf16>
  %9 = rlx.matmul %8, %v : (tensor<2x4x3x5xf16>, tensor<2x4x5x8xf16>) -> tensor<2x4x3x8xf16>
  func.return %9 : tensor<2x4x3x8xf16>
}

// -1e9 loses an f32 score: a row of hidden keys is the mean of the values.
// CHECK-LABEL: @keys_by_minus_1e9
// CHECK:       rlx.attention %q, %k, %v mask keys(%{{.*}}) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(1.0) : 
func.func @keys_by_minus_1e9(%m: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.000000e+00> : tensor<f32>
  %3 = arith.constant dense<-1.000000e+09> : tensor<f32>
  %4 = rlx.where %m, %2, %3 : (tensor<2x1x1x5xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x5xf32>
  %5 = rlx.binary add %1, %4 : (tensor<2x4x3x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// Under a causal mask it stays a sum, with a number that loses the score in f64 as well.
// CHECK-LABEL: @minus_1e9_under_causal
// CHECK:       %[[N:.*]] = arith.constant dense<-1.84467441e+28> : tensor<f32>
// CHECK:       %[[B:.*]] = rlx.where %m, %{{.*}}, %[[N]]
// CHECK-NEXT:  %{{.*}} = rlx.attention %q, %k, %v mask bias(%[[B]]) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(1.0) causal_offset(0)
func.func @minus_1e9_under_causal(%m: tensor<2x1x1x3xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x3x8xf32> -> tensor<2x4x8x3xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x3xf32>) -> tensor<2x4x3x3xf32>
  %2 = arith.constant dense<0.000000e+00> : tensor<f32>
  %3 = arith.constant dense<-1.000000e+09> : tensor<f32>
  %4 = rlx.where %m, %2, %3 : (tensor<2x1x1x3xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x3xf32>
  %5 = rlx.binary add %1, %4 : (tensor<2x4x3x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x4x3x3xf32>
  %6 = arith.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %7 = arith.constant dense<0xff800000> : tensor<f32>
  %8 = rlx.where %6, %5, %7 : (tensor<3x3xi1>, tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x4x3x3xf32>
  %9 = rlx.softmax %8 : tensor<2x4x3x3xf32>
  %10 = rlx.matmul %9, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %10 : tensor<2x4x3x8xf32>
}

// One condition is two: a causal one and one on keys.
// CHECK-LABEL: @causal_and_keys_at_once
// CHECK:       %[[M:.*]] = rlx.reshape %m : tensor<2x1x1x3xi1> -> tensor<2x3xi1>
// CHECK-NEXT:  %{{.*}} = rlx.attention %q, %k, %v mask keys(%[[M]]) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(1.0) causal_offset(0) : 
func.func @causal_and_keys_at_once(%m: tensor<2x1x1x3xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x3x8xf32> -> tensor<2x4x8x3xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x3xf32>) -> tensor<2x4x3x3xf32>
  %2 = arith.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %3 = rlx.binary bit_and %2, %m : (tensor<3x3xi1>, tensor<2x1x1x3xi1>) -> tensor<2x1x3x3xi1>
  %4 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %5 = rlx.where %3, %1, %4 : (tensor<2x1x3x3xi1>, tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x4x3x3xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x3xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// Queries, keys and the bias are cast to f32, and the weights back.
// CHECK-LABEL: @bias_between_casts
// CHECK:       rlx.attention %q, %k, %v mask bias(%b) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(1.0) masked_rows(nan) : (tensor<2x4x3x8xbf16>
func.func @bias_between_casts(%b: tensor<4x3x5xbf16>, %q: tensor<2x4x3x8xbf16>, %k: tensor<2x4x5x8xbf16>, %v: tensor<2x4x5x8xbf16>) -> tensor<2x4x3x8xbf16> {
  %0 = rlx.cast %q : tensor<2x4x3x8xbf16> -> tensor<2x4x3x8xf32>
  %1 = rlx.cast %k : tensor<2x4x5x8xbf16> -> tensor<2x4x5x8xf32>
  %2 = rlx.transpose %1 [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %3 = rlx.matmul %0, %2 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.cast %b : tensor<4x3x5xbf16> -> tensor<4x3x5xf32>
  %5 = rlx.binary add %3, %4 : (tensor<2x4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.cast %6 : tensor<2x4x3x5xf32> -> tensor<2x4x3x5xbf16>
  %8 = rlx.matmul %7, %v : (tensor<2x4x3x5xbf16>, tensor<2x4x5x8xbf16>) -> tensor<2x4x3x8xbf16>
  func.return %8 : tensor<2x4x3x8xbf16>
}

// The bias has digits that the type of queries and keys has not.
// MISS: RLX-F007 dtype
// CHECK-LABEL: @wide_bias_between_casts
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @wide_bias_between_casts(%b: tensor<4x3x5xf32>, %q: tensor<2x4x3x8xbf16>, %k: tensor<2x4x5x8xbf16>, %v: tensor<2x4x5x8xbf16>) -> tensor<2x4x3x8xbf16> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xbf16> -> tensor<2x4x8x5xbf16>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xbf16>, tensor<2x4x8x5xbf16>) -> tensor<2x4x3x5xbf16>
  %2 = rlx.cast %1 : tensor<2x4x3x5xbf16> -> tensor<2x4x3x5xf32>
  %3 = rlx.binary add %2, %b : (tensor<2x4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x3x5xf32>
  %5 = rlx.cast %4 : tensor<2x4x3x5xf32> -> tensor<2x4x3x5xbf16>
  %6 = rlx.matmul %5, %v : (tensor<2x4x3x5xbf16>, tensor<2x4x5x8xbf16>) -> tensor<2x4x3x8xbf16>
  func.return %6 : tensor<2x4x3x8xbf16>
}

// The bias is finite and hidden with its score.
// CHECK-LABEL: @keys_over_a_constant_bias
// CHECK:       %[[W:.*]] = rlx.where %m, %{{.*}}, %{{.*}}
// CHECK:       rlx.attention %q, %k, %v mask bias(%[[W]]) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : 
func.func @keys_over_a_constant_bias(%m: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<[[[[-1.000000e+00, -0.928571403, -0.857142866, -0.785714269, -0.714285731], [-0.642857134, -0.571428597, -5.000000e-01, -0.428571433, -0.357142866], [-0.285714298, -0.214285716, -0.142857149, -0.0714285746, 0.000000e+00]]]]> : tensor<1x1x3x5xf32>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %5 = rlx.binary add %4, %0 : (tensor<2x4x3x5xf32>, tensor<1x1x3x5xf32>) -> tensor<2x4x3x5xf32>
  %6 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %7 = rlx.where %m, %5, %6 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %8 = rlx.softmax %7 : tensor<2x4x3x5xf32>
  %9 = rlx.matmul %8, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %9 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @softcap_then_mask
// CHECK:       rlx.attention %q, %k, %v mask keys(%{{.*}}) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) softcap(20.0) : 
func.func @softcap_then_mask(%m: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<5.000000e-02> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.activation tanh %5 : tensor<2x4x3x5xf32>
  %7 = arith.constant dense<2.000000e+01> : tensor<f32>
  %8 = rlx.binary mul %6, %7 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %9 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %10 = rlx.where %m, %8, %9 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %11 = rlx.softmax %10 : tensor<2x4x3x5xf32>
  %12 = rlx.matmul %11, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %12 : tensor<2x4x3x8xf32>
}

// A score of -100 is small, not hidden.
// MISS: RLX-F025 constant
// CHECK-LABEL: @replaced_by_zero
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @replaced_by_zero(%m: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<-1.000000e+02> : tensor<f32>
  %5 = rlx.where %m, %3, %4 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// A row of hidden keys would be a mixture.
// MISS: RLX-F019 attributes
// CHECK-LABEL: @two_numbers
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @two_numbers(%m: tensor<2x1x1x5xi1>, %n: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %5 = rlx.where %m, %3, %4 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %6 = arith.constant dense<0xff800000> : tensor<f32>
  %7 = rlx.where %n, %5, %6 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %8 = rlx.softmax %7 : tensor<2x4x3x5xf32>
  %9 = rlx.matmul %8, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %9 : tensor<2x4x3x8xf32>
}

// The bias may hold -inf, beside which the finite number is seen.
// MISS: RLX-F019 attributes
// CHECK-LABEL: @bias_beside_finite
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @bias_beside_finite(%b: tensor<4x3x5xf32>, %m: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.binary add %3, %b : (tensor<2x4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %5 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %6 = rlx.where %m, %4, %5 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x3x5xf32>
  %8 = rlx.matmul %7, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %8 : tensor<2x4x3x8xf32>
}

// The bias is added to the number that hides.
// MISS: RLX-F019 attributes
// CHECK-LABEL: @keys_under_a_constant_bias
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @keys_under_a_constant_bias(%m: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<[[[[-1.000000e+00, -0.928571403, -0.857142866, -0.785714269, -0.714285731], [-0.642857134, -0.571428597, -5.000000e-01, -0.428571433, -0.357142866], [-0.285714298, -0.214285716, -0.142857149, -0.0714285746, 0.000000e+00]]]]> : tensor<1x1x3x5xf32>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %5 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %6 = rlx.where %m, %4, %5 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = rlx.binary add %6, %0 : (tensor<2x4x3x5xf32>, tensor<1x1x3x5xf32>) -> tensor<2x4x3x5xf32>
  %8 = rlx.softmax %7 : tensor<2x4x3x5xf32>
  %9 = rlx.matmul %8, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %9 : tensor<2x4x3x8xf32>
}

// MISS: RLX-F013 broadcasts-up
// CHECK-LABEL: @mask_stretches
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @mask_stretches(%m: tensor<3x2x1x1x5xf32>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>, %w: tensor<3x1x1x5x8xf32>) -> tensor<3x2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.binary add %3, %m : (tensor<2x4x3x5xf32>, tensor<3x2x1x1x5xf32>) -> tensor<3x2x4x3x5xf32>
  %5 = rlx.softmax %4 : tensor<3x2x4x3x5xf32>
  %6 = rlx.matmul %5, %w : (tensor<3x2x4x3x5xf32>, tensor<3x1x1x5x8xf32>) -> tensor<3x2x4x3x8xf32>
  func.return %6 : tensor<3x2x4x3x8xf32>
}
