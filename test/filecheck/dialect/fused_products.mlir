// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s

// VALUES: every backend computes what the reference does, for the functions without `?`.

// CHECK-LABEL: @activation_without_bias
// CHECK:       %0 = rlx.fused_matmul_bias_act %x, %w activation(gelu) : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
// CHECK-NEXT:  %1 = rlx.fused_matmul_bias_act %x, %w accumulate(f64) : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
func.func @activation_without_bias(%x: tensor<2x4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x16xf32>) {
  %0 = rlx.fused_matmul_bias_act %x, %w activation(gelu) : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
  %1 = rlx.fused_matmul_bias_act %x, %w accumulate(f64) : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
  func.return %0, %1 : tensor<2x4x16xf32>, tensor<2x4x16xf32>
}

// CHECK-LABEL: @halves_without_bias
func.func @halves_without_bias(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>) -> tensor<4x16xf16> {
  %0 = rlx.fused_matmul_bias_act %x, %w activation(tanh) : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x16xf16>
  func.return %0 : tensor<4x16xf16>
}

// An activation of silu is not written.
// CHECK-LABEL: @gated
// CHECK:       %0 = rlx.fused_swiglu %x act(gelu) : tensor<3x8xf32> -> tensor<3x4xf32>
// CHECK-NEXT:  %1 = rlx.fused_swiglu %x act(sigmoid) gate_first cast_to(f16) : tensor<3x8xf32> -> tensor<3x4xf16>
// CHECK-NEXT:  %2 = rlx.fused_swiglu %x : tensor<3x8xf32> -> tensor<3x4xf32>
func.func @gated(%x: tensor<3x8xf32>) -> (tensor<3x4xf32>, tensor<3x4xf16>, tensor<3x4xf32>) {
  %0 = rlx.fused_swiglu %x act(gelu) : tensor<3x8xf32> -> tensor<3x4xf32>
  %1 = rlx.fused_swiglu %x act(sigmoid) gate_first cast_to(f16) : tensor<3x8xf32> -> tensor<3x4xf16>
  %2 = rlx.fused_swiglu %x act(silu) : tensor<3x8xf32> -> tensor<3x4xf32>
  func.return %0, %1, %2 : tensor<3x4xf32>, tensor<3x4xf16>, tensor<3x4xf32>
}

// CHECK-LABEL: @gated_halves
func.func @gated_halves(%x: tensor<3x8xbf16>) -> tensor<3x4xbf16> {
  %0 = rlx.fused_swiglu %x act(relu) : tensor<3x8xbf16> -> tensor<3x4xbf16>
  func.return %0 : tensor<3x4xbf16>
}
