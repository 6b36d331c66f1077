// RUN: rlx-opt --rlx-check-must-fuse %s | filecheck %s
// RUN: rlx-opt --rlx-fusion=target=rocm %s | filecheck %s --check-prefix=FUSED

// What is in a region is fused.
// CHECK-LABEL: @in_a_region
// CHECK:       rlx.activation relu %{{.*}} {rlx.must_fuse}
// FUSED-LABEL: @in_a_region
// FUSED:       rlx.elementwise_region
func.func @in_a_region(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.elementwise_region(%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = rlx.activation relu %a {rlx.must_fuse} : tensor<4x8xf32>
    %2 = rlx.activation tanh %1 : tensor<4x8xf32>
    rlx.yield %2 : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}
