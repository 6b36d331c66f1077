// RUN: rlx-opt --rlx-raise-batch-norm %s | filecheck %s

// Each vector laid along the channels by itself. (The exponential keeps the variance of the test positive.)
// CHECK-LABEL: @term_by_term
// CHECK:       rlx.activation exp %v
// CHECK-NEXT:  %y = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(0.001) axis(1) : (tensor<2x8x4x4xf32>
// CHECK-NEXT:  func.return %y
func.func @term_by_term(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %s4 = rlx.reshape %sd : tensor<8xf32> -> tensor<8x1x1xf32>
  %mm = rlx.reshape %m : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %i = rlx.binary div %c, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %g = rlx.reshape %w : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %i, %g : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %y = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// As Flax writes it: the gain multiplied to the reciprocal root.
// CHECK-LABEL: @gain_at_the_root
// CHECK:       rlx.activation exp %v
// CHECK-NEXT:  %y = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(0.001) axis(1) : (tensor<2x8x4x4xf32>
// CHECK-NEXT:  func.return %y
func.func @gain_at_the_root(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation rsqrt %ve : tensor<8xf32>
  %s = rlx.binary mul %sd, %w : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s4 = rlx.reshape %s : tensor<8xf32> -> tensor<1x8x1x1xf32>
  %mm = rlx.reshape %m : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %p = rlx.binary mul %c, %s4 : (tensor<2x8x4x4xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %y = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// CHECK-LABEL: @gain_over_the_root
// CHECK:       rlx.activation exp %v
// CHECK-NEXT:  %y = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(0.001) axis(1) : (tensor<2x8x4x4xf32>
// CHECK-NEXT:  func.return %y
func.func @gain_over_the_root(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %s = rlx.binary div %w, %sd : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s4 = rlx.reshape %s : tensor<8xf32> -> tensor<8x1x1xf32>
  %mm = rlx.reshape %m : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %p = rlx.binary mul %s4, %c : (tensor<8x1x1xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<1x8x1x1xf32>
  %y = rlx.binary add %h, %p : (tensor<1x8x1x1xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// CHECK-LABEL: @gain_at_the_value
// CHECK:       rlx.activation exp %v
// CHECK-NEXT:  %y = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(0.001) axis(1) : (tensor<2x8x4x4xf32>
// CHECK-NEXT:  func.return %y
func.func @gain_at_the_value(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %s4 = rlx.reshape %sd : tensor<8xf32> -> tensor<8x1x1xf32>
  %mm = rlx.reshape %m : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %g = rlx.reshape %w : tensor<8xf32> -> tensor<8x1x1xf32>
  %gc = rlx.binary mul %g, %c : (tensor<8x1x1xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %p = rlx.binary div %gc, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %y = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// CHECK-LABEL: @no_gain
// CHECK:       %[[G:.*]] = arith.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK:       rlx.batch_norm_inference %x, %[[G]], %b, %m, %{{.*}} epsilon(0.001) axis(1)
func.func @no_gain(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %r = rlx.activation recip %sd : tensor<8xf32>
  %s4 = rlx.reshape %r : tensor<8xf32> -> tensor<8x1x1xf32>
  %mm = rlx.reshape %m : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %p = rlx.binary mul %c, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %y = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// CHECK-LABEL: @last_axis
// CHECK:       rlx.batch_norm_inference %x, %w, %b, %m, %{{.*}} epsilon(0.001) axis(1) : (tensor<6x8xf32>
func.func @last_axis(%x: tensor<6x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<6x8xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %c = rlx.binary sub %x, %m : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %i = rlx.binary div %c, %sd : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %p = rlx.binary mul %i, %w : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %y = rlx.binary add %p, %b : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  func.return %y : tensor<6x8xf32>
}

// As JAX writes the batch norms of a network: scale and shift of the convolution.
// CHECK-LABEL: @behind_a_convolution
// CHECK:       %x = rlx.conv
// CHECK-NOT:   rlx.batch_norm_inference
// CHECK:       %[[D:.*]] = rlx.activation sqrt
// CHECK-NEXT:  %[[S:.*]] = rlx.binary div %w, %[[D]]
// CHECK-NEXT:  %[[MS:.*]] = rlx.binary mul %{{.*}}, %[[S]]
// CHECK-NEXT:  %[[T:.*]] = rlx.binary sub %b, %[[MS]]
// CHECK-NEXT:  %[[S4:.*]] = rlx.reshape %[[S]] : tensor<8xf32> -> tensor<1x8x1x1xf32>
// CHECK-NEXT:  %[[T4:.*]] = rlx.reshape %[[T]] : tensor<8xf32> -> tensor<1x8x1x1xf32>
// CHECK-NEXT:  %[[P:.*]] = rlx.binary mul %x, %[[S4]]
// CHECK-NEXT:  %y = rlx.binary add %[[P]], %[[T4]]
// CHECK-NEXT:  func.return %y
func.func @behind_a_convolution(%i: tensor<2x3x4x4xf32>, %k: tensor<8x3x1x1xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %x = rlx.conv %i, %k : (tensor<2x3x4x4xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x4x4xf32>
  %y = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// CHECK-LABEL: @written_behind_a_convolution
// CHECK:       %x = rlx.conv
// CHECK-NOT:   rlx.batch_norm_inference
// CHECK:       %[[D:.*]] = rlx.activation sqrt
// CHECK-NEXT:  %[[S:.*]] = rlx.binary div %w, %[[D]]
// CHECK-NEXT:  %[[MS:.*]] = rlx.binary mul %{{.*}}, %[[S]]
// CHECK-NEXT:  %[[T:.*]] = rlx.binary sub %b, %[[MS]]
// CHECK-NEXT:  %[[S4:.*]] = rlx.reshape %[[S]] : tensor<8xf32> -> tensor<1x8x1x1xf32>
// CHECK-NEXT:  %[[T4:.*]] = rlx.reshape %[[T]] : tensor<8xf32> -> tensor<1x8x1x1xf32>
// CHECK-NEXT:  %[[P:.*]] = rlx.binary mul %x, %[[S4]]
// CHECK-NEXT:  %y = rlx.binary add %[[P]], %[[T4]]
// CHECK-NEXT:  func.return %y
func.func @written_behind_a_convolution(%i: tensor<2x3x4x4xf32>, %k: tensor<8x3x1x1xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %x = rlx.conv %i, %k : (tensor<2x3x4x4xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x4x4xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %s4 = rlx.reshape %sd : tensor<8xf32> -> tensor<8x1x1xf32>
  %mm = rlx.reshape %m : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %i2 = rlx.binary div %c, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %g = rlx.reshape %w : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %i2, %g : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %y = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// The bias of the convolution is taken from the mean.
// CHECK-LABEL: @convolution_with_bias
// CHECK:       %x = rlx.conv
// CHECK-NEXT:  %[[M:.*]] = rlx.binary sub %m, %q
// CHECK:       rlx.binary mul %[[M]]
// CHECK:       rlx.binary mul %x
func.func @convolution_with_bias(%i: tensor<2x3x4x4xf32>, %k: tensor<8x3x1x1xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %q: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %x = rlx.conv %i, %k : (tensor<2x3x4x4xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x4x4xf32>
  %q4 = rlx.reshape %q : tensor<8xf32> -> tensor<8x1x1xf32>
  %z = rlx.binary add %x, %q4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %y = rlx.batch_norm_inference %z, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// A scale and a shift of the value itself stay what they are.
// MISS: RLX-F002 multi-use
// CHECK-LABEL: @scale_and_shift
// CHECK-NOT:   rlx.batch_norm_inference
// CHECK:       func.return
func.func @scale_and_shift(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %s = rlx.binary div %w, %sd : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %s4 = rlx.reshape %s : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %x, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %ms = rlx.binary mul %m, %s : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %t = rlx.binary sub %b, %ms : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %t4 = rlx.reshape %t : tensor<8xf32> -> tensor<8x1x1xf32>
  %y = rlx.binary add %p, %t4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// The statistics of training.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @mean_of_the_value
// CHECK-NOT:   rlx.batch_norm_inference
// CHECK:       func.return
func.func @mean_of_the_value(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %s4 = rlx.reshape %sd : tensor<8xf32> -> tensor<8x1x1xf32>
  %mx = rlx.reduce mean %x axes [0, 2, 3] : tensor<2x8x4x4xf32> -> tensor<8xf32>
  %mm = rlx.reshape %mx : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %i = rlx.binary div %c, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %i : tensor<2x8x4x4xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @mean_along_the_width
// CHECK-NOT:   rlx.batch_norm_inference
// CHECK:       func.return
func.func @mean_along_the_width(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %u: tensor<4xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %s4 = rlx.reshape %sd : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %u : (tensor<2x8x4x4xf32>, tensor<4xf32>) -> tensor<2x8x4x4xf32>
  %i = rlx.binary div %c, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %i : tensor<2x8x4x4xf32>
}

// CHECK-LABEL: @epsilon_outside
// CHECK-NOT:   rlx.batch_norm_inference
// CHECK:       func.return
func.func @epsilon_outside(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %sd = rlx.activation sqrt %vp : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %sd, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %s4 = rlx.reshape %ve : tensor<8xf32> -> tensor<8x1x1xf32>
  %mm = rlx.reshape %m : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %i = rlx.binary div %c, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %i : tensor<2x8x4x4xf32>
}

// Behind anything but a convolution the norm stays.
// CHECK-LABEL: @of_another_value
// CHECK:       rlx.batch_norm_inference %x
// CHECK-NEXT:  func.return
func.func @of_another_value(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %y = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  func.return %y : tensor<2x8x4x4xf32>
}

// Along the width of the picture.
// MISS: RLX-F016 axis
// CHECK-LABEL: @another_axis
// CHECK:       rlx.batch_norm_inference
func.func @another_axis(%i: tensor<2x3x8x8xf32>, %k: tensor<8x3x1x1xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x8x8xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %x = rlx.conv %i, %k : (tensor<2x3x8x8xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x8x8xf32>
  %y = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(3) : (tensor<2x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x8x8xf32>
  func.return %y : tensor<2x8x8x8xf32>
}

// It is computed in f32.
// MISS: RLX-F007 dtype
// CHECK-LABEL: @halves_behind_a_convolution
// CHECK:       rlx.batch_norm_inference
func.func @halves_behind_a_convolution(%i: tensor<2x3x4x4xf16>, %k: tensor<8x3x1x1xf16>, %w: tensor<8xf16>, %b: tensor<8xf16>, %m: tensor<8xf16>, %v: tensor<8xf16>) -> tensor<2x8x4x4xf16> {
  %vp = rlx.activation exp %v : tensor<8xf16>
  %x = rlx.conv %i, %k : (tensor<2x3x4x4xf16>, tensor<8x3x1x1xf16>) -> tensor<2x8x4x4xf16>
  %y = rlx.batch_norm_inference %x, %w, %b, %m, %vp epsilon(1.0e-03) axis(1) : (tensor<2x8x4x4xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x8x4x4xf16>
  func.return %y : tensor<2x8x4x4xf16>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @centred_returned
// CHECK-NOT:   rlx.batch_norm_inference
// CHECK:       func.return
func.func @centred_returned(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %s4 = rlx.reshape %sd : tensor<8xf32> -> tensor<8x1x1xf32>
  %mm = rlx.reshape %m : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %i = rlx.binary div %c, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %i, %c : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>
}

// Less than 0 is no epsilon.
// MISS: RLX-F025 constant
// CHECK-LABEL: @negative_epsilon
// CHECK-NOT:   rlx.batch_norm_inference
// CHECK:       func.return
func.func @negative_epsilon(%x: tensor<2x8x4x4xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %vp = rlx.activation exp %v : tensor<8xf32>
  %e = arith.constant dense<-1.0e-03> : tensor<f32>
  %ve = rlx.binary add %vp, %e : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %sd = rlx.activation sqrt %ve : tensor<8xf32>
  %s4 = rlx.reshape %sd : tensor<8xf32> -> tensor<8x1x1xf32>
  %mm = rlx.reshape %m : tensor<8xf32> -> tensor<8x1x1xf32>
  %c = rlx.binary sub %x, %mm : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %i = rlx.binary div %c, %s4 : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %i : tensor<2x8x4x4xf32>
}
