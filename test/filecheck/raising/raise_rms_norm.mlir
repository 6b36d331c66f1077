// RUN: rlx-opt --rlx-raise-rms-norm %s | filecheck %s

// CHECK-LABEL: @llama
// CHECK-NEXT:  %[[B:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-NEXT:  %[[N:.*]] = rlx.rms_norm %x, %w, %[[B]] epsilon(1.0e-05)
// CHECK-NEXT:  func.return %[[N]]
func.func @llama(%x: tensor<2x3x64xf32>, %w: tensor<64xf32>) -> tensor<2x3x64xf32> {
  %0 = rlx.binary mul %x, %x : (tensor<2x3x64xf32>, tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  %1 = rlx.reduce sum %0 axes [2] : tensor<2x3x64xf32> -> tensor<2x3xf32>
  %2 = rlx.reshape %1 : tensor<2x3xf32> -> tensor<2x3x1xf32>
  %3 = arith.constant dense<6.400000e+01> : tensor<f32>
  %4 = rlx.binary div %2, %3 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %5 = arith.constant dense<1.000000e-05> : tensor<f32>
  %6 = rlx.binary add %4, %5 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %7 = rlx.activation rsqrt %6 : tensor<2x3x1xf32>
  %8 = rlx.expand %7 : tensor<2x3x1xf32> -> tensor<2x3x64xf32>
  %9 = rlx.binary mul %x, %8 : (tensor<2x3x64xf32>, tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  %10 = rlx.binary mul %9, %w : (tensor<2x3x64xf32>, tensor<64xf32>) -> tensor<2x3x64xf32>
  func.return %10 : tensor<2x3x64xf32>
}

// A gain of `1 + w` is a row like any other.
// CHECK-LABEL: @gemma
// CHECK:       %[[W:.*]] = rlx.binary add %{{.*}}, %w : (tensor<f32>, tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT:  %[[B:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-NEXT:  rlx.rms_norm %x, %[[W]], %[[B]] epsilon(1.0e-06)
func.func @gemma(%x: tensor<2x3x64xf32>, %w: tensor<64xf32>) -> tensor<2x3x64xf32> {
  %0 = rlx.binary mul %x, %x : (tensor<2x3x64xf32>, tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  %1 = rlx.reduce mean %0 axes [2] keep_dims : tensor<2x3x64xf32> -> tensor<2x3x1xf32>
  %2 = arith.constant dense<1.000000e-06> : tensor<f32>
  %3 = rlx.binary add %1, %2 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %4 = rlx.activation sqrt %3 : tensor<2x3x1xf32>
  %5 = rlx.binary div %x, %4 : (tensor<2x3x64xf32>, tensor<2x3x1xf32>) -> tensor<2x3x64xf32>
  %6 = arith.constant dense<1.000000e+00> : tensor<f32>
  %7 = rlx.binary add %6, %w : (tensor<f32>, tensor<64xf32>) -> tensor<64xf32>
  %8 = rlx.binary mul %5, %7 : (tensor<2x3x64xf32>, tensor<64xf32>) -> tensor<2x3x64xf32>
  func.return %8 : tensor<2x3x64xf32>
}

// Computed in f32 between casts, as llama has it: a norm of halves does so anyway.
// CHECK-LABEL: @wide
// CHECK-NEXT:  %[[B:.*]] = arith.constant dense<0.000000e+00> : tensor<64xbf16>
// CHECK-NEXT:  %[[N:.*]] = rlx.rms_norm %x, %w, %[[B]] epsilon(1.0e-06) : (tensor<3x64xbf16>, tensor<64xbf16>, tensor<64xbf16>) -> tensor<3x64xbf16>
// CHECK-NEXT:  func.return %[[N]]
func.func @wide(%x: tensor<3x64xbf16>, %w: tensor<64xbf16>) -> tensor<3x64xbf16> {
  %0 = rlx.cast %x : tensor<3x64xbf16> -> tensor<3x64xf32>
  %1 = arith.constant dense<2.000000e+00> : tensor<f32>
  %2 = rlx.binary pow %0, %1 : (tensor<3x64xf32>, tensor<f32>) -> tensor<3x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<3x64xf32> -> tensor<3x1xf32>
  %4 = arith.constant dense<1.000000e-06> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %6 = rlx.activation rsqrt %5 : tensor<3x1xf32>
  %7 = rlx.binary mul %0, %6 : (tensor<3x64xf32>, tensor<3x1xf32>) -> tensor<3x64xf32>
  %8 = rlx.cast %7 : tensor<3x64xf32> -> tensor<3x64xbf16>
  %9 = rlx.binary mul %8, %w : (tensor<3x64xbf16>, tensor<64xbf16>) -> tensor<3x64xbf16>
  func.return %9 : tensor<3x64xbf16>
}

// The gain is multiplied in f32, where it holds no more than its halves.
// CHECK-LABEL: @gain_widened
// CHECK:       %[[N:.*]] = rlx.rms_norm %x, %w, %{{.*}} epsilon(1.0e-06) : (tensor<3x64xbf16>
// CHECK-NEXT:  func.return %[[N]]
func.func @gain_widened(%x: tensor<3x64xbf16>, %w: tensor<64xbf16>) -> tensor<3x64xbf16> {
  %0 = rlx.cast %x : tensor<3x64xbf16> -> tensor<3x64xf32>
  %1 = rlx.binary mul %0, %0 : (tensor<3x64xf32>, tensor<3x64xf32>) -> tensor<3x64xf32>
  %2 = rlx.reduce mean %1 axes [1] keep_dims : tensor<3x64xf32> -> tensor<3x1xf32>
  %3 = arith.constant dense<1.000000e-06> : tensor<f32>
  %4 = rlx.binary add %2, %3 : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %5 = rlx.activation rsqrt %4 : tensor<3x1xf32>
  %6 = rlx.binary mul %0, %5 : (tensor<3x64xf32>, tensor<3x1xf32>) -> tensor<3x64xf32>
  %7 = rlx.cast %w : tensor<64xbf16> -> tensor<64xf32>
  %8 = rlx.binary mul %6, %7 : (tensor<3x64xf32>, tensor<64xf32>) -> tensor<3x64xf32>
  %9 = rlx.cast %8 : tensor<3x64xf32> -> tensor<3x64xbf16>
  func.return %9 : tensor<3x64xbf16>
}

// As Gemma has it: the gain `1 + w` is no number of halves, and stays in f32 beside them.
// CHECK-LABEL: @f31_one_more_in_f32
// CHECK-NOT:   rlx.cast %x
// CHECK:       %[[P:.*]] = rlx.binary add
// CHECK:       %[[N:.*]] = rlx.rms_norm %x, %[[P]], %{{.*}} epsilon(1.0e-06) : (tensor<3x64xbf16>, tensor<64xf32>, tensor<64xbf16>) -> tensor<3x64xbf16>
// CHECK-NEXT:  func.return %[[N]]
func.func @f31_one_more_in_f32(%x: tensor<3x64xbf16>, %w: tensor<64xbf16>) -> tensor<3x64xbf16> {
  %0 = rlx.cast %x : tensor<3x64xbf16> -> tensor<3x64xf32>
  %1 = rlx.binary mul %0, %0 : (tensor<3x64xf32>, tensor<3x64xf32>) -> tensor<3x64xf32>
  %2 = rlx.reduce mean %1 axes [1] keep_dims : tensor<3x64xf32> -> tensor<3x1xf32>
  %3 = arith.constant dense<1.000000e-06> : tensor<f32>
  %4 = rlx.binary add %2, %3 : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %5 = rlx.activation rsqrt %4 : tensor<3x1xf32>
  %6 = rlx.binary mul %0, %5 : (tensor<3x64xf32>, tensor<3x1xf32>) -> tensor<3x64xf32>
  %7 = rlx.cast %w : tensor<64xbf16> -> tensor<64xf32>
  %o = arith.constant dense<1.000000e+00> : tensor<f32>
  %p = rlx.binary add %7, %o : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %8 = rlx.binary mul %6, %p : (tensor<3x64xf32>, tensor<64xf32>) -> tensor<3x64xf32>
  %9 = rlx.cast %8 : tensor<3x64xf32> -> tensor<3x64xbf16>
  func.return %9 : tensor<3x64xbf16>
}

// The result stays in f32.
// MISS: RLX-F003 returned
// CHECK-LABEL: @no_cast_behind
// CHECK:       %[[X:.*]] = rlx.cast %x
// CHECK:       rlx.rms_norm %[[X]], %{{.*}}, %{{.*}} epsilon(1.0e-06) : (tensor<3x64xf32>
func.func @no_cast_behind(%x: tensor<3x64xbf16>) -> tensor<3x64xf32> {
  %0 = rlx.cast %x : tensor<3x64xbf16> -> tensor<3x64xf32>
  %1 = rlx.binary mul %0, %0 : (tensor<3x64xf32>, tensor<3x64xf32>) -> tensor<3x64xf32>
  %2 = rlx.reduce mean %1 axes [1] keep_dims : tensor<3x64xf32> -> tensor<3x1xf32>
  %3 = arith.constant dense<1.000000e-06> : tensor<f32>
  %4 = rlx.binary add %2, %3 : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %5 = rlx.activation rsqrt %4 : tensor<3x1xf32>
  %6 = rlx.binary mul %0, %5 : (tensor<3x64xf32>, tensor<3x1xf32>) -> tensor<3x64xf32>
  func.return %6 : tensor<3x64xf32>
}

// MISS: RLX-F011 type-changes
// CHECK-LABEL: @cast_to_other_halves
// CHECK:       rlx.rms_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon(1.0e-06) : (tensor<3x64xf32>
func.func @cast_to_other_halves(%x: tensor<3x64xbf16>) -> tensor<3x64xf16> {
  %0 = rlx.cast %x : tensor<3x64xbf16> -> tensor<3x64xf32>
  %1 = rlx.binary mul %0, %0 : (tensor<3x64xf32>, tensor<3x64xf32>) -> tensor<3x64xf32>
  %2 = rlx.reduce mean %1 axes [1] keep_dims : tensor<3x64xf32> -> tensor<3x1xf32>
  %3 = arith.constant dense<1.000000e-06> : tensor<f32>
  %4 = rlx.binary add %2, %3 : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %5 = rlx.activation rsqrt %4 : tensor<3x1xf32>
  %6 = rlx.binary mul %0, %5 : (tensor<3x64xf32>, tensor<3x1xf32>) -> tensor<3x64xf32>
  %8 = rlx.cast %6 : tensor<3x64xf32> -> tensor<3x64xf16>
  func.return %8 : tensor<3x64xf16>
}

// CHECK-LABEL: @with_shift
// CHECK-NEXT:  %0 = rlx.rms_norm %x, %w, %b epsilon(1.0e-05) : (tensor<?x64xf32>
func.func @with_shift(%x: tensor<?x64xf32>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<?x64xf32> {
  %0 = rlx.binary mul %x, %x : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = rlx.reduce mean %0 axes [1] keep_dims : tensor<?x64xf32> -> tensor<?x1xf32>
  %2 = arith.constant dense<1.000000e-05> : tensor<f32>
  %3 = rlx.binary add %1, %2 : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %4 = rlx.activation rsqrt %3 : tensor<?x1xf32>
  %5 = rlx.binary mul %x, %4 : (tensor<?x64xf32>, tensor<?x1xf32>) -> tensor<?x64xf32>
  %6 = rlx.binary mul %5, %w : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %7 = rlx.binary add %6, %b : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  func.return %7 : tensor<?x64xf32>
}

// K23: the mean is not subtracted, and no layer norm comes of it.
// CHECK-LABEL: @k23_mean_of_three
// CHECK-NOT:   rlx.layer_norm
// CHECK:       %[[Y:.*]] = rlx.binary add %x
// CHECK:       rlx.rms_norm %[[Y]],
func.func @k23_mean_of_three(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = arith.constant dense<3.000000e+00> : tensor<f32>
  %1 = rlx.binary add %x, %0 : (tensor<4x64xf32>, tensor<f32>) -> tensor<4x64xf32>
  %2 = rlx.binary mul %1, %1 : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %3 = rlx.reduce mean %2 axes [1] keep_dims : tensor<4x64xf32> -> tensor<4x1xf32>
  %4 = arith.constant dense<1.000000e-05> : tensor<f32>
  %5 = rlx.binary add %3, %4 : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %6 = rlx.activation rsqrt %5 : tensor<4x1xf32>
  %7 = rlx.binary mul %1, %6 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  func.return %7 : tensor<4x64xf32>
}

// The length, not the root mean square.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @length
// CHECK-NOT:   rlx.rms_norm
// CHECK:       func.return
func.func @length(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = rlx.binary mul %x, %x : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = rlx.reduce sum %0 axes [1] keep_dims : tensor<4x64xf32> -> tensor<4x1xf32>
  %2 = arith.constant dense<1.000000e-05> : tensor<f32>
  %3 = rlx.binary add %1, %2 : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %4 = rlx.activation sqrt %3 : tensor<4x1xf32>
  %5 = rlx.binary div %x, %4 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  func.return %5 : tensor<4x64xf32>
}

// It scales another value than it measures.
// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @another
// CHECK-NOT:   rlx.rms_norm
// CHECK:       func.return
func.func @another(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = rlx.binary mul %x, %x : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = rlx.reduce mean %0 axes [1] keep_dims : tensor<4x64xf32> -> tensor<4x1xf32>
  %2 = arith.constant dense<1.000000e-05> : tensor<f32>
  %3 = rlx.binary add %1, %2 : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %4 = rlx.activation rsqrt %3 : tensor<4x1xf32>
  %5 = rlx.binary mul %y, %4 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  func.return %5 : tensor<4x64xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @axis_one
// CHECK-NOT:   rlx.rms_norm
// CHECK:       func.return
func.func @axis_one(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %0 = rlx.binary mul %x, %x : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %1 = rlx.reduce mean %0 axes [1] keep_dims : tensor<4x4x4xf32> -> tensor<4x1x4xf32>
  %2 = arith.constant dense<1.000000e-05> : tensor<f32>
  %3 = rlx.binary add %1, %2 : (tensor<4x1x4xf32>, tensor<f32>) -> tensor<4x1x4xf32>
  %4 = rlx.activation rsqrt %3 : tensor<4x1x4xf32>
  %5 = rlx.binary mul %x, %4 : (tensor<4x4x4xf32>, tensor<4x1x4xf32>) -> tensor<4x4x4xf32>
  func.return %5 : tensor<4x4x4xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @root_returned
// CHECK-NOT:   rlx.rms_norm
// CHECK:       func.return
func.func @root_returned(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x1xf32>) {
  %0 = rlx.binary mul %x, %x : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = rlx.reduce mean %0 axes [1] keep_dims : tensor<4x64xf32> -> tensor<4x1xf32>
  %2 = arith.constant dense<1.000000e-05> : tensor<f32>
  %3 = rlx.binary add %1, %2 : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %4 = rlx.activation rsqrt %3 : tensor<4x1xf32>
  %5 = rlx.binary mul %x, %4 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  func.return %5, %4 : tensor<4x64xf32>, tensor<4x1xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @product
// CHECK-NOT:   rlx.rms_norm
// CHECK:       func.return
func.func @product(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = rlx.binary mul %x, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = rlx.reduce mean %0 axes [1] keep_dims : tensor<4x64xf32> -> tensor<4x1xf32>
  %2 = arith.constant dense<1.000000e-05> : tensor<f32>
  %3 = rlx.binary add %1, %2 : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %4 = rlx.activation rsqrt %3 : tensor<4x1xf32>
  %5 = rlx.binary mul %x, %4 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  func.return %5 : tensor<4x64xf32>
}

// Less than 0 is no epsilon.
// MISS: RLX-F025 constant
// CHECK-LABEL: @negative_epsilon
// CHECK-NOT:   rlx.rms_norm
// CHECK:       func.return
func.func @negative_epsilon(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = rlx.binary mul %x, %x : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = rlx.reduce mean %0 axes [1] keep_dims : tensor<4x64xf32> -> tensor<4x1xf32>
  %2 = arith.constant dense<-1.000000e-05> : tensor<f32>
  %3 = rlx.binary add %1, %2 : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %4 = rlx.activation rsqrt %3 : tensor<4x1xf32>
  %5 = rlx.binary mul %x, %4 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  func.return %5 : tensor<4x64xf32>
}
