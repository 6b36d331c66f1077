// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @float_indices(%x: tensor<4xf32>, %i: tensor<2x1xf32>) {
  // expected-error @below {{rlx.gather_nd: indices must be integers, got tensor<2x1xf32>}}
  %0 = rlx.gather_nd %x, %i batch_dims(0) : (tensor<4xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @too_long_an_index(%x: tensor<4xf32>, %i: tensor<2x2xi32>) {
  // expected-error @below {{rlx.gather_nd: the last dim of indices must be known and at most 1 for tensor<4xf32>, got 2}}
  %0 = rlx.gather_nd %x, %i batch_dims(0) : (tensor<4xf32>, tensor<2x2xi32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @index_of_unknown_length(%x: tensor<4xf32>, %i: tensor<2x?xi32>) {
  // expected-error @below {{rlx.gather_nd: the last dim of indices must be known and at most 1 for tensor<4xf32>, got ?}}
  %0 = rlx.gather_nd %x, %i batch_dims(0) : (tensor<4xf32>, tensor<2x?xi32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @too_many_batch_dims(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{rlx.gather_nd: 1 batch dims and an index do not fit into tensor<4xf32> and indices tensor<4xi32>}}
  %0 = rlx.gather_nd %x, %i batch_dims(1) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @batch_dims_differ(%x: tensor<3x4xf32>, %i: tensor<2x1xi32>) {
  // expected-error @below {{rlx.gather_nd: dim 0 of tensor<3x4xf32> and indices tensor<2x1xi32> must be equal, got 3 and 2}}
  %0 = rlx.gather_nd %x, %i batch_dims(1) : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @indices_of_other_rank(%x: tensor<3x4xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{rlx.gather_elements: indices must have the rank of the input tensor<3x4xf32>, got tensor<4xi32>}}
  %0 = rlx.gather_elements %x, %i axis(0) : (tensor<3x4xf32>, tensor<4xi32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @indices_beyond_the_input(%x: tensor<3x4xf32>, %i: tensor<3x5xi32>) {
  // expected-error @below {{rlx.gather_elements: dim 1 of indices tensor<3x5xi32> does not fit into tensor<3x4xf32>}}
  %0 = rlx.gather_elements %x, %i axis(0) : (tensor<3x4xf32>, tensor<3x5xi32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @updates_of_other_dims(%x: tensor<3x4xf32>, %i: tensor<2xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scatter_add: updates must be [2, 4], got tensor<3x4xf32>}}
  %0 = rlx.scatter_add %x, %i, %u axis(0) : (tensor<3x4xf32>, tensor<2xi32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @sums_of_truth_values(%x: tensor<3xi1>, %i: tensor<2xi32>, %u: tensor<2xi1>) {
  // expected-error @below {{rlx.scatter_add: add needs numbers, got tensor<3xi1>}}
  %0 = rlx.scatter_add %x, %i, %u axis(0) : (tensor<3xi1>, tensor<2xi32>, tensor<2xi1>) -> tensor<3xi1>
  func.return
}

// -----

func.func @updates_of_other_elements(%x: tensor<3xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf16>) {
  // expected-error @below {{rlx.scatter_nd: updates must have element type f32, got f16}}
  %0 = rlx.scatter_nd none %x, %i, %u : (tensor<3xf32>, tensor<2x1xi32>, tensor<2xf16>) -> tensor<3xf32>
  func.return
}

// -----

func.func @greatest_complex_number(%x: tensor<3xcomplex<f32>>, %i: tensor<2x1xi32>, %u: tensor<2xcomplex<f32>>) {
  // expected-error @below {{rlx.scatter_nd: input must have elements with an order, got tensor<3xcomplex<f32>>}}
  %0 = rlx.scatter_nd max %x, %i, %u : (tensor<3xcomplex<f32>>, tensor<2x1xi32>, tensor<2xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  func.return
}

// -----

func.func @updates_unlike_indices(%x: tensor<3x4xf32>, %i: tensor<2x4xi32>, %u: tensor<2x3xf32>) {
  // expected-error @below {{rlx.scatter_elements: dim 1 of indices tensor<2x4xi32> and updates tensor<2x3xf32> must be equal, got 4 and 3}}
  %0 = rlx.scatter_elements none %x, %i, %u axis(0) : (tensor<3x4xf32>, tensor<2x4xi32>, tensor<2x3xf32>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @elements_real_indices(%x: tensor<3x4xf16>, %i: tensor<3x4xf16>) {
  // expected-error @below {{rlx.gather_elements: indices must be integers, got tensor<3x4xf16>}}
  %0 = rlx.gather_elements %x, %i axis(1) : (tensor<3x4xf16>, tensor<3x4xf16>) -> tensor<3x4xf16>
  func.return
}

// -----

func.func @elements_axis(%x: tensor<3x4xf16>, %i: tensor<3x4xi32>) {
  // expected-error @below {{rlx.gather_elements: axis 2 is out of range for input of rank 2}}
  %0 = rlx.gather_elements %x, %i axis(2) : (tensor<3x4xf16>, tensor<3x4xi32>) -> tensor<3x4xf16>
  func.return
}

// -----

func.func @nd_updates(%x: tensor<4x3xf32>, %i: tensor<5x1xi64>, %u: tensor<5x4xf32>) {
  // expected-error @below {{rlx.scatter_nd: updates must be [5, 3], got tensor<5x4xf32>}}
  %0 = rlx.scatter_nd none %x, %i, %u : (tensor<4x3xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

func.func @elements_complex_maximum(%x: tensor<4xcomplex<f32>>, %i: tensor<4xi64>) {
  // expected-error @below {{rlx.scatter_elements: input must have elements with an order, got tensor<4xcomplex<f32>>}}
  %0 = rlx.scatter_elements max %x, %i, %x axis(0) : (tensor<4xcomplex<f32>>, tensor<4xi64>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  func.return
}

// -----

func.func @elements_update_type(%x: tensor<4xf32>, %i: tensor<4xi64>, %u: tensor<4xf16>) {
  // expected-error @below {{rlx.scatter_elements: updates must have element type f32, got f16}}
  %0 = rlx.scatter_elements none %x, %i, %u axis(0) : (tensor<4xf32>, tensor<4xi64>, tensor<4xf16>) -> tensor<4xf32>
  func.return
}

// -----

func.func @add_real_indices(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.scatter_add: indices must be integers, got tensor<4xf32>}}
  %0 = rlx.scatter_add %x, %x, %x axis(0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @add_update_type(%x: tensor<4xf32>, %i: tensor<4xi64>, %u: tensor<4xf16>) {
  // expected-error @below {{rlx.scatter_add: updates must have element type f32, got f16}}
  %0 = rlx.scatter_add %x, %i, %u axis(0) : (tensor<4xf32>, tensor<4xi64>, tensor<4xf16>) -> tensor<4xf32>
  func.return
}
