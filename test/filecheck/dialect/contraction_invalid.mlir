// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @inner_dims(%x: tensor<2x3xf32>, %w: tensor<4x5xf32>) {
  // expected-error @below {{rlx.matmul: the last dim of lhs and the last but one of rhs must be equal, got 3 and 4 in tensor<2x3xf32> and tensor<4x5xf32>}}
  %0 = rlx.matmul %x, %w : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

func.func @vector(%x: tensor<3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @below {{rlx.matmul: lhs must have rank 2 or more, got tensor<3xf32>}}
  %0 = rlx.matmul %x, %w : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @batches(%x: tensor<2x4x3xf32>, %w: tensor<3x3x5xf32>) {
  // expected-error @below {{rlx.matmul: the leading dims of lhs [2] and the leading dims of rhs [3] do not broadcast: 2 and 3 meet in dim 0}}
  %0 = rlx.matmul %x, %w : (tensor<2x4x3xf32>, tensor<3x3x5xf32>) -> tensor<2x4x5xf32>
  func.return
}

// -----

func.func @element_types(%x: tensor<2x3xf32>, %w: tensor<3x5xbf16>) {
  // expected-error @below {{rlx.matmul: rhs must have element type f32, got bf16}}
  %0 = rlx.matmul %x, %w : (tensor<2x3xf32>, tensor<3x5xbf16>) -> tensor<2x5xf32>
  func.return
}

// -----

func.func @unequal_lists(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) {
  // expected-error @below {{rlx.dot_general: both sides need as many contracting dims, got [0, 1] and [0]}}
  %0 = rlx.dot_general %x, %w contracting([0, 1] x [0]) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @axis_out_of_range(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) {
  // expected-error @below {{rlx.dot_general: dims 2 is out of range for lhs of rank 2}}
  %0 = rlx.dot_general %x, %w contracting([2] x [0]) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @axis_twice(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) {
  // expected-error @below {{rlx.dot_general: dims of lhs must not repeat, got [1, 1]}}
  %0 = rlx.dot_general %x, %w contracting([1, 1] x [0, 1]) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @contracted_sizes(%x: tensor<2x3xf32>, %w: tensor<4x5xf32>) {
  // expected-error @below {{rlx.dot_general: dim 1 of lhs tensor<2x3xf32> and dim 0 of rhs tensor<4x5xf32> must be equal, got 3 and 4}}
  %0 = rlx.dot_general %x, %w contracting([1] x [0]) : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

func.func @grouped_element(%x: tensor<2x8xf32>, %w: tensor<4x8x6xf16>, %i: tensor<2xi32>) {
  // expected-error @below {{rlx.grouped_matmul: weights must have element type f32, got f16}}
  %0 = rlx.grouped_matmul %x, %w, %i : (tensor<2x8xf32>, tensor<4x8x6xf16>, tensor<2xi32>) -> tensor<2x6xf32>
  func.return
}

// -----

func.func @grouped_rank(%x: tensor<2x8xf32>, %w: tensor<4x8x6xf32>, %i: tensor<2x1xi32>) {
  // expected-error @below {{rlx.grouped_matmul: input must have rank 3, got tensor<2x8xf32>}}
  %0 = rlx.grouped_matmul %x, %w, %i : (tensor<2x8xf32>, tensor<4x8x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
  func.return
}

// -----

func.func @general_element(%x: tensor<2x3xf32>, %y: tensor<3x2xf16>) {
  // expected-error @below {{rlx.dot_general: rhs must have element type f32, got f16}}
  %0 = rlx.dot_general %x, %y contracting([1] x [0]) : (tensor<2x3xf32>, tensor<3x2xf16>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @general_axis_twice(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error @below {{rlx.dot_general: dims of rhs must not repeat, got [0, 0]}}
  %0 = rlx.dot_general %x, %y contracting([1, 0] x [0, 0]) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @sums_of_truth_values(%x: tensor<4x4xf32>) {
  // expected-error @below {{rlx.matmul: accumulate must be one of f32, f16, bf16, f64, got i1}}
  %0 = rlx.matmul %x, %x accumulate(i1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return
}
