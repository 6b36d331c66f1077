// RUN: rlx-opt --rlx-unfuse %s | filecheck %s

// CHECK-LABEL: @matmul_bias_act
// CHECK-NEXT:  %[[P:.*]] = rlx.matmul %x, %w accumulate(f64)
// CHECK-NEXT:  %[[S:.*]] = rlx.binary add %[[P]], %b
// CHECK-NEXT:  %y = rlx.activation gelu %[[S]]
// CHECK-NEXT:  func.return %y
func.func @matmul_bias_act(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>, %b: tensor<16xf16>) -> tensor<4x16xf16> {
  %y = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) accumulate(f64) : (tensor<4x8xf16>, tensor<8x16xf16>, tensor<16xf16>) -> tensor<4x16xf16>
  func.return %y : tensor<4x16xf16>
}

// CHECK-LABEL: @residual_ln_with_sum
// CHECK-NEXT:  %s = rlx.binary add %x, %r
// CHECK-NEXT:  %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-12)
// CHECK-NEXT:  func.return %y, %s
func.func @residual_ln_with_sum(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %y, %s = rlx.fused_residual_ln %x, %r, %g, %b epsilon(1.0e-12) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  func.return %y, %s : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: @residual_ln_with_bias
// CHECK-NEXT:  %[[A:.*]] = rlx.binary add %x, %r
// CHECK-NEXT:  %[[B:.*]] = rlx.binary add %[[A]], %g
// CHECK-NEXT:  rlx.layer_norm %[[B]], %g, %b epsilon(1.0e-05)
func.func @residual_ln_with_bias(%x: tensor<4x?xf32>, %r: tensor<4x?xf32>, %g: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<4x?xf32> {
  %y = rlx.fused_residual_ln %x, %r, %g, %b bias(%g) epsilon(1.0e-5) : (tensor<4x?xf32>, tensor<4x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  func.return %y : tensor<4x?xf32>
}

// CHECK-LABEL: @attention_block
// CHECK:       rlx.matmul %h, %w
// CHECK:       rlx.binary add %{{.*}}, %wb
// CHECK:       rlx.narrow
// CHECK:       rlx.narrow
// CHECK:       rlx.narrow
// CHECK:       rlx.attention {{.*}} mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(0)
// CHECK:       rlx.matmul %{{.*}}, %o
// CHECK:       rlx.binary add %{{.*}}, %ob
func.func @attention_block(%h: tensor<2x5x8xf32>, %w: tensor<8x24xf32>, %wb: tensor<24xf32>, %o: tensor<8x8xf32>, %ob: tensor<8xf32>, %m: tensor<2x5xi1>) -> tensor<2x5x8xf32> {
  %0 = rlx.fused_attention_block %h, %w, %o bias(%wb, %ob : tensor<24xf32>, tensor<8xf32>) mask keys(%m : tensor<2x5xi1>) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) causal_offset(0) : (tensor<2x5x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  func.return %0 : tensor<2x5x8xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK:       rlx.fused_matmul_bias_act
func.func @fenced_off(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %y = rlx.fused_matmul_bias_act %x, %w, %b {rlx.no_fuse} : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %y : tensor<4x16xf32>
}

// The convolution that takes the sum comes first, so that fusing gives it the sum again.
// CHECK-LABEL: @meeting_convolutions
// CHECK-NEXT:  %[[A:.*]] = rlx.conv %x, %w
// CHECK-NEXT:  rlx.reshape %b
// CHECK-NEXT:  %[[B:.*]] = rlx.binary add %[[A]],
// CHECK-NEXT:  %[[C:.*]] = rlx.conv %x, %v
// CHECK-NEXT:  rlx.reshape %b
// CHECK-NEXT:  %[[D:.*]] = rlx.binary add %[[C]],
// CHECK-NEXT:  %[[S:.*]] = rlx.binary add %[[B]], %[[D]]
// CHECK-NEXT:  %[[Y:.*]] = rlx.activation relu %[[S]]
// CHECK-NEXT:  func.return %[[Y]]
func.func @meeting_convolutions(%x: tensor<1x3x5x5xf32>, %w: tensor<8x3x1x1xf32>, %v: tensor<8x3x1x1xf32>, %b: tensor<8xf32>) -> tensor<1x8x5x5xf32> {
  %0 = rlx.fused_conv_bias_act %x, %v, %b : (tensor<1x3x5x5xf32>, tensor<8x3x1x1xf32>, tensor<8xf32>) -> tensor<1x8x5x5xf32>
  %1 = rlx.fused_conv_bias_act %x, %w, %b residual(%0) activation(relu) : (tensor<1x3x5x5xf32>, tensor<8x3x1x1xf32>, tensor<8xf32>, tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  func.return %1 : tensor<1x8x5x5xf32>
}
