// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @bias_act
// CHECK:       %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT:  %1 = rlx.fused_matmul_bias_act %x, %w, %b accumulate(f64) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
// GENERIC:     "rlx.fused_matmul_bias_act"(%x, %w, %b) <{activation = "gelu"}>
func.func @bias_act(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %1 = rlx.fused_matmul_bias_act %x, %w, %b accumulate(f64) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}

// The residual knows a size that the product does not.
// CHECK-LABEL: @residual
// CHECK:       %0 = rlx.fused_matmul_residual %x, %w, %r : (tensor<2x?x8xf32>, tensor<8x16xf32>, tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
// CHECK-NEXT:  %1 = rlx.fused_matmul_residual %x, %w, %r accumulate(f64) : (tensor<2x?x8xf32>, tensor<8x16xf32>, tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
// GENERIC:     "rlx.fused_matmul_residual"(%x, %w, %r)
func.func @residual(%x: tensor<2x?x8xf32>, %w: tensor<8x16xf32>, %r: tensor<2x5x16xf32>) -> tensor<2x5x16xf32> {
  %0 = rlx.fused_matmul_residual %x, %w, %r : (tensor<2x?x8xf32>, tensor<8x16xf32>, tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
  %1 = rlx.fused_matmul_residual %x, %w, %r accumulate(f64) : (tensor<2x?x8xf32>, tensor<8x16xf32>, tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
  func.return %0 : tensor<2x5x16xf32>
}

// CHECK-LABEL: @swiglu
// CHECK:       %0 = rlx.fused_swiglu %x : tensor<?x16xf32> -> tensor<?x8xf32>
// CHECK-NEXT:  %1 = rlx.fused_swiglu %x gate_first cast_to(bf16) : tensor<?x16xf32> -> tensor<?x8xbf16>
// GENERIC:     "rlx.fused_swiglu"(%x)
func.func @swiglu(%x: tensor<?x16xf32>) -> (tensor<?x8xf32>, tensor<?x8xbf16>) {
  %0 = rlx.fused_swiglu %x : tensor<?x16xf32> -> tensor<?x8xf32>
  %1 = rlx.fused_swiglu %x gate_first cast_to(bf16) : tensor<?x16xf32> -> tensor<?x8xbf16>
  func.return %0, %1 : tensor<?x8xf32>, tensor<?x8xbf16>
}

// CHECK-LABEL: @lora
// CHECK:       %0 = rlx.lora_matmul %x, %w, %a, %b scale(0.25) : (tensor<?x8xf16>, tensor<8x6xf16>, tensor<8x2xf16>, tensor<2x6xf16>) -> tensor<?x6xf16>
// CHECK-NEXT:  %1 = rlx.lora_matmul %x, %w, %a, %b scale(2.0) accumulate(f16) : (tensor<?x8xf16>, tensor<8x6xf16>, tensor<8x2xf16>, tensor<2x6xf16>) -> tensor<?x6xf16>
// GENERIC:     "rlx.lora_matmul"(%x, %w, %a, %b) <{scale = 2.500000e-01 : f64}>
func.func @lora(%x: tensor<?x8xf16>, %w: tensor<8x6xf16>, %a: tensor<8x2xf16>, %b: tensor<2x6xf16>) -> tensor<?x6xf16> {
  %0 = rlx.lora_matmul %x, %w, %a, %b scale(0.25) : (tensor<?x8xf16>, tensor<8x6xf16>, tensor<8x2xf16>, tensor<2x6xf16>) -> tensor<?x6xf16>
  %1 = rlx.lora_matmul %x, %w, %a, %b scale(2) accumulate(f16) : (tensor<?x8xf16>, tensor<8x6xf16>, tensor<8x2xf16>, tensor<2x6xf16>) -> tensor<?x6xf16>
  func.return %0 : tensor<?x6xf16>
}

// CHECK-LABEL: @grouped
// CHECK:       %0 = rlx.grouped_matmul %x, %w, %i : (tensor<2x?x8xf32>, tensor<4x8x6xf32>, tensor<2x?xi32>) -> tensor<2x?x6xf32>
// CHECK-NEXT:  %1 = rlx.grouped_matmul %x, %w, %j accumulate(f64) : (tensor<2x?x8xf32>, tensor<4x8x6xf32>, tensor<2x?xindex>) -> tensor<2x?x6xf32>
// GENERIC:     "rlx.grouped_matmul"(%x, %w, %i)
func.func @grouped(%x: tensor<2x?x8xf32>, %w: tensor<4x8x6xf32>, %i: tensor<2x?xi32>, %j: tensor<2x?xindex>) -> tensor<2x?x6xf32> {
  %0 = rlx.grouped_matmul %x, %w, %i : (tensor<2x?x8xf32>, tensor<4x8x6xf32>, tensor<2x?xi32>) -> tensor<2x?x6xf32>
  %1 = rlx.grouped_matmul %x, %w, %j accumulate(f64) : (tensor<2x?x8xf32>, tensor<4x8x6xf32>, tensor<2x?xindex>) -> tensor<2x?x6xf32>
  func.return %0 : tensor<2x?x6xf32>
}
