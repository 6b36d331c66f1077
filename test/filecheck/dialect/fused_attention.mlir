// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @block
// CHECK:       %0 = rlx.fused_attention_block %h, %w, %o bias(%wb, %ob : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<2x5xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
// CHECK-NEXT:  %1 = rlx.fused_attention_block %h, %w, %o heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(0) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
func.func @block(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %m: tensor<2x5xi1>) -> tensor<2x5x8xf32> {
  %0 = rlx.fused_attention_block %h, %w, %o bias(%wb, %ob : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<2x5xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  %1 = rlx.fused_attention_block %h, %w, %o heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(0) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  func.return %0 : tensor<2x5x8xf32>
}

// CHECK-LABEL: @layer
// CHECK:       %0 = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %v : tensor<8x8xf32>, tensor<8xf32>) ln1(%v, %v : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<32xf32>) fc2(%d, %v : tensor<32x8xf32>, tensor<8xf32>) ln2(%v, %v : tensor<8xf32>, tensor<8xf32>) mask keys(%m : tensor<?x5xi1>) activation(gelu) epsilon(1.0e-12, 1.0e-05) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<?x5x8xf32> -> tensor<?x5x8xf32>
// CHECK-NEXT:  %1 = rlx.fused_transformer_layer %0 qkv(%w : tensor<8x24xf32>) out(%o : tensor<8x8xf32>) ln1(%v : tensor<8xf32>) fc1(%u : tensor<8x32xf32>) fc2(%d : tensor<32x8xf32>) ln2(%v : tensor<8xf32>) activation(silu) epsilon(1.0e-12, 1.0e-12) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(end) masked_rows(zero) : tensor<?x5x8xf32> -> tensor<?x5x8xf32>
// GENERIC:     "rlx.fused_transformer_layer"(%h, %w, %wb, %o, %v, %v, %v, %u, %ub, %d, %v, %v, %v, %m) <{mask_kind = "keys", activation = "gelu", epsilon1 = 1.000000e-12 : f64, epsilon2 = 1.000000e-05 : f64, heads = 2 : i64, kv_heads = 2 : i64, head_dim = 4 : i64, v_head_dim = 4 : i64, scale = 5.000000e-01 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>, masked_rows = "uniform"}>
func.func @layer(%h: tensor<?x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %v: tensor<8xf32>, %u: tensor<8x32xf32>, %ub: tensor<32xf32>, %d: tensor<32x8xf32>, %m: tensor<?x5xi1>) -> tensor<?x5x8xf32> {
  %0 = rlx.fused_transformer_layer %h qkv(%w, %wb : tensor<8x24xf32>, tensor<24xf32>) out(%o, %v : tensor<8x8xf32>, tensor<8xf32>) ln1(%v, %v : tensor<8xf32>, tensor<8xf32>) fc1(%u, %ub : tensor<8x32xf32>, tensor<32xf32>) fc2(%d, %v : tensor<32x8xf32>, tensor<8xf32>) ln2(%v, %v : tensor<8xf32>, tensor<8xf32>) mask keys(%m : tensor<?x5xi1>) activation(gelu) epsilon(1.0e-12, 1.0e-5) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : tensor<?x5x8xf32> -> tensor<?x5x8xf32>
  %1 = rlx.fused_transformer_layer %0 qkv(%w : tensor<8x24xf32>) out(%o : tensor<8x8xf32>) ln1(%v : tensor<8xf32>) fc1(%u : tensor<8x32xf32>) fc2(%d : tensor<32x8xf32>) ln2(%v : tensor<8xf32>) activation(silu) epsilon(1.0e-12, 1.0e-12) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(end) masked_rows(zero) : tensor<?x5x8xf32> -> tensor<?x5x8xf32>
  func.return %1 : tensor<?x5x8xf32>
}
