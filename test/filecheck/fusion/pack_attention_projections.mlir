// RUN: rlx-opt --rlx-pack-attention-projections %s | filecheck %s
// RUN: rlx-opt --rlx-pack-attention-projections --rlx-fuse-attention-block %s | filecheck %s --check-prefix=BLOCK

// What must be packed.

// CHECK-LABEL: @plain
// CHECK-NEXT:  %[[W:.*]] = rlx.concat %wq, %wk, %wv axis(1) : (tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x16xf32>
// CHECK-NEXT:  %[[P:.*]] = rlx.matmul %h, %[[W]] : (tensor<1x4x8xf32>, tensor<8x16xf32>) -> tensor<1x4x16xf32>
// CHECK-NEXT:  %q = rlx.narrow %[[P]] axis(2) start(0) length(8)
// CHECK-NEXT:  %k = rlx.narrow %[[P]] axis(2) start(8) length(4)
// CHECK-NEXT:  %v = rlx.narrow %[[P]] axis(2) start(12) length(4)
// CHECK-NEXT:  rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(1)
// BLOCK-LABEL: @plain
// BLOCK-NEXT:  %[[W:.*]] = rlx.concat %wq, %wk, %wv axis(1)
// BLOCK-NEXT:  rlx.fused_attention_block %h, %[[W]], %o heads(2) kv_heads(1)
// BLOCK-NEXT:  func.return
func.func @plain(%h: tensor<1x4x8xf32>, %wq: tensor<8x8xf32>, %wk: tensor<8x4xf32>, %wv: tensor<8x4xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %k = rlx.matmul %h, %wk : (tensor<1x4x8xf32>, tensor<8x4xf32>) -> tensor<1x4x4xf32>
  %q = rlx.matmul %h, %wq : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %v = rlx.matmul %h, %wv : (tensor<1x4x8xf32>, tensor<8x4xf32>) -> tensor<1x4x4xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(1) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x8xf32>
  %y = rlx.matmul %a, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %y : tensor<1x4x8xf32>
}

// CHECK-LABEL: @biased
// CHECK-NEXT:  %[[W:.*]] = rlx.concat %wq, %wk, %wv axis(1)
// CHECK-NEXT:  %[[B:.*]] = rlx.concat %bq, %bk, %bv axis(0) : (tensor<8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<24xf16>
// CHECK-NEXT:  rlx.fused_matmul_bias_act %h, %[[W]], %[[B]] accumulate(f64) : (tensor<?x8xf16>, tensor<8x24xf16>, tensor<24xf16>) -> tensor<?x24xf16>
// CHECK-NEXT:  rlx.narrow {{.*}} axis(1) start(0)
func.func @biased(%h: tensor<?x8xf16>, %wq: tensor<8x8xf16>, %bq: tensor<8xf16>, %wk: tensor<8x8xf16>, %bk: tensor<8xf16>, %wv: tensor<8x8xf16>, %bv: tensor<8xf16>) -> tensor<?x8xf16> {
  %q = rlx.fused_matmul_bias_act %h, %wq, %bq accumulate(f64) : (tensor<?x8xf16>, tensor<8x8xf16>, tensor<8xf16>) -> tensor<?x8xf16>
  %k = rlx.fused_matmul_bias_act %h, %wk, %bk accumulate(f64) : (tensor<?x8xf16>, tensor<8x8xf16>, tensor<8xf16>) -> tensor<?x8xf16>
  %v = rlx.fused_matmul_bias_act %h, %wv, %bv accumulate(f64) : (tensor<?x8xf16>, tensor<8x8xf16>, tensor<8xf16>) -> tensor<?x8xf16>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>) -> tensor<?x8xf16>
  func.return %a : tensor<?x8xf16>
}

// What must not be packed, one function per guard.

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @cross_attention
// CHECK-NOT:   rlx.concat
func.func @cross_attention(%h: tensor<1x4x8xf32>, %e: tensor<1x4x8xf32>, %w: tensor<8x8xf32>, %u: tensor<8x8xf32>, %t: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %q = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %k = rlx.matmul %e, %u : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %v = rlx.matmul %e, %t : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  func.return %a : tensor<1x4x8xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @query_is_the_key
// CHECK-NOT:   rlx.concat
func.func @query_is_the_key(%h: tensor<1x4x8xf32>, %w: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %q = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %v = rlx.matmul %h, %u : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %q, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  func.return %a : tensor<1x4x8xf32>
}

// The new keys and values are returned, as a cache.
// MISS: RLX-F003 returned
// CHECK-LABEL: @key_returned
// CHECK-NOT:   rlx.concat
func.func @key_returned(%h: tensor<1x4x8xf32>, %w: tensor<8x8xf32>, %u: tensor<8x8xf32>, %t: tensor<8x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %q = rlx.matmul %h, %w : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %k = rlx.matmul %h, %u : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %v = rlx.matmul %h, %t : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  func.return %a, %k : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// MISS: RLX-F023 epilogue
// CHECK-LABEL: @activation
// CHECK-NOT:   rlx.concat
func.func @activation(%h: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %q = rlx.fused_matmul_bias_act %h, %w, %b : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %k = rlx.fused_matmul_bias_act %h, %w, %b activation(relu) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v = rlx.fused_matmul_bias_act %h, %w, %b : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %a : tensor<4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @bias_on_one
// CHECK-NOT:   rlx.concat
func.func @bias_on_one(%h: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %q = rlx.fused_matmul_bias_act %h, %w, %b : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %k = rlx.matmul %h, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %v = rlx.fused_matmul_bias_act %h, %w, %b : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %a : tensor<4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @accumulate_differs
// CHECK-NOT:   rlx.concat
func.func @accumulate_differs(%h: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %q = rlx.matmul %h, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %k = rlx.matmul %h, %w accumulate(f64) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %v = rlx.matmul %h, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %a : tensor<4x8xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @unknown_width
// CHECK-NOT:   rlx.concat
func.func @unknown_width(%h: tensor<4x8xf32>, %w: tensor<8x8xf32>, %u: tensor<8x?xf32>) -> tensor<4x8xf32> {
  %q = rlx.matmul %h, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %k = rlx.matmul %h, %u : (tensor<4x8xf32>, tensor<8x?xf32>) -> tensor<4x?xf32>
  %v = rlx.matmul %h, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x?xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %a : tensor<4x8xf32>
}

// MISS: RLX-F022 layout
// CHECK-LABEL: @heads_not_packed
// CHECK-NOT:   rlx.concat
func.func @heads_not_packed(%q: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %a = rlx.attention %q, %q, %q layout(bhsd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %a : tensor<1x2x4x4xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.concat
func.func @fenced_off(%h: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %q = rlx.matmul %h, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %k = rlx.matmul %h, %w {rlx.no_fuse} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %v = rlx.matmul %h, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %a = rlx.attention %q, %k, %v layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %a : tensor<4x8xf32>
}
