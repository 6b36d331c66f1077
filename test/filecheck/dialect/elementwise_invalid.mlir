// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @unknown_word(%x: tensor<2xf32>) {
  // expected-error @below {{expected one of gelu, gelu_approx}}
  %0 = rlx.activation gelish %x : tensor<2xf32>
  func.return
}

// -----

func.func @activation_of_integers(%x: tensor<2xi32>) {
  // expected-error @below {{rlx.activation: gelu needs a float element type, got tensor<2xi32>}}
  %0 = rlx.activation gelu %x : tensor<2xi32>
  func.return
}

// -----

func.func @sign_of_truth_values(%x: tensor<2xi1>) {
  // expected-error @below {{rlx.activation: sign needs numbers, got tensor<2xi1>}}
  %0 = rlx.activation sign %x : tensor<2xi1>
  func.return
}

// -----

func.func @element_type_of_another_world(%x: tensor<2xi4>) {
  // expected-error @below {{rlx.activation: element type i4 is none of f32, f16}}
  %0 = rlx.activation neg %x : tensor<2xi4>
  func.return
}

// -----

func.func @integers_as_wide_as_a_book(%x: tensor<2xi9999999>) {
  // expected-error @below {{rlx.activation: element type i9999999 is none of f32, f16}}
  %0 = rlx.activation relu %x : tensor<2xi9999999>
  func.return
}

// -----

func.func @cast_changes_dims(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.cast: result #0 must be tensor<2xi32>, got tensor<3xi32>}}
  %0 = rlx.cast %x : tensor<2xf32> -> tensor<3xi32>
  func.return
}

// -----

func.func @dims_do_not_meet(%x: tensor<4x2xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{rlx.binary: lhs [4, 2] and rhs [3] do not broadcast: 2 and 3 meet in dim 1}}
  %0 = rlx.binary add %x, %y : (tensor<4x2xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @element_types_differ(%x: tensor<2xf32>, %y: tensor<2xf16>) {
  // expected-error @below {{rlx.binary: lhs and rhs must have one element type, got tensor<2xf32> and tensor<2xf16>}}
  %0 = rlx.binary add %x, %y : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  func.return
}

// -----

func.func @bits_of_floats(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.binary: bit_and needs an integer element type, got tensor<2xf32>}}
  %0 = rlx.binary bit_and %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @wrong_result(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.binary: result #0 must be tensor<2xf32>, got tensor<2x1xf32>}}
  %0 = rlx.binary add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x1xf32>
  func.return
}

// -----

func.func @comparison_gives_i1(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.compare: result #0 must be tensor<2xi1>, got tensor<2xf32>}}
  %0 = rlx.compare eq %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @condition_is_i1(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.where: condition must have element type i1, got f32}}
  %0 = rlx.where %x, %x, %x : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @erfc_of_integers(%x: tensor<2xi32>) {
  // expected-error @below {{rlx.erfc: input must have a float element type, got tensor<2xi32>}}
  %0 = rlx.erfc %x : tensor<2xi32>
  func.return
}

// -----

func.func @not_of_floats(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.logical_not: input must have element type i1, got f32}}
  %0 = rlx.logical_not %x : tensor<2xf32>
  func.return
}

// -----

func.func @used_before_defined(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{operand #0 of 'rlx.activation' does not dominate this use: 'rlx.activation' comes after it}}
  %0 = rlx.activation relu %1 : tensor<2xf32>
  %1 = rlx.activation relu %x : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----

func.func @compared_dims(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{rlx.compare: lhs [2] and rhs [3] do not broadcast: 2 and 3 meet in dim 0}}
  %0 = rlx.compare lt %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  func.return
}

// -----

func.func @chosen_dims(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{rlx.where: on_true [2] and on_false [3] do not broadcast: 2 and 3 meet in dim 0}}
  %0 = rlx.where %c, %x, %y : (tensor<i1>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @condition_dims(%c: tensor<3xi1>, %x: tensor<2xf32>) {
  // expected-error @below {{rlx.where: condition [3] and the values [2] do not broadcast: 3 and 2 meet in dim 0}}
  %0 = rlx.where %c, %x, %x : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @expm1_of_integers(%x: tensor<4xi32>) {
  // expected-error @below {{rlx.expm1: input must have a float element type, got tensor<4xi32>}}
  %0 = rlx.expm1 %x : tensor<4xi32>
  func.return
}

// -----

func.func @log1p_of_integers(%x: tensor<4xi32>) {
  // expected-error @below {{rlx.log1p: input must have a float element type, got tensor<4xi32>}}
  %0 = rlx.log1p %x : tensor<4xi32>
  func.return
}

// -----

func.func @finite_integers(%x: tensor<4xi32>) {
  // expected-error @below {{rlx.is_finite: input must have a float element type, got tensor<4xi32>}}
  %0 = rlx.is_finite %x : tensor<4xi32> -> tensor<4xi1>
  func.return
}
