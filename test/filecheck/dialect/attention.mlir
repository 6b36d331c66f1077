// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC
// VALUES: every backend computes what the reference does, for the functions without `?`.

// CHECK-LABEL: @packed
// CHECK:       rlx.attention %q, %q, %q layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<3x5x8xf32>, tensor<3x5x8xf32>, tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
// GENERIC:     "rlx.attention"(%q, %q, %q) <{layout = "bsm", heads = 2 : i64, kv_heads = 2 : i64, head_dim = 4 : i64, v_head_dim = 4 : i64, scale = 5.000000e-01 : f64, masked_rows = "uniform"}>
func.func @packed(%q: tensor<3x5x8xf32>) -> tensor<3x5x8xf32> {
  %0 = rlx.attention %q, %q, %q layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<3x5x8xf32>, tensor<3x5x8xf32>, tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
  func.return %0 : tensor<3x5x8xf32>
}

// Two query heads read each key head; keys are longer than queries; values are wider than keys.
// CHECK-LABEL: @grouped
// CHECK:       rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(16) scale(0.125) softcap(30.0) causal_offset(end) window_left(7) masked_rows(zero) accumulate(f32)
func.func @grouped(%q: tensor<1x4x3x8xf16>, %k: tensor<1x2x?x8xf16>, %v: tensor<1x2x?x16xf16>, %m: tensor<1x?xi1>) -> tensor<1x4x3x16xf16> {
  %0 = rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(4) kv_heads(2) head_dim(8) v_head_dim(16) scale(0.125) softcap(30.0) causal_offset(end) window_left(7) masked_rows(zero) accumulate(f32) : (tensor<1x4x3x8xf16>, tensor<1x2x?x8xf16>, tensor<1x2x?x16xf16>, tensor<1x?xi1>) -> tensor<1x4x3x16xf16>
  func.return %0 : tensor<1x4x3x16xf16>
}

// CHECK-LABEL: @bias
// CHECK:       rlx.attention %q, %q, %q mask bias(%m) layout(bshd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(-1) window_right(0) masked_rows(nan)
func.func @bias(%q: tensor<3x5x2x4xf32>, %m: tensor<5x5xf32>) -> tensor<3x5x2x4xf32> {
  %0 = rlx.attention %q, %q, %q mask bias(%m) layout(bshd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(-1) window_right(0) masked_rows(nan) : (tensor<3x5x2x4xf32>, tensor<3x5x2x4xf32>, tensor<3x5x2x4xf32>, tensor<5x5xf32>) -> tensor<3x5x2x4xf32>
  func.return %0 : tensor<3x5x2x4xf32>
}

// Without a batch the result has none either.
// CHECK-LABEL: @rank_two
// CHECK:       -> tensor<5x8xf32>
func.func @rank_two(%q: tensor<5x8xf32>, %k: tensor<6x8xf32>) -> tensor<5x8xf32> {
  %0 = rlx.attention %q, %k, %k layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.25) : (tensor<5x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
  func.return %0 : tensor<5x8xf32>
}
