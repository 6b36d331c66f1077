// RUN: rlx-opt --convert-rlx-to-mlx %s | rlx-opt | filecheck %s

// CHECK-LABEL: @plain
// CHECK-NEXT:  %0 = mlx.call "mx.fast.scaled_dot_product_attention"(%q, %k, %v) with {scale = 5.000000e-01 : f64} : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32>) -> tensor<2x4x5x8xf32>
// CHECK-NEXT:  func.return %0 : tensor<2x4x5x8xf32>
func.func @plain(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x8xf32>) -> tensor<2x4x5x8xf32> {
  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32>) -> tensor<2x4x5x8xf32>
  func.return %0 : tensor<2x4x5x8xf32>
}

// MLX's own causal mask, since the last query sees the last key and the first query sees one.
// CHECK-LABEL: @causal
// CHECK-NEXT:  %0 = mlx.call "mx.fast.scaled_dot_product_attention"(%q, %k, %v) with {scale = 5.000000e-01 : f64, mask = "causal"} : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>) -> tensor<2x4x5x8xf32>
// CHECK-NEXT:  func.return %0 : tensor<2x4x5x8xf32>
func.func @causal(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x8xf32>) -> tensor<2x4x5x8xf32> {
  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(end) : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>) -> tensor<2x4x5x8xf32>
  func.return %0 : tensor<2x4x5x8xf32>
}

// More queries than keys: the first see none, so the mask is written out and those rows are replaced.
// CHECK-LABEL: @causal_with_blind_rows
// CHECK-NEXT:  %0 = mlx.call "lib.visible_keys"(%q, %k) with {end = true} : (tensor<1x2x5x8xf32>, tensor<1x2x3x8xf32>) -> tensor<5x3xi1>
// CHECK-NEXT:  %1 = mlx.call "mx.fast.scaled_dot_product_attention"(%q, %k, %v, %0) with {scale = 5.000000e-01 : f64} : (tensor<1x2x5x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<5x3xi1>) -> tensor<1x2x5x8xf32>
// CHECK-NEXT:  %2 = mlx.call "mx.any"(%0) with {axis = array<i64: 1>, keepdims = true} : (tensor<5x3xi1>) -> tensor<5x1xi1>
// CHECK-NEXT:  %3 = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %4 = mlx.call "mx.where"(%2, %1, %3) : (tensor<5x1xi1>, tensor<1x2x5x8xf32>, tensor<f32>) -> tensor<1x2x5x8xf32>
// CHECK-NEXT:  func.return %4 : tensor<1x2x5x8xf32>
func.func @causal_with_blind_rows(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x3x8xf32>, %v: tensor<1x2x3x8xf32>) -> tensor<1x2x5x8xf32> {
  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(2) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(end) masked_rows(zero) : (tensor<1x2x5x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) -> tensor<1x2x5x8xf32>
  func.return %0 : tensor<1x2x5x8xf32>
}

// A window in which every query sees itself: nothing to replace.
// CHECK-LABEL: @window
// CHECK-NEXT:  %0 = mlx.call "lib.visible_keys"(%q, %k) with {offset = 0 : i64, left = 2 : i64} : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<5x5xi1>
// CHECK-NEXT:  %1 = mlx.call "mx.fast.scaled_dot_product_attention"(%q, %k, %v, %0) with {scale = 5.000000e-01 : f64} : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<5x5xi1>) -> tensor<1x2x5x8xf32>
// CHECK-NEXT:  func.return %1 : tensor<1x2x5x8xf32>
func.func @window(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) -> tensor<1x2x5x8xf32> {
  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(2) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(0) window_left(2) : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x2x5x8xf32>
  func.return %0 : tensor<1x2x5x8xf32>
}

// Packed heads, half precision, a mask over keys: scores in f32, hidden rows give the mean of the values.
// CHECK-LABEL: @keys
// CHECK-NEXT:  %0 = mlx.call "mx.astype"(%q) with {dtype = f32} : (tensor<2x5x16xf16>) -> tensor<2x5x16xf32>
// CHECK-NEXT:  %1 = mlx.call "mx.unflatten"(%0) with {axis = 2 : i64, shape = array<i64: 2, 8>} : (tensor<2x5x16xf32>) -> tensor<2x5x2x8xf32>
// CHECK-NEXT:  %2 = mlx.call "mx.transpose"(%1) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x8xf32>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %3 = mlx.call "mx.astype"(%k) with {dtype = f32} : (tensor<2x5x16xf16>) -> tensor<2x5x16xf32>
// CHECK-NEXT:  %4 = mlx.call "mx.unflatten"(%3) with {axis = 2 : i64, shape = array<i64: 2, 8>} : (tensor<2x5x16xf32>) -> tensor<2x5x2x8xf32>
// CHECK-NEXT:  %5 = mlx.call "mx.transpose"(%4) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x8xf32>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %6 = mlx.call "mx.astype"(%v) with {dtype = f32} : (tensor<2x5x16xf16>) -> tensor<2x5x16xf32>
// CHECK-NEXT:  %7 = mlx.call "mx.unflatten"(%6) with {axis = 2 : i64, shape = array<i64: 2, 8>} : (tensor<2x5x16xf32>) -> tensor<2x5x2x8xf32>
// CHECK-NEXT:  %8 = mlx.call "mx.transpose"(%7) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x8xf32>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %9 = mlx.call "mx.expand_dims"(%m) with {axis = array<i64: 1, 2>} : (tensor<2x5xi1>) -> tensor<2x1x1x5xi1>
// CHECK-NEXT:  %10 = mlx.call "mx.fast.scaled_dot_product_attention"(%2, %5, %8, %9) with {scale = 5.000000e-01 : f64} : (tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>, tensor<2x1x1x5xi1>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %11 = mlx.call "mx.any"(%9) with {axis = array<i64: 3>, keepdims = true} : (tensor<2x1x1x5xi1>) -> tensor<2x1x1x1xi1>
// CHECK-NEXT:  %12 = mlx.call "mx.mean"(%8) with {axis = array<i64: 2>, keepdims = true} : (tensor<2x2x5x8xf32>) -> tensor<2x2x1x8xf32>
// CHECK-NEXT:  %13 = mlx.call "mx.where"(%11, %10, %12) : (tensor<2x1x1x1xi1>, tensor<2x2x5x8xf32>, tensor<2x2x1x8xf32>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %14 = mlx.call "mx.transpose"(%13) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<2x2x5x8xf32>) -> tensor<2x5x2x8xf32>
// CHECK-NEXT:  %15 = mlx.call "mx.flatten"(%14) with {start_axis = 2 : i64} : (tensor<2x5x2x8xf32>) -> tensor<2x5x16xf32>
// CHECK-NEXT:  %16 = mlx.call "mx.astype"(%15) with {dtype = f16} : (tensor<2x5x16xf32>) -> tensor<2x5x16xf16>
// CHECK-NEXT:  func.return %16 : tensor<2x5x16xf16>
func.func @keys(%q: tensor<2x5x16xf16>, %k: tensor<2x5x16xf16>, %v: tensor<2x5x16xf16>, %m: tensor<2x5xi1>) -> tensor<2x5x16xf16> {
  %0 = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x5x16xf16>, tensor<2x5x16xf16>, tensor<2x5x16xf16>, tensor<2x5xi1>) -> tensor<2x5x16xf16>
  func.return %0 : tensor<2x5x16xf16>
}

// -inf in a bias hides a key.
// CHECK-LABEL: @bias
// CHECK-NEXT:  %0 = mlx.call "mx.transpose"(%q) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x8xf32>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %1 = mlx.call "mx.transpose"(%k) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x8xf32>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %2 = mlx.call "mx.transpose"(%v) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x8xf32>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %3 = arith.constant dense<0xff800000> : tensor<f32>
// CHECK-NEXT:  %4 = mlx.call "mx.not_equal"(%m, %3) : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x5x5xi1>
// CHECK-NEXT:  %5 = mlx.call "mx.fast.scaled_dot_product_attention"(%0, %1, %2, %m) with {scale = 5.000000e-01 : f64} : (tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32>, tensor<1x2x5x5xf32>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %6 = mlx.call "mx.any"(%4) with {axis = array<i64: 3>, keepdims = true} : (tensor<1x2x5x5xi1>) -> tensor<1x2x5x1xi1>
// CHECK-NEXT:  %7 = arith.constant dense<0x7fc00000> : tensor<f32>
// CHECK-NEXT:  %8 = mlx.call "mx.where"(%6, %5, %7) : (tensor<1x2x5x1xi1>, tensor<2x2x5x8xf32>, tensor<f32>) -> tensor<2x2x5x8xf32>
// CHECK-NEXT:  %9 = mlx.call "mx.transpose"(%8) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<2x2x5x8xf32>) -> tensor<2x5x2x8xf32>
// CHECK-NEXT:  func.return %9 : tensor<2x5x2x8xf32>
func.func @bias(%q: tensor<2x5x2x8xf32>, %k: tensor<2x5x2x8xf32>, %v: tensor<2x5x2x8xf32>, %m: tensor<1x2x5x5xf32>) -> tensor<2x5x2x8xf32> {
  %0 = rlx.attention %q, %k, %v mask bias(%m) layout(bshd) heads(2) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) masked_rows(nan) : (tensor<2x5x2x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x8xf32>, tensor<1x2x5x5xf32>) -> tensor<2x5x2x8xf32>
  func.return %0 : tensor<2x5x2x8xf32>
}

// MLX has no softcap.
// CHECK-LABEL: @softcap
// CHECK-NEXT:  %0 = mlx.call "lib.attention"(%q, %k, %v) with {scale = 5.000000e-01 : f64, softcap = 3.000000e+01 : f64} : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x2x5x8xf32>
// CHECK-NEXT:  func.return %0 : tensor<1x2x5x8xf32>
func.func @softcap(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) -> tensor<1x2x5x8xf32> {
  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(2) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) softcap(30.0) : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x2x5x8xf32>
  func.return %0 : tensor<1x2x5x8xf32>
}
