// RUN: rlx-opt --rlx-raise-layer-norm %s | filecheck %s

// As JAX writes it: sums over the number of elements, the centred value computed twice, everything stretched.
// CHECK-LABEL: @jax
// CHECK-NEXT:  %0 = rlx.layer_norm %x, %w, %b epsilon(1.0e-12) : (tensor<2x8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<2x8x64xf32>
// CHECK-NEXT:  func.return %0
func.func @jax(%x: tensor<2x8x64xf32>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<2x8x64xf32> {
  %0 = rlx.reduce sum %x axes [-1] : tensor<2x8x64xf32> -> tensor<2x8xf32>
  %1 = arith.constant dense<6.400000e+01> : tensor<f32>
  %2 = rlx.binary div %0, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %3 = rlx.reshape %2 : tensor<2x8xf32> -> tensor<2x8x1xf32>
  %4 = rlx.expand %3 : tensor<2x8x1xf32> -> tensor<2x8x64xf32>
  %5 = rlx.binary sub %x, %4 : (tensor<2x8x64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  %6 = rlx.binary mul %5, %5 : (tensor<2x8x64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  %7 = rlx.reduce sum %6 axes [2] : tensor<2x8x64xf32> -> tensor<2x8xf32>
  %8 = rlx.reshape %7 : tensor<2x8xf32> -> tensor<2x8x1xf32>
  %9 = arith.constant dense<6.400000e+01> : tensor<2x8x1xf32>
  %10 = rlx.binary div %8, %9 : (tensor<2x8x1xf32>, tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
  %11 = rlx.expand %3 : tensor<2x8x1xf32> -> tensor<2x8x64xf32>
  %12 = rlx.binary sub %x, %11 : (tensor<2x8x64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  %13 = arith.constant dense<1.000000e-12> : tensor<2x8x1xf32>
  %14 = rlx.binary add %10, %13 : (tensor<2x8x1xf32>, tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
  %15 = rlx.activation sqrt %14 : tensor<2x8x1xf32>
  %16 = rlx.expand %15 : tensor<2x8x1xf32> -> tensor<2x8x64xf32>
  %17 = rlx.binary div %12, %16 : (tensor<2x8x64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  %18 = rlx.reshape %w : tensor<64xf32> -> tensor<1x1x64xf32>
  %19 = rlx.expand %18 : tensor<1x1x64xf32> -> tensor<2x8x64xf32>
  %20 = rlx.binary mul %17, %19 : (tensor<2x8x64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  %21 = rlx.reshape %b : tensor<64xf32> -> tensor<1x1x64xf32>
  %22 = rlx.expand %21 : tensor<1x1x64xf32> -> tensor<2x8x64xf32>
  %23 = rlx.binary add %20, %22 : (tensor<2x8x64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  func.return %23 : tensor<2x8x64xf32>
}

// As PyTorch's exporters write it, operands in the other order.
// CHECK-LABEL: @onnx
// CHECK-NEXT:  %0 = rlx.layer_norm %x, %w, %b epsilon(1.0e-05)
// CHECK-NEXT:  func.return %0
func.func @onnx(%x: tensor<2x8x64xf32>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<2x8x64xf32> {
  %0 = rlx.reduce mean %x axes [-1] keep_dims : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<2x8x64xf32>, tensor<2x8x1xf32>) -> tensor<2x8x64xf32>
  %2 = arith.constant dense<2.000000e+00> : tensor<f32>
  %3 = rlx.binary pow %1, %2 : (tensor<2x8x64xf32>, tensor<f32>) -> tensor<2x8x64xf32>
  %4 = rlx.reduce mean %3 axes [-1] keep_dims : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %5 = arith.constant dense<1.000000e-05> : tensor<f32>
  %6 = rlx.binary add %5, %4 : (tensor<f32>, tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
  %7 = rlx.activation sqrt %6 : tensor<2x8x1xf32>
  %8 = rlx.binary div %1, %7 : (tensor<2x8x64xf32>, tensor<2x8x1xf32>) -> tensor<2x8x64xf32>
  %9 = rlx.binary mul %w, %8 : (tensor<64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  %10 = rlx.binary add %b, %9 : (tensor<64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  func.return %10 : tensor<2x8x64xf32>
}

// The gain is multiplied to the reciprocal root first; a row of rank 2; a size that is not known.
// CHECK-LABEL: @flax
// CHECK-NEXT:  %0 = rlx.reshape %w : tensor<1x64xf32> -> tensor<64xf32>
// CHECK-NEXT:  %1 = rlx.layer_norm %x, %0, %b epsilon(1.0e-06) : (tensor<?x64xf32>
// CHECK-NEXT:  func.return %1
func.func @flax(%x: tensor<?x64xf32>, %w: tensor<1x64xf32>, %b: tensor<64xf32>) -> tensor<?x64xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<?x64xf32> -> tensor<?x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<?x64xf32>, tensor<?x1xf32>) -> tensor<?x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<?x64xf32> -> tensor<?x1xf32>
  %4 = arith.constant dense<1.000000e-06> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %6 = rlx.activation rsqrt %5 : tensor<?x1xf32>
  %7 = rlx.binary mul %6, %w : (tensor<?x1xf32>, tensor<1x64xf32>) -> tensor<?x64xf32>
  %8 = rlx.binary mul %1, %7 : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %9 = rlx.binary add %8, %b : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  func.return %9 : tensor<?x64xf32>
}

// Without gain and shift both are constants. The factor has a row for each batch: it is no gain.
// CHECK-LABEL: @affine_free
// CHECK:       %[[G:.*]] = arith.constant dense<1.000000e+00> : tensor<64xf32>
// CHECK-NEXT:  %[[B:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-NEXT:  %[[N:.*]] = rlx.layer_norm %x, %[[G]], %[[B]] epsilon(1.0e-06)
// CHECK:       rlx.binary mul %[[N]], %{{.*}} : (tensor<2x8x64xf32>, tensor<2x1x64xf32>) -> tensor<2x8x64xf32>
func.func @affine_free(%x: tensor<2x8x64xf32>, %s: tensor<2x1x64xf32>) -> tensor<2x8x64xf32> {
  %0 = rlx.reduce mean %x axes [2] keep_dims : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<2x8x64xf32>, tensor<2x8x1xf32>) -> tensor<2x8x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<2x8x64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  %3 = rlx.reduce sum %2 axes [2] keep_dims : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %4 = arith.constant dense<1.562500e-02> : tensor<f32>
  %5 = rlx.binary mul %3, %4 : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8x1xf32>
  %6 = arith.constant dense<1.000000e-06> : tensor<f32>
  %7 = rlx.binary add %5, %6 : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8x1xf32>
  %8 = rlx.activation sqrt %7 : tensor<2x8x1xf32>
  %9 = rlx.activation recip %8 : tensor<2x8x1xf32>
  %10 = rlx.binary mul %1, %9 : (tensor<2x8x64xf32>, tensor<2x8x1xf32>) -> tensor<2x8x64xf32>
  %11 = arith.constant dense<1.000000e+00> : tensor<f32>
  %12 = rlx.binary add %11, %s : (tensor<f32>, tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  %13 = rlx.binary mul %10, %12 : (tensor<2x8x64xf32>, tensor<2x1x64xf32>) -> tensor<2x8x64xf32>
  func.return %13 : tensor<2x8x64xf32>
}

// CHECK-LABEL: @gain_alone
// CHECK-NEXT:  %[[B:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-NEXT:  rlx.layer_norm %x, %w, %[[B]] epsilon(1.0e-05)
func.func @gain_alone(%x: tensor<8x64xf32>, %w: tensor<64xf32>) -> tensor<8x64xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %6 = rlx.activation sqrt %5 : tensor<8x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %8 = rlx.binary mul %7, %w : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  func.return %8 : tensor<8x64xf32>
}

// CHECK-LABEL: @shift_alone
// CHECK-NEXT:  %[[G:.*]] = arith.constant dense<1.000000e+00> : tensor<64xf32>
// CHECK-NEXT:  rlx.layer_norm %x, %[[G]], %b epsilon(1.0e-05)
func.func @shift_alone(%x: tensor<8x64xf32>, %b: tensor<64xf32>) -> tensor<8x64xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %6 = rlx.activation sqrt %5 : tensor<8x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %8 = rlx.binary add %7, %b : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  func.return %8 : tensor<8x64xf32>
}

// One row for a batch of one, but computed from the condition: it stays outside.
// CHECK-LABEL: @adaptive
// CHECK:       %[[S:.*]] = rlx.matmul
// CHECK:       rlx.layer_norm %x, %{{.*}}, %{{.*}} epsilon(1.0e-06)
// CHECK:       rlx.binary mul
func.func @adaptive(%x: tensor<1x8x64xf32>, %cond: tensor<1x32xf32>, %w: tensor<32x64xf32>) -> tensor<1x8x64xf32> {
  %0 = rlx.matmul %cond, %w : (tensor<1x32xf32>, tensor<32x64xf32>) -> tensor<1x64xf32>
  %1 = rlx.reshape %0 : tensor<1x64xf32> -> tensor<1x1x64xf32>
  %2 = rlx.reduce mean %x axes [2] keep_dims : tensor<1x8x64xf32> -> tensor<1x8x1xf32>
  %3 = rlx.binary sub %x, %2 : (tensor<1x8x64xf32>, tensor<1x8x1xf32>) -> tensor<1x8x64xf32>
  %4 = rlx.binary mul %3, %3 : (tensor<1x8x64xf32>, tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
  %5 = rlx.reduce mean %4 axes [2] keep_dims : tensor<1x8x64xf32> -> tensor<1x8x1xf32>
  %6 = arith.constant dense<1.000000e-06> : tensor<f32>
  %7 = rlx.binary add %5, %6 : (tensor<1x8x1xf32>, tensor<f32>) -> tensor<1x8x1xf32>
  %8 = rlx.activation sqrt %7 : tensor<1x8x1xf32>
  %9 = rlx.binary div %3, %8 : (tensor<1x8x64xf32>, tensor<1x8x1xf32>) -> tensor<1x8x64xf32>
  %10 = arith.constant dense<1.000000e+00> : tensor<f32>
  %11 = rlx.binary add %10, %1 : (tensor<f32>, tensor<1x1x64xf32>) -> tensor<1x1x64xf32>
  %12 = rlx.binary mul %9, %11 : (tensor<1x8x64xf32>, tensor<1x1x64xf32>) -> tensor<1x8x64xf32>
  func.return %12 : tensor<1x8x64xf32>
}

// K19: a gain `[1, 1, 64]` gets the reshape that the op wants.
// CHECK-LABEL: @k19_gamma_of_rank_three
// CHECK-NEXT:  %0 = rlx.reshape %w : tensor<1x1x64xf32> -> tensor<64xf32>
// CHECK-NEXT:  %1 = rlx.layer_norm %x, %0, %b epsilon(1.0e-05)
func.func @k19_gamma_of_rank_three(%x: tensor<2x8x64xf32>, %w: tensor<1x1x64xf32>, %b: tensor<64xf32>) -> tensor<2x8x64xf32> {
  %0 = rlx.reduce mean %x axes [2] keep_dims : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<2x8x64xf32>, tensor<2x8x1xf32>) -> tensor<2x8x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<2x8x64xf32>, tensor<2x8x64xf32>) -> tensor<2x8x64xf32>
  %3 = rlx.reduce mean %2 axes [2] keep_dims : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8x1xf32>
  %6 = rlx.activation sqrt %5 : tensor<2x8x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<2x8x64xf32>, tensor<2x8x1xf32>) -> tensor<2x8x64xf32>
  %8 = rlx.binary mul %7, %w : (tensor<2x8x64xf32>, tensor<1x1x64xf32>) -> tensor<2x8x64xf32>
  %9 = rlx.binary add %8, %b : (tensor<2x8x64xf32>, tensor<64xf32>) -> tensor<2x8x64xf32>
  func.return %9 : tensor<2x8x64xf32>
}

// K22: what is not written has its default: no epsilon is 0, an axis counted from the end is the last.
// CHECK-LABEL: @k22_no_epsilon
// CHECK-NEXT:  %0 = rlx.layer_norm %x, %w, %b epsilon(0.0)
func.func @k22_no_epsilon(%x: tensor<2x8x16xf32>, %w: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<2x8x16xf32> {
  %0 = rlx.reduce mean %x axes [-1] keep_dims : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<2x8x16xf32>, tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %3 = rlx.reduce mean %2 axes [-1] keep_dims : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  %4 = rlx.activation sqrt %3 : tensor<2x8x1xf32>
  %5 = rlx.binary div %1, %4 : (tensor<2x8x16xf32>, tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
  %6 = rlx.binary mul %5, %w : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %7 = rlx.binary add %6, %b : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  func.return %7 : tensor<2x8x16xf32>
}

// 1e-5 in f16 is 1.00136e-05: the number of fewest digits that reads back as it.
// CHECK-LABEL: @half
// CHECK-NEXT:  %0 = rlx.layer_norm %x, %w, %b epsilon(1.0e-05) : (tensor<8x64xf16>
func.func @half(%x: tensor<8x64xf16>, %w: tensor<64xf16>, %b: tensor<64xf16>) -> tensor<8x64xf16> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x64xf16> -> tensor<8x1xf16>
  %1 = rlx.binary sub %x, %0 : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
  %2 = rlx.binary mul %1, %1 : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x64xf16> -> tensor<8x1xf16>
  %4 = arith.constant dense<1.001360e-05> : tensor<f16>
  %5 = rlx.binary add %3, %4 : (tensor<8x1xf16>, tensor<f16>) -> tensor<8x1xf16>
  %6 = rlx.activation sqrt %5 : tensor<8x1xf16>
  %7 = rlx.binary div %1, %6 : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
  %8 = rlx.binary mul %7, %w : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  %9 = rlx.binary add %8, %b : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  func.return %9 : tensor<8x64xf16>
}

// K21: another axis than the last.
// MISS: RLX-F016 axis
// CHECK-LABEL: @k21_axis_one
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @k21_axis_one(%x: tensor<2x8x16xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x16xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<2x8x16xf32> -> tensor<2x1x16xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<2x8x16xf32>, tensor<2x1x16xf32>) -> tensor<2x8x16xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<2x8x16xf32> -> tensor<2x1x16xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<2x1x16xf32>, tensor<f32>) -> tensor<2x1x16xf32>
  %6 = rlx.activation sqrt %5 : tensor<2x1x16xf32>
  %7 = rlx.binary div %1, %6 : (tensor<2x8x16xf32>, tensor<2x1x16xf32>) -> tensor<2x8x16xf32>
  %8 = rlx.reshape %w : tensor<8xf32> -> tensor<8x1xf32>
  %9 = rlx.binary mul %7, %8 : (tensor<2x8x16xf32>, tensor<8x1xf32>) -> tensor<2x8x16xf32>
  %10 = rlx.reshape %b : tensor<8xf32> -> tensor<8x1xf32>
  %11 = rlx.binary add %9, %10 : (tensor<2x8x16xf32>, tensor<8x1xf32>) -> tensor<2x8x16xf32>
  func.return %11 : tensor<2x8x16xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @two_axes
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @two_axes(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = rlx.reduce mean %x axes [1, 2] keep_dims : tensor<2x8x16xf32> -> tensor<2x1x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<2x8x16xf32>, tensor<2x1x1xf32>) -> tensor<2x8x16xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %3 = rlx.reduce mean %2 axes [1, 2] keep_dims : tensor<2x8x16xf32> -> tensor<2x1x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<2x1x1xf32>, tensor<f32>) -> tensor<2x1x1xf32>
  %6 = rlx.activation sqrt %5 : tensor<2x1x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<2x8x16xf32>, tensor<2x1x1xf32>) -> tensor<2x8x16xf32>
  func.return %7 : tensor<2x8x16xf32>
}

// `E[x^2] - E[x]^2` loses all digits where the mean is large: the values would change.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @one_pass_variance
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @one_pass_variance(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = rlx.binary mul %x, %x : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = rlx.reduce mean %1 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %3 = rlx.binary mul %0, %0 : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  %4 = rlx.binary sub %2, %3 : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  %5 = rlx.binary sub %x, %0 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %6 = arith.constant dense<1.000000e-05> : tensor<f32>
  %7 = rlx.binary add %4, %6 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %8 = rlx.activation sqrt %7 : tensor<8x1xf32>
  %9 = rlx.binary div %5, %8 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  func.return %9 : tensor<8x64xf32>
}

// Bessel's correction.
// MISS: RLX-F025 constant
// CHECK-LABEL: @wrong_count
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @wrong_count(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = rlx.reduce sum %2 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %4 = arith.constant dense<6.300000e+01> : tensor<f32>
  %5 = rlx.binary div %3, %4 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %6 = arith.constant dense<1.000000e-05> : tensor<f32>
  %7 = rlx.binary add %5, %6 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %8 = rlx.activation sqrt %7 : tensor<8x1xf32>
  %9 = rlx.binary div %1, %8 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  func.return %9 : tensor<8x64xf32>
}

// The means of the rows are subtracted from the columns. On a square the dims alone do not tell.
// MISS: RLX-F016 axis
// CHECK-LABEL: @means_misplaced
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @means_misplaced(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = rlx.reduce mean %x axes [1] : tensor<8x8xf32> -> tensor<8xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x8xf32> -> tensor<8x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %6 = rlx.activation sqrt %5 : tensor<8x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  func.return %7 : tensor<8x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @mean_of_another
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @mean_of_another(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = rlx.reduce mean %y axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %6 = rlx.activation sqrt %5 : tensor<8x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  func.return %7 : tensor<8x64xf32>
}

// The addend lies outside of the root.
// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @epsilon_outside
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @epsilon_outside(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %4 = rlx.activation sqrt %3 : tensor<8x1xf32>
  %5 = arith.constant dense<1.000000e-05> : tensor<f32>
  %6 = rlx.binary add %4, %5 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  func.return %7 : tensor<8x64xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @mean_returned
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @mean_returned(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x1xf32>) {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %6 = rlx.activation sqrt %5 : tensor<8x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  func.return %7, %0 : tensor<8x64xf32>, tensor<8x1xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @centred_read_twice
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @centred_read_twice(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x64xf32> -> tensor<8x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %6 = rlx.activation sqrt %5 : tensor<8x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %8 = rlx.activation tanh %1 : tensor<8x64xf32>
  func.return %7, %8 : tensor<8x64xf32>, tensor<8x64xf32>
}

// Gain and shift cannot be made without the size of the axis.
// MISS: RLX-F014 dynamic
// CHECK-LABEL: @size_unknown
// CHECK-NOT:   rlx.layer_norm
// CHECK:       func.return
func.func @size_unknown(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %0 = rlx.reduce mean %x axes [1] keep_dims : tensor<8x?xf32> -> tensor<8x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<8x?xf32>, tensor<8x1xf32>) -> tensor<8x?xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<8x?xf32>, tensor<8x?xf32>) -> tensor<8x?xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<8x?xf32> -> tensor<8x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %6 = rlx.activation sqrt %5 : tensor<8x1xf32>
  %7 = rlx.binary div %1, %6 : (tensor<8x?xf32>, tensor<8x1xf32>) -> tensor<8x?xf32>
  func.return %7 : tensor<8x?xf32>
}
