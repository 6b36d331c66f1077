// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @sort_of_complex_numbers(%x: tensor<2xcomplex<f32>>) {
  // expected-error @below {{rlx.sort: input must have elements with an order, got tensor<2xcomplex<f32>>}}
  %0 = rlx.sort %x axis(0) : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @sort_of_a_scalar(%x: tensor<f32>) {
  // expected-error @below {{rlx.sort: axis -1 is out of range for input of rank 0}}
  %0 = rlx.sort %x axis(-1) : tensor<f32>
  func.return
}

// -----

func.func @indices_too_narrow(%x: tensor<200xf32>) {
  // expected-error @below {{rlx.argsort: indices go up to 199, which i8 does not hold}}
  %0 = rlx.argsort %x axis(0) : tensor<200xf32> -> tensor<200xi8>
  func.return
}

// -----

func.func @indices_not_exact(%x: tensor<16777218xf32>) {
  // expected-error @below {{rlx.argsort: indices go up to 16777217, which f32 does not hold}}
  %0 = rlx.argsort %x axis(0) : tensor<16777218xf32> -> tensor<16777218xf32>
  func.return
}

// -----

func.func @truth_values_as_indices(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.argsort: indices must be integers or floats, got i1}}
  %0 = rlx.argsort %x axis(0) : tensor<2xf32> -> tensor<2xi1>
  func.return
}

// -----

func.func @more_than_there_are(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.top_k: k must be between 0 and the size of dim 0 of tensor<2xf32>, got 3}}
  %0, %1 = rlx.top_k %x k(3) axis(0) : (tensor<2xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  func.return
}

// -----

func.func @greatest_of_nothing(%x: tensor<2x0xf32>) {
  // expected-error @below {{rlx.arg_reduce: dim 1 of tensor<2x0xf32> has no element to choose}}
  %0, %1 = rlx.arg_reduce max %x axis(1) : (tensor<2x0xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  func.return
}

// -----

func.func @arg_max_of_nothing(%x: tensor<2x0xf32>) {
  // expected-error @below {{rlx.arg_max: dim 1 of tensor<2x0xf32> has no element to choose}}
  %0 = rlx.arg_max %x axis(1) : tensor<2x0xf32> -> tensor<2xi64>
  func.return
}

// -----

func.func @arg_min_keeps_its_dims(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.arg_min: result #0 must be tensor<2x1xi64>, got tensor<2xi64>}}
  %0 = rlx.arg_min %x axis(1) keep_dims : tensor<2x3xf32> -> tensor<2xi64>
  func.return
}

// -----

func.func @no_bins(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.histogram: needs at least one bin, got 0}}
  %0 = rlx.histogram %x bins(0) low(0.0) high(1.0) : tensor<2xf32> -> tensor<0xi64>
  func.return
}

// -----

func.func @crossed_bounds(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.histogram: low must be below high and both finite, got 1.0 and 1.0}}
  %0 = rlx.histogram %x bins(2) low(1.0) high(1.0) : tensor<2xf32> -> tensor<2xi64>
  func.return
}

// -----

func.func @counts_too_narrow(%x: tensor<300xf32>) {
  // expected-error @below {{rlx.histogram: counts go up to 300, which i8 does not hold}}
  %0 = rlx.histogram %x bins(2) low(0.0) high(1.0) : tensor<300xf32> -> tensor<2xi8>
  func.return
}

// -----

func.func @histogram_of_truth_values(%x: tensor<2xi1>) {
  // expected-error @below {{rlx.histogram: input must hold numbers, got tensor<2xi1>}}
  %0 = rlx.histogram %x bins(2) low(0.0) high(1.0) : tensor<2xi1> -> tensor<2xi64>
  func.return
}

// -----

func.func @histogram_complex(%x: tensor<3xcomplex<f32>>) {
  // expected-error @below {{rlx.histogram: input must have elements with an order, got tensor<3xcomplex<f32>>}}
  %0 = rlx.histogram %x bins(8) low(-1.0) high(1.0) : tensor<3xcomplex<f32>> -> tensor<8xi64>
  func.return
}

// -----

func.func @sort_axis(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.sort: axis 1 is out of range for input of rank 1}}
  %0 = rlx.sort %x axis(1) : tensor<3xf32>
  func.return
}

// -----

func.func @sort_complex(%x: tensor<3xcomplex<f32>>) {
  // expected-error @below {{rlx.sort: input must have elements with an order, got tensor<3xcomplex<f32>>}}
  %0 = rlx.sort %x axis(0) : tensor<3xcomplex<f32>>
  func.return
}

// -----

func.func @argsort_axis(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.argsort: axis -2 is out of range for input of rank 1}}
  %0 = rlx.argsort %x axis(-2) : tensor<3xf32> -> tensor<3xi64>
  func.return
}

// -----

func.func @argsort_complex(%x: tensor<3xcomplex<f32>>) {
  // expected-error @below {{rlx.argsort: input must have elements with an order, got tensor<3xcomplex<f32>>}}
  %0 = rlx.argsort %x axis(0) : tensor<3xcomplex<f32>> -> tensor<3xi64>
  func.return
}

// -----

func.func @top_k_axis(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.top_k: axis 1 is out of range for input of rank 1}}
  %0, %1 = rlx.top_k %x k(1) axis(1) : (tensor<3xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  func.return
}

// -----

func.func @top_k_complex(%x: tensor<3xcomplex<f32>>) {
  // expected-error @below {{rlx.top_k: input must have elements with an order, got tensor<3xcomplex<f32>>}}
  %0, %1 = rlx.top_k %x k(1) axis(0) : (tensor<3xcomplex<f32>>) -> (tensor<1xcomplex<f32>>, tensor<1xi32>)
  func.return
}

// -----

func.func @arg_max_axis(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.arg_max: axis 1 is out of range for input of rank 1}}
  %0 = rlx.arg_max %x axis(1) : tensor<3xf32> -> tensor<i64>
  func.return
}

// -----

func.func @arg_max_complex(%x: tensor<3xcomplex<f32>>) {
  // expected-error @below {{rlx.arg_max: input must have elements with an order, got tensor<3xcomplex<f32>>}}
  %0 = rlx.arg_max %x axis(0) : tensor<3xcomplex<f32>> -> tensor<i64>
  func.return
}
