// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @bias_rank(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<1x16xf32>) {
  // expected-error @below {{rlx.fused_matmul_bias_act: bias must have rank 1, got tensor<1x16xf32>}}
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<1x16xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @bias_size(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{rlx.fused_matmul_bias_act: the size of bias tensor<4xf32> and the last dim of the product tensor<4x16xf32> must be equal, got 4 and 16}}
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @residual_broadcasts(%x: tensor<2x4x8xf32>, %r: tensor<1x4x8xf32>, %g: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_residual_ln: dim 0 of input tensor<2x4x8xf32> and residual tensor<1x4x8xf32> must be equal, got 2 and 1}}
  %0 = rlx.fused_residual_ln %x, %r, %g, %g epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @gain(%x: tensor<2x8xf32>, %g: tensor<4xf32>) {
  // expected-error @below {{rlx.fused_residual_ln: the size of gamma and the normalised dim must be equal, got 4 and 8}}
  %0 = rlx.fused_residual_ln %x, %x, %g, %g epsilon(1.0e-5) : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @packed_width(%h: tensor<2x5x8xf32>, %w: tensor<8x16xf32>, %o: tensor<8x8xf32>) {
  // expected-error @below {{rlx.fused_attention_block: the last dim of qkv_w and the packed width of query, key and value must be equal, got 16 and 24}}
  %0 = rlx.fused_attention_block %h, %w, %o heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

// expected-error @below {{rlx.artifact: file must be a plain file name, got '../escape'}}
rlx.artifact "../escape" "text"
