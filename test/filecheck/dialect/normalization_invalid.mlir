// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @gain_too_short(%x: tensor<2x8xf32>, %g: tensor<4xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{rlx.layer_norm: the size of gamma and the normalised dim must be equal, got 4 and 8}}
  %0 = rlx.layer_norm %x, %g, %b epsilon(1.0e-5) : (tensor<2x8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @gain_of_rank_two(%x: tensor<2x8xf32>, %g: tensor<1x8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{rlx.layer_norm: gamma must have rank 1, got tensor<1x8xf32>}}
  %0 = rlx.layer_norm %x, %g, %b epsilon(1.0e-5) : (tensor<2x8xf32>, tensor<1x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @shift_of_other_type(%x: tensor<2x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf16>) {
  // expected-error @below {{rlx.rms_norm: beta must have element type f32, got f16}}
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-5) : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf16>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @axis(%x: tensor<2x8xf32>, %g: tensor<8xf32>) {
  // expected-error @below {{rlx.layer_norm: axis 2 is out of range for input of rank 2}}
  %0 = rlx.layer_norm %x, %g, %g epsilon(1.0e-5) axis(2) : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @softmax_of_a_scalar(%x: tensor<f32>) {
  // expected-error @below {{rlx.softmax: axis -1 is out of range for input of rank 0}}
  %0 = rlx.softmax %x : tensor<f32>
  func.return
}

// -----

func.func @epsilon_is_a_number(%x: tensor<2x8xf32>, %g: tensor<8xf32>) {
  // expected-error @below {{expected a number or one of inf, neg_inf, nan, got tiny}}
  %0 = rlx.layer_norm %x, %g, %g epsilon(tiny) : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @rows_of_another_axis(%x: tensor<8x2x8xf32>, %g: tensor<8xf32>) {
  // expected-error @below {{rlx.rms_norm: flatten needs the last axis, got axis 0 of tensor<8x2x8xf32>}}
  %0 = rlx.rms_norm %x, %g, %g epsilon(1.0e-5) axis(0) flatten : (tensor<8x2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<16x8xf32>
  func.return
}

// -----

func.func @too_many_rows(%x: tensor<2x3x8xf32>, %g: tensor<8xf32>) {
  // expected-error @below {{rlx.rms_norm: result #0 must be tensor<6x8xf32>, got tensor<5x8xf32>}}
  %0 = rlx.rms_norm %x, %g, %g epsilon(1.0e-5) flatten : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<5x8xf32>
  func.return
}

// -----

func.func @norm_axis(%x: tensor<2x4xf32>, %g: tensor<4xf32>) {
  // expected-error @below {{rlx.layer_norm: axis 2 is out of range for input of rank 2}}
  %0 = rlx.layer_norm %x, %g, %g epsilon(1.0e-5) axis(2) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @integers(%x: tensor<2x4xi32>) {
  // expected-error @below {{rlx.softmax: input must have a float element type, got tensor<2x4xi32>}}
  %0 = rlx.softmax %x : tensor<2x4xi32>
  func.return
}

// -----

func.func @norm_of_integers(%x: tensor<2x4xi32>, %g: tensor<4xi32>) {
  // expected-error @below {{rlx.layer_norm: input must have a float element type, got tensor<2x4xi32>}}
  %0 = rlx.layer_norm %x, %g, %g epsilon(1.0e-5) : (tensor<2x4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
  func.return
}

// -----

func.func @sums_of_tensors(%x: tensor<4x4xf32>) {
  // expected-error @below {{rlx.softmax: accumulate must be one of f32, f16, bf16, f64, got tensor<2xf32>}}
  %0 = rlx.softmax %x accumulate(tensor<2xf32>) : tensor<4x4xf32>
  func.return
}

// -----

func.func @epsilon_of_layer_norm(%x: tensor<2x?x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{rlx.layer_norm: epsilon must be 0 or more, got -1e-05}}
  %0 = rlx.layer_norm %x, %g, %b epsilon(-1.0e-05) : (tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
  func.return
}

// -----

func.func @epsilon_of_rms_norm(%x: tensor<3x8xf16>, %g: tensor<8xf16>) {
  // expected-error @below {{rlx.rms_norm: epsilon must be 0 or more, got nan}}
  %0 = rlx.rms_norm %x, %g, %g epsilon(nan) : (tensor<3x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<3x8xf16>
  func.return
}

// -----

// Only f32 may stand beside halves.
func.func @gain_of_other_halves(%x: tensor<2x8xf16>, %g: tensor<8xbf16>, %b: tensor<8xf32>) {
  // expected-error @below {{rlx.rms_norm: gamma must have element type f16, got bf16}}
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-5) : (tensor<2x8xf16>, tensor<8xbf16>, tensor<8xf32>) -> tensor<2x8xf16>
  func.return
}

// -----

func.func @gain_wider_than_f32(%x: tensor<2x8xf32>, %g: tensor<8xf64>) {
  // expected-error @below {{rlx.layer_norm: gamma must have element type f32, got f64}}
  %0 = rlx.layer_norm %x, %g, %g epsilon(1.0e-5) : (tensor<2x8xf32>, tensor<8xf64>, tensor<8xf64>) -> tensor<2x8xf32>
  func.return
}
