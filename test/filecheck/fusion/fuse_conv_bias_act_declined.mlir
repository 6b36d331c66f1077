// RUN: rlx-opt --rlx-fuse-conv-bias-act %s | filecheck %s

// What must not fuse, one function per guard.

// MISS: RLX-F034 not-along-channels
// CHECK-LABEL: @bias_along_the_last_axis
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @bias_along_the_last_axis(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %v: tensor<6xf32>) -> tensor<2x8x6x6xf32> {
  %b = rlx.reshape %v : tensor<6xf32> -> tensor<1x1x1x6xf32>
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x1x1x6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F034 not-along-channels
// CHECK-LABEL: @row
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @row(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F034 not-along-channels
// CHECK-LABEL: @bias_of_the_batch
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @bias_of_the_batch(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<2x1x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<2x1x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F034 not-along-channels
// CHECK-LABEL: @full_addend
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @full_addend(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F013 broadcasts-up
// CHECK-LABEL: @bias_stretches
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @bias_stretches(%x: tensor<1x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<4x8x6x6xf32>) -> tensor<4x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<1x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<1x8x6x6xf32>, tensor<4x8x6x6xf32>) -> tensor<4x8x6x6xf32>
  func.return %s : tensor<4x8x6x6xf32>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @double_precision(%x: tensor<2x3x6x6xf64>, %w: tensor<8x3x3x3xf64>, %b: tensor<1x8x1x1xf64>) -> tensor<2x8x6x6xf64> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf64>, tensor<8x3x3x3xf64>) -> tensor<2x8x6x6xf64>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf64>, tensor<1x8x1x1xf64>) -> tensor<2x8x6x6xf64>
  func.return %s : tensor<2x8x6x6xf64>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @conv_is_returned
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @conv_is_returned(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %c, %s : tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @conv_is_read_twice
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @conv_is_read_twice(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %e = rlx.activation exp %c : tensor<2x8x6x6xf32>
  func.return %e, %s : tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @added_to_itself
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @added_to_itself(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %c : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @no_bias
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @no_bias(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.clamp %c low(0.0) high(6.0) : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @difference
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @difference(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary sub %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @number_of_channels_is_unknown
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @number_of_channels_is_unknown(%x: tensor<2x3x6x6xf32>, %w: tensor<?x3x3x3xf32>, %b: tensor<f32>) -> tensor<2x?x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<?x3x3x3xf32>) -> tensor<2x?x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x?x6x6xf32>, tensor<f32>) -> tensor<2x?x6x6xf32>
  func.return %s : tensor<2x?x6x6xf32>
}

// MISS: RLX-F004 other-block
// CHECK-LABEL: @bias_in_a_region
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @bias_in_a_region(%p: i1, %x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>, %z: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %i = scf.if %p -> (tensor<2x8x6x6xf32>) {
    %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
    scf.yield %s : tensor<2x8x6x6xf32>
  } else {
    scf.yield %z : tensor<2x8x6x6xf32>
  }
  func.return %i : tensor<2x8x6x6xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @fenced_off(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) {rlx.no_fuse} : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// MISS: RLX-F023 epilogue
// CHECK-LABEL: @no_bias_and_another_activation
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @no_bias_and_another_activation(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation exp %c : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @activated_and_returned
// CHECK-NOT:   rlx.fused_conv_bias_act
func.func @activated_and_returned(%x: tensor<2x3x6xf32>, %w: tensor<8x3x3xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x4xf32>) {
  %c = rlx.conv %x, %w : (tensor<2x3x6xf32>, tensor<8x3x3xf32>) -> tensor<2x8x4xf32>
  %a = rlx.activation relu %c : tensor<2x8x4xf32>
  func.return %a, %c : tensor<2x8x4xf32>, tensor<2x8x4xf32>
}
