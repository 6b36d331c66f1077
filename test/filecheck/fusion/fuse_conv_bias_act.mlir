// RUN: rlx-opt --rlx-fuse-conv-bias-act %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @bias_and_relu
// CHECK:       %a = rlx.fused_conv_bias_act %x, %w, %v activation(relu) pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<2x8x6x6xf32>
// CHECK-NEXT:  func.return %a
func.func @bias_and_relu(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %v: tensor<8xf32>) -> tensor<2x8x6x6xf32> {
  %b = rlx.reshape %v : tensor<8xf32> -> tensor<1x8x1x1xf32>
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @through_an_expand
// CHECK:       %a = rlx.fused_conv_bias_act %x, %w, %v activation(relu) pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<2x8x6x6xf32>
// CHECK-NEXT:  func.return %a
func.func @through_an_expand(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %v: tensor<8xf32>) -> tensor<2x8x6x6xf32> {
  %r = rlx.reshape %v : tensor<8xf32> -> tensor<1x8x1x1xf32>
  %b = rlx.expand %r : tensor<1x8x1x1xf32> -> tensor<2x8x6x6xf32>
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @bias_is_given_along_the_channels
// CHECK:       %[[V:.*]] = rlx.reshape %b : tensor<1x8x1x1xf32> -> tensor<8xf32>
// CHECK-NEXT:  %s = rlx.fused_conv_bias_act %x, %w, %[[V]] pad([1, 1], [1, 1]) :
// CHECK-NEXT:  func.return %s
func.func @bias_is_given_along_the_channels(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @bias_on_the_left_of_lower_rank
// CHECK:       rlx.reshape %b : tensor<8x1x1xf32> -> tensor<8xf32>
// CHECK-NEXT:  rlx.fused_conv_bias_act
func.func @bias_on_the_left_of_lower_rank(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %b, %c : (tensor<8x1x1xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @one_number
// CHECK:       %[[O:.*]] = rlx.reshape %b : tensor<f32> -> tensor<1xf32>
// CHECK-NEXT:  %[[V:.*]] = rlx.expand %[[O]] : tensor<1xf32> -> tensor<8xf32>
// CHECK-NEXT:  rlx.fused_conv_bias_act %x, %w, %[[V]]
func.func @one_number(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<f32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<f32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @one_element
// CHECK:       %[[V:.*]] = rlx.expand %b : tensor<1xf32> -> tensor<8xf32>
// CHECK-NEXT:  rlx.fused_conv_bias_act %x, %w, %[[V]]
func.func @one_element(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @one_channel
// CHECK:       rlx.fused_conv_bias_act %x, %w, %b
func.func @one_channel(%x: tensor<2x3x6x6xf32>, %w: tensor<1x3x3x3xf32>, %b: tensor<1xf32>) -> tensor<2x1x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<1x3x3x3xf32>) -> tensor<2x1x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x1x6x6xf32>, tensor<1xf32>) -> tensor<2x1x6x6xf32>
  func.return %s : tensor<2x1x6x6xf32>
}

// CHECK-LABEL: @gelu
// CHECK:       rlx.fused_conv_bias_act {{.*}} activation(gelu)
func.func @gelu(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation gelu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @gelu_approx
// CHECK:       rlx.fused_conv_bias_act {{.*}} activation(gelu_approx)
func.func @gelu_approx(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation gelu_approx %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @silu
// CHECK:       rlx.fused_conv_bias_act {{.*}} activation(silu)
func.func @silu(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation silu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @sigmoid
// CHECK:       rlx.fused_conv_bias_act {{.*}} activation(sigmoid)
func.func @sigmoid(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation sigmoid %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @tanh
// CHECK:       rlx.fused_conv_bias_act {{.*}} activation(tanh)
func.func @tanh(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation tanh %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// MISS: RLX-F023 epilogue
// CHECK-LABEL: @other_activations_stay_outside
// CHECK:       %s = rlx.fused_conv_bias_act %x, %w, %{{.*}} pad([1, 1], [1, 1]) :
// CHECK-NEXT:  %a = rlx.activation exp %s
func.func @other_activations_stay_outside(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation exp %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @sum_is_read_twice
// CHECK:       %s = rlx.fused_conv_bias_act
// CHECK-NEXT:  %a = rlx.activation relu %s
func.func @sum_is_read_twice(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s : tensor<2x8x6x6xf32>
  func.return %s, %a : tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @kernel_of_one
// CHECK:       rlx.fused_conv_bias_act %x, %w, %{{.*}} activation(relu) :
func.func @kernel_of_one(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w : (tensor<2x3x6x6xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @groups_strides_and_types
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.fused_conv_bias_act %x, %w, %{{.*}} stride [2, 2] pad([0, 1], [1, 1]) dilation [2, 1] groups(8) accumulate(f64) :
func.func @groups_strides_and_types(%x: tensor<2x8x6x6xf32>, %w: tensor<8x1x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x2x3xf32> {
  %c = rlx.conv %x, %w stride [2, 2] pad([0, 1], [1, 1]) dilation [2, 1] groups(8) accumulate(f64) : (tensor<2x8x6x6xf32>, tensor<8x1x3x3xf32>) -> tensor<2x8x2x3xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x2x3xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x2x3xf32>
  func.return %s : tensor<2x8x2x3xf32>
}

// CHECK-LABEL: @one_spatial_dim
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.fused_conv_bias_act
func.func @one_spatial_dim(%x: tensor<2x3x9xf32>, %w: tensor<8x3x3xf32>, %b: tensor<8x1xf32>) -> tensor<2x8x9xf32> {
  %c = rlx.conv %x, %w pad([1], [1]) : (tensor<2x3x9xf32>, tensor<8x3x3xf32>) -> tensor<2x8x9xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x9xf32>, tensor<8x1xf32>) -> tensor<2x8x9xf32>
  func.return %s : tensor<2x8x9xf32>
}

// CHECK-LABEL: @channels_last
// CHECK:       %s = rlx.fused_conv_bias_act %x, %w, %b pad([1, 1], [1, 1]) layout(channels_last)
func.func @channels_last(%x: tensor<2x6x6x3xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<2x6x6x8xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) layout(channels_last) : (tensor<2x6x6x3xf32>, tensor<8x3x3x3xf32>) -> tensor<2x6x6x8xf32>
  %s = rlx.binary add %c, %b : (tensor<2x6x6x8xf32>, tensor<8xf32>) -> tensor<2x6x6x8xf32>
  func.return %s : tensor<2x6x6x8xf32>
}

// CHECK-LABEL: @dynamic_batch
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.fused_conv_bias_act
func.func @dynamic_batch(%x: tensor<?x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<?x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<?x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<?x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<?x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<?x8x6x6xf32>
  func.return %s : tensor<?x8x6x6xf32>
}

// A vector fits as it is, however many channels there are.
// CHECK-LABEL: @unknown_channels
// CHECK:       %s = rlx.fused_conv_bias_act %x, %w, %b
func.func @unknown_channels(%x: tensor<2x6x6x3xf32>, %w: tensor<?x3x3x3xf32>, %b: tensor<?xf32>) -> tensor<2x6x6x?xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) layout(channels_last) : (tensor<2x6x6x3xf32>, tensor<?x3x3x3xf32>) -> tensor<2x6x6x?xf32>
  %s = rlx.binary add %c, %b : (tensor<2x6x6x?xf32>, tensor<?xf32>) -> tensor<2x6x6x?xf32>
  func.return %s : tensor<2x6x6x?xf32>
}

// CHECK-LABEL: @half_precision
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.fused_conv_bias_act
func.func @half_precision(%x: tensor<2x3x6x6xf16>, %w: tensor<8x3x3x3xf16>, %b: tensor<1x8x1x1xf16>) -> tensor<2x8x6x6xf16> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf16>, tensor<8x3x3x3xf16>) -> tensor<2x8x6x6xf16>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf16>, tensor<1x8x1x1xf16>) -> tensor<2x8x6x6xf16>
  func.return %s : tensor<2x8x6x6xf16>
}

// CHECK-LABEL: @residual
// CHECK:       rlx.reshape
// CHECK-NEXT:  %a = rlx.fused_conv_bias_act %x, %w, %{{.*}} residual(%r) activation(relu) pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
// CHECK-NEXT:  func.return %a
func.func @residual(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>, %r: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %t = rlx.binary add %s, %r : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %t : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @residual_without_activation
// CHECK:       rlx.reshape
// CHECK-NEXT:  %t = rlx.fused_conv_bias_act %x, %w, %{{.*}} residual(%r) pad
// CHECK-NEXT:  func.return %t
func.func @residual_without_activation(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>, %r: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %t = rlx.binary add %r, %s : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  func.return %t : tensor<2x8x6x6xf32>
}

// The residual stays outside then.
// CHECK-LABEL: @biased_value_is_read_twice
// CHECK:       rlx.reshape
// CHECK-NEXT:  %s = rlx.fused_conv_bias_act %x, %w, %{{.*}} pad
// CHECK-NEXT:  %t = rlx.binary add %s, %r
func.func @biased_value_is_read_twice(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>, %r: tensor<2x8x6x6xf32>) -> (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %t = rlx.binary add %s, %r : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s, %t : tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>
}

// CHECK-LABEL: @second_bias_is_no_residual
// CHECK:       rlx.reshape
// CHECK-NEXT:  %s = rlx.fused_conv_bias_act %x, %w, %{{.*}} pad
// CHECK-NEXT:  %t = rlx.binary add %s, %r
// CHECK-NEXT:  %a = rlx.activation relu %t
func.func @second_bias_is_no_residual(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>, %r: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %t = rlx.binary add %s, %r : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %t : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// The first convolution takes the sum; the other chain is its residual.
// CHECK-LABEL: @two_chains_that_meet
// CHECK:       rlx.reshape
// CHECK-NEXT:  %e = rlx.fused_conv_bias_act %x, %v, %{{.*}} pad
// CHECK-NEXT:  rlx.reshape
// CHECK-NEXT:  %a = rlx.fused_conv_bias_act %x, %w, %{{.*}} residual(%e) activation(relu)
// CHECK-NEXT:  func.return %a
func.func @two_chains_that_meet(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>, %v: tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %d = rlx.conv %x, %v pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %e = rlx.binary add %d, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %t = rlx.binary add %s, %e : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %t : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// The first convolution takes the sum; the other chain is its residual.
// CHECK-LABEL: @two_chains_that_meet_the_other_way_round
// CHECK:       rlx.reshape
// CHECK-NEXT:  %e = rlx.fused_conv_bias_act %x, %v, %{{.*}} pad
// CHECK-NEXT:  rlx.reshape
// CHECK-NEXT:  %a = rlx.fused_conv_bias_act %x, %w, %{{.*}} residual(%e) activation(relu)
// CHECK-NEXT:  func.return %a
func.func @two_chains_that_meet_the_other_way_round(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>, %v: tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %d = rlx.conv %x, %v pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %e = rlx.binary add %d, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %t = rlx.binary add %e, %s : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %t : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off_tail
// CHECK:       rlx.reshape
// CHECK-NEXT:  %s = rlx.fused_conv_bias_act
// CHECK-NEXT:  %a = rlx.activation relu %s
func.func @fenced_off_tail(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s {rlx.no_fuse} : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// A kernel for each channel.
// CHECK-LABEL: @f27_depthwise
// CHECK:       %[[A:.*]] = rlx.fused_conv_bias_act %x, %w, %{{.*}} activation(gelu) pad([1, 1], [1, 1]) groups(4) : (tensor<2x4x6x6xf16>, tensor<4x1x3x3xf16>, tensor<4xf16>) -> tensor<2x4x6x6xf16>
// CHECK-NEXT:  func.return %[[A]]
func.func @f27_depthwise(%x: tensor<2x4x6x6xf16>, %w: tensor<4x1x3x3xf16>, %b: tensor<1x4x1x1xf16>) -> tensor<2x4x6x6xf16> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) groups(4) : (tensor<2x4x6x6xf16>, tensor<4x1x3x3xf16>) -> tensor<2x4x6x6xf16>
  %s = rlx.binary add %c, %b : (tensor<2x4x6x6xf16>, tensor<1x4x1x1xf16>) -> tensor<2x4x6x6xf16>
  %a = rlx.activation gelu %s : tensor<2x4x6x6xf16>
  func.return %a : tensor<2x4x6x6xf16>
}

// CHECK-LABEL: @f27_activation_alone
// CHECK-NEXT:  %a = rlx.fused_conv_bias_act %x, %w activation(silu) stride [2] : (tensor<2x3x6xf32>, tensor<8x3x3xf32>) -> tensor<2x8x2xf32>
// CHECK-NEXT:  func.return %a
func.func @f27_activation_alone(%x: tensor<2x3x6xf32>, %w: tensor<8x3x3xf32>) -> tensor<2x8x2xf32> {
  %c = rlx.conv %x, %w stride [2] : (tensor<2x3x6xf32>, tensor<8x3x3xf32>) -> tensor<2x8x2xf32>
  %a = rlx.activation silu %c : tensor<2x8x2xf32>
  func.return %a : tensor<2x8x2xf32>
}

// CHECK-LABEL: @f27_depthwise_without_bias
// CHECK-NEXT:  %a = rlx.fused_conv_bias_act %x, %w activation(gelu) groups(4) : (tensor<?x4x6x6xbf16>, tensor<4x1x3x3xbf16>) -> tensor<?x4x4x4xbf16>
// CHECK-NEXT:  func.return %a
func.func @f27_depthwise_without_bias(%x: tensor<?x4x6x6xbf16>, %w: tensor<4x1x3x3xbf16>) -> tensor<?x4x4x4xbf16> {
  %c = rlx.conv %x, %w groups(4) : (tensor<?x4x6x6xbf16>, tensor<4x1x3x3xbf16>) -> tensor<?x4x4x4xbf16>
  %a = rlx.activation gelu %c : tensor<?x4x4x4xbf16>
  func.return %a : tensor<?x4x4x4xbf16>
}
