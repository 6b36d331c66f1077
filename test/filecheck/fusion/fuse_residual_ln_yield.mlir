// RUN: rlx-opt --rlx-fuse-residual-ln=yield-to=ada_layer_norm,gated_residual %s | filecheck %s --check-prefixes=ALL,YIELD
// RUN: rlx-opt --rlx-fuse-residual-ln %s | filecheck %s --check-prefixes=ALL,ALONE

// What a later pass makes more of.

// MISS: RLX-F018 later-fusion
// ALL-LABEL: @one_plus_scale
// YIELD-NOT: rlx.fused_residual_ln
// ALONE:     rlx.fused_residual_ln
func.func @one_plus_scale(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x8xf32>
  %p = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %p : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F018 later-fusion
// ALL-LABEL: @plus_scaled
// YIELD-NOT: rlx.fused_residual_ln
// ALONE:     rlx.fused_residual_ln
func.func @plus_scaled(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary mul %scale, %n : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %i = rlx.binary add %n, %m : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %shift, %i : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F018 later-fusion
// ALL-LABEL: @gated
// YIELD-NOT: rlx.fused_residual_ln
// ALONE:     rlx.fused_residual_ln
func.func @gated(%x: tensor<2x4x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %p = rlx.binary mul %gate, %q : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F018 later-fusion
// ALL-LABEL: @gated_through_an_expand
// YIELD-NOT: rlx.fused_residual_ln
// ALONE:     rlx.fused_residual_ln
func.func @gated_through_an_expand(%x: tensor<2x4x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %e = rlx.expand %gate : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %p = rlx.binary mul %q, %e : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %p, %x : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// The last adaptive norm of a network: its sum has no other reader, and is left all the same.
// MISS: RLX-F018 later-fusion
// ALL-LABEL: @f29_last_norm
// YIELD-NOT: rlx.fused_residual_ln
// ALONE:     rlx.fused_residual_ln
func.func @f29_last_norm(%x: tensor<2x4x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %p = rlx.binary mul %gate, %q : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x8xf32>
  %k = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %k : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// MISS: RLX-F018 later-fusion
// ALL-LABEL: @f29_last_norm_of_a_plain_sum
// YIELD-NOT: rlx.fused_residual_ln
// ALONE:     rlx.fused_residual_ln
func.func @f29_last_norm_of_a_plain_sum(%x: tensor<2x4x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %q : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x8xf32>
  %k = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %k : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// What it does not: the norm is fused.

// ALL-LABEL: @affine
// ALL:       rlx.fused_residual_ln
func.func @affine(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %g, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x8xf32>
  %p = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %p : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// ALL-LABEL: @shift_is_not_zero
// ALL:       rlx.fused_residual_ln
func.func @shift_is_not_zero(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %one epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x8xf32>
  %p = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %p : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// ALL-LABEL: @zero_with_a_sign
// ALL:       rlx.fused_residual_ln
func.func @zero_with_a_sign(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<-0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x8xf32>
  %p = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %p : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// ALL-LABEL: @not_modulated
// ALL:       rlx.fused_residual_ln
func.func @not_modulated(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %n : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// ALL-LABEL: @two_plus_scale
// ALL:       rlx.fused_residual_ln
func.func @two_plus_scale(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<2.0> : tensor<2x1x8xf32>
  %p = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %p : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// ALL-LABEL: @no_shift
// ALL:       rlx.fused_residual_ln
func.func @no_shift(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x8xf32>
  %p = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %p : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %m : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// ALL-LABEL: @scaled_by_another_product
// ALL:       rlx.fused_residual_ln
func.func @scaled_by_another_product(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.layer_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %m = rlx.binary mul %scale, %n : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %i = rlx.binary add %x, %m : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %shift, %i : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// ALL-LABEL: @gate_is_full
// ALL:       rlx.fused_residual_ln
func.func @gate_is_full(%x: tensor<2x4x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %p = rlx.binary mul %x, %q : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// ALL-LABEL: @product_of_the_other_addend
// ALL:       rlx.fused_residual_ln
func.func @product_of_the_other_addend(%x: tensor<2x4x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %p = rlx.binary mul %gate, %x : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// ALL-LABEL: @product_read_twice
// ALL:       rlx.fused_residual_ln
func.func @product_read_twice(%x: tensor<2x4x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %p = rlx.binary mul %gate, %q : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %p, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// A gated residual needs an x that is not itself a broadcast.
// ALL-LABEL: @broadcast_x
// ALL:       rlx.fused_residual_ln
func.func @broadcast_x(%x: tensor<2x1x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %e = rlx.expand %x : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %p = rlx.binary mul %gate, %q : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %e, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// A sum that only the norm reads needs no tee, so a gated residual gets nothing of it.
// ALL-LABEL: @sum_read_once
// ALL:       rlx.fused_residual_ln
func.func @sum_read_once(%x: tensor<2x4x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %q : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// A sum that something beside an RMS norm reads is left to that norm's adaptive form, so its shift is no residual either.
// MISS: RLX-F018 later-fusion
// ALL-LABEL: @sum_before_an_rms_norm_is_read_twice
// YIELD-NOT: rlx.fused_residual_ln
// ALONE:     rlx.fused_residual_ln
func.func @sum_before_an_rms_norm_is_read_twice(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x4x8xf32>, %g: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.rms_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x8xf32>
  %p = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %p : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %a = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.layer_norm %a, %g, %g epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %y : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}
