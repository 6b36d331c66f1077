// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @element_count(%x: tensor<2x6xf32>) {
  // expected-error @below {{rlx.reshape: tensor<2x6xf32> has 12 elements, tensor<5xf32> has 5}}
  %0 = rlx.reshape %x : tensor<2x6xf32> -> tensor<5xf32>
  func.return
}

// -----

func.func @size_missing(%x: tensor<?xf32>) {
  // expected-error @below {{rlx.reshape: needs one size operand for each ? of tensor<?x1xf32>, 1, got 0}}
  %0 = rlx.reshape %x : tensor<?xf32> -> tensor<?x1xf32>
  func.return
}

// -----

func.func @element_type_changes(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.reshape: result must have element type f32, got i32}}
  %0 = rlx.reshape %x : tensor<4xf32> -> tensor<2x2xi32>
  func.return
}

// -----

func.func @cannot_stretch(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.expand: input [2, 3] and the dims [4, 3] do not broadcast: 2 and 4 meet in dim 0}}
  %0 = rlx.expand %x : tensor<2x3xf32> -> tensor<4x3xf32>
  func.return
}

// -----

func.func @shrinks(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.expand: input tensor<2x3xf32> does not broadcast to [3]}}
  %0 = rlx.expand %x : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @no_permutation(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.transpose: permutation [0, 0] must name each dim of tensor<2x3xf32> once}}
  %0 = rlx.transpose %x [0, 0] : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @beyond_the_end(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.narrow: start 2 plus length 2 exceeds dim 1 of tensor<2x3xf32>}}
  %0 = rlx.narrow %x axis(1) start(2) length(2) : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @negative_start(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.narrow: start and length must not be negative, got -1 and 2}}
  %0 = rlx.narrow %x axis(1) start(-1) length(2) : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @other_dims(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{rlx.concat: dim 0 of input 0 tensor<2x3xf32> and input 1 tensor<4x3xf32> must be equal, got 2 and 4}}
  %0 = rlx.concat %x, %y axis(1) : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

func.func @nothing() {
  // expected-error @below {{rlx.concat: concat needs at least one input}}
  %0 = rlx.concat axis(0) : () -> tensor<0xf32>
  func.return
}

// -----

func.func @float_indices(%t: tensor<4x2xf32>, %i: tensor<3xf32>) {
  // expected-error @below {{rlx.gather: indices must be integers, got tensor<3xf32>}}
  %0 = rlx.gather %t, %i axis(0) : (tensor<4x2xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----

func.func @axis_twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.reduce: axes of input must not repeat, got [1, 1]}}
  %0 = rlx.reduce sum %x axes [1, -1] : tensor<2x3xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @mean_of_integers(%x: tensor<2x3xi32>) {
  // expected-error @below {{rlx.reduce: mean needs a float element type, got tensor<2x3xi32>}}
  %0 = rlx.reduce mean %x axes [1] : tensor<2x3xi32> -> tensor<2xi32>
  func.return
}

// -----

func.func @any_of_numbers(%x: tensor<2x3xi32>) {
  // expected-error @below {{rlx.reduce: input must have element type i1, got i32}}
  %0 = rlx.reduce any %x axes [1] : tensor<2x3xi32> -> tensor<2xi32>
  func.return
}

// -----

func.func @reshaped_element(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.reshape: result must have element type f32, got f16}}
  %0 = rlx.reshape %x : tensor<4xf32> -> tensor<2x2xf16>
  func.return
}

// -----

func.func @expanded_element(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.expand: result must have element type f32, got f16}}
  %0 = rlx.expand %x : tensor<4xf32> -> tensor<2x4xf16>
  func.return
}

// -----

func.func @narrow_axis(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.narrow: axis 1 is out of range for input of rank 1}}
  %0 = rlx.narrow %x axis(1) start(0) length(1) : tensor<4xf32> -> tensor<1xf32>
  func.return
}

// -----

func.func @gather_axis(%x: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{rlx.gather: axis 1 is out of range for table of rank 1}}
  %0 = rlx.gather %x, %i axis(1) : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @joined_ranks(%x: tensor<4xf32>, %y: tensor<4x1xf32>) {
  // expected-error @below {{rlx.concat: input 1 must have rank 1, got tensor<4x1xf32>}}
  %0 = rlx.concat %x, %y axis(0) : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<8xf32>
  func.return
}

// -----

func.func @too_many_dims(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  // expected-error @below {{rlx.reshape: a tensor has at most 64 dims, got 65 in tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>}}
  %0 = rlx.reshape %x : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32> -> tensor<1xf32>
  func.return
}

// -----

func.func @too_large_a_size(%x: tensor<9223372036854775807x2xf32>) {
  // expected-error @below {{rlx.reshape: the sizes of a tensor must multiply to at most 9223372036854775807, got tensor<9223372036854775807x2xf32>}}
  %0 = rlx.reshape %x : tensor<9223372036854775807x2xf32> -> tensor<?xf32>
  func.return
}

// -----

func.func @too_many_elements(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @below {{rlx.transpose: the sizes of a tensor must multiply to at most 9223372036854775807, got tensor<4294967296x4294967296xf32>}}
  %0 = rlx.transpose %x [1, 0] : tensor<4294967296x4294967296xf32> -> tensor<4294967296x4294967296xf32>
  func.return
}

// -----

func.func @joined_beyond(%x: tensor<9223372036854775807xf32>) {
  // expected-error @below {{rlx.concat: the sizes of a tensor must multiply to at most 9223372036854775807, got tensor<18446744073709551614xf32>}}
  %0 = rlx.concat %x, %x axis(0) : (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) -> tensor<?xf32>
  func.return
}
