// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @heads_do_not_divide(%q: tensor<1x3x5x8xf32>, %k: tensor<1x2x5x8xf32>) {
  // expected-error @below {{rlx.attention: kv_heads must divide heads, got 2 and 3}}
  %0 = rlx.attention %q, %k, %k layout(bhsd) heads(3) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<1x3x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x3x5x8xf32>
  func.return
}

// -----

func.func @no_heads(%q: tensor<1x5x8xf32>) {
  // expected-error @below {{rlx.attention: heads must be at least 1, got 0}}
  %0 = rlx.attention %q, %q, %q layout(bsm) heads(0) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  func.return
}

// -----

func.func @width(%q: tensor<1x5x8xf32>) {
  // expected-error @below {{rlx.attention: the last dim of query tensor<1x5x8xf32> and 2 heads of width 8 must be equal, got 8 and 16}}
  %0 = rlx.attention %q, %q, %q layout(bsm) heads(2) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  func.return
}

// -----

func.func @layout(%q: tensor<1x5x2x4xf32>) {
  // expected-error @below {{rlx.attention: the head dim of query tensor<1x5x2x4xf32> and the number of heads must be equal, got 5 and 2}}
  %0 = rlx.attention %q, %q, %q layout(bhsd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>) -> tensor<1x5x2x4xf32>
  func.return
}

// -----

func.func @lengths(%q: tensor<1x5x8xf32>, %k: tensor<1x6x8xf32>) {
  // expected-error @below {{rlx.attention: the lengths of key and value must be equal, got 6 and 5}}
  %0 = rlx.attention %q, %k, %q layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<1x5x8xf32>, tensor<1x6x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  func.return
}

// -----

func.func @batches(%q: tensor<1x5x8xf32>, %k: tensor<2x5x8xf32>) {
  // expected-error @below {{rlx.attention: the batch of query and key must be equal, got 1 and 2}}
  %0 = rlx.attention %q, %k, %k layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<1x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<1x5x8xf32>
  func.return
}

// -----

func.func @keys_per_query(%q: tensor<2x5x8xf32>, %m: tensor<5x5xi1>) {
  // expected-error @below {{rlx.attention: dim 0 of the mask tensor<5x5xi1> and the batch must be equal, got 5 and 2}}
  %0 = rlx.attention %q, %q, %q mask keys(%m) layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<5x5xi1>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @bias_shape(%q: tensor<2x5x8xf32>, %m: tensor<4xf32>) {
  // expected-error @below {{rlx.attention: mask [4] and the dims [2, 1, 5, 5] do not broadcast: 4 and 5 meet in dim 3}}
  %0 = rlx.attention %q, %q, %q mask bias(%m) layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<4xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @mask_without_kind(%q: tensor<2x5x8xf32>, %m: tensor<2x5xf32>) {
  // expected-error @below {{rlx.attention: mask and mask_kind must come together}}
  %0 = "rlx.attention"(%q, %q, %q, %m) <{layout = "bsm", heads = 1 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, v_head_dim = 8 : i64, scale = 0.5 : f64, masked_rows = "uniform"}> : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @window(%q: tensor<2x5x8xf32>) {
  // expected-error @below {{rlx.attention: window_left must not be negative, got -1}}
  %0 = rlx.attention %q, %q, %q layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.5) window_left(-1) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @offset_word(%q: tensor<2x5x8xf32>) {
  // expected-error @below {{causal_offset must be an i64 or end}}
  %0 = rlx.attention %q, %q, %q layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(start) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @rank_of_heads(%q: tensor<2x5x8xf32>) {
  // expected-error @below {{rlx.attention: query must have rank 4, got tensor<2x5x8xf32>}}
  %0 = rlx.attention %q, %q, %q layout(bhsd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @rank_of_packed(%q: tensor<2x2x5x4xf32>) {
  // expected-error @below {{rlx.attention: query must have rank 2 or 3 in layout bsm, got tensor<2x2x5x4xf32>}}
  %0 = rlx.attention %q, %q, %q layout(bsm) heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x4xf32>
  func.return
}

// -----

func.func @width_of_value(%q: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error @below {{rlx.attention: the last dim of value tensor<1x2x5x4xf32> and the head width must be equal, got 4 and 8}}
  %0 = rlx.attention %q, %q, %v layout(bhsd) heads(2) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x5x8xf32>
  func.return
}

// -----

func.func @element_of_key(%q: tensor<2x5x8xf32>, %k: tensor<2x5x8xf16>) {
  // expected-error @below {{rlx.attention: key must have element type f32, got f16}}
  %0 = rlx.attention %q, %k, %k layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<2x5x8xf16>, tensor<2x5x8xf16>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @rank_of_key(%q: tensor<2x5x8xf32>, %k: tensor<5x8xf32>) {
  // expected-error @below {{rlx.attention: key must have rank 3, got tensor<5x8xf32>}}
  %0 = rlx.attention %q, %k, %k layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @rank_of_keys(%q: tensor<2x5x8xf32>, %m: tensor<2x1x5xi1>) {
  // expected-error @below {{rlx.attention: mask must have rank 2, got tensor<2x1x5xi1>}}
  %0 = rlx.attention %q, %q, %q mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x1x5xi1>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @number_of_keys(%q: tensor<2x5x8xf32>, %m: tensor<2x6xi1>) {
  // expected-error @below {{rlx.attention: dim 1 of the mask tensor<2x6xi1> and the number of keys must be equal, got 6 and 5}}
  %0 = rlx.attention %q, %q, %q mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x6xi1>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @element_of_bias(%q: tensor<2x5x8xf32>, %m: tensor<5x5xf16>) {
  // expected-error @below {{rlx.attention: mask must have element type f32, got f16}}
  %0 = rlx.attention %q, %q, %q mask bias(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<5x5xf16>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @integers(%q: tensor<2x5x8xi32>) {
  // expected-error @below {{rlx.attention: query must have a float element type, got tensor<2x5x8xi32>}}
  %0 = rlx.attention %q, %q, %q layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xi32>, tensor<2x5x8xi32>, tensor<2x5x8xi32>) -> tensor<2x5x8xi32>
  func.return
}
