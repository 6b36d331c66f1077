// RUN: rlx-opt --rlx-fuse-ada-layer-norm %s | filecheck %s

// What must not fuse, one function per guard.

// MISS: RLX-F025 constant
// CHECK-LABEL: @gain_is_no_constant
// CHECK-NOT:   rlx.ada_layer_norm
func.func @gain_is_no_constant(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %g, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @gain_is_not_all_ones
// CHECK-NOT:   rlx.ada_layer_norm
func.func @gain_is_not_all_ones(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.5]> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @shift_with_a_sign
// CHECK-NOT:   rlx.ada_layer_norm
func.func @shift_with_a_sign(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<-0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @two_plus_scale
// CHECK-NOT:   rlx.ada_layer_norm
func.func @two_plus_scale(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<2.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.ada_layer_norm
func.func @double_precision(%x: tensor<2x4x8xf64>, %scale: tensor<2x1x8xf64>, %shift: tensor<2x1x8xf64>) -> tensor<2x4x8xf64> {
  %ones = arith.constant dense<1.0> : tensor<8xf64>
  %zeros = arith.constant dense<0.0> : tensor<8xf64>
  %one = arith.constant dense<1.0> : tensor<f64>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf64>, tensor<8xf64>, tensor<8xf64>) -> tensor<2x4x8xf64>
  %gain = rlx.binary add %one, %scale : (tensor<f64>, tensor<2x1x8xf64>) -> tensor<2x1x8xf64>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf64>, tensor<2x1x8xf64>) -> tensor<2x4x8xf64>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf64>, tensor<2x1x8xf64>) -> tensor<2x4x8xf64>
  func.return %y : tensor<2x4x8xf64>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @other_axis
// CHECK-NOT:   rlx.ada_layer_norm
func.func @other_axis(%x: tensor<4x4x4xf32>, %scale: tensor<4x1x4xf32>, %shift: tensor<4x1x4xf32>) -> tensor<4x4x4xf32> {
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) axis(1) : (tensor<4x4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4x4xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<4x1x4xf32>) -> tensor<4x1x4xf32>
  %m = rlx.binary mul %n, %gain : (tensor<4x4x4xf32>, tensor<4x1x4xf32>) -> tensor<4x4x4xf32>
  %y = rlx.binary add %m, %shift : (tensor<4x4x4xf32>, tensor<4x1x4xf32>) -> tensor<4x4x4xf32>
  func.return %y : tensor<4x4x4xf32>
}

// MISS: RLX-F024 rank
// CHECK-LABEL: @flattened
// CHECK-NOT:   rlx.ada_layer_norm
func.func @flattened(%x: tensor<2x4x8xf32>, %scale: tensor<8xf32>, %shift: tensor<8xf32>) -> tensor<8x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.rms_norm %x, %ones, %zeros epsilon(1.0e-6) flatten : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  func.return %y : tensor<8x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @norm_is_returned
// CHECK-NOT:   rlx.ada_layer_norm
func.func @norm_is_returned(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %n : tensor<2x4x8xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @norm_is_read_three_times
// CHECK-NOT:   rlx.ada_layer_norm
func.func @norm_is_read_three_times(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %p = rlx.binary mul %n, %scale : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary add %n, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %e = rlx.activation exp %n : tensor<2x4x8xf32>
  func.return %e, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @norm_is_also_returned
// CHECK-NOT:   rlx.ada_layer_norm
func.func @norm_is_also_returned(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %n, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @square
// CHECK-NOT:   rlx.ada_layer_norm
func.func @square(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary mul %n, %n : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @two_products
// CHECK-NOT:   rlx.ada_layer_norm
func.func @two_products(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %p = rlx.binary mul %n, %scale : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary mul %n, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @not_scaled
// CHECK-NOT:   rlx.ada_layer_norm
func.func @not_scaled(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary sub %n, %scale : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @not_shifted
// CHECK-NOT:   rlx.ada_layer_norm
func.func @not_shifted(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary sub %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @scaled_is_returned
// CHECK-NOT:   rlx.ada_layer_norm
func.func @scaled_is_returned(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %m, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @gain_is_read_elsewhere
// CHECK-NOT:   rlx.ada_layer_norm
func.func @gain_is_read_elsewhere(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> (tensor<2x1x8xf32>, tensor<2x4x8xf32>) {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %gain, %y : tensor<2x1x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @expanded_gain_is_read_elsewhere
// CHECK-NOT:   rlx.ada_layer_norm
func.func @expanded_gain_is_read_elsewhere(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %eg = rlx.expand %gain : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %m = rlx.binary mul %n, %eg : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %eg, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @gain_is_no_sum
// CHECK-NOT:   rlx.ada_layer_norm
func.func @gain_is_no_sum(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary mul %n, %scale : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @gain_is_a_difference
// CHECK-NOT:   rlx.ada_layer_norm
func.func @gain_is_a_difference(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary sub %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @scaled_itself_is_read_elsewhere
// CHECK-NOT:   rlx.ada_layer_norm
func.func @scaled_itself_is_read_elsewhere(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %p = rlx.binary mul %n, %scale : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary add %n, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %p, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @scaled_by_another_sum
// CHECK-NOT:   rlx.ada_layer_norm
func.func @scaled_by_another_sum(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %r: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %p = rlx.binary mul %n, %scale : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %q = rlx.binary add %r, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary add %n, %q : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F013 broadcasts-up
// CHECK-LABEL: @shift_stretches
// CHECK-NOT:   rlx.ada_layer_norm
func.func @shift_stretches(%x: tensor<1x4x8xf32>, %scale: tensor<8xf32>, %shift: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<1x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}

// MISS: RLX-F013 broadcasts-up
// CHECK-LABEL: @expanded_shift_stretches
// CHECK-NOT:   rlx.ada_layer_norm
func.func @expanded_shift_stretches(%x: tensor<1x4x8xf32>, %scale: tensor<8xf32>, %shift: tensor<4x8xf32>) -> tensor<3x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %es = rlx.expand %shift : tensor<4x8xf32> -> tensor<3x4x8xf32>
  %y = rlx.binary add %m, %es : (tensor<1x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}

// MISS: RLX-F004 other-block
// CHECK-LABEL: @shift_in_a_region
// CHECK-NOT:   rlx.ada_layer_norm
func.func @shift_in_a_region(%c: i1, %x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %t = scf.if %c -> (tensor<2x4x8xf32>) {
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  scf.yield %y : tensor<2x4x8xf32>
  } else {
  scf.yield %x : tensor<2x4x8xf32>
  }
  func.return %t : tensor<2x4x8xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.ada_layer_norm
func.func @fenced_off(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift {rlx.no_fuse} : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}
