// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @key_of_one_word(%key: tensor<1xui32>) {
  // expected-error @below {{rlx.rng_uniform: the size of key and the two words of a key must be equal, got 1 and 2}}
  %0 = rlx.rng_uniform %key low(0.0) high(1.0) : tensor<1xui32> -> tensor<2xf32>
  func.return
}

// -----

func.func @signed_key(%key: tensor<2xi32>) {
  // expected-error @below {{rlx.rng_normal: key must have element type ui32, got i32}}
  %0 = rlx.rng_normal %key mean(0.0) deviation(1.0) : tensor<2xi32> -> tensor<2xf32>
  func.return
}

// -----

func.func @random_integers(%key: tensor<2xui32>) {
  // expected-error @below {{rlx.rng_uniform: result must have a float element type, got tensor<2xi32>}}
  %0 = rlx.rng_uniform %key low(0.0) high(1.0) : tensor<2xui32> -> tensor<2xi32>
  func.return
}

// -----

func.func @size_missing(%key: tensor<2xui32>) {
  // expected-error @below {{rlx.rng_uniform: needs one size operand for each ? of tensor<?xf32>, 1, got 0}}
  %0 = rlx.rng_uniform %key low(0.0) high(1.0) : tensor<2xui32> -> tensor<?xf32>
  func.return
}

// -----

func.func @crossed_bounds(%key: tensor<2xui32>) {
  // expected-error @below {{rlx.rng_uniform: low must not be above high and both finite, got 1.0 and 0.0}}
  %0 = rlx.rng_uniform %key low(1.0) high(0.0) : tensor<2xui32> -> tensor<2xf32>
  func.return
}

// -----

func.func @negative_deviation(%key: tensor<2xui32>) {
  // expected-error @below {{rlx.rng_normal: mean must be finite and deviation finite and not negative, got 0.0 and -1.0}}
  %0 = rlx.rng_normal %key mean(0.0) deviation(-1.0) : tensor<2xui32> -> tensor<2xf32>
  func.return
}

// -----

func.func @sample_of_integers(%x: tensor<4xi32>, %key: tensor<2xui32>) {
  // expected-error @below {{rlx.sample: logits must have a float element type, got tensor<4xi32>}}
  %0 = rlx.sample %x, %key top_k(0) top_p(1.0) temperature(1.0) : (tensor<4xi32>, tensor<2xui32>) -> tensor<i64>
  func.return
}

// -----

func.func @negative_top_k(%x: tensor<4xf32>, %key: tensor<2xui32>) {
  // expected-error @below {{rlx.sample: top_k must not be negative, got -1}}
  %0 = rlx.sample %x, %key top_k(-1) top_p(1.0) temperature(1.0) : (tensor<4xf32>, tensor<2xui32>) -> tensor<i64>
  func.return
}

// -----

func.func @no_probability(%x: tensor<4xf32>, %key: tensor<2xui32>) {
  // expected-error @below {{rlx.sample: top_p must be above 0 and at most 1, got 0.0}}
  %0 = rlx.sample %x, %key top_k(0) top_p(0.0) temperature(1.0) : (tensor<4xf32>, tensor<2xui32>) -> tensor<i64>
  func.return
}

// -----

func.func @negative_temperature(%x: tensor<4xf32>, %key: tensor<2xui32>) {
  // expected-error @below {{rlx.sample: temperature must be finite and not negative, got -1.0}}
  %0 = rlx.sample %x, %key top_k(0) top_p(1.0) temperature(-1.0) : (tensor<4xf32>, tensor<2xui32>) -> tensor<i64>
  func.return
}

// -----

func.func @sample_of_nothing(%x: tensor<2x0xf32>, %key: tensor<2xui32>) {
  // expected-error @below {{rlx.sample: dim 1 of tensor<2x0xf32> has no element to choose}}
  %0 = rlx.sample %x, %key top_k(0) top_p(1.0) temperature(1.0) : (tensor<2x0xf32>, tensor<2xui32>) -> tensor<2xi64>
  func.return
}

// -----

func.func @sample_key(%l: tensor<4x9xf32>, %k: tensor<3xui32>) {
  // expected-error @below {{rlx.sample: the size of key and the two words of a key must be equal, got 3 and 2}}
  %0 = rlx.sample %l, %k top_k(4) top_p(0.9) temperature(0.7) : (tensor<4x9xf32>, tensor<3xui32>) -> tensor<4xi64>
  func.return
}

// -----

func.func @sample_of_a_scalar(%x: tensor<f32>, %key: tensor<2xui32>) {
  // expected-error @below {{rlx.sample: axis -1 is out of range for logits of rank 0}}
  %0 = rlx.sample %x, %key top_k(0) top_p(1.0) temperature(1.0) : (tensor<f32>, tensor<2xui32>) -> tensor<i64>
  func.return
}
