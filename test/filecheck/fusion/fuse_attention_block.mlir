// RUN: rlx-opt --rlx-fuse-attention-block %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @keys
// CHECK-NEXT:  %y = rlx.fused_attention_block %h, %w, %o bias(%wb, %ob : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<1x4xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
// CHECK-NEXT:  func.return %y
func.func @keys(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %m: tensor<1x4xi1>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4xi1>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// CHECK-LABEL: @no_mask
// CHECK-NEXT:  %y = rlx.fused_attention_block %h, %w, %o bias(%wb, %ob : tensor<24xf32>, tensor<8xf32>) heads(2)
// CHECK-NEXT:  func.return %y
func.func @no_mask(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// CHECK-LABEL: @added_bias_and_causal
// CHECK-NEXT:  %y = rlx.fused_attention_block {{.*}} mask bias(%m : tensor<2x4x4xf32>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.25) softcap(30.0) causal_offset(0) window_left(2) masked_rows(zero) accumulate(f64)
// CHECK-NEXT:  func.return %y
func.func @added_bias_and_causal(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %m: tensor<2x4x4xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v mask bias(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.25) softcap(30.0) causal_offset(0) window_left(2) masked_rows(zero) accumulate(f64) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<2x4x4xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// CHECK-LABEL: @grouped_heads_without_bias
// CHECK-NEXT:  %y = rlx.fused_attention_block %h, %w, %o heads(4) kv_heads(2) head_dim(4) v_head_dim(2) scale(0.5) causal_offset(end)
// CHECK-NEXT:  func.return %y
func.func @grouped_heads_without_bias(%h: tensor<1x4x8xf32>, %w: tensor<8x28xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x28xf32>) -> tensor<1x4x28xf32>
  %q = rlx.narrow %p axis(2) start(0) length(16) : tensor<1x4x28xf32> -> tensor<1x4x16xf32>
  %k = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x28xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(24) length(4) : tensor<1x4x28xf32> -> tensor<1x4x4xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(4) kv_heads(2) head_dim(4) v_head_dim(2) scale(0.5) causal_offset(end) : (tensor<1x4x16xf32>, tensor<1x4x8xf32>, tensor<1x4x4xf32>) -> tensor<1x4x8xf32>
  %y = rlx.matmul %a, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// CHECK-LABEL: @half
// CHECK-NEXT:  %y = rlx.fused_attention_block
// CHECK-NEXT:  func.return %y
func.func @half(%h: tensor<2x4x8xf16>, %w: tensor<8x24xf16>, %wb: tensor<24xf16>, %o: tensor<8x8xf16>, %ob: tensor<8xf16>) -> tensor<2x4x8xf16> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<2x4x8xf16>, tensor<8x24xf16>, tensor<24xf16>) -> tensor<2x4x24xf16>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<2x4x24xf16> -> tensor<2x4x8xf16>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<2x4x24xf16> -> tensor<2x4x8xf16>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<2x4x24xf16> -> tensor<2x4x8xf16>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf16>, tensor<2x4x8xf16>, tensor<2x4x8xf16>) -> tensor<2x4x8xf16>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<2x4x8xf16>, tensor<8x8xf16>, tensor<8xf16>) -> tensor<2x4x8xf16>
  func.return %y : tensor<2x4x8xf16>
}

// As many rows as the default allows.
// CHECK-LABEL: @sixty_four_tokens
// CHECK-NEXT:  %y = rlx.fused_attention_block
// CHECK-NEXT:  func.return %y
func.func @sixty_four_tokens(%h: tensor<4x16x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>) -> tensor<4x16x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<4x16x8xf32>, tensor<8x24xf32>) -> tensor<4x16x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<4x16x24xf32> -> tensor<4x16x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<4x16x24xf32> -> tensor<4x16x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<4x16x24xf32> -> tensor<4x16x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x16x8xf32>, tensor<4x16x8xf32>, tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = rlx.matmul %a, %o : (tensor<4x16x8xf32>, tensor<8x8xf32>) -> tensor<4x16x8xf32>
  func.return %y : tensor<4x16x8xf32>
}

// What must not fuse, one function per guard.

// MISS: RLX-F021 too-large
// CHECK-LABEL: @too_many_tokens
// CHECK-NOT:   rlx.fused_attention_block
func.func @too_many_tokens(%h: tensor<16x128x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<16x128x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<16x128x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<16x128x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<16x128x24xf32> -> tensor<16x128x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<16x128x24xf32> -> tensor<16x128x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<16x128x24xf32> -> tensor<16x128x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<16x128x8xf32>, tensor<16x128x8xf32>, tensor<16x128x8xf32>) -> tensor<16x128x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<16x128x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<16x128x8xf32>
  func.return %y : tensor<16x128x8xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @unknown_rows
// CHECK-NOT:   rlx.fused_attention_block
func.func @unknown_rows(%h: tensor<1x?x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<1x?x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x?x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x?x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x?x24xf32> -> tensor<1x?x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x?x24xf32> -> tensor<1x?x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x?x24xf32> -> tensor<1x?x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>) -> tensor<1x?x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x?x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x?x8xf32>
  func.return %y : tensor<1x?x8xf32>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.fused_attention_block
func.func @double_precision(%h: tensor<1x4x8xf64>, %w: tensor<8x24xf64>, %wb: tensor<24xf64>, %o: tensor<8x8xf64>, %ob: tensor<8xf64>) -> tensor<1x4x8xf64> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf64>, tensor<8x24xf64>, tensor<24xf64>) -> tensor<1x4x24xf64>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf64> -> tensor<1x4x8xf64>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf64> -> tensor<1x4x8xf64>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf64> -> tensor<1x4x8xf64>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf64>, tensor<1x4x8xf64>, tensor<1x4x8xf64>) -> tensor<1x4x8xf64>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf64>, tensor<8x8xf64>, tensor<8xf64>) -> tensor<1x4x8xf64>
  func.return %y : tensor<1x4x8xf64>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @product_read_elsewhere
// CHECK-NOT:   rlx.fused_attention_block
func.func @product_read_elsewhere(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x24xf32>) {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %e = rlx.activation exp %p : tensor<1x4x24xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y, %e : tensor<1x4x8xf32>, tensor<1x4x24xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @product_returned
// CHECK-NOT:   rlx.fused_attention_block
func.func @product_returned(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x24xf32>) {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y, %p : tensor<1x4x8xf32>, tensor<1x4x24xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @query_read_twice
// CHECK-NOT:   rlx.fused_attention_block
func.func @query_read_twice(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %e = rlx.activation exp %q : tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y, %e : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @attention_returned
// CHECK-NOT:   rlx.fused_attention_block
func.func @attention_returned(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y, %a : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @slices_overlap
// CHECK-NOT:   rlx.fused_attention_block
func.func @slices_overlap(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(4) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @key_and_value_swapped
// CHECK-NOT:   rlx.fused_attention_block
func.func @key_and_value_swapped(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @part_of_the_product
// CHECK-NOT:   rlx.fused_attention_block
func.func @part_of_the_product(%h: tensor<1x4x8xf32>, %w: tensor<8x32xf32>, %wb: tensor<32xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x32xf32>, tensor<32xf32>) -> tensor<1x4x32xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x32xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x32xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x32xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F023 epilogue
// CHECK-LABEL: @projection_with_activation
// CHECK-NOT:   rlx.fused_attention_block
func.func @projection_with_activation(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb activation(relu) : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F023 epilogue
// CHECK-LABEL: @output_with_activation
// CHECK-NOT:   rlx.fused_attention_block
func.func @output_with_activation(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob activation(gelu) : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @one_bias
// CHECK-NOT:   rlx.fused_attention_block
func.func @one_bias(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.matmul %a, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @accumulate_of_the_product
// CHECK-NOT:   rlx.fused_attention_block
func.func @accumulate_of_the_product(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.matmul %h, %w accumulate(f64) : (tensor<1x4x8xf32>, tensor<8x24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.matmul %a, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.fused_attention_block
func.func @fenced_off(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.fused_matmul_bias_act %h, %w, %wb : (tensor<1x4x8xf32>, tensor<8x24xf32>, tensor<24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) {rlx.no_fuse} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.fused_matmul_bias_act %a, %o, %ob : (tensor<1x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F022 layout
// CHECK-LABEL: @heads_not_packed
// CHECK-NOT:   rlx.fused_attention_block
func.func @heads_not_packed(%q: tensor<1x2x4x4xf32>, %k: tensor<1x2x4x4xf32>, %v: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %a = rlx.attention %q, %k, %v layout(bhsd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %a : tensor<1x2x4x4xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @not_sliced
// CHECK-NOT:   rlx.fused_attention_block
func.func @not_sliced(%q: tensor<1x4x8xf32>, %k: tensor<1x4x8xf32>, %v: tensor<1x4x8xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.matmul %a, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @slices_of_two_products
// CHECK-NOT:   rlx.fused_attention_block
func.func @slices_of_two_products(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x24xf32>) -> tensor<1x4x24xf32>
  %p2 = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p2 axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.matmul %a, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @not_projected
// CHECK-NOT:   rlx.fused_attention_block
func.func @not_projected(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.activation tanh %a : tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @attention_as_weight
// CHECK-NOT:   rlx.fused_attention_block
func.func @attention_as_weight(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %o: tensor<1x8x4xf32>) -> tensor<1x8x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.matmul %o, %a : (tensor<1x8x4xf32>, tensor<1x4x8xf32>) -> tensor<1x8x8xf32>
  func.return %y : tensor<1x8x8xf32>
}

// MISS: RLX-F024 rank
// CHECK-LABEL: @batched_weight
// CHECK-NOT:   rlx.fused_attention_block
func.func @batched_weight(%h: tensor<1x4x8xf32>, %w: tensor<1x8x24xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<1x8x24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.matmul %a, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// MISS: RLX-F024 rank
// CHECK-LABEL: @no_batch
// CHECK-NOT:   rlx.fused_attention_block
func.func @no_batch(%h: tensor<4x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
  %q = rlx.narrow %p axis(1) start(0) length(8) : tensor<4x24xf32> -> tensor<4x8xf32>
  %k = rlx.narrow %p axis(1) start(8) length(8) : tensor<4x24xf32> -> tensor<4x8xf32>
  %v = rlx.narrow %p axis(1) start(16) length(8) : tensor<4x24xf32> -> tensor<4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = rlx.matmul %a, %o : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @slices_of_the_sequence
// CHECK-NOT:   rlx.fused_attention_block
func.func @slices_of_the_sequence(%h: tensor<1x24x8xf32>, %w: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<1x8x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<1x24x8xf32>, tensor<8x8xf32>) -> tensor<1x24x8xf32>
  %q = rlx.narrow %p axis(1) start(0) length(8) : tensor<1x24x8xf32> -> tensor<1x8x8xf32>
  %k = rlx.narrow %p axis(1) start(8) length(8) : tensor<1x24x8xf32> -> tensor<1x8x8xf32>
  %v = rlx.narrow %p axis(1) start(16) length(8) : tensor<1x24x8xf32> -> tensor<1x8x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  %y = rlx.matmul %a, %o : (tensor<1x8x8xf32>, tensor<8x8xf32>) -> tensor<1x8x8xf32>
  func.return %y : tensor<1x8x8xf32>
}

// MISS: RLX-F004 other-block
// CHECK-LABEL: @output_in_a_region
// CHECK-NOT:   rlx.fused_attention_block
func.func @output_in_a_region(%h: tensor<1x4x8xf32>, %w: tensor<8x24xf32>, %o: tensor<8x8xf32>, %c: i1) -> tensor<1x4x8xf32> {
  %p = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x24xf32>) -> tensor<1x4x24xf32>
  %q = rlx.narrow %p axis(2) start(0) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %k = rlx.narrow %p axis(2) start(8) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %v = rlx.narrow %p axis(2) start(16) length(8) : tensor<1x4x24xf32> -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %y = scf.if %c -> (tensor<1x4x8xf32>) {
    %z = rlx.matmul %a, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
    scf.yield %z : tensor<1x4x8xf32>
  } else {
    scf.yield %h : tensor<1x4x8xf32>
  }
  func.return %y : tensor<1x4x8xf32>
}
