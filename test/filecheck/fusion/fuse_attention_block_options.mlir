// RUN: rlx-opt --rlx-fuse-attention-block %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-attention-block='max-tokens=2048 dtypes=f64' %s | filecheck %s --check-prefixes=ALL,LARGE
// RUN: rlx-opt --rlx-fuse-attention-block=compat-attention-block=true %s | filecheck %s --check-prefixes=ALL,COMPAT
// RUN: not rlx-opt --rlx-fuse-attention-block=max-tokens=-1 %s 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: rlx-opt --rlx-fuse-attention-block='max-tokens=128 compat-attention-block=true' --print-pass-pipeline %s | filecheck %s --check-prefix=PRINT

// NEGATIVE: error: option 'max-tokens' of pass 'rlx-fuse-attention-block' must be at least 0, not -1
// PRINT: rlx-fuse-attention-block{max-tokens=128 dtypes=f32,f16,bf16 compat-attention-block=true}

// ALL-LABEL: @original_form
// DEFAULT: rlx.fused_attention_block
// LARGE-NOT: rlx.fused_attention_block
// COMPAT: rlx.fused_attention_block
func.func @original_form(%h: tensor<1x4x32xf32>, %w: tensor<32x96xf32>, %wb: tensor<96xf32>, %o: tensor<32x32xf32>, %ob: tensor<32xf32>, %m: tensor<1x4xi1>) -> tensor<1x4x32xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x32xf32>, tensor<32x96xf32>, tensor<96xf32>) -> tensor<1x4x96xf32>
  %q = rlx.narrow %p axis(2) start(0) length(32) : tensor<1x4x96xf32> -> tensor<1x4x32xf32>
  %k = rlx.narrow %p axis(2) start(32) length(32) : tensor<1x4x96xf32> -> tensor<1x4x32xf32>
  %v = rlx.narrow %p axis(2) start(64) length(32) : tensor<1x4x96xf32> -> tensor<1x4x32xf32>
  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.35355339059327373) : (tensor<1x4x32xf32>, tensor<1x4x32xf32>, tensor<1x4x32xf32>, tensor<1x4xi1>) -> tensor<1x4x32xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x32xf32>, tensor<32x32xf32>, tensor<32xf32>) -> tensor<1x4x32xf32>
  func.return %y : tensor<1x4x32xf32>
}

// ALL-LABEL: @without_mask
// DEFAULT: rlx.fused_attention_block
// LARGE-NOT: rlx.fused_attention_block
// COMPAT-NOT: rlx.fused_attention_block
func.func @without_mask(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// ALL-LABEL: @other_scale
// DEFAULT: rlx.fused_attention_block
// LARGE-NOT: rlx.fused_attention_block
// COMPAT-NOT: rlx.fused_attention_block
func.func @other_scale(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %m: tensor<1x4xi1>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.25) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4xi1>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// ALL-LABEL: @with_softcap
// DEFAULT: rlx.fused_attention_block
// LARGE-NOT: rlx.fused_attention_block
// COMPAT-NOT: rlx.fused_attention_block
func.func @with_softcap(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %m: tensor<1x4xi1>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) softcap(2.0) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4xi1>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// ALL-LABEL: @without_bias
// DEFAULT: rlx.fused_attention_block
// LARGE-NOT: rlx.fused_attention_block
// COMPAT-NOT: rlx.fused_attention_block
func.func @without_bias(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>, %m: tensor<1x4xi1>) -> tensor<1x4x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4xi1>) -> tensor<1x4x8xf32>
  %y = rlx.matmul %a, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// ALL-LABEL: @double_precision_large
// DEFAULT-NOT: rlx.fused_attention_block
// LARGE: rlx.fused_attention_block
// COMPAT-NOT: rlx.fused_attention_block
func.func @double_precision_large(%h: tensor<16x128x8xf64>, %w: tensor<8x24xf64>, %wb: tensor<24xf64>, %o: tensor<8x8xf64>, %ob: tensor<8xf64>, %m: tensor<16x128xi1>) -> tensor<16x128x8xf64> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<16x128x8xf64>, tensor<8x24xf64>, tensor<24xf64>) -> tensor<16x128x24xf64>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<16x128x24xf64> -> tensor<16x128x8xf64>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<16x128x24xf64> -> tensor<16x128x8xf64>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<16x128x24xf64> -> tensor<16x128x8xf64>
  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<16x128x8xf64>, tensor<16x128x8xf64>, tensor<16x128x8xf64>, tensor<16x128xi1>) -> tensor<16x128x8xf64>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<16x128x8xf64>, tensor<8x8xf64>, tensor<8xf64>) -> tensor<16x128x8xf64>
  func.return %y : tensor<16x128x8xf64>
}

// Any small input opens the original gate; ours looks at the block.
// ALL-LABEL: @small_input_elsewhere
// DEFAULT-NOT: rlx.fused_attention_block
// LARGE-NOT: rlx.fused_attention_block
// COMPAT: rlx.fused_attention_block
func.func @small_input_elsewhere(%h: tensor<5x16x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %m: tensor<5x16xi1>, %z: tensor<2x2xf32>) -> tensor<5x16x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<5x16x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<5x16x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<5x16x24xf32> -> tensor<5x16x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<5x16x24xf32> -> tensor<5x16x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<5x16x24xf32> -> tensor<5x16x8xf32>
  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<5x16x8xf32>, tensor<5x16x8xf32>, tensor<5x16x8xf32>, tensor<5x16xi1>) -> tensor<5x16x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<5x16x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<5x16x8xf32>
  func.return %y : tensor<5x16x8xf32>
}

// A param opens no gate.
// ALL-LABEL: @small_param
// DEFAULT-NOT: rlx.fused_attention_block
// LARGE-NOT: rlx.fused_attention_block
// COMPAT-NOT: rlx.fused_attention_block
func.func @small_param(%h: tensor<5x16x8xf32>, %w: tensor<8x24xf32> {rlx.param = "w"}, %wb: tensor<24xf32>, %o: tensor<8x8xf32> {rlx.param = "o"}, %ob: tensor<8xf32>, %m: tensor<5x16xi1> {rlx.input = "m"}) -> tensor<5x16x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<5x16x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<5x16x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<5x16x24xf32> -> tensor<5x16x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<5x16x24xf32> -> tensor<5x16x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<5x16x24xf32> -> tensor<5x16x8xf32>
  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<5x16x8xf32>, tensor<5x16x8xf32>, tensor<5x16x8xf32>, tensor<5x16xi1>) -> tensor<5x16x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<5x16x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<5x16x8xf32>
  func.return %y : tensor<5x16x8xf32>
}

// An input of unknown size opens none either.
// ALL-LABEL: @no_input_of_known_size
// DEFAULT-NOT: rlx.fused_attention_block
// LARGE-NOT: rlx.fused_attention_block
// COMPAT-NOT: rlx.fused_attention_block
func.func @no_input_of_known_size(%h: tensor<?x?x8xf32>, %w: tensor<8x24xf32> {rlx.param = "w"}, %wb: tensor<24xf32> {rlx.param = "wb"}, %o: tensor<8x8xf32> {rlx.param = "o"}, %ob: tensor<8xf32> {rlx.param = "ob"}, %m: tensor<?x?xi1> {rlx.input = "m"}) -> tensor<?x?x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<?x?x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<?x?x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<?x?x24xf32> -> tensor<?x?x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<?x?x24xf32> -> tensor<?x?x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<?x?x24xf32> -> tensor<?x?x8xf32>
  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xi1>) -> tensor<?x?x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<?x?x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<?x?x8xf32>
  func.return %y : tensor<?x?x8xf32>
}
