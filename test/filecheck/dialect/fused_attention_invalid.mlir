// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @packed_width(%a: tensor<2x5x8xf32>, %b: tensor<8x16xf32>, %c: tensor<8x8xf32>) {
  // expected-error @below {{rlx.fused_attention_block: the last dim of qkv_w and the packed width of query, key and value must be equal, got 16 and 24}}
  %0 = rlx.fused_attention_block %a, %b, %c heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @hidden_rank(%a: tensor<5x8xf32>, %b: tensor<8x24xf32>, %c: tensor<8x8xf32>) {
  // expected-error @below {{rlx.fused_attention_block: hidden must have rank 3, got tensor<5x8xf32>}}
  %0 = rlx.fused_attention_block %a, %b, %c heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @one_bias(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>, %b: tensor<24xf32>) {
  // expected-error @below {{rlx.fused_attention_block: qkv_b and out_b must come together}}
  %0 = "rlx.fused_attention_block"(%h, %w, %o, %b) <{heads = 2 : i64, kv_heads = 2 : i64, head_dim = 4 : i64, v_head_dim = 4 : i64, scale = 5.000000e-01 : f64, masked_rows = "uniform", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<24xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @some_biases(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %g1: tensor<8xf32>, %b1: tensor<8xf32>, %u: tensor<8x32xf32>, %ub: tensor<32xf32>, %d: tensor<32x8xf32>, %db: tensor<8xf32>, %g2: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_transformer_layer: all biases must come together, qkv_b, ln2_b missing}}
  %0 = rlx.fused_transformer_layer %h qkv(%w : tensor<8x24xf32>) out(%o, %ob : tensor<8x8xf32>, tensor<8xf32>) ln1(%g1, %b1 : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<32xf32>) fc2(%d, %db : tensor<32x8xf32>, tensor<8xf32>) ln2(%g2 : tensor<8xf32>) activation(gelu) epsilon(1.0e-12, 1.0e-12) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @block_width(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x6xf32>, %ob: tensor<6xf32>, %g1: tensor<8xf32>, %b1: tensor<8xf32>, %u: tensor<8x32xf32>, %ub: tensor<32xf32>, %d: tensor<32x8xf32>, %db: tensor<8xf32>, %g2: tensor<8xf32>, %b2: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_transformer_layer: dim 2 of hidden tensor<2x5x8xf32> and the attention block tensor<2x5x6xf32> must be equal, got 8 and 6}}
  %0 = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %ob : tensor<8x6xf32>, tensor<6xf32>) ln1(%g1, %b1 : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<32xf32>) fc2(%d, %db : tensor<32x8xf32>, tensor<8xf32>) ln2(%g2, %b2 : tensor<8xf32>, tensor<8xf32>) activation(gelu) epsilon(1.0e-12, 1.0e-12) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @inner(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %g1: tensor<8xf32>, %b1: tensor<8xf32>, %u: tensor<8x32xf32>, %ub: tensor<32xf32>, %d: tensor<31x8xf32>, %db: tensor<8xf32>, %g2: tensor<8xf32>, %b2: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_transformer_layer: the last dim of the first product and the last but one of fc2_w must be equal, got 32 and 31 in tensor<2x5x32xf32> and tensor<31x8xf32>}}
  %0 = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %ob : tensor<8x8xf32>, tensor<8xf32>) ln1(%g1, %b1 : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<32xf32>) fc2(%d, %db : tensor<31x8xf32>, tensor<8xf32>) ln2(%g2, %b2 : tensor<8xf32>, tensor<8xf32>) activation(gelu) epsilon(1.0e-12, 1.0e-12) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @outer(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %g1: tensor<8xf32>, %b1: tensor<8xf32>, %u: tensor<8x32xf32>, %ub: tensor<32xf32>, %d: tensor<32x7xf32>, %db: tensor<8xf32>, %g2: tensor<8xf32>, %b2: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_transformer_layer: dim 2 of hidden tensor<2x5x8xf32> and the second product tensor<2x5x7xf32> must be equal, got 8 and 7}}
  %0 = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %ob : tensor<8x8xf32>, tensor<8xf32>) ln1(%g1, %b1 : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<32xf32>) fc2(%d, %db : tensor<32x7xf32>, tensor<8xf32>) ln2(%g2, %b2 : tensor<8xf32>, tensor<8xf32>) activation(gelu) epsilon(1.0e-12, 1.0e-12) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @fc1_bias(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %g1: tensor<8xf32>, %b1: tensor<8xf32>, %u: tensor<8x32xf32>, %ub: tensor<8xf32>, %d: tensor<32x8xf32>, %db: tensor<8xf32>, %g2: tensor<8xf32>, %b2: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_transformer_layer: the size of fc1_b and the columns of its weight must be equal, got 8 and 32}}
  %0 = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %ob : tensor<8x8xf32>, tensor<8xf32>) ln1(%g1, %b1 : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<8xf32>) fc2(%d, %db : tensor<32x8xf32>, tensor<8xf32>) ln2(%g2, %b2 : tensor<8xf32>, tensor<8xf32>) activation(gelu) epsilon(1.0e-12, 1.0e-12) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @norm_gain(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %g1: tensor<8xf32>, %b1: tensor<8xf32>, %u: tensor<8x32xf32>, %ub: tensor<32xf32>, %d: tensor<32x8xf32>, %db: tensor<8xf32>, %g2: tensor<4xf32>, %b2: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_transformer_layer: the size of ln2_g and the width of hidden must be equal, got 4 and 8}}
  %0 = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %ob : tensor<8x8xf32>, tensor<8xf32>) ln1(%g1, %b1 : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<32xf32>) fc2(%d, %db : tensor<32x8xf32>, tensor<8xf32>) ln2(%g2, %b2 : tensor<4xf32>, tensor<8xf32>) activation(gelu) epsilon(1.0e-12, 1.0e-12) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @activation(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %g1: tensor<8xf32>, %b1: tensor<8xf32>, %u: tensor<8x32xf32>, %ub: tensor<32xf32>, %d: tensor<32x8xf32>, %db: tensor<8xf32>, %g2: tensor<8xf32>, %b2: tensor<8xf32>) {
  %0 = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %ob : tensor<8x8xf32>, tensor<8xf32>) ln1(%g1, %b1 : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<32xf32>) fc2(%d, %db : tensor<32x8xf32>, tensor<8xf32>) ln2(%g2, %b2 : tensor<8xf32>, tensor<8xf32>) activation(softmax) epsilon(1.0e-12, 1.0e-12) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  // expected-error @below {{expected one of gelu, gelu_approx, silu, relu, sigmoid, tanh, exp, log, sqrt, rsqrt, neg, abs, sin, cos, tan, atan, recip, round, floor, ceil, sign, softplus, elu, erf, hard_swish, hard_sigmoid, mish, softsign, log_sigmoid, quick_gelu, got "softmax"}}
  func.return
}

// -----

func.func @qkv_inner(%h: tensor<2x5x8xf32>, %w: tensor<7x24xf32>, %o: tensor<8x8xf32>) {
  // expected-error @below {{rlx.fused_attention_block: the last dim of hidden and the last but one of qkv_w must be equal, got 8 and 7 in tensor<2x5x8xf32> and tensor<7x24xf32>}}
  %0 = rlx.fused_attention_block %h, %w, %o heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<7x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @out_inner(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %o: tensor<7x8xf32>) {
  // expected-error @below {{rlx.fused_attention_block: the last dim of the attention and the last but one of out_w must be equal, got 8 and 7 in tensor<2x5x8xf32> and tensor<7x8xf32>}}
  %0 = rlx.fused_attention_block %h, %w, %o heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<7x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @bias_size(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>, %b: tensor<23xf32>, %c: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_attention_block: the size of qkv_b and the columns of its weight must be equal, got 23 and 24}}
  %0 = rlx.fused_attention_block %h, %w, %o bias(%b, %c : tensor<23xf32>, tensor<8xf32>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @fc1_inner(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %u: tensor<7x9xf32>, %d: tensor<9x8xf32>) {
  // expected-error @below {{rlx.fused_transformer_layer: the last dim of hidden and the last but one of fc1_w must be equal, got 8 and 7 in tensor<2x5x8xf32> and tensor<7x9xf32>}}
  %0 = rlx.fused_transformer_layer %h qkv(%w : tensor<8x24xf32>) out(%o : tensor<8x8xf32>) ln1(%v : tensor<8xf32>) fc1(%u : tensor<7x9xf32>) fc2(%d : tensor<9x8xf32>) ln2(%v : tensor<8xf32>) activation(gelu) epsilon(1.0e-5, 1.0e-5) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @integers(%h: tensor<2x5x8xi32>, %w: tensor<8x24xi32>, %o: tensor<8x8xi32>) {
  // expected-error @below {{rlx.fused_attention_block: hidden must have a float element type, got tensor<2x5x8xi32>}}
  %0 = rlx.fused_attention_block %h, %w, %o heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xi32>, tensor<8x24xi32>, tensor<8x8xi32>) -> tensor<2x5x8xi32>
  func.return
}

// -----

func.func @epsilon_of_fused_transformer_layer(%w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %u: tensor<8x32xf32>, %ub: tensor<32xf32>, %d: tensor<32x8xf32>, %m: tensor<?x5xi1>, %h: tensor<?x5x8xf32>) {
  // expected-error @below {{rlx.fused_transformer_layer: epsilon2 must be 0 or more, got nan}}
  %0 = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %v : tensor<8x8xf32>, tensor<8xf32>) ln1(%v, %v : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<32xf32>) fc2(%d, %v : tensor<32x8xf32>, tensor<8xf32>) ln2(%v, %v : tensor<8xf32>, tensor<8xf32>) mask keys(%m : tensor<?x5xi1>) activation(gelu) epsilon(1.0e-12, nan) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<?x5x8xf32> -> tensor<?x5x8xf32>
  func.return
}
