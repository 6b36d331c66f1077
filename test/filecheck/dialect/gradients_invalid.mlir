// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @relu_of_integers(%a: tensor<2x4xi32>, %b: tensor<2x4xi32>) {
  // expected-error @below {{rlx.relu_backward: input must have a float element type, got tensor<2x4xi32>}}
  %0 = rlx.relu_backward %a, %b : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  func.return
}

// -----

func.func @relu_gradient(%a: tensor<2x6x4xf32>, %b: tensor<2x6x1xf32>) {
  // expected-error @below {{rlx.relu_backward: dim 2 of input tensor<2x6x4xf32> and gradient tensor<2x6x1xf32> must be equal, got 4 and 1}}
  %0 = rlx.relu_backward %a, %b : (tensor<2x6x4xf32>, tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @gradient_element(%a: tensor<2x6x4xf32>, %b: tensor<2x6x4xf16>) {
  // expected-error @below {{rlx.relu_backward: gradient must have element type f32, got f16}}
  %0 = rlx.relu_backward %a, %b : (tensor<2x6x4xf32>, tensor<2x6x4xf16>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @activation_kind(%a: tensor<2x6x4xf32>) {
  // expected-error @below {{expected one of gelu, gelu_approx, silu, relu, sigmoid, tanh, exp, log, sqrt, rsqrt, neg, abs, sin, cos, tan, atan, recip, round, floor, ceil, sign, softplus, elu, erf, hard_swish, hard_sigmoid, mish, softsign, log_sigmoid, quick_gelu, got "swish"}}
  %0 = rlx.activation_backward swish %a, %a : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @activation_result(%a: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.activation_backward: result #0 must be tensor<2x6x4xf32>, got tensor<6xf32>}}
  %0 = rlx.activation_backward silu %a, %a : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @cumsum_axis(%a: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.cumsum_backward: axis 3 is out of range for gradient of rank 3}}
  %0 = rlx.cumsum_backward %a axis(3) : tensor<2x6x4xf32>
  func.return
}

// -----

func.func @cumsum_of_integers(%a: tensor<2x4xi32>) {
  // expected-error @below {{rlx.cumsum_backward: gradient must have a float element type, got tensor<2x4xi32>}}
  %0 = rlx.cumsum_backward %a axis(1) : tensor<2x4xi32>
  func.return
}

// -----

func.func @gather_indices(%a: tensor<2x6x4xf32>, %b: tensor<6xf32>) {
  // expected-error @below {{rlx.gather_backward: indices must be integers, got tensor<6xf32>}}
  %0 = rlx.gather_backward %a, %b axis(1) size(9) : (tensor<2x6x4xf32>, tensor<6xf32>) -> tensor<2x9x4xf32>
  func.return
}

// -----

func.func @gather_of_integers(%a: tensor<2x6xi32>, %b: tensor<6xi32>) {
  // expected-error @below {{rlx.gather_backward: gradient must have a float element type, got tensor<2x6xi32>}}
  %0 = rlx.gather_backward %a, %b axis(1) size(9) : (tensor<2x6xi32>, tensor<6xi32>) -> tensor<2x9xi32>
  func.return
}

// -----

func.func @gather_dims(%a: tensor<2x6x4xf32>, %b: tensor<5xi32>) {
  // expected-error @below {{rlx.gather_backward: dim 0 of the gathered dims of gradient tensor<6xf32> and indices tensor<5xi32> must be equal, got 6 and 5}}
  %0 = rlx.gather_backward %a, %b axis(1) size(9) : (tensor<2x6x4xf32>, tensor<5xi32>) -> tensor<2x9x4xf32>
  func.return
}

// -----

func.func @gather_axis(%a: tensor<2x6x4xf32>, %b: tensor<6x4xi32>) {
  // expected-error @below {{rlx.gather_backward: axis 2 is out of range for the table of rank 2}}
  %0 = rlx.gather_backward %a, %b axis(2) size(9) : (tensor<2x6x4xf32>, tensor<6x4xi32>) -> tensor<2x9xf32>
  func.return
}

// -----

func.func @gather_rank(%a: tensor<6xf32>, %b: tensor<6x4xi32>) {
  // expected-error @below {{rlx.gather_backward: gradient must have rank 2, got tensor<6xf32>}}
  %0 = rlx.gather_backward %a, %b axis(0) size(9) : (tensor<6xf32>, tensor<6x4xi32>) -> tensor<9xf32>
  func.return
}

// -----

func.func @gather_size(%a: tensor<2x6x4xf32>, %b: tensor<6xi32>) {
  // expected-error @below {{rlx.gather_backward: size must not be negative, got -1}}
  %0 = rlx.gather_backward %a, %b axis(1) size(-1) : (tensor<2x6x4xf32>, tensor<6xi32>) -> tensor<2x9x4xf32>
  func.return
}
