// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @residual_broadcasts(%a: tensor<2x4x8xf32>, %b: tensor<1x4x8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_residual_ln: dim 0 of input tensor<2x4x8xf32> and residual tensor<1x4x8xf32> must be equal, got 2 and 1}}
  %0 = rlx.fused_residual_ln %a, %b, %c, %d epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @gain(%a: tensor<2x4x8xf32>, %b: tensor<2x4x8xf32>, %c: tensor<4xf32>, %d: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_residual_ln: the size of gamma and the normalised dim must be equal, got 4 and 8}}
  %0 = rlx.fused_residual_ln %a, %b, %c, %d epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @residual_rank(%a: tensor<2x4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_residual_rms_norm: residual must have rank 3, got tensor<4x8xf32>}}
  %0 = rlx.fused_residual_rms_norm %a, %b, %c, %d epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @rank_0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<8xf32>, %d: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_residual_rms_norm: input must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.fused_residual_rms_norm %a, %b, %c, %d epsilon(1.0e-5) : (tensor<f32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @sum_type(%a: tensor<2x4x8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_residual_rms_norm: result #1 must be tensor<2x4x8xf32>, got tensor<2x4x8xf16>}}
  %0, %1 = rlx.fused_residual_rms_norm %a, %a, %b, %b epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf16>)
  func.return
}

// -----

func.func @ada_scale(%a: tensor<2x4x8xf32>, %b: tensor<2x8xf32>, %c: tensor<8xf32>) {
  // expected-error @below {{rlx.ada_layer_norm: scale [2, 8] and the dims [2, 4, 8] do not broadcast: 2 and 4 meet in dim 1}}
  %0 = rlx.ada_layer_norm %a, %b, %c epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @ada_shift_stretches_input(%a: tensor<1x4x8xf32>, %b: tensor<8xf32>, %c: tensor<2x4x8xf32>) {
  // expected-error @below {{rlx.ada_layer_norm: shift tensor<2x4x8xf32> does not broadcast to [1, 4, 8]}}
  %0 = rlx.ada_layer_norm %a, %b, %c epsilon(1.0e-5) : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<2x4x8xf32>) -> tensor<1x4x8xf32>
  func.return
}

// -----

func.func @ada_element(%a: tensor<2x4x8xf32>, %b: tensor<8xf16>, %c: tensor<8xf32>) {
  // expected-error @below {{rlx.ada_layer_norm: scale must have element type f32, got f16}}
  %0 = rlx.ada_layer_norm %a, %b, %c epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<8xf16>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @ada_kind(%a: tensor<2x4x8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) {
  %0 = rlx.ada_layer_norm %a, %b, %c norm(batch_norm) epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  // expected-error @below {{expected one of layer_norm, rms_norm, got "batch_norm"}}
  func.return
}

// -----

func.func @ada_rank(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) {
  // expected-error @below {{rlx.ada_layer_norm: input must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.ada_layer_norm %a, %b, %c epsilon(1.0e-5) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @ada_of_integers(%a: tensor<8xi32>, %b: tensor<8xi32>, %c: tensor<8xi32>) {
  // expected-error @below {{rlx.ada_layer_norm: input must have a float element type, got tensor<8xi32>}}
  %0 = rlx.ada_layer_norm %a, %b, %c epsilon(1.0e-5) : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  func.return
}

// -----

func.func @gated_update(%a: tensor<2x4x8xf32>, %b: tensor<2x1x8xf32>, %c: tensor<8xf32>) {
  // expected-error @below {{rlx.gated_residual: dim 1 of input tensor<2x4x8xf32> and update tensor<2x1x8xf32> must be equal, got 4 and 1}}
  %0 = rlx.gated_residual %a, %b, %c : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @gated_gate(%a: tensor<2x4x8xf32>, %b: tensor<2x4x8xf32>, %c: tensor<2x8xf32>) {
  // expected-error @below {{rlx.gated_residual: gate [2, 8] and the dims [2, 4, 8] do not broadcast: 2 and 4 meet in dim 1}}
  %0 = rlx.gated_residual %a, %b, %c : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x8xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @gate_element(%a: tensor<2x4x8xf32>, %b: tensor<2x4x8xf32>, %c: tensor<8xf64>) {
  // expected-error @below {{rlx.gated_residual: gate must have element type f32, got f64}}
  %0 = rlx.gated_residual %a, %b, %c : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf64>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @norm_of_integers(%x: tensor<2x4xi32>, %g: tensor<4xi32>) {
  // expected-error @below {{rlx.fused_residual_ln: input must have a float element type, got tensor<2x4xi32>}}
  %0 = rlx.fused_residual_ln %x, %x, %g, %g epsilon(1.0e-5) : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
  func.return
}

// -----

func.func @epsilon_of_fused_residual_ln(%x: tensor<2x?x8xf32>, %r: tensor<2x?x8xf32>, %g: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_residual_ln: epsilon must be 0 or more, got nan}}
  %0 = rlx.fused_residual_ln %x, %r, %g, %g epsilon(nan) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
  func.return
}

// -----

func.func @epsilon_of_fused_residual_rms_norm(%x: tensor<2x?x8xf32>, %r: tensor<2x?x8xf32>, %g: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_residual_rms_norm: epsilon must be 0 or more, got -1e-05}}
  %0 = rlx.fused_residual_rms_norm %x, %r, %g, %g epsilon(-1.0e-05) accumulate(f64) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
  func.return
}

// -----

func.func @epsilon_of_ada_layer_norm(%x: tensor<?x5x8xf32>, %s: tensor<?x1x8xf32>, %t: tensor<8xf32>) {
  // expected-error @below {{rlx.ada_layer_norm: epsilon must be 0 or more, got nan}}
  %0 = rlx.ada_layer_norm %x, %s, %t epsilon(nan) : (tensor<?x5x8xf32>, tensor<?x1x8xf32>, tensor<8xf32>) -> tensor<?x5x8xf32>
  func.return
}

// -----

// The bias is added to halves, so it is one of them.
func.func @bias_of_other_type(%x: tensor<2x8xf16>, %g: tensor<8xf32>) {
  // expected-error @below {{rlx.fused_residual_ln: bias must have element type f16, got f32}}
  %0 = rlx.fused_residual_ln %x, %x, %g, %g bias(%g) epsilon(1.0e-5) : (tensor<2x8xf16>, tensor<2x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf16>
  func.return
}
