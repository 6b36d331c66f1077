// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @integers(%a: tensor<3x3xi32>) {
  // expected-error @below {{rlx.det: input must have a float element type, got tensor<3x3xi32>}}
  %0 = rlx.det %a : tensor<3x3xi32> -> tensor<i32>
  func.return
}

// -----

func.func @vector(%a: tensor<3xf32>) {
  // expected-error @below {{rlx.cholesky: input must have rank 2 or more, got tensor<3xf32>}}
  %0 = rlx.cholesky %a : tensor<3xf32>
  func.return
}

// -----

func.func @not_square(%a: tensor<3x4xf32>) {
  // expected-error @below {{rlx.log_det: the last two dims of input tensor<3x4xf32> must be equal, got 3 and 4}}
  %0 = rlx.log_det %a : tensor<3x4xf32> -> tensor<f32>
  func.return
}

// -----

func.func @one_matrix(%a: tensor<2x3x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{rlx.dense_solve: matrix must have rank 2, got tensor<2x3x3xf32>}}
  %0 = rlx.dense_solve %a, %b : (tensor<2x3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @elements(%a: tensor<3x3xf32>, %b: tensor<3xf64>) {
  // expected-error @below {{rlx.dense_solve: rhs must have element type f32, got f64}}
  %0 = rlx.dense_solve %a, %b : (tensor<3x3xf32>, tensor<3xf64>) -> tensor<3xf64>
  func.return
}

// -----

func.func @rhs_rank(%a: tensor<2x3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{rlx.batched_dense_solve: rhs must have rank 3, got tensor<3xf32>}}
  %0 = rlx.batched_dense_solve %a, %b : (tensor<2x3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @batch(%a: tensor<2x3x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error @below {{rlx.batched_dense_solve: dim 0 of matrix tensor<2x3x3xf32> and rhs tensor<4x3xf32> must be equal, got 2 and 4}}
  %0 = rlx.batched_dense_solve %a, %b : (tensor<2x3x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

func.func @rows(%a: tensor<3x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error @below {{rlx.triangular_solve: the rows of matrix tensor<3x3xf32> and of rhs tensor<4x2xf32> must be equal, got 3 and 4}}
  %0 = rlx.triangular_solve lower %a, %b : (tensor<3x3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @vectors(%a: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{rlx.triangular_solve: rhs must have rank 2, got tensor<3xf32>}}
  %0 = rlx.triangular_solve lower %a, %b : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @factor(%a: tensor<5x3xf32>) {
  // expected-error @below {{rlx.svd: result #0 must be tensor<3xf32>, got tensor<5xf32>}}
  %0 = rlx.svd s %a : tensor<5x3xf32> -> tensor<5xf32>
  func.return
}

// -----

func.func @gradient_element(%a: tensor<3x3xf32>, %g: tensor<12xf64>) {
  // expected-error @below {{rlx.eigh_backward: gradient must have element type f32, got f64}}
  %0 = rlx.eigh_backward %a, %g : tensor<3x3xf32>, tensor<12xf64>
  func.return
}

// -----

func.func @gradient_rank(%a: tensor<3x3xf32>, %g: tensor<1x12xf32>) {
  // expected-error @below {{rlx.eigh_backward: gradient must have rank 1, got tensor<1x12xf32>}}
  %0 = rlx.eigh_backward %a, %g : tensor<3x3xf32>, tensor<1x12xf32>
  func.return
}

// -----

func.func @gradient_size(%a: tensor<3x3xf32>, %g: tensor<9xf32>) {
  // expected-error @below {{rlx.eigh_backward: dim 0 of the eigenvalues and vectors tensor<12xf32> and of gradient tensor<9xf32> must be equal, got 12 and 9}}
  %0 = rlx.eigh_backward %a, %g : tensor<3x3xf32>, tensor<9xf32>
  func.return
}

// -----

func.func @too_large(%a: tensor<3037000500x3037000500xf32>) {
  // expected-error @below {{rlx.eigh: the sizes of a tensor must multiply to at most 9223372036854775807, got tensor<3037000500x3037000500xf32>}}
  %0 = rlx.eigh %a : tensor<3037000500x3037000500xf32> -> tensor<?xf32>
  func.return
}

// -----

func.func @svd_vector(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.svd: input must have rank 2 or more, got tensor<3xf32>}}
  %0 = rlx.svd u %x : tensor<3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @qr_vector(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.qr: input must have rank 2 or more, got tensor<3xf32>}}
  %0 = rlx.qr q %x : tensor<3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @qr_integers(%x: tensor<3x3xi32>) {
  // expected-error @below {{rlx.qr: input must have a float element type, got tensor<3x3xi32>}}
  %0 = rlx.qr q %x : tensor<3x3xi32> -> tensor<3x3xi32>
  func.return
}
