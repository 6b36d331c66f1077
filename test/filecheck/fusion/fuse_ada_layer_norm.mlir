// RUN: rlx-opt --rlx-fuse-ada-layer-norm %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @one_plus_scale
// CHECK:       %y = rlx.ada_layer_norm %x, %scale, %shift epsilon(1.0e-06) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %y
func.func @one_plus_scale(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// CHECK-LABEL: @one_plus_scale_the_other_way_round
// CHECK:       %y = rlx.ada_layer_norm %x, %scale, %shift epsilon(1.0e-06) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
func.func @one_plus_scale_the_other_way_round(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %scale, %one : (tensor<2x1x8xf32>, tensor<f32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %gain, %n : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %shift, %m : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// CHECK-LABEL: @plus_scaled
// CHECK:       %y = rlx.ada_layer_norm %x, %scale, %shift epsilon(1.0e-06) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
func.func @plus_scaled(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %p = rlx.binary mul %n, %scale : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary add %n, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// CHECK-LABEL: @plus_scaled_the_other_way_round
// CHECK:       %y = rlx.ada_layer_norm %x, %scale, %shift epsilon(1.0e-06) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
func.func @plus_scaled_the_other_way_round(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %p = rlx.binary mul %scale, %n : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary add %p, %n : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %shift, %m : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// CHECK-LABEL: @rms
// CHECK:       %y = rlx.ada_layer_norm %x, %scale, %shift norm(rms_norm) epsilon(1.0e-06) accumulate(f64) :
func.func @rms(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.rms_norm %x, %ones, %zeros epsilon(1.0e-6) axis(2) accumulate(f64) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// CHECK-LABEL: @half_precision
// CHECK:       rlx.ada_layer_norm %x, %scale, %shift
func.func @half_precision(%x: tensor<2x4x8xf16>, %scale: tensor<2x1x8xf16>, %shift: tensor<2x1x8xf16>) -> tensor<2x4x8xf16> {
  %ones = arith.constant dense<1.0> : tensor<8xf16>
  %zeros = arith.constant dense<0.0> : tensor<8xf16>
  %one = arith.constant dense<1.0> : tensor<f16>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x4x8xf16>
  %gain = rlx.binary add %one, %scale : (tensor<f16>, tensor<2x1x8xf16>) -> tensor<2x1x8xf16>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf16>, tensor<2x1x8xf16>) -> tensor<2x4x8xf16>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf16>, tensor<2x1x8xf16>) -> tensor<2x4x8xf16>
  func.return %y : tensor<2x4x8xf16>
}

// CHECK-LABEL: @through_expands
// CHECK:       %y = rlx.ada_layer_norm %x, %scale, %shift
// CHECK-NEXT:  func.return %y
func.func @through_expands(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %eg = rlx.expand %gain : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %m = rlx.binary mul %n, %eg : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %es = rlx.expand %shift : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %es : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// CHECK-LABEL: @scale_through_an_expand
// CHECK:       %y = rlx.ada_layer_norm %x, %scale, %shift
// CHECK-NEXT:  func.return %y
func.func @scale_through_an_expand(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %es = rlx.expand %scale : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %es : (tensor<f32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// `[B, D]` would not broadcast to `[B, S, D]`: the reshape is kept as an operand.
// CHECK-LABEL: @reshape_that_inserts_a_one
// CHECK:       rlx.ada_layer_norm %x, %s, %t epsilon(1.0e-06) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
func.func @reshape_that_inserts_a_one(%x: tensor<2x4x8xf32>, %scale: tensor<2x8xf32>, %shift: tensor<2x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.reshape %scale : tensor<2x8xf32> -> tensor<2x1x8xf32>
  %gain = rlx.binary add %one, %s : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %t = rlx.reshape %shift : tensor<2x8xf32> -> tensor<2x1x8xf32>
  %y = rlx.binary add %m, %t : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// CHECK-LABEL: @row
// CHECK:       rlx.ada_layer_norm %x, %scale, %shift epsilon(1.0e-06) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
func.func @row(%x: tensor<2x4x8xf32>, %scale: tensor<8xf32>, %shift: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// CHECK-LABEL: @dynamic
// CHECK:       rlx.ada_layer_norm %x, %scale, %shift epsilon(1.0e-06) : (tensor<2x?x8xf32>, tensor<2x1x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
func.func @dynamic(%x: tensor<2x?x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x?x8xf32>, tensor<2x1x8xf32>) -> tensor<2x?x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  func.return %y : tensor<2x?x8xf32>
}

// Gain and shift of the norm are never absorbed: another norm may read them.
// CHECK-LABEL: @gain_is_read_by_another_norm
// CHECK:       %y = rlx.ada_layer_norm %x, %scale, %shift
// CHECK-NEXT:  %z = rlx.layer_norm %shift, %ones, %zeros
func.func @gain_is_read_by_another_norm(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x1x8xf32>) {
  %o = arith.constant dense<1.0> : tensor<1x8xf32>
  %ones = rlx.reshape %o : tensor<1x8xf32> -> tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %z = rlx.layer_norm %shift, %ones, %zeros epsilon(1.0e-6) : (tensor<2x1x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x1x8xf32>
  func.return %y, %z : tensor<2x4x8xf32>, tensor<2x1x8xf32>
}

// CHECK-LABEL: @expand_is_read_elsewhere
// CHECK:       %es = rlx.expand
// CHECK-NEXT:  %y = rlx.ada_layer_norm %x, %scale, %shift
func.func @expand_is_read_elsewhere(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %es = rlx.expand %shift : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %es : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %y, %es : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}
