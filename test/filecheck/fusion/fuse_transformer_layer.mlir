// RUN: rlx-opt --rlx-fuse-transformer-layer %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @layer
// CHECK:       %r = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %v : tensor<8x8xf32>, tensor<8xf32>) ln1(%v, %v : tensor<8xf32>, tensor<8xf32>) fc1(%f1, %fb : tensor<8x16xf32>, tensor<16xf32>) fc2(%f2, %v : tensor<16x8xf32>, tensor<8xf32>) ln2(%v, %v : tensor<8xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) activation(gelu) epsilon(1.0e-12, 1.0e-06) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
// CHECK-NEXT:  func.return %r
func.func @layer(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: @addends_the_other_way_round
// CHECK:       %r = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %v : tensor<8x8xf32>, tensor<8xf32>) ln1(%v, %v : tensor<8xf32>, tensor<8xf32>) fc1(%f1, %fb : tensor<8x16xf32>, tensor<16xf32>) fc2(%f2, %v : tensor<16x8xf32>, tensor<8xf32>) ln2(%v, %v : tensor<8xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) activation(gelu) epsilon(1.0e-12, 1.0e-06) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
// CHECK-NEXT:  func.return %r
func.func @addends_the_other_way_round(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %h, %a, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %n, %d, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: @relu
// CHECK:       rlx.fused_transformer_layer {{.*}} activation(relu)
func.func @relu(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(relu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: @gelu_approx
// CHECK:       rlx.fused_transformer_layer {{.*}} activation(gelu_approx)
func.func @gelu_approx(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu_approx) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: @silu
// CHECK:       rlx.fused_transformer_layer {{.*}} activation(silu)
func.func @silu(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(silu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: @sigmoid
// CHECK:       rlx.fused_transformer_layer {{.*}} activation(sigmoid)
func.func @sigmoid(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(sigmoid) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: @tanh
// CHECK:       rlx.fused_transformer_layer {{.*}} activation(tanh)
func.func @tanh(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(tanh) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: @no_mask
// CHECK:       rlx.fused_transformer_layer {{.*}} ln2(%v, %v : tensor<8xf32>, tensor<8xf32>) activation(gelu)
func.func @no_mask(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: @mask_is_added_and_causal
// CHECK:       rlx.fused_transformer_layer {{.*}} mask bias(%e : tensor<1x1x1x4xf32>) {{.*}} scale(0.25) softcap(2.0) causal_offset(0)
func.func @mask_is_added_and_causal(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>, %e: tensor<1x1x1x4xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask bias(%e : tensor<1x1x1x4xf32>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.25) softcap(2.0) causal_offset(0) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: @sums_that_nobody_reads
// CHECK:       %r = rlx.fused_transformer_layer
// CHECK-NEXT:  func.return %r
func.func @sums_that_nobody_reads(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n, %s = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>)
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// What must not fuse, one function per guard.

// MISS: RLX-F019 attributes
// CHECK-LABEL: @no_biases
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @no_biases(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F021 too-large
// CHECK-LABEL: @many_tokens
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @many_tokens(%h: tensor<16x128x8xf32>, %m: tensor<16x128xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<16x128x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<16x128xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<16x128x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<16x128x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<16x128x8xf32>, tensor<16x128x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<16x128x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<16x128x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<16x128x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<16x128x8xf32>, tensor<16x128x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  func.return %r : tensor<16x128x8xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @dynamic_batch
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @dynamic_batch(%h: tensor<?x4x8xf32>, %m: tensor<?x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<?x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<?x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<?x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<?x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<?x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<?x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<?x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<?x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x4x8xf32>
  func.return %r : tensor<?x4x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @block_is_returned
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @block_is_returned(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %a, %r : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @residual_is_another_value
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @residual_is_another_value(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>, %z: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %z, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @second_residual_is_another_value
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @second_residual_is_another_value(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %h, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @second_norm_of_another_sum
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @second_norm_of_another_sum(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %t = rlx.binary add %r, %n : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  func.return %t : tensor<1x4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @norm_has_a_bias
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @norm_has_a_bias(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v bias(%v) epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @norm_accumulates
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @norm_accumulates(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) accumulate(f64) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @product_accumulates
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @product_accumulates(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) accumulate(f64) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @first_sum_is_read
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @first_sum_is_read(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n, %s = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>)
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r, %s : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @first_norm_is_returned
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @first_norm_is_returned(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r, %n : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @wide_product_is_returned
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @wide_product_is_returned(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x16xf32>) {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r, %u : tensor<1x4x8xf32>, tensor<1x4x16xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @narrow_product_is_returned
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @narrow_product_is_returned(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r, %d : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// MISS: RLX-F023 epilogue
// CHECK-LABEL: @no_activation
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @no_activation(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F023 epilogue
// CHECK-LABEL: @activation_outside_of_the_table
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @activation_outside_of_the_table(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(exp) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F023 epilogue
// CHECK-LABEL: @second_activation
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @second_activation(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v activation(gelu) : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F024 rank
// CHECK-LABEL: @weight_of_a_batch
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @weight_of_a_batch(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<1x8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<1x8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F024 rank
// CHECK-LABEL: @width_between_is_unknown
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @width_between_is_unknown(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x?xf32>, %fb: tensor<?xf32>, %f2: tensor<?x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x?xf32>, tensor<?xf32>) -> tensor<1x4x?xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x?xf32>, tensor<?x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @norm_is_the_weight
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @norm_is_the_weight(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>, %q: tensor<1x4x4xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %q, %n, %v : (tensor<1x4x4xf32>, tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %d = rlx.fused_matmul_bias_act %u, %o, %v : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @narrow_product_has_it_as_weight
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @narrow_product_has_it_as_weight(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>, %q: tensor<1x4x4xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %o, %v activation(gelu) : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %d = rlx.fused_matmul_bias_act %q, %u, %v : (tensor<1x4x4xf32>, tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.fused_transformer_layer
func.func @fenced_off(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) {rlx.no_fuse} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}
