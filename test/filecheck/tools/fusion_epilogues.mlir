// RUN: rlx-opt --rlx-fusion=target=cpu %s | filecheck %s
// RUN: rlx-opt --rlx-fusion=target=cuda %s | filecheck %s
// RUN: rlx-opt --rlx-fusion=target=metal %s | filecheck %s
// RUN: rlx-opt --rlx-fusion=target=mlx %s | filecheck %s
// RUN: rlx-opt --rlx-fusion=target=rocm %s | filecheck %s
// RUN: rlx-opt --rlx-fusion=target=tpu %s | filecheck %s
// RUN: rlx-opt --rlx-fusion=target=wgpu %s | filecheck %s
// RUN: rlx-opt --rlx-fusion='target=cpu compat-epilogues=true' %s | filecheck %s --check-prefix=COMPAT

// What every target has at the end of a product.

// CHECK-LABEL: @f27_hard_swish
// CHECK:       rlx.fused_matmul_bias_act %x, %w, %b activation(hard_swish)
// COMPAT:      rlx.activation hard_swish
func.func @f27_hard_swish(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation hard_swish %1 : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}

// CHECK-LABEL: @f27_quick_gelu
// CHECK:       rlx.fused_matmul_bias_act %x, %w, %b activation(quick_gelu)
// COMPAT:      rlx.activation quick_gelu
func.func @f27_quick_gelu(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation quick_gelu %1 : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}
