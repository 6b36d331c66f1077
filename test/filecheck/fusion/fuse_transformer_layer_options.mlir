// RUN: rlx-opt --rlx-fuse-transformer-layer %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-transformer-layer='epilogues=relu max-tokens=2048' %s | filecheck %s --check-prefixes=ALL,OTHER
// RUN: rlx-opt --rlx-fuse-transformer-layer='compat-attention-block=true compat-epilogues=true' %s | filecheck %s --check-prefixes=ALL,COMPAT
// RUN: rlx-opt --rlx-fuse-transformer-layer=dtypes=f64 %s | filecheck %s --check-prefixes=ALL,DOUBLE
// RUN: not rlx-opt --rlx-fuse-transformer-layer=max-tokens=-1 %s 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: not rlx-opt --rlx-fuse-transformer-layer=epilogues=geluu %s 2>&1 | filecheck %s --check-prefix=WORD
// RUN: not rlx-opt --rlx-fuse-transformer-layer=dtypes=i8 %s 2>&1 | filecheck %s --check-prefix=DTYPE

// NEGATIVE: error: option 'max-tokens' of pass 'rlx-fuse-transformer-layer' must be at least 0, not -1
// WORD:     error: option 'epilogues' of pass 'rlx-fuse-transformer-layer' takes {{.*}}, not 'geluu'; did you mean 'gelu'
// DTYPE:    error: option 'dtypes' of pass 'rlx-fuse-transformer-layer' takes {{.*}}, not 'i8'

// ALL-LABEL:   @gelu
// DEFAULT:     rlx.fused_transformer_layer
// OTHER-NOT:   rlx.fused_transformer_layer
// COMPAT:      rlx.fused_transformer_layer
// DOUBLE-NOT:  rlx.fused_transformer_layer
func.func @gelu(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// ALL-LABEL:   @relu
// DEFAULT:     rlx.fused_transformer_layer
// OTHER:       rlx.fused_transformer_layer
// COMPAT-NOT:  rlx.fused_transformer_layer
// DOUBLE-NOT:  rlx.fused_transformer_layer
func.func @relu(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(relu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// ALL-LABEL:   @no_mask
// DEFAULT:     rlx.fused_transformer_layer
// OTHER-NOT:   rlx.fused_transformer_layer
// COMPAT-NOT:  rlx.fused_transformer_layer
// DOUBLE-NOT:  rlx.fused_transformer_layer
func.func @no_mask(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// ALL-LABEL:   @addends_the_other_way_round
// DEFAULT:     rlx.fused_transformer_layer
// OTHER-NOT:   rlx.fused_transformer_layer
// COMPAT-NOT:  rlx.fused_transformer_layer
// DOUBLE-NOT:  rlx.fused_transformer_layer
func.func @addends_the_other_way_round(%h: tensor<1x4x8xf32>, %m: tensor<1x4xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %n = rlx.fused_residual_ln %h, %a, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<1x4x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-12) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %r : tensor<1x4x8xf32>
}

// ALL-LABEL:   @many_tokens_and_a_small_input
// DEFAULT-NOT: rlx.fused_transformer_layer
// OTHER:       rlx.fused_transformer_layer
// COMPAT-NOT:  rlx.fused_transformer_layer
// DOUBLE-NOT:  rlx.fused_transformer_layer
func.func @many_tokens_and_a_small_input(%h: tensor<16x128x8xf32>, %m: tensor<16x128xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>, %z: tensor<1x4x8xf32>) -> tensor<16x128x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<16x128xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<16x128x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<16x128x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<16x128x8xf32>, tensor<16x128x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(relu) : (tensor<16x128x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<16x128x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<16x128x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<16x128x8xf32>, tensor<16x128x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  func.return %r : tensor<16x128x8xf32>
}

// ALL-LABEL:   @many_tokens_and_a_small_input_with_gelu
// DEFAULT-NOT: rlx.fused_transformer_layer
// OTHER-NOT:   rlx.fused_transformer_layer
// COMPAT:      rlx.fused_transformer_layer
// DOUBLE-NOT:  rlx.fused_transformer_layer
func.func @many_tokens_and_a_small_input_with_gelu(%h: tensor<16x128x8xf32>, %m: tensor<16x128xi1>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %f1: tensor<8x16xf32>, %fb: tensor<16xf32>, %f2: tensor<16x8xf32>, %z: tensor<1x4x8xf32>) -> tensor<16x128x8xf32> {
  %a = rlx.fused_attention_block %h, %w, %o bias(%wb, %v : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<16x128xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<16x128x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<16x128x8xf32>
  %n = rlx.fused_residual_ln %a, %h, %v, %v epsilon(1.0e-12) : (tensor<16x128x8xf32>, tensor<16x128x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  %u = rlx.fused_matmul_bias_act %n, %f1, %fb activation(gelu) : (tensor<16x128x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<16x128x16xf32>
  %d = rlx.fused_matmul_bias_act %u, %f2, %v : (tensor<16x128x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  %r = rlx.fused_residual_ln %d, %n, %v, %v epsilon(1.0e-6) : (tensor<16x128x8xf32>, tensor<16x128x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  func.return %r : tensor<16x128x8xf32>
}
