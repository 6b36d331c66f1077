// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// Scores replaced by a finite number: a row of hidden keys is the mean of the values.
// CHECK-LABEL: @keys_by_condition
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : 
// CHECK-NEXT:  func.return %0
func.func @keys_by_condition(%m: tensor<2x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.reshape %m : tensor<2x5xi1> -> tensor<2x1x1x5xi1>
  %5 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %6 = rlx.where %4, %3, %5 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x3x5xf32>
  %8 = rlx.matmul %7, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %8 : tensor<2x4x3x8xf32>
}

// K28: scores replaced by -inf: a row of hidden keys is NaN.
// CHECK-LABEL: @k28_keys_by_infinity
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) masked_rows(nan)
func.func @k28_keys_by_infinity(%m: tensor<2x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.reshape %m : tensor<2x5xi1> -> tensor<2x1x1x5xi1>
  %5 = arith.constant dense<0xff800000> : tensor<f32>
  %6 = rlx.where %4, %3, %5 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x3x5xf32>
  %8 = rlx.matmul %7, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %8 : tensor<2x4x3x8xf32>
}

// K28: and zero where NaN is replaced.
// CHECK-LABEL: @k28_zeroed
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) masked_rows(zero)
// CHECK-NEXT:  func.return %0
func.func @k28_zeroed(%m: tensor<2x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %m : tensor<2x5xi1> -> tensor<2x1x1x5xi1>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %5 = arith.constant dense<0xff800000> : tensor<f32>
  %6 = rlx.where %0, %4, %5 : (tensor<2x1x1x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x3x5xf32>
  %8 = rlx.compare eq %7, %7 : (tensor<2x4x3x5xf32>, tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xi1>
  %9 = arith.constant dense<0.000000e+00> : tensor<f32>
  %10 = rlx.where %8, %7, %9 : (tensor<2x4x3x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %11 = rlx.matmul %10, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %11 : tensor<2x4x3x8xf32>
}

// A condition that says which keys are hidden.
// CHECK-LABEL: @keys_inverted
// CHECK:       %[[M:.*]] = rlx.logical_not %padding
// CHECK:       %[[K:.*]] = rlx.reshape %[[M]] : tensor<2x1x1x5xi1> -> tensor<2x5xi1>
// CHECK:       rlx.attention %q, %k, %v mask keys(%[[K]]) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : 
func.func @keys_inverted(%padding: tensor<2x1x1x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<-1.000000e+09> : tensor<f32>
  %5 = rlx.where %padding, %4, %3 : (tensor<2x1x1x5xi1>, tensor<f32>, tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// A comparison is 0 or 1 for certain, and the lowest number leaves nothing of a score.
// CHECK-LABEL: @keys_compared
// CHECK:       %[[M:.*]] = rlx.compare ne %m, 
// CHECK:       rlx.attention %q, %k, %v mask keys(%[[M]]) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : 
func.func @keys_compared(%m: tensor<2x5xi32>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<0> : tensor<i32>
  %1 = rlx.compare ne %m, %0 : (tensor<2x5xi32>, tensor<i32>) -> tensor<2x5xi1>
  %2 = rlx.reshape %1 : tensor<2x5xi1> -> tensor<2x1x1x5xi1>
  %3 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %4 = rlx.matmul %q, %3 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %5 = arith.constant dense<0.353553385> : tensor<f32>
  %6 = rlx.binary mul %4, %5 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %7 = arith.constant dense<0.000000e+00> : tensor<f32>
  %8 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %9 = rlx.where %2, %7, %8 : (tensor<2x1x1x5xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x5xf32>
  %10 = rlx.binary add %6, %9 : (tensor<2x4x3x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x3x5xf32>
  %11 = rlx.softmax %10 : tensor<2x4x3x5xf32>
  %12 = rlx.matmul %11, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %12 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @keys_by_product
// CHECK:       rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : 
func.func @keys_by_product(%m: tensor<2x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %m : tensor<2x5xi1> -> tensor<2x1x1x5xi1>
  %1 = rlx.cast %0 : tensor<2x1x1x5xi1> -> tensor<2x1x1x5xf32>
  %2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %3 = rlx.binary sub %2, %1 : (tensor<f32>, tensor<2x1x1x5xf32>) -> tensor<2x1x1x5xf32>
  %4 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x1x1x5xf32>, tensor<f32>) -> tensor<2x1x1x5xf32>
  %6 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %7 = rlx.matmul %q, %6 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %8 = arith.constant dense<0.353553385> : tensor<f32>
  %9 = rlx.binary mul %7, %8 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %10 = rlx.binary add %9, %5 : (tensor<2x4x3x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x3x5xf32>
  %11 = rlx.softmax %10 : tensor<2x4x3x5xf32>
  %12 = rlx.matmul %11, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %12 : tensor<2x4x3x8xf32>
}

// One condition for the whole batch.
// CHECK-LABEL: @keys_for_all
// CHECK:       %[[A:.*]] = rlx.reshape %m : tensor<5xi1> -> tensor<1x5xi1>
// CHECK-NEXT:  %[[B:.*]] = rlx.expand %[[A]] : tensor<1x5xi1> -> tensor<2x5xi1>
// CHECK-NEXT:  %{{.*}} = rlx.attention %q, %k, %v mask keys(%[[B]])
func.func @keys_for_all(%m: tensor<5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %5 = rlx.where %m, %3, %4 : (tensor<5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @keys_stretched
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) masked_rows(nan)
func.func @keys_stretched(%m: tensor<2x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %m : tensor<2x5xi1> -> tensor<2x1x1x5xi1>
  %1 = rlx.expand %0 : tensor<2x1x1x5xi1> -> tensor<2x1x3x5xi1>
  %2 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %3 = rlx.matmul %q, %2 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<0.353553385> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %6 = arith.constant dense<0xff800000> : tensor<f32>
  %7 = rlx.where %1, %5, %6 : (tensor<2x1x3x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %8 = rlx.softmax %7 : tensor<2x4x3x5xf32>
  %9 = rlx.matmul %8, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %9 : tensor<2x4x3x8xf32>
}

// K24: the last keys are hidden by an added number of a constant, which is no causal mask.
// CHECK-LABEL: @k24_padding_added
// CHECK:       rlx.attention %q, %k, %v mask keys(%{{.*}}) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : 
func.func @k24_padding_added(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32> {
  %0 = arith.constant dense<[[[[0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, -1.000000e+09, -1.000000e+09]]]]> : tensor<1x1x1x6xf32>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x6x8xf32> -> tensor<2x4x8x6xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x6x8xf32>, tensor<2x4x8x6xf32>) -> tensor<2x4x6x6xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6x6xf32>
  %5 = rlx.binary add %4, %0 : (tensor<2x4x6x6xf32>, tensor<1x1x1x6xf32>) -> tensor<2x4x6x6xf32>
  %6 = rlx.softmax %5 : tensor<2x4x6x6xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x6x6xf32>, tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32>
  func.return %7 : tensor<2x4x6x8xf32>
}

// K24: 0 or 1 is not certain: a bias, values untouched.
// CHECK-LABEL: @added_from_outside
// CHECK:       %[[B:.*]] = rlx.reshape %{{.*}} : tensor<2x5xf32> -> tensor<2x1x1x5xf32>
// CHECK-NEXT:  %{{.*}} = rlx.attention %q, %k, %v mask bias(%[[B]]) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) masked_rows(nan)
func.func @added_from_outside(%m: tensor<2x5xf32>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<1.000000e+00> : tensor<f32>
  %1 = rlx.binary sub %0, %m : (tensor<f32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %2 = arith.constant dense<-1.000000e+09> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  %4 = rlx.reshape %3 : tensor<2x5xf32> -> tensor<2x1x1x5xf32>
  %5 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %6 = rlx.matmul %q, %5 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %7 = arith.constant dense<0.353553385> : tensor<f32>
  %8 = rlx.binary mul %6, %7 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %9 = rlx.binary add %8, %4 : (tensor<2x4x3x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x3x5xf32>
  %10 = rlx.softmax %9 : tensor<2x4x3x5xf32>
  %11 = rlx.matmul %10, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %11 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @zero_added
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : 
func.func @zero_added(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<0.000000e+00> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// Three queries, five keys: the last query sees the last key.
// CHECK-LABEL: @causal_added
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) causal_offset(2) : 
func.func @causal_added(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<[[0.000000e+00, 0.000000e+00, 0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00]]> : tensor<3x5xf32>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %5 = rlx.binary add %4, %0 : (tensor<2x4x3x5xf32>, tensor<3x5xf32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @causal_by_condition
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) causal_offset(0) : 
func.func @causal_by_condition(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32> {
  %0 = arith.constant dense<[[[[true, false, false, false, false], [true, true, false, false, false], [true, true, true, false, false], [true, true, true, true, false], [true, true, true, true, true]]]]> : tensor<1x1x5x5xi1>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x5x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x5x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %5 = arith.constant dense<0xff800000> : tensor<f32>
  %6 = rlx.where %0, %4, %5 : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x5x5xf32>
  %8 = rlx.matmul %7, %v : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  func.return %8 : tensor<2x4x5x8xf32>
}

// The condition is computed from constants.
// CHECK-LABEL: @causal_by_iota
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) causal_offset(2) : 
func.func @causal_by_iota(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<[[0], [1], [2]]> : tensor<3x1xi32>
  %1 = arith.constant dense<[[0, 1, 2, 3, 4]]> : tensor<1x5xi32>
  %2 = arith.constant dense<2> : tensor<i32>
  %3 = rlx.binary add %0, %2 : (tensor<3x1xi32>, tensor<i32>) -> tensor<3x1xi32>
  %4 = rlx.compare le %1, %3 : (tensor<1x5xi32>, tensor<3x1xi32>) -> tensor<3x5xi1>
  %5 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %6 = rlx.matmul %q, %5 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %7 = arith.constant dense<0.353553385> : tensor<f32>
  %8 = rlx.binary mul %6, %7 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %9 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %10 = rlx.where %4, %8, %9 : (tensor<3x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %11 = rlx.softmax %10 : tensor<2x4x3x5xf32>
  %12 = rlx.matmul %11, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %12 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @causal_and_keys
// CHECK-NEXT:  %0 = rlx.reshape %m
// CHECK-NEXT:  %1 = rlx.attention %q, %k, %v mask keys(%0) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) causal_offset(0) : 
func.func @causal_and_keys(%m: tensor<2x1x1x5xi1>, %q: tensor<2x4x5x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32> {
  %0 = arith.constant dense<[[true, false, false, false, false], [true, true, false, false, false], [true, true, true, false, false], [true, true, true, true, false], [true, true, true, true, true]]> : tensor<5x5xi1>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x5x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x5x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %5 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %6 = rlx.where %0, %4, %5 : (tensor<5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %7 = rlx.where %m, %6, %5 : (tensor<2x1x1x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %8 = rlx.softmax %7 : tensor<2x4x5x5xf32>
  %9 = rlx.matmul %8, %v : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  func.return %9 : tensor<2x4x5x8xf32>
}

// The other triangle is a window without an end to the right.
// CHECK-LABEL: @anti_causal
// CHECK-NEXT:  %{{.*}} = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) window_left(0) : 
func.func @anti_causal(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32> {
  %0 = arith.constant dense<[[true, true, true, true, true], [false, true, true, true, true], [false, false, true, true, true], [false, false, false, true, true], [false, false, false, false, true]]> : tensor<5x5xi1>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x5x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x5x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %5 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %6 = rlx.where %0, %4, %5 : (tensor<5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x5x5xf32>
  %8 = rlx.matmul %7, %v : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  func.return %8 : tensor<2x4x5x8xf32>
}

// The first query sees no key: the mean of the values.
// CHECK-LABEL: @rows_without_keys
// CHECK-NOT:   causal_offset
// CHECK:       rlx.attention %q, %k, %v mask bias(%{{.*}}) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : 
func.func @rows_without_keys(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32> {
  %0 = arith.constant dense<[[false, false, false, false, false], [true, false, false, false, false], [true, true, false, false, false], [true, true, true, false, false], [true, true, true, true, false]]> : tensor<5x5xi1>
  %1 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %2 = rlx.matmul %q, %1 : (tensor<2x4x5x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x5x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %5 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %6 = rlx.where %0, %4, %5 : (tensor<5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %7 = rlx.softmax %6 : tensor<2x4x5x5xf32>
  %8 = rlx.matmul %7, %v : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  func.return %8 : tensor<2x4x5x8xf32>
}

// CHECK-LABEL: @any_condition
// CHECK:       %[[W:.*]] = rlx.where %c, %{{.*}}, %{{.*}} : (tensor<2x1x3x5xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x3x5xf32>
// CHECK-NEXT:  %{{.*}} = rlx.attention %q, %k, %v mask bias(%[[W]]) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.3535533905932738) : 
func.func @any_condition(%c: tensor<2x1x3x5xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %5 = rlx.where %c, %3, %4 : (tensor<2x1x3x5xi1>, tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %6 = rlx.softmax %5 : tensor<2x4x3x5xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}
