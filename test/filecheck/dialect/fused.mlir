// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @matmul_bias_act
// CHECK:       rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT:  rlx.fused_matmul_bias_act %x, %w, %b accumulate(f64) :
// GENERIC:     "rlx.fused_matmul_bias_act"(%x, %w, %b) <{activation = "gelu"}>
func.func @matmul_bias_act(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %1 = rlx.fused_matmul_bias_act %x, %w, %b accumulate(f64) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: @residual_ln
// CHECK:       %0 = rlx.fused_residual_ln %x, %r, %g, %g epsilon(1.0e-12) :
// CHECK-NEXT:  %1, %2 = rlx.fused_residual_ln %x, %r, %g, %g bias(%g) epsilon(1.0e-05) :
// CHECK-SAME:  -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>)
func.func @residual_ln(%x: tensor<2x?x8xf32>, %r: tensor<2x?x8xf32>, %g: tensor<8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>) {
  %0 = rlx.fused_residual_ln %x, %r, %g, %g epsilon(1.0e-12) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
  %1, %2 = rlx.fused_residual_ln %x, %r, %g, %g bias(%g) epsilon(1.0e-5) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>)
  func.return %1, %2 : tensor<2x?x8xf32>, tensor<2x?x8xf32>
}

// CHECK-LABEL: @attention_block
// CHECK:       rlx.fused_attention_block %h, %w, %o bias(%wb, %ob : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<2x5xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
// CHECK-NEXT:  rlx.fused_attention_block %h, %w, %o heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(0) :
func.func @attention_block(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %m: tensor<2x5xi1>) -> tensor<2x5x8xf32> {
  %0 = rlx.fused_attention_block %h, %w, %o bias(%wb, %ob : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<2x5xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  %1 = rlx.fused_attention_block %h, %w, %o heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(0) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  func.return %0 : tensor<2x5x8xf32>
}
