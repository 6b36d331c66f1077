// RUN: rlx-opt --rlx-fusion=target=rocm %s 2>/dev/null | filecheck %s
// RUN: rlx-opt --rlx-fusion=target=rocm %s 2>&1 >/dev/null | filecheck %s --check-prefix=SUMMARY
// RUN: rlx-opt --rlx-dead-code-elimination=compat-signatures=true %s | filecheck %s --check-prefix=DROPPED

// A function whose body has several blocks fuses within each of them.

// SUMMARY: nodes=6→5 matmul=1→0 fused_mm_act=1

// CHECK-LABEL: @branch
// CHECK:       cf.br ^[[NEXT:.*]](%x : tensor<4x8xf32>)
// CHECK:       ^[[NEXT]]
// CHECK-NEXT:  rlx.fused_matmul_bias_act

// DROPPED:     func.func @branch(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>)
func.func @branch(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>, %unused: tensor<2xf32>) -> tensor<4x16xf32> {
  cf.br ^next(%x : tensor<4x8xf32>)
^next(%y: tensor<4x8xf32>):
  %0 = rlx.matmul %y, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}
