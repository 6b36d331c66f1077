// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// A scan over blocks of keys and values, with a running maximum and sum, is an attention to all of them.
// CHECK-LABEL: @f26_scan_over_blocks
// CHECK-NOT:   rlx.scan
// CHECK:       rlx.attention %q, %{{.*}}, %{{.*}} layout(bsm) heads(1) kv_heads(1) head_dim(4) v_head_dim(4) scale(1.0)
// CHECK-NEXT:  func.return
func.func @f26_scan_over_blocks(%q: tensor<2x3x4xf32>, %k: tensor<5x2x3x4xf32>, %v: tensor<5x2x3x4xf32>) -> tensor<2x3x4xf32> {
  %m0 = arith.constant dense<0xff800000> : tensor<2x3x1xf32>
  %l0 = arith.constant dense<0.000000e+00> : tensor<2x3x1xf32>
  %o0 = arith.constant dense<0.000000e+00> : tensor<2x3x4xf32>
  %0, %1, %2 = rlx.scan(%m = %m0, %l = %l0, %o = %o0) over(%kb = %k, %vb = %v) captures(%x = %q) : (tensor<2x3x1xf32>, tensor<2x3x1xf32>, tensor<2x3x4xf32>, tensor<5x2x3x4xf32>, tensor<5x2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xf32>, tensor<2x3x4xf32>) {
    %4 = rlx.transpose %kb [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
    %5 = rlx.matmul %x, %4 : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
    %6 = rlx.reduce max %5 axes [2] keep_dims : tensor<2x3x3xf32> -> tensor<2x3x1xf32>
    %7 = rlx.binary max %m, %6 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %8 = rlx.binary sub %5, %7 : (tensor<2x3x3xf32>, tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    %9 = rlx.activation exp %8 : tensor<2x3x3xf32>
    %10 = rlx.binary sub %m, %7 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %11 = rlx.activation exp %10 : tensor<2x3x1xf32>
    %12 = rlx.reduce sum %9 axes [2] keep_dims : tensor<2x3x3xf32> -> tensor<2x3x1xf32>
    %13 = rlx.binary mul %l, %11 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %14 = rlx.binary add %13, %12 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %15 = rlx.matmul %9, %vb : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %16 = rlx.binary mul %o, %11 : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
    %17 = rlx.binary add %16, %15 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    rlx.yield %7, %14, %17 : tensor<2x3x1xf32>, tensor<2x3x1xf32>, tensor<2x3x4xf32>
  }
  %3 = rlx.binary div %2, %1 : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  func.return %3 : tensor<2x3x4xf32>
}

// The keys are the same in all rounds.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @keys_of_all_rounds
// CHECK:       rlx.scan
// CHECK-NOT:   rlx.attention
func.func @keys_of_all_rounds(%q: tensor<2x3x4xf32>, %k: tensor<2x3x4xf32>, %v: tensor<5x2x3x4xf32>) -> tensor<2x3x4xf32> {
  %m0 = arith.constant dense<0xff800000> : tensor<2x3x1xf32>
  %l0 = arith.constant dense<0.000000e+00> : tensor<2x3x1xf32>
  %o0 = arith.constant dense<0.000000e+00> : tensor<2x3x4xf32>
  %0, %1, %2 = rlx.scan(%m = %m0, %l = %l0, %o = %o0) over(%vb = %v) captures(%x = %q, %kb = %k) : (tensor<2x3x1xf32>, tensor<2x3x1xf32>, tensor<2x3x4xf32>, tensor<5x2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xf32>, tensor<2x3x4xf32>) {
    %4 = rlx.transpose %kb [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
    %5 = rlx.matmul %x, %4 : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
    %6 = rlx.reduce max %5 axes [2] keep_dims : tensor<2x3x3xf32> -> tensor<2x3x1xf32>
    %7 = rlx.binary max %m, %6 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %8 = rlx.binary sub %5, %7 : (tensor<2x3x3xf32>, tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    %9 = rlx.activation exp %8 : tensor<2x3x3xf32>
    %10 = rlx.binary sub %m, %7 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %11 = rlx.activation exp %10 : tensor<2x3x1xf32>
    %12 = rlx.reduce sum %9 axes [2] keep_dims : tensor<2x3x3xf32> -> tensor<2x3x1xf32>
    %13 = rlx.binary mul %l, %11 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %14 = rlx.binary add %13, %12 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %15 = rlx.matmul %9, %vb : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %16 = rlx.binary mul %o, %11 : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
    %17 = rlx.binary add %16, %15 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    rlx.yield %7, %14, %17 : tensor<2x3x1xf32>, tensor<2x3x1xf32>, tensor<2x3x4xf32>
  }
  %3 = rlx.binary div %2, %1 : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  func.return %3 : tensor<2x3x4xf32>
}
