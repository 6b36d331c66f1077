// RUN: rlx-opt --rlx-fuse-conv-affine-act %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @affine_and_relu
// CHECK:       %[[K:.*]] = rlx.reshape %g : tensor<8xf32> -> tensor<8x1x1x1xf32>
// CHECK-NEXT:  %[[W:.*]] = rlx.binary mul %w, %[[K]] : (tensor<8x3x3x3xf32>, tensor<8x1x1x1xf32>) -> tensor<8x3x3x3xf32>
// CHECK-NEXT:  %a = rlx.fused_conv_bias_act %x, %[[W]], %v activation(relu) pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<2x8x6x6xf32>
// CHECK-NEXT:  func.return %a
func.func @affine_and_relu(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %g: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<2x8x6x6xf32> {
  %k = rlx.reshape %g : tensor<8xf32> -> tensor<1x8x1x1xf32>
  %b = rlx.reshape %v : tensor<8xf32> -> tensor<1x8x1x1xf32>
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @without_activation
// CHECK:       rlx.reshape %k : tensor<1x8x1x1xf32> -> tensor<8xf32>
// CHECK-NEXT:  rlx.reshape %b : tensor<1x8x1x1xf32> -> tensor<8xf32>
// CHECK-NEXT:  rlx.reshape
// CHECK-NEXT:  rlx.binary mul %w
// CHECK-NEXT:  %s = rlx.fused_conv_bias_act
func.func @without_activation(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @operands_the_other_way_round
// CHECK:       rlx.reshape %k
// CHECK-NEXT:  rlx.reshape %b
// CHECK-NEXT:  rlx.reshape
// CHECK-NEXT:  rlx.binary mul %w
// CHECK-NEXT:  %a = rlx.fused_conv_bias_act {{.*}} activation(gelu)
func.func @operands_the_other_way_round(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %k, %c : (tensor<1x8x1x1xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %b, %m : (tensor<1x8x1x1xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation gelu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @through_expands
// CHECK:       rlx.reshape %k
// CHECK-NEXT:  rlx.reshape %b
// CHECK-NEXT:  rlx.reshape
// CHECK-NEXT:  rlx.binary mul %w
// CHECK-NEXT:  %s = rlx.fused_conv_bias_act
func.func @through_expands(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %ek = rlx.expand %k : tensor<1x8x1x1xf32> -> tensor<2x8x6x6xf32>
  %eb = rlx.expand %b : tensor<1x8x1x1xf32> -> tensor<2x8x6x6xf32>
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %ek : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %eb : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @one_number_each
// CHECK:       rlx.reshape %k
// CHECK-NEXT:  rlx.expand
// CHECK-NEXT:  rlx.reshape %b
// CHECK-NEXT:  rlx.expand
// CHECK-NEXT:  rlx.reshape
// CHECK-NEXT:  rlx.binary mul %w
// CHECK-NEXT:  rlx.fused_conv_bias_act
func.func @one_number_each(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<f32>, %b: tensor<f32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<f32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<f32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @channels_last
// CHECK:       %[[K:.*]] = rlx.reshape %k
// CHECK-NEXT:  %[[W:.*]] = rlx.binary mul %w, %[[K]]
// CHECK-NEXT:  %s = rlx.fused_conv_bias_act %x, %[[W]], %b
func.func @channels_last(%x: tensor<2x6x6x3xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x6x6x8xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) layout(channels_last) : (tensor<2x6x6x3xf32>, tensor<8x3x3x3xf32>) -> tensor<2x6x6x8xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x6x6x8xf32>, tensor<8xf32>) -> tensor<2x6x6x8xf32>
  %s = rlx.binary add %m, %b : (tensor<2x6x6x8xf32>, tensor<8xf32>) -> tensor<2x6x6x8xf32>
  func.return %s : tensor<2x6x6x8xf32>
}

// CHECK-LABEL: @residual
// CHECK:       rlx.reshape %k
// CHECK-NEXT:  rlx.reshape %b
// CHECK-NEXT:  rlx.reshape
// CHECK-NEXT:  rlx.binary mul %w
// CHECK-NEXT:  %a = rlx.fused_conv_bias_act {{.*}} residual(%r) activation(relu)
func.func @residual(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>, %r: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %t = rlx.binary add %s, %r : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %t : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @residual_with_an_affine_value_that_is_read_twice
// CHECK:       rlx.reshape %k
// CHECK-NEXT:  rlx.reshape %b
// CHECK-NEXT:  rlx.reshape
// CHECK-NEXT:  rlx.binary mul %w
// CHECK-NEXT:  %s = rlx.fused_conv_bias_act {{.*}} pad
// CHECK-NEXT:  %t = rlx.binary add %s, %r
func.func @residual_with_an_affine_value_that_is_read_twice(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>, %r: tensor<2x8x6x6xf32>) -> (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %t = rlx.binary add %s, %r : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s, %t : tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>
}

// The bias is `beta - mean * gamma / sqrt(variance + epsilon)`.
// CHECK-LABEL: @batch_norm
// CHECK:       %var = rlx.binary mul %d, %d
// CHECK-NEXT:  %[[E:.*]] = arith.constant dense<1.000000e-03>
// CHECK-NEXT:  %[[P:.*]] = rlx.binary add %var, %[[E]]
// CHECK-NEXT:  %[[I:.*]] = rlx.activation rsqrt %[[P]]
// CHECK-NEXT:  %[[G:.*]] = rlx.binary mul %[[I]], %g
// CHECK-NEXT:  %[[R:.*]] = rlx.reshape %[[G]] : tensor<8xf32> -> tensor<8x1x1x1xf32>
// CHECK-NEXT:  %[[W:.*]] = rlx.binary mul %w, %[[R]]
// CHECK-NEXT:  %[[M:.*]] = rlx.binary mul %mu, %[[G]]
// CHECK-NEXT:  %[[B:.*]] = rlx.binary sub %v, %[[M]]
// CHECK-NEXT:  %a = rlx.fused_conv_bias_act %x, %[[W]], %[[B]] activation(relu) pad([1, 1], [1, 1])
func.func @batch_norm(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %g: tensor<8xf32>, %v: tensor<8xf32>, %mu: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<2x8x6x6xf32> {
  %var = rlx.binary mul %d, %d : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.batch_norm_inference %c, %g, %v, %mu, %var epsilon(1.0e-3) axis(1) : (tensor<2x8x6x6xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @batch_norm_of_halves
// CHECK:       rlx.binary mul %d, %d
// CHECK-NEXT:  rlx.cast %g : tensor<8xf16> -> tensor<8xf32>
// CHECK:       %[[W:.*]] = rlx.cast %{{.*}} : tensor<8x3x3x3xf32> -> tensor<8x3x3x3xf16>
// CHECK-NEXT:  %[[B:.*]] = rlx.cast %{{.*}} : tensor<8xf32> -> tensor<8xf16>
// CHECK-NEXT:  rlx.fused_conv_bias_act %x, %[[W]], %[[B]]
func.func @batch_norm_of_halves(%x: tensor<2x3x6x6xf16>, %w: tensor<8x3x3x3xf16>, %g: tensor<8xf16>, %v: tensor<8xf16>, %mu: tensor<8xf16>, %d: tensor<8xf16>) -> tensor<2x8x6x6xf16> {
  %var = rlx.binary mul %d, %d : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf16>, tensor<8x3x3x3xf16>) -> tensor<2x8x6x6xf16>
  %s = rlx.batch_norm_inference %c, %g, %v, %mu, %var epsilon(1.0e-3) axis(-3) : (tensor<2x8x6x6xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x8x6x6xf16>
  func.return %s : tensor<2x8x6x6xf16>
}

// The weights are 120 and 15, as constants say, in f16 as well; they are multiplied in f32.
// CHECK-LABEL: @affine_of_halves
// CHECK:       %[[P:.*]] = rlx.binary mul {{.*}} -> tensor<2x1x1x1xf32>
// CHECK-NEXT:  %[[W:.*]] = rlx.cast %[[P]] : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf16>
// CHECK-NEXT:  rlx.fused_conv_bias_act %x, %[[W]], %b
func.func @affine_of_halves(%x: tensor<1x1x2x2xf16>) -> tensor<1x2x2x2xf16> {
  %w = arith.constant dense<[[[[60.0]]], [[[5.0]]]]> : tensor<2x1x1x1xf16>
  %k = arith.constant dense<[2.0, 3.0]> : tensor<2xf16>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %k4 = rlx.reshape %k : tensor<2xf16> -> tensor<2x1x1xf16>
  %b4 = rlx.reshape %b : tensor<2xf16> -> tensor<2x1x1xf16>
  %c = rlx.conv %x, %w : (tensor<1x1x2x2xf16>, tensor<2x1x1x1xf16>) -> tensor<1x2x2x2xf16>
  %m = rlx.binary mul %c, %k4 : (tensor<1x2x2x2xf16>, tensor<2x1x1xf16>) -> tensor<1x2x2x2xf16>
  %s = rlx.binary add %m, %b4 : (tensor<1x2x2x2xf16>, tensor<2x1x1xf16>) -> tensor<1x2x2x2xf16>
  func.return %s : tensor<1x2x2x2xf16>
}

// Of the sizes of the weight only the number of outputs matters.
// CHECK-LABEL: @unknown_inputs
// CHECK:       rlx.fused_conv_bias_act
func.func @unknown_inputs(%x: tensor<2x6x6x?xf32>, %w: tensor<8x?x3x3xf32>, %k: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x6x6x8xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) layout(channels_last) : (tensor<2x6x6x?xf32>, tensor<8x?x3x3xf32>) -> tensor<2x6x6x8xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x6x6x8xf32>, tensor<8xf32>) -> tensor<2x6x6x8xf32>
  %s = rlx.binary add %m, %b : (tensor<2x6x6x8xf32>, tensor<8xf32>) -> tensor<2x6x6x8xf32>
  func.return %s : tensor<2x6x6x8xf32>
}

// What must not fuse, one function per guard.

// MISS: RLX-F034 not-along-channels
// CHECK-LABEL: @scale_along_the_last_axis
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @scale_along_the_last_axis(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<6xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F034 not-along-channels
// CHECK-LABEL: @shift_of_the_batch
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @shift_of_the_batch(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<2x1x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<2x1x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F013 broadcasts-up
// CHECK-LABEL: @shift_stretches
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @shift_stretches(%x: tensor<1x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<4x8x6x6xf32>) -> tensor<4x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<1x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<1x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<1x8x6x6xf32>, tensor<4x8x6x6xf32>) -> tensor<4x8x6x6xf32>
  func.return %s : tensor<4x8x6x6xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @bias_only
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @bias_only(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @no_shift
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @no_shift(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %m : tensor<2x8x6x6xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @shifted_by_a_product
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @shifted_by_a_product(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary sub %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @relu_first
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @relu_first(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %z = rlx.activation relu %c : tensor<2x8x6x6xf32>
  %m = rlx.binary mul %z, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @double_precision(%x: tensor<2x3x6x6xf64>, %w: tensor<8x3x3x3xf64>, %k: tensor<1x8x1x1xf64>, %b: tensor<1x8x1x1xf64>) -> tensor<2x8x6x6xf64> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf64>, tensor<8x3x3x3xf64>) -> tensor<2x8x6x6xf64>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf64>, tensor<1x8x1x1xf64>) -> tensor<2x8x6x6xf64>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf64>, tensor<1x8x1x1xf64>) -> tensor<2x8x6x6xf64>
  func.return %s : tensor<2x8x6x6xf64>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @conv_is_returned
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @conv_is_returned(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %c, %s : tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @scaled_value_is_read_twice
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @scaled_value_is_read_twice(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %e = rlx.activation exp %m : tensor<2x8x6x6xf32>
  func.return %e, %s : tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @square
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @square(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %c : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @number_of_channels_is_unknown
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @number_of_channels_is_unknown(%x: tensor<2x3x6x6xf32>, %w: tensor<?x3x3x3xf32>, %k: tensor<f32>, %b: tensor<f32>) -> tensor<2x?x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<?x3x3x3xf32>) -> tensor<2x?x6x6xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x?x6x6xf32>, tensor<f32>) -> tensor<2x?x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x?x6x6xf32>, tensor<f32>) -> tensor<2x?x6x6xf32>
  func.return %s : tensor<2x?x6x6xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @vectors_of_unknown_length
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @vectors_of_unknown_length(%x: tensor<2x6x6x3xf32>, %w: tensor<?x3x3x3xf32>, %k: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<2x6x6x?xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) layout(channels_last) : (tensor<2x6x6x3xf32>, tensor<?x3x3x3xf32>) -> tensor<2x6x6x?xf32>
  %m = rlx.binary mul %c, %k : (tensor<2x6x6x?xf32>, tensor<?xf32>) -> tensor<2x6x6x?xf32>
  %s = rlx.binary add %m, %b : (tensor<2x6x6x?xf32>, tensor<?xf32>) -> tensor<2x6x6x?xf32>
  func.return %s : tensor<2x6x6x?xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @batch_norm_over_another_axis
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @batch_norm_over_another_axis(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %g: tensor<6xf32>, %v: tensor<6xf32>, %mu: tensor<6xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.batch_norm_inference %c, %g, %v, %mu, %mu epsilon(1.0e-3) axis(2) : (tensor<2x8x6x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @fenced_off(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %k: tensor<1x8x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %m = rlx.binary mul %c, %k {rlx.no_fuse} : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %m, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// 60 * 2000 is no f16.
// MISS: RLX-F039 out-of-range
// CHECK-LABEL: @f06_weight_of_halves_too_large
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @f06_weight_of_halves_too_large(%x: tensor<1x1x2x2xf16>) -> tensor<1x1x2x2xf16> {
  %w = arith.constant dense<60.0> : tensor<1x1x1x1xf16>
  %k = arith.constant dense<2000.0> : tensor<1x1x1xf16>
  %b = arith.constant dense<0.0> : tensor<1x1x1xf16>
  %c = rlx.conv %x, %w : (tensor<1x1x2x2xf16>, tensor<1x1x1x1xf16>) -> tensor<1x1x2x2xf16>
  %m = rlx.binary mul %c, %k : (tensor<1x1x2x2xf16>, tensor<1x1x1xf16>) -> tensor<1x1x2x2xf16>
  %s = rlx.binary add %m, %b : (tensor<1x1x2x2xf16>, tensor<1x1x1xf16>) -> tensor<1x1x2x2xf16>
  func.return %s : tensor<1x1x2x2xf16>
}

// 1e-8 is 0 in f16.
// MISS: RLX-F039 out-of-range
// CHECK-LABEL: @f06_weight_of_halves_too_small
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @f06_weight_of_halves_too_small(%x: tensor<1x1x2x2xf16>) -> tensor<1x1x2x2xf16> {
  %w = arith.constant dense<1.0e-4> : tensor<1x1x1x1xf16>
  %k = arith.constant dense<1.0e-4> : tensor<1x1x1xf16>
  %b = arith.constant dense<0.0> : tensor<1x1x1xf16>
  %c = rlx.conv %x, %w : (tensor<1x1x2x2xf16>, tensor<1x1x1x1xf16>) -> tensor<1x1x2x2xf16>
  %m = rlx.binary mul %c, %k : (tensor<1x1x2x2xf16>, tensor<1x1x1xf16>) -> tensor<1x1x2x2xf16>
  %s = rlx.binary add %m, %b : (tensor<1x1x2x2xf16>, tensor<1x1x1xf16>) -> tensor<1x1x2x2xf16>
  func.return %s : tensor<1x1x2x2xf16>
}

// Nor is 1e40 an f32.
// MISS: RLX-F039 out-of-range
// CHECK-LABEL: @f06_weight_too_large
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @f06_weight_too_large(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %w = arith.constant dense<1.0e+30> : tensor<1x1x1x1xf32>
  %k = arith.constant dense<1.0e+10> : tensor<1x1x1xf32>
  %b = arith.constant dense<0.0> : tensor<1x1x1xf32>
  %c = rlx.conv %x, %w : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
  %m = rlx.binary mul %c, %k : (tensor<1x1x2x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x2x2xf32>
  %s = rlx.binary add %m, %b : (tensor<1x1x2x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x2x2xf32>
  func.return %s : tensor<1x1x2x2xf32>
}

// Whether the product is an f16 shows when the program runs.
// MISS: RLX-F039 out-of-range
// CHECK-LABEL: @f06_halves_of_a_run
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @f06_halves_of_a_run(%x: tensor<1x1x2x2xf16>, %w: tensor<1x1x1x1xf16>, %k: tensor<1x1x1xf16>, %b: tensor<1x1x1xf16>) -> tensor<1x1x2x2xf16> {
  %c = rlx.conv %x, %w : (tensor<1x1x2x2xf16>, tensor<1x1x1x1xf16>) -> tensor<1x1x2x2xf16>
  %m = rlx.binary mul %c, %k : (tensor<1x1x2x2xf16>, tensor<1x1x1xf16>) -> tensor<1x1x2x2xf16>
  %s = rlx.binary add %m, %b : (tensor<1x1x2x2xf16>, tensor<1x1x1xf16>) -> tensor<1x1x2x2xf16>
  func.return %s : tensor<1x1x2x2xf16>
}

// A batch norm of constants is known as well: 60 * 2000 / sqrt(1).
// MISS: RLX-F039 out-of-range
// CHECK-LABEL: @f06_batch_norm_of_halves_too_large
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @f06_batch_norm_of_halves_too_large(%x: tensor<1x1x2x2xf16>) -> tensor<1x1x2x2xf16> {
  %w = arith.constant dense<60.0> : tensor<1x1x1x1xf16>
  %g = arith.constant dense<2000.0> : tensor<1xf16>
  %o = arith.constant dense<1.0> : tensor<1xf16>
  %z = arith.constant dense<0.0> : tensor<1xf16>
  %c = rlx.conv %x, %w : (tensor<1x1x2x2xf16>, tensor<1x1x1x1xf16>) -> tensor<1x1x2x2xf16>
  %s = rlx.batch_norm_inference %c, %g, %z, %z, %o epsilon(0.0) axis(1) : (tensor<1x1x2x2xf16>, tensor<1xf16>, tensor<1xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1x1x2x2xf16>
  func.return %s : tensor<1x1x2x2xf16>
}
