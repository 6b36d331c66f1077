// RUN: rlx-opt --rlx-raise-batch-norm %s | filecheck %s

// As networks from Caffe have it: a scale and a shift of their own after the norm.
// CHECK-LABEL: @scale_and_shift_behind
// CHECK:       %[[G:.*]] = rlx.binary mul %w, %s
// CHECK-NEXT:  %[[B:.*]] = rlx.binary mul %b, %s
// CHECK-NEXT:  %[[T:.*]] = rlx.binary add %[[B]], %t
// CHECK-NEXT:  %y = rlx.batch_norm_inference %x, %[[G]], %[[T]], %m, %vp epsilon(0.001) axis(1)
// CHECK-NEXT:  func.return %y
func.func @scale_and_shift_behind(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  %s4 = rlx.reshape %s : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %s4, %n : (tensor<8x1x1xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %t4 = rlx.reshape %t : tensor<8xf32> -> tensor<1x8x1x1xf32>
  %y = rlx.binary add %p, %t4 : (tensor<2x8x4x4xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// One scale and one shift of the convolution are left.
// CHECK-LABEL: @scale_and_shift_behind_a_convolution
// CHECK:       %x = rlx.conv
// CHECK-NOT:   rlx.batch_norm_inference
// CHECK:       %[[P:.*]] = rlx.binary mul %x
// CHECK-NEXT:  %y = rlx.binary add %[[P]]
// CHECK-NEXT:  func.return %y
func.func @scale_and_shift_behind_a_convolution(%i: tensor<2x3x4x4xf32>, %k: tensor<8x3x1x1xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %x = rlx.conv %i, %k : (tensor<2x3x4x4xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x4x4xf32>
  %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  %s4 = rlx.reshape %s : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %n, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %t4 = rlx.reshape %t : tensor<8xf32> -> tensor<8x1x1xf32>
  %y = rlx.binary add %p, %t4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// CHECK-LABEL: @shift_alone_behind
// CHECK:       %[[T:.*]] = rlx.binary add %b, %t
// CHECK-NEXT:  %y = rlx.batch_norm_inference %x, %w, %[[T]], %m, %vp epsilon(0.001)
// CHECK-NEXT:  func.return %y
func.func @shift_alone_behind(%x: tensor<6x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<6x8xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) : (tensor<6x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %y = rlx.binary add %n, %t : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  func.return %y : tensor<6x8xf32>
}

// CHECK-LABEL: @scale_alone_behind
// CHECK:       %y = rlx.batch_norm_inference %x, %{{.*}}, %{{.*}}, %m, %vp epsilon(0.001) axis(1)
// CHECK-NEXT:  func.return %y
func.func @scale_alone_behind(%x: tensor<?x8x?xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<8xf32>) -> tensor<?x8x?xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<?x8x?xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8x?xf32>
  %s4 = rlx.reshape %s : tensor<8xf32> -> tensor<8x1xf32>
  %y = rlx.binary mul %n, %s4 : (tensor<?x8x?xf32>, tensor<8x1xf32>) -> tensor<?x8x?xf32>
  func.return %y : tensor<?x8x?xf32>
}

// Along the width.
// CHECK-LABEL: @scale_of_another_axis_behind
// CHECK:       %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp
// CHECK-NEXT:  %y = rlx.binary mul %n, %s
func.func @scale_of_another_axis_behind(%x: tensor<2x8x4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<8xf32>) -> tensor<2x8x4x8xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<2x8x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x8xf32>
  %y = rlx.binary mul %n, %s : (tensor<2x8x4x8xf32>, tensor<8xf32>) -> tensor<2x8x4x8xf32>
  func.return %y : tensor<2x8x4x8xf32>
}

// The norm itself is read elsewhere.
// CHECK-LABEL: @norm_read_twice
// CHECK:       %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp
// CHECK-NEXT:  %s4 = rlx.reshape
// CHECK-NEXT:  %y = rlx.binary mul %n, %s4
func.func @norm_read_twice(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %s: tensor<8xf32>) -> (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  %s4 = rlx.reshape %s : tensor<8xf32> -> tensor<8x1x1xf32>
  %y = rlx.binary mul %n, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %y, %n : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>
}

// A gate that the network computes is no weight.
// CHECK-LABEL: @gate_behind
// CHECK:       %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp
// CHECK:       %y = rlx.binary mul %n
func.func @gate_behind(%x: tensor<1x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<1x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %g = rlx.reduce mean %x axes [2, 3] keep_dims : tensor<1x8x4x4xf32> -> tensor<1x8x1x1xf32>
  %y = rlx.binary mul %n, %g : (tensor<1x8x4x4xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x4x4xf32>
  func.return %y : tensor<1x8x4x4xf32>
}

// Halves would be rounded otherwise.
// MISS: RLX-F007 dtype
// CHECK-LABEL: @halves_scaled_behind
// CHECK:       %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp
// CHECK-NEXT:  %y = rlx.binary add %n, %s
func.func @halves_scaled_behind(%x: tensor<6x8xf16>, %w: tensor<8xf16>, %b: tensor<8xf16>, %m: tensor<8xf16>, %v: tensor<8xf16>, %s: tensor<8xf16>) -> tensor<6x8xf16> {
  %vp = rlx.activation exp %v : tensor<8xf16>
  %n = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) : (tensor<6x8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<6x8xf16>
  %y = rlx.binary add %n, %s : (tensor<6x8xf16>, tensor<8xf16>) -> tensor<6x8xf16>
  func.return %y : tensor<6x8xf16>
}

// A gain that is one number stays one number, so that a second run changes nothing.
// CHECK-LABEL: @one_gain_for_all
// CHECK:       %[[G:.*]] = arith.constant dense<2.000000e+00> : tensor<f32>
// CHECK:       rlx.binary div %[[G]], %{{.*}} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
func.func @one_gain_for_all(%i: tensor<2x3x4x4xf32>, %k: tensor<8x3x1x1xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %w = arith.constant dense<2.0> : tensor<8xf32>
  %x = rlx.conv %i, %k : (tensor<2x3x4x4xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x4x4xf32>
  %y = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// One variance for all channels is a number: the norm stays.
// MISS: RLX-F025 constant
// CHECK-LABEL: @one_variance_for_all
// CHECK:       rlx.batch_norm_inference
func.func @one_variance_for_all(%i: tensor<2x3x4x4xf32>, %k: tensor<8x3x1x1xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %v = arith.constant dense<1.0> : tensor<8xf32>
  %x = rlx.conv %i, %k : (tensor<2x3x4x4xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x4x4xf32>
  %y = rlx.batch_norm_inference %x, %w, %b, %m, %v epsilon(1.0e-03) axis(1) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}
