// RUN: rlx-opt --rlx-raise-layer-norm %s | filecheck %s

// As ONNX files vary it: the root inverted, a power of 2, gain and shift on the left.
// CHECK-LABEL: @inverted_root
// CHECK-NEXT:  %[[N:.*]] = rlx.layer_norm %x, %w, %b epsilon(1.0e-05)
// CHECK-NEXT:  func.return %[[N]]
func.func @inverted_root(%x: tensor<8x64xf32>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<8x64xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %2 = rlx.binary pow %1, %two : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %e = arith.constant dense<1.0e-05> : tensor<f32>
  %4 = rlx.binary add %3, %e : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %5 = rlx.activation sqrt %4 : tensor<8x1xf32>
  %6 = rlx.activation recip %5 : tensor<8x1xf32>
  %7 = rlx.binary mul %1, %6 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %8 = rlx.binary mul %w, %7 : (tensor<64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %9 = rlx.binary add %b, %8 : (tensor<64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  func.return %9 : tensor<8x64xf32>
}

// Halves as JAX averages them: in f32 between casts, as the op does.
// CHECK-LABEL: @means_between_casts
// CHECK:       rlx.layer_norm %x, %w, %{{.*}} epsilon(1.0e-05) : (tensor<8x64xf16>
func.func @means_between_casts(%x: tensor<8x64xf16>, %w: tensor<64xf16>) -> tensor<8x64xf16> {
  %0 = rlx.cast %x : tensor<8x64xf16> -> tensor<8x64xf32>
  %1 = rlx.reduce sum %0 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %n = arith.constant dense<6.400000e+01> : tensor<f32>
  %2 = rlx.binary div %1, %n : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %3 = rlx.cast %2 : tensor<8x1xf32> -> tensor<8x1xf16>
  %4 = rlx.binary sub %x, %3 : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
  %5 = rlx.binary mul %4, %4 : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  %6 = rlx.cast %5 : tensor<8x64xf16> -> tensor<8x64xf32>
  %7 = rlx.reduce sum %6 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %8 = rlx.binary div %7, %n : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %9 = rlx.cast %8 : tensor<8x1xf32> -> tensor<8x1xf16>
  %e = arith.constant dense<1.001360e-05> : tensor<f16>
  %10 = rlx.binary add %9, %e : (tensor<8x1xf16>, tensor<f16>) -> tensor<8x1xf16>
  %11 = rlx.activation sqrt %10 : tensor<8x1xf16>
  %12 = rlx.binary div %4, %11 : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
  %13 = rlx.binary mul %12, %w : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  func.return %13 : tensor<8x64xf16>
}

// The op would sum in f32.
// MISS: RLX-F007 dtype
// CHECK-LABEL: @means_between_casts_to_f64
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @means_between_casts_to_f64(%x: tensor<8x64xf16>, %w: tensor<64xf16>) -> tensor<8x64xf16> {
  %0 = rlx.cast %x : tensor<8x64xf16> -> tensor<8x64xf64>
  %1 = rlx.reduce sum %0 axes [1] keep_dims : tensor<8x64xf64> -> tensor<8x1xf64>
  %n = arith.constant dense<6.400000e+01> : tensor<f64>
  %2 = rlx.binary div %1, %n : (tensor<8x1xf64>, tensor<f64>) -> tensor<8x1xf64>
  %3 = rlx.cast %2 : tensor<8x1xf64> -> tensor<8x1xf16>
  %4 = rlx.binary sub %x, %3 : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
  %5 = rlx.binary mul %4, %4 : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  %6 = rlx.cast %5 : tensor<8x64xf16> -> tensor<8x64xf64>
  %7 = rlx.reduce sum %6 axes [1] keep_dims : tensor<8x64xf64> -> tensor<8x1xf64>
  %8 = rlx.binary div %7, %n : (tensor<8x1xf64>, tensor<f64>) -> tensor<8x1xf64>
  %9 = rlx.cast %8 : tensor<8x1xf64> -> tensor<8x1xf16>
  %e = arith.constant dense<1.001360e-05> : tensor<f16>
  %10 = rlx.binary add %9, %e : (tensor<8x1xf16>, tensor<f16>) -> tensor<8x1xf16>
  %11 = rlx.activation sqrt %10 : tensor<8x1xf16>
  %12 = rlx.binary div %4, %11 : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
  %13 = rlx.binary mul %12, %w : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  func.return %13 : tensor<8x64xf16>
}
