// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @clamp_of_truth_values(%x: tensor<2xi1>) {
  // expected-error @below {{rlx.clamp: input must hold ordered numbers, got tensor<2xi1>}}
  %0 = rlx.clamp %x low(0) high(1) : tensor<2xi1>
  func.return
}

// -----

func.func @clamp_by_the_wrong_number(%x: tensor<2xi32>) {
  // expected-error @below {{rlx.clamp: high must be an integer from -2147483648 to 2147483647 for tensor<2xi32>, got 1.0}}
  %0 = rlx.clamp %x low(0) high(1.0) : tensor<2xi32>
  func.return
}

// -----

func.func @fma_of_integers(%x: tensor<2xi32>) {
  // expected-error @below {{rlx.fma: a must have a float element type, got tensor<2xi32>}}
  %0 = rlx.fma %x, %x, %x : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

func.func @fma_does_not_broadcast(%x: tensor<2xf32>, %y: tensor<1xf32>) {
  // expected-error @below {{rlx.fma: dim 0 of a tensor<2xf32> and c tensor<1xf32> must be equal, got 2 and 1}}
  %0 = rlx.fma %x, %x, %y : (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @low_of_integers(%x: tensor<4xi32>) {
  // expected-error @below {{rlx.clamp: low must be an integer from -2147483648 to 2147483647 for tensor<4xi32>, got 0.5}}
  %0 = rlx.clamp %x low(0.5) high(3) : tensor<4xi32>
  func.return
}

// -----

func.func @passed_element(%x: tensor<4xi7>) {
  // expected-error @below {{rlx.stop_gradient: element type i7 is none of f32, f16, bf16, f64, i8, i16, i32, i64, ui8, ui32, i1, c64, f8e4m3fn, f8e5m2}}
  %0 = rlx.stop_gradient %x : tensor<4xi7>
  func.return
}
