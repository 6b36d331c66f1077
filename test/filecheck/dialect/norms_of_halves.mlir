// RUN: rlx-opt %s | rlx-opt | filecheck %s

// VALUES: every backend computes what the reference does, for the functions without `?`.

// Gain and shift of f32 beside halves.

// CHECK-LABEL: @layer_norm
// CHECK:       %0 = rlx.layer_norm %x, %g, %b epsilon(1.0e-05) : (tensor<3x8xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<3x8xbf16>
func.func @layer_norm(%x: tensor<3x8xbf16>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<3x8xbf16> {
  %0 = rlx.layer_norm %x, %g, %b epsilon(1.0e-5) : (tensor<3x8xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<3x8xbf16>
  func.return %0 : tensor<3x8xbf16>
}

// CHECK-LABEL: @rms_norm_over_rows
// CHECK:       %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-05) axis(0) : (tensor<3x8xf16>, tensor<3xf32>, tensor<3xf16>) -> tensor<3x8xf16>
func.func @rms_norm_over_rows(%x: tensor<3x8xf16>, %g: tensor<3xf32>, %b: tensor<3xf16>) -> tensor<3x8xf16> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-5) axis(0) : (tensor<3x8xf16>, tensor<3xf32>, tensor<3xf16>) -> tensor<3x8xf16>
  func.return %0 : tensor<3x8xf16>
}

// CHECK-LABEL: @residual_ln
// CHECK:       %0 = rlx.fused_residual_ln %x, %r, %g, %b bias(%b) epsilon(1.0e-05) : (tensor<3x8xf16>, tensor<3x8xf16>, tensor<8xf32>, tensor<8xf16>, tensor<8xf16>) -> tensor<3x8xf16>
func.func @residual_ln(%x: tensor<3x8xf16>, %r: tensor<3x8xf16>, %g: tensor<8xf32>, %b: tensor<8xf16>) -> tensor<3x8xf16> {
  %0 = rlx.fused_residual_ln %x, %r, %g, %b bias(%b) epsilon(1.0e-5) : (tensor<3x8xf16>, tensor<3x8xf16>, tensor<8xf32>, tensor<8xf16>, tensor<8xf16>) -> tensor<3x8xf16>
  func.return %0 : tensor<3x8xf16>
}

// CHECK-LABEL: @residual_rms_norm
// CHECK:       %0, %1 = rlx.fused_residual_rms_norm %x, %r, %g, %b epsilon(1.0e-05) : (tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<8xf32>, tensor<8xf32>) -> (tensor<3x8xbf16>, tensor<3x8xbf16>)
func.func @residual_rms_norm(%x: tensor<3x8xbf16>, %r: tensor<3x8xbf16>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<3x8xbf16>, tensor<3x8xbf16>) {
  %0, %1 = rlx.fused_residual_rms_norm %x, %r, %g, %b epsilon(1.0e-5) : (tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<8xf32>, tensor<8xf32>) -> (tensor<3x8xbf16>, tensor<3x8xbf16>)
  func.return %0, %1 : tensor<3x8xbf16>, tensor<3x8xbf16>
}
