// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @conv
// CHECK:       %0 = rlx.conv %x, %w : (tensor<?x4x?x16xf32>, tensor<6x4x3x3xf32>) -> tensor<?x6x?x14xf32>
// CHECK-NEXT:  %1 = rlx.conv %x, %v stride [2, 1] pad([1, 0], [1, 2]) dilation [1, 2] groups(2) : (tensor<?x4x?x16xf32>, tensor<6x2x3x3xf32>) -> tensor<?x6x?x14xf32>
// GENERIC:     "rlx.conv"(%x, %w) <{stride = array<i64>, pad_low = array<i64>, pad_high = array<i64>, dilation = array<i64>, input_dilation = array<i64>, groups = 1 : i64, layout = "channels_first"}>
// GENERIC-NEXT: "rlx.conv"(%x, %v) <{stride = array<i64: 2, 1>, pad_low = array<i64: 1, 0>, pad_high = array<i64: 1, 2>, dilation = array<i64: 1, 2>, groups = 2 : i64
func.func @conv(%x: tensor<?x4x?x16xf32>, %w: tensor<6x4x3x3xf32>, %v: tensor<6x2x3x3xf32>) -> (tensor<?x6x?x14xf32>, tensor<?x6x?x14xf32>) {
  %0 = rlx.conv %x, %w : (tensor<?x4x?x16xf32>, tensor<6x4x3x3xf32>) -> tensor<?x6x?x14xf32>
  %1 = rlx.conv %x, %v stride [2, 1] pad([1, 0], [1, 2]) dilation [1, 2] groups(2) : (tensor<?x4x?x16xf32>, tensor<6x2x3x3xf32>) -> tensor<?x6x?x14xf32>
  func.return %0, %1 : tensor<?x6x?x14xf32>, tensor<?x6x?x14xf32>
}

// One and three spatial dims; pads that cut; gaps in the input.
// CHECK-LABEL: @other_ranks
// CHECK:       %0 = rlx.conv %x, %w stride [2] pad([-1], [3]) input_dilation [3] : (tensor<2x4x5xf16>, tensor<6x4x2xf16>) -> tensor<2x6x7xf16>
// CHECK-NEXT:  %1 = rlx.conv %y, %v layout(channels_last) accumulate(f64) : (tensor<2x5x6x7x3xbf16>, tensor<1x3x2x2x2xbf16>) -> tensor<2x4x5x6x1xbf16>
func.func @other_ranks(%x: tensor<2x4x5xf16>, %w: tensor<6x4x2xf16>, %y: tensor<2x5x6x7x3xbf16>, %v: tensor<1x3x2x2x2xbf16>) -> tensor<2x6x7xf16> {
  %0 = rlx.conv %x, %w stride [2] pad([-1], [3]) input_dilation [3] : (tensor<2x4x5xf16>, tensor<6x4x2xf16>) -> tensor<2x6x7xf16>
  %1 = rlx.conv %y, %v layout(channels_last) accumulate(f64) : (tensor<2x5x6x7x3xbf16>, tensor<1x3x2x2x2xbf16>) -> tensor<2x4x5x6x1xbf16>
  func.return %0 : tensor<2x6x7xf16>
}

// A window that is larger than what it slides over; nothing to slide over; sizes that the operands do not know.
// CHECK-LABEL: @edges
// CHECK:       %0 = rlx.conv %x, %w : (tensor<1x2x3xf32>, tensor<2x2x5xf32>) -> tensor<1x2x0xf32>
// CHECK-NEXT:  %1 = rlx.conv %y, %w pad([3], [3]) : (tensor<0x2x0xf32>, tensor<2x2x5xf32>) -> tensor<0x2x2xf32>
// CHECK-NEXT:  %2 = rlx.conv %z, %v groups(3) : (tensor<?x?x?xf32>, tensor<?x?x5xf32>) -> tensor<?x?x?xf32>
func.func @edges(%x: tensor<1x2x3xf32>, %y: tensor<0x2x0xf32>, %z: tensor<?x?x?xf32>, %w: tensor<2x2x5xf32>, %v: tensor<?x?x5xf32>) -> tensor<1x2x0xf32> {
  %0 = rlx.conv %x, %w : (tensor<1x2x3xf32>, tensor<2x2x5xf32>) -> tensor<1x2x0xf32>
  %1 = rlx.conv %y, %w pad([3], [3]) : (tensor<0x2x0xf32>, tensor<2x2x5xf32>) -> tensor<0x2x2xf32>
  %2 = rlx.conv %z, %v groups(3) : (tensor<?x?x?xf32>, tensor<?x?x5xf32>) -> tensor<?x?x?xf32>
  func.return %0 : tensor<1x2x0xf32>
}

// CHECK-LABEL: @fused
// CHECK:       %0 = rlx.fused_conv_bias_act %x, %w, %b pad([1, 1], [1, 1]) : (tensor<?x4x?x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<?x6x?x8xf32>
// CHECK-NEXT:  %1 = rlx.fused_conv_bias_act %x, %w, %b residual(%0) activation(relu) pad([1, 1], [1, 1]) accumulate(f64) : (tensor<?x4x?x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>, tensor<?x6x?x8xf32>) -> tensor<?x6x?x8xf32>
// CHECK-NEXT:  %2 = rlx.fused_conv_bias_act %y, %w, %b activation(silu) stride [2, 2] layout(channels_last) : (tensor<?x7x9x4xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<?x3x4x6xf32>
// GENERIC:     "rlx.fused_conv_bias_act"(%x, %w, %b, %0) <{activation = "relu"
func.func @fused(%x: tensor<?x4x?x8xf32>, %y: tensor<?x7x9x4xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>) -> tensor<?x6x?x8xf32> {
  %0 = rlx.fused_conv_bias_act %x, %w, %b pad([1, 1], [1, 1]) : (tensor<?x4x?x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<?x6x?x8xf32>
  %1 = rlx.fused_conv_bias_act %x, %w, %b residual(%0) activation(relu) pad([1, 1], [1, 1]) accumulate(f64) : (tensor<?x4x?x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>, tensor<?x6x?x8xf32>) -> tensor<?x6x?x8xf32>
  %2 = rlx.fused_conv_bias_act %y, %w, %b activation(silu) stride [2, 2] layout(channels_last) : (tensor<?x7x9x4xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<?x3x4x6xf32>
  func.return %1 : tensor<?x6x?x8xf32>
}

// CHECK-LABEL: @fused_without_bias
// CHECK:       %0 = rlx.fused_conv_bias_act %x, %w activation(silu) : (tensor<2x4x8xf32>, tensor<6x4x3xf32>) -> tensor<2x6x6xf32>
// CHECK-NEXT:  %1 = rlx.fused_conv_bias_act %x, %w residual(%0) : (tensor<2x4x8xf32>, tensor<6x4x3xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
// GENERIC:     "rlx.fused_conv_bias_act"(%x, %w, %0) <{{{.*}}operandSegmentSizes = array<i32: 1, 1, 0, 1>
func.func @fused_without_bias(%x: tensor<2x4x8xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x6xf32> {
  %0 = rlx.fused_conv_bias_act %x, %w activation(silu) : (tensor<2x4x8xf32>, tensor<6x4x3xf32>) -> tensor<2x6x6xf32>
  %1 = rlx.fused_conv_bias_act %x, %w residual(%0) : (tensor<2x4x8xf32>, tensor<6x4x3xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  func.return %1 : tensor<2x6x6xf32>
}

// CHECK-LABEL: @transposed
// CHECK:       %0 = rlx.conv_transpose %x, %w stride [2, 1] pad([1, 0], [0, 1]) : (tensor<?x4x?x6xf32>, tensor<4x3x3x3xf32>) -> tensor<?x3x?x7xf32>
// CHECK-NEXT:  %1 = rlx.conv_transpose %y, %v output_pad [1] stride [3] dilation [2] groups(2) layout(channels_last) accumulate(f64) : (tensor<2x5x4xf16>, tensor<4x3x2xf16>) -> tensor<2x16x6xf16>
// CHECK-NEXT:  %2 = rlx.conv_transpose %z, %v pad([0], [-2]) : (tensor<1x4x0xf16>, tensor<4x3x2xf16>) -> tensor<1x3x3xf16>
// GENERIC:     "rlx.conv_transpose"(%x, %w) <{stride = array<i64: 2, 1>, pad_low = array<i64: 1, 0>, pad_high = array<i64: 0, 1>, output_pad = array<i64>
func.func @transposed(%x: tensor<?x4x?x6xf32>, %w: tensor<4x3x3x3xf32>, %y: tensor<2x5x4xf16>, %v: tensor<4x3x2xf16>, %z: tensor<1x4x0xf16>) -> tensor<?x3x?x7xf32> {
  %0 = rlx.conv_transpose %x, %w stride [2, 1] pad([1, 0], [0, 1]) : (tensor<?x4x?x6xf32>, tensor<4x3x3x3xf32>) -> tensor<?x3x?x7xf32>
  %1 = rlx.conv_transpose %y, %v output_pad [1] stride [3] dilation [2] groups(2) layout(channels_last) accumulate(f64) : (tensor<2x5x4xf16>, tensor<4x3x2xf16>) -> tensor<2x16x6xf16>
  %2 = rlx.conv_transpose %z, %v pad([0], [-2]) : (tensor<1x4x0xf16>, tensor<4x3x2xf16>) -> tensor<1x3x3xf16>
  func.return %0 : tensor<?x3x?x7xf32>
}

// CHECK-LABEL: @gradients
// CHECK:       %0 = rlx.conv_backward_input %g, %w size [8, 6] stride [2, 1] pad([1, 0], [1, 2]) : (tensor<?x6x4x6xf32>, tensor<6x4x3x3xf32>) -> tensor<?x4x8x6xf32>
// CHECK-NEXT:  %1 = rlx.conv_backward_weight %0, %g kernel [3, 3] stride [2, 1] pad([1, 0], [1, 2]) : (tensor<?x4x8x6xf32>, tensor<?x6x4x6xf32>) -> tensor<6x4x3x3xf32>
// CHECK-NEXT:  %2 = rlx.conv_backward_input %h, %v size [7] groups(2) layout(channels_last) accumulate(f64) : (tensor<2x6x4xf16>, tensor<4x3x2xf16>) -> tensor<2x7x6xf16>
// CHECK-NEXT:  %3 = rlx.conv_backward_weight %2, %h kernel [2] groups(2) layout(channels_last) : (tensor<2x7x6xf16>, tensor<2x6x4xf16>) -> tensor<4x3x2xf16>
// GENERIC:     "rlx.conv_backward_input"(%g, %w) <{size = array<i64: 8, 6>
// GENERIC-NEXT: "rlx.conv_backward_weight"(%0, %g) <{kernel_size = array<i64: 3, 3>
func.func @gradients(%g: tensor<?x6x4x6xf32>, %w: tensor<6x4x3x3xf32>, %h: tensor<2x6x4xf16>, %v: tensor<4x3x2xf16>) -> tensor<6x4x3x3xf32> {
  %0 = rlx.conv_backward_input %g, %w size [8, 6] stride [2, 1] pad([1, 0], [1, 2]) : (tensor<?x6x4x6xf32>, tensor<6x4x3x3xf32>) -> tensor<?x4x8x6xf32>
  %1 = rlx.conv_backward_weight %0, %g kernel [3, 3] stride [2, 1] pad([1, 0], [1, 2]) : (tensor<?x4x8x6xf32>, tensor<?x6x4x6xf32>) -> tensor<6x4x3x3xf32>
  %2 = rlx.conv_backward_input %h, %v size [7] groups(2) layout(channels_last) accumulate(f64) : (tensor<2x6x4xf16>, tensor<4x3x2xf16>) -> tensor<2x7x6xf16>
  %3 = rlx.conv_backward_weight %2, %h kernel [2] groups(2) layout(channels_last) : (tensor<2x7x6xf16>, tensor<2x6x4xf16>) -> tensor<4x3x2xf16>
  func.return %1 : tensor<6x4x3x3xf32>
}

// CHECK-LABEL: @partitioned
// CHECK:       %0 = rlx.partitioned_conv %x, %f block(64) : (tensor<?x100xf32>, tensor<7xf32>) -> tensor<?x106xf32>
// CHECK-NEXT:  %1 = rlx.partitioned_conv %y, %g block(1) : (tensor<2x3x?xbf16>, tensor<1xbf16>) -> tensor<2x3x?xbf16>
// CHECK-NEXT:  %2 = rlx.partitioned_conv %z, %f block(8) : (tensor<0xf32>, tensor<7xf32>) -> tensor<6xf32>
// GENERIC:     "rlx.partitioned_conv"(%x, %f) <{block = 64 : i64}>
func.func @partitioned(%x: tensor<?x100xf32>, %y: tensor<2x3x?xbf16>, %z: tensor<0xf32>, %f: tensor<7xf32>, %g: tensor<1xbf16>) -> tensor<?x106xf32> {
  %0 = rlx.partitioned_conv %x, %f block(64) : (tensor<?x100xf32>, tensor<7xf32>) -> tensor<?x106xf32>
  %1 = rlx.partitioned_conv %y, %g block(1) : (tensor<2x3x?xbf16>, tensor<1xbf16>) -> tensor<2x3x?xbf16>
  %2 = rlx.partitioned_conv %z, %f block(8) : (tensor<0xf32>, tensor<7xf32>) -> tensor<6xf32>
  func.return %0 : tensor<?x106xf32>
}

// CHECK-LABEL: @known_sizes
// CHECK:       %0 = rlx.conv %x, %w stride [2, 1] pad([1, 0], [2, 1]) dilation [1, 2] : (tensor<2x4x7x6xf32>, tensor<6x4x3x2xf32>) -> tensor<2x6x4x5xf32>
// CHECK-NEXT:  %1 = rlx.conv %x, %v stride [1, 2] pad([1, 0], [0, 1]) groups(2) : (tensor<2x4x7x6xf32>, tensor<6x2x3x3xf32>) -> tensor<2x6x6x3xf32>
// CHECK-NEXT:  %2 = rlx.conv %y, %k stride [2, 2] layout(channels_last) : (tensor<2x5x6x3xf32>, tensor<4x3x2x2xf32>) -> tensor<2x2x3x4xf32>
// CHECK-NEXT:  %3 = rlx.conv %z, %u pad([1, 1, 1], [1, 1, 1]) input_dilation [2, 1, 1] : (tensor<1x2x3x4x3xf32>, tensor<2x2x2x3x2xf32>) -> tensor<1x2x6x4x4xf32>
// CHECK-NEXT:  %4 = rlx.conv %x, %w pad([-1, 1], [2, -2]) : (tensor<2x4x7x6xf32>, tensor<6x4x3x2xf32>) -> tensor<2x6x6x4xf32>
// CHECK-NEXT:  %5 = rlx.conv_transpose %x, %t output_pad [1, 1] stride [2, 2] pad([1, 1], [1, 1]) : (tensor<2x4x7x6xf32>, tensor<4x3x3x2xf32>) -> tensor<2x3x14x11xf32>
// CHECK-NEXT:  %6 = rlx.conv_transpose %x, %s stride [1, 3] dilation [2, 2] groups(2) : (tensor<2x4x7x6xf32>, tensor<4x3x2x2xf32>) -> tensor<2x6x9x18xf32>
// CHECK-NEXT:  %7 = rlx.conv_backward_input %0, %w size [7, 6] stride [2, 1] pad([1, 0], [2, 1]) dilation [1, 2] : (tensor<2x6x4x5xf32>, tensor<6x4x3x2xf32>) -> tensor<2x4x7x6xf32>
// CHECK-NEXT:  %8 = rlx.conv_backward_weight %x, %0 kernel [3, 2] stride [2, 1] pad([1, 0], [2, 1]) dilation [1, 2] : (tensor<2x4x7x6xf32>, tensor<2x6x4x5xf32>) -> tensor<6x4x3x2xf32>
// CHECK-NEXT:  %9 = rlx.conv_backward_input %1, %v size [7, 6] stride [1, 2] pad([1, 0], [0, 1]) groups(2) : (tensor<2x6x6x3xf32>, tensor<6x2x3x3xf32>) -> tensor<2x4x7x6xf32>
// CHECK-NEXT:  %10 = rlx.conv_backward_weight %x, %1 kernel [3, 3] stride [1, 2] pad([1, 0], [0, 1]) groups(2) : (tensor<2x4x7x6xf32>, tensor<2x6x6x3xf32>) -> tensor<6x2x3x3xf32>
func.func @known_sizes(%x: tensor<2x4x7x6xf32>, %w: tensor<6x4x3x2xf32>, %v: tensor<6x2x3x3xf32>, %y: tensor<2x5x6x3xf32>, %k: tensor<4x3x2x2xf32>, %z: tensor<1x2x3x4x3xf32>, %u: tensor<2x2x2x3x2xf32>, %t: tensor<4x3x3x2xf32>, %s: tensor<4x3x2x2xf32>) -> (tensor<2x6x4x5xf32>, tensor<2x6x6x3xf32>, tensor<2x2x3x4xf32>, tensor<1x2x6x4x4xf32>, tensor<2x6x6x4xf32>, tensor<2x3x14x11xf32>, tensor<2x6x9x18xf32>, tensor<2x4x7x6xf32>, tensor<6x4x3x2xf32>, tensor<2x4x7x6xf32>, tensor<6x2x3x3xf32>) {
  %0 = rlx.conv %x, %w stride [2, 1] pad([1, 0], [2, 1]) dilation [1, 2] : (tensor<2x4x7x6xf32>, tensor<6x4x3x2xf32>) -> tensor<2x6x4x5xf32>
  %1 = rlx.conv %x, %v stride [1, 2] pad([1, 0], [0, 1]) groups(2) : (tensor<2x4x7x6xf32>, tensor<6x2x3x3xf32>) -> tensor<2x6x6x3xf32>
  %2 = rlx.conv %y, %k stride [2, 2] layout(channels_last) : (tensor<2x5x6x3xf32>, tensor<4x3x2x2xf32>) -> tensor<2x2x3x4xf32>
  %3 = rlx.conv %z, %u pad([1, 1, 1], [1, 1, 1]) input_dilation [2, 1, 1] : (tensor<1x2x3x4x3xf32>, tensor<2x2x2x3x2xf32>) -> tensor<1x2x6x4x4xf32>
  %4 = rlx.conv %x, %w pad([-1, 1], [2, -2]) : (tensor<2x4x7x6xf32>, tensor<6x4x3x2xf32>) -> tensor<2x6x6x4xf32>
  %5 = rlx.conv_transpose %x, %t output_pad [1, 1] stride [2, 2] pad([1, 1], [1, 1]) : (tensor<2x4x7x6xf32>, tensor<4x3x3x2xf32>) -> tensor<2x3x14x11xf32>
  %6 = rlx.conv_transpose %x, %s stride [1, 3] dilation [2, 2] groups(2) : (tensor<2x4x7x6xf32>, tensor<4x3x2x2xf32>) -> tensor<2x6x9x18xf32>
  %7 = rlx.conv_backward_input %0, %w size [7, 6] stride [2, 1] pad([1, 0], [2, 1]) dilation [1, 2] : (tensor<2x6x4x5xf32>, tensor<6x4x3x2xf32>) -> tensor<2x4x7x6xf32>
  %8 = rlx.conv_backward_weight %x, %0 kernel [3, 2] stride [2, 1] pad([1, 0], [2, 1]) dilation [1, 2] : (tensor<2x4x7x6xf32>, tensor<2x6x4x5xf32>) -> tensor<6x4x3x2xf32>
  %9 = rlx.conv_backward_input %1, %v size [7, 6] stride [1, 2] pad([1, 0], [0, 1]) groups(2) : (tensor<2x6x6x3xf32>, tensor<6x2x3x3xf32>) -> tensor<2x4x7x6xf32>
  %10 = rlx.conv_backward_weight %x, %1 kernel [3, 3] stride [1, 2] pad([1, 0], [0, 1]) groups(2) : (tensor<2x4x7x6xf32>, tensor<2x6x6x3xf32>) -> tensor<6x2x3x3xf32>
  func.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<2x6x4x5xf32>, tensor<2x6x6x3xf32>, tensor<2x2x3x4xf32>, tensor<1x2x6x4x4xf32>, tensor<2x6x6x4xf32>, tensor<2x3x14x11xf32>, tensor<2x6x9x18xf32>, tensor<2x4x7x6xf32>, tensor<6x4x3x2xf32>, tensor<2x4x7x6xf32>, tensor<6x2x3x3xf32>
}
