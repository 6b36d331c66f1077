// RUN: rlx-opt --rlx-fusion=target=rocm %s | filecheck %s
// RUN: rlx-opt --rlx-fusion='target=rocm disable=FusedMatMulBiasAct' %s | filecheck %s --check-prefix=DISABLED
// RUN: rlx-opt --rlx-fusion='target=rocm compat-epilogues=true' %s | filecheck %s --check-prefix=COMPAT
// RUN: rlx-opt --rlx-fusion='target=rocm skip-fusion=true' %s | filecheck %s --check-prefix=DISABLED
// RUN: rlx-opt --rlx-fusion=target=rocm %s 2>&1 | filecheck %s --check-prefix=SUMMARY
// RUN: rlx-opt --pass-pipeline='builtin.module(rlx-fuse-matmul-bias-act{epilogues=relu dtypes=f16})' %s | filecheck %s --check-prefix=DISABLED

// The summary goes to standard error.
// SUMMARY: nodes=6→4 matmul=1→0 fused_mm_act=1 fused_swiglu=0 elementwise_region=0 missed_mm_act=0 missed_swiglu=0 missed_shared_mm=0

// CHECK:         rlx.fused_matmul_bias_act %x, %w, %b activation(relu)
// CHECK-NEXT:    func.return

// DISABLED:      rlx.matmul
// DISABLED:      rlx.binary add
// DISABLED-NEXT: rlx.activation relu

// COMPAT:        rlx.fused_matmul_bias_act %x, %w, %b :
// COMPAT-NEXT:   rlx.activation relu
func.func @mlp(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation relu %1 : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}
