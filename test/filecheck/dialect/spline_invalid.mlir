// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @elements(%x: tensor<2x3xi32>, %c: tensor<3x8xi32>) {
  // expected-error @below {{rlx.spline_activation: input must have a float element type, got tensor<2x3xi32>}}
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<2x3xi32>, tensor<3x8xi32>) -> tensor<2x3xi32>
  func.return
}

// -----

func.func @scalar(%x: tensor<f32>, %c: tensor<3x8xf32>) {
  // expected-error @below {{rlx.spline_activation: input must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<f32>, tensor<3x8xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @rank_of_coefficients(%x: tensor<2x3xf32>, %c: tensor<8xf32>) {
  // expected-error @below {{rlx.spline_activation: coefficients must have rank 2, got tensor<8xf32>}}
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<8xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @elements_of_coefficients(%x: tensor<2x3xf32>, %c: tensor<3x8xf64>) {
  // expected-error @below {{rlx.spline_activation: coefficients must have element type f32, got f64}}
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<3x8xf64>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @channels(%x: tensor<2x3xf32>, %c: tensor<2x8xf32>) {
  // expected-error @below {{rlx.spline_activation: dim 0 of coefficients tensor<2x8xf32> and the last dim of input tensor<2x3xf32> must be equal, got 2 and 3}}
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @too_few(%x: tensor<2x3xf32>, %c: tensor<3x3xf32>) {
  // expected-error @below {{rlx.spline_activation: dim 1 of coefficients must be known and greater than degree 3, got tensor<3x3xf32>}}
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @unknown(%x: tensor<2x3xf32>, %c: tensor<3x?xf32>) {
  // expected-error @below {{rlx.spline_activation: dim 1 of coefficients must be known and greater than degree 3, got tensor<3x?xf32>}}
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<3x?xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @negative_degree(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>) {
  // expected-error @below {{rlx.spline_activation: degree must not be negative, got -1}}
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) degree(-1) : (tensor<2x3xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @empty_range(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>) {
  // expected-error @below {{rlx.spline_activation: range must go from a finite number to a greater one, got 1.0 and 1.0}}
  %0 = rlx.spline_activation %x, %c range(1.0, 1.0) : (tensor<2x3xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @endless_range(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>) {
  // expected-error @below {{rlx.spline_activation: range must go from a finite number to a greater one, got 0.0 and inf}}
  %0 = rlx.spline_activation %x, %c range(0.0, inf) : (tensor<2x3xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @range_of_nan(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>) {
  // expected-error @below {{rlx.spline_activation: range must go from a finite number to a greater one, got nan and 1.0}}
  %0 = rlx.spline_activation %x, %c range(nan, 1.0) : (tensor<2x3xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @result(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>) {
  // expected-error @below {{rlx.spline_activation: result #0 must be tensor<2x3xf32>, got tensor<2x4xf32>}}
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<3x8xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @x_elements(%x: tensor<2x3xi32>, %c: tensor<3x8xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_x: input must have a float element type, got tensor<2x3xi32>}}
  %0 = rlx.spline_activation_backward_x %x, %c, %g range(-1.0, 1.0) : (tensor<2x3xi32>, tensor<3x8xf32>, tensor<2x3xf32>) -> tensor<2x3xi32>
  func.return
}

// -----

func.func @x_gradient(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>, %g: tensor<4x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_x: dim 0 of input tensor<2x3xf32> and gradient tensor<4x3xf32> must be equal, got 2 and 4}}
  %0 = rlx.spline_activation_backward_x %x, %c, %g range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<3x8xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @x_gradient_rank(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>, %g: tensor<3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_x: gradient must have rank 2, got tensor<3xf32>}}
  %0 = rlx.spline_activation_backward_x %x, %c, %g range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @x_gradient_elements(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>, %g: tensor<2x3xf16>) {
  // expected-error @below {{rlx.spline_activation_backward_x: gradient must have element type f32, got f16}}
  %0 = rlx.spline_activation_backward_x %x, %c, %g range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<3x8xf32>, tensor<2x3xf16>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @x_coefficients(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_x: dim 1 of coefficients must be known and greater than degree 8, got tensor<3x8xf32>}}
  %0 = rlx.spline_activation_backward_x %x, %c, %g range(-1.0, 1.0) degree(8) : (tensor<2x3xf32>, tensor<3x8xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @x_range(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_x: range must go from a finite number to a greater one, got 1.0 and -1.0}}
  %0 = rlx.spline_activation_backward_x %x, %c, %g range(1.0, -1.0) : (tensor<2x3xf32>, tensor<3x8xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @x_result(%x: tensor<2x3xf32>, %c: tensor<3x8xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_x: result #0 must be tensor<2x3xf32>, got tensor<3x8xf32>}}
  %0 = rlx.spline_activation_backward_x %x, %c, %g range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<3x8xf32>, tensor<2x3xf32>) -> tensor<3x8xf32>
  func.return
}

// -----

func.func @coeff_elements(%x: tensor<2x3xi8>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_coeff: input must have a float element type, got tensor<2x3xi8>}}
  %0 = rlx.spline_activation_backward_coeff %x, %g intervals(5) range(-1.0, 1.0) : (tensor<2x3xi8>, tensor<2x3xf32>) -> tensor<3x8xf32>
  func.return
}

// -----

func.func @coeff_scalar(%x: tensor<f32>, %g: tensor<f32>) {
  // expected-error @below {{rlx.spline_activation_backward_coeff: input must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.spline_activation_backward_coeff %x, %g intervals(5) range(-1.0, 1.0) : (tensor<f32>, tensor<f32>) -> tensor<3x8xf32>
  func.return
}

// -----

func.func @coeff_gradient(%x: tensor<2x3xf32>, %g: tensor<2x4xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_coeff: dim 1 of input tensor<2x3xf32> and gradient tensor<2x4xf32> must be equal, got 3 and 4}}
  %0 = rlx.spline_activation_backward_coeff %x, %g intervals(5) range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<3x8xf32>
  func.return
}

// -----

func.func @coeff_intervals(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_coeff: there must be 1 interval or more, got 0}}
  %0 = rlx.spline_activation_backward_coeff %x, %g intervals(0) range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x8xf32>
  func.return
}

// -----

func.func @coeff_degree(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_coeff: degree must not be negative, got -2}}
  %0 = rlx.spline_activation_backward_coeff %x, %g intervals(5) range(-1.0, 1.0) degree(-2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x8xf32>
  func.return
}

// -----

func.func @coeff_range(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_coeff: range must go from a finite number to a greater one, got -1e+308 and 1e+308}}
  %0 = rlx.spline_activation_backward_coeff %x, %g intervals(5) range(-1.0e+308, 1.0e+308) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x8xf32>
  func.return
}

// -----

func.func @coeff_result(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.spline_activation_backward_coeff: result #0 must be tensor<3x8xf32>, got tensor<3x9xf32>}}
  %0 = rlx.spline_activation_backward_coeff %x, %g intervals(5) range(-1.0, 1.0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x9xf32>
  func.return
}
