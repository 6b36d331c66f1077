// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @residual_ln
// CHECK:       %0 = rlx.fused_residual_ln %x, %r, %g, %g epsilon(1.0e-12) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
// CHECK-NEXT:  %1, %2 = rlx.fused_residual_ln %x, %r, %g, %g bias(%g) epsilon(1.0e-05) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>)
func.func @residual_ln(%x: tensor<2x?x8xf32>, %r: tensor<2x?x8xf32>, %g: tensor<8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>) {
  %0 = rlx.fused_residual_ln %x, %r, %g, %g epsilon(1.0e-12) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
  %1, %2 = rlx.fused_residual_ln %x, %r, %g, %g bias(%g) epsilon(1.0e-5) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>)
  func.return %1, %2 : tensor<2x?x8xf32>, tensor<2x?x8xf32>
}

// CHECK-LABEL: @residual_rms_norm
// CHECK:       %0 = rlx.fused_residual_rms_norm %x, %r, %g, %g epsilon(1.0e-12) accumulate(f64) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
// CHECK-NEXT:  %1, %2 = rlx.fused_residual_rms_norm %x, %r, %g, %g bias(%g) epsilon(1.0e-05) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>)
// GENERIC:     "rlx.fused_residual_rms_norm"(%x, %r, %g, %g) <{epsilon = 1.000000e-12 : f64, accumulate = f64}>
func.func @residual_rms_norm(%x: tensor<2x?x8xf32>, %r: tensor<2x?x8xf32>, %g: tensor<8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>) {
  %0 = rlx.fused_residual_rms_norm %x, %r, %g, %g epsilon(1.0e-12) accumulate(f64) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
  %1, %2 = rlx.fused_residual_rms_norm %x, %r, %g, %g bias(%g) epsilon(1.0e-5) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>)
  func.return %1, %2 : tensor<2x?x8xf32>, tensor<2x?x8xf32>
}

// The default norm has no word of its own in the text.
// CHECK-LABEL: @ada_layer_norm
// CHECK:       %0 = rlx.ada_layer_norm %x, %s, %t epsilon(1.0e-06) : (tensor<?x5x8xf32>, tensor<?x1x8xf32>, tensor<8xf32>) -> tensor<?x5x8xf32>
// CHECK-NEXT:  %1 = rlx.ada_layer_norm %x, %s, %t norm(rms_norm) epsilon(1.0e-06) accumulate(f64) : (tensor<?x5x8xf32>, tensor<?x1x8xf32>, tensor<8xf32>) -> tensor<?x5x8xf32>
// GENERIC:     "rlx.ada_layer_norm"(%x, %s, %t) <{epsilon = 1.000000e-06 : f64, norm = "layer_norm"}>
func.func @ada_layer_norm(%x: tensor<?x5x8xf32>, %s: tensor<?x1x8xf32>, %t: tensor<8xf32>) -> tensor<?x5x8xf32> {
  %0 = rlx.ada_layer_norm %x, %s, %t epsilon(1.0e-6) : (tensor<?x5x8xf32>, tensor<?x1x8xf32>, tensor<8xf32>) -> tensor<?x5x8xf32>
  %1 = rlx.ada_layer_norm %x, %s, %t norm(rms_norm) epsilon(1.0e-6) accumulate(f64) : (tensor<?x5x8xf32>, tensor<?x1x8xf32>, tensor<8xf32>) -> tensor<?x5x8xf32>
  func.return %0 : tensor<?x5x8xf32>
}

// CHECK-LABEL: @gated_residual
// CHECK:       %0 = rlx.gated_residual %x, %y, %g : (tensor<?x5x8xf32>, tensor<?x5x8xf32>, tensor<?x1x8xf32>) -> tensor<?x5x8xf32>
// GENERIC:     "rlx.gated_residual"(%x, %y, %g)
func.func @gated_residual(%x: tensor<?x5x8xf32>, %y: tensor<?x5x8xf32>, %g: tensor<?x1x8xf32>) -> tensor<?x5x8xf32> {
  %0 = rlx.gated_residual %x, %y, %g : (tensor<?x5x8xf32>, tensor<?x5x8xf32>, tensor<?x1x8xf32>) -> tensor<?x5x8xf32>
  func.return %0 : tensor<?x5x8xf32>
}
