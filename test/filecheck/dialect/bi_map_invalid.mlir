// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @weight_rank(%x: tensor<2x4x4xf32>, %w: tensor<2x3x4xf32>) {
  // expected-error @below {{rlx.bi_map: weight must have rank 2, got tensor<2x3x4xf32>}}
  %0 = rlx.bi_map %x, %w : (tensor<2x4x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  func.return
}

// -----

func.func @rank(%x: tensor<4xf32>, %w: tensor<3x4xf32>) {
  // expected-error @below {{rlx.bi_map: input must have rank 2 or more, got tensor<4xf32>}}
  %0 = rlx.bi_map %x, %w : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  func.return
}

// -----

func.func @element(%x: tensor<4x4xf16>, %w: tensor<3x4xf32>) {
  // expected-error @below {{rlx.bi_map: input must have element type f32, got f16}}
  %0 = rlx.bi_map %x, %w : (tensor<4x4xf16>, tensor<3x4xf32>) -> tensor<3x3xf32>
  func.return
}

// -----

func.func @rows(%x: tensor<5x4xf32>, %w: tensor<3x4xf32>) {
  // expected-error @below {{rlx.bi_map: the last dim of weight and the last but one of input must be equal, got 4 and 5 in tensor<3x4xf32> and tensor<5x4xf32>}}
  %0 = rlx.bi_map %x, %w : (tensor<5x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  func.return
}

// -----

func.func @columns(%x: tensor<4x5xf32>, %w: tensor<3x4xf32>) {
  // expected-error @below {{rlx.bi_map: the last dim of weight @ input and the last but one of the transposed weight must be equal, got 5 and 4 in tensor<3x5xf32> and tensor<4x3xf32>}}
  %0 = rlx.bi_map %x, %w : (tensor<4x5xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  func.return
}

// -----

func.func @result(%x: tensor<4x4xf32>, %w: tensor<3x4xf32>) {
  // expected-error @below {{rlx.bi_map: result #0 must be tensor<3x3xf32>, got tensor<4x4xf32>}}
  %0 = rlx.bi_map %x, %w : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  func.return
}
