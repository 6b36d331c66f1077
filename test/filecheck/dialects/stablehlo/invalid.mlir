// RUN: rlx-opt --split-input-file --verify-diagnostics %s

func.func @broadcast_dims(%x: tensor<4xf32>) {
  // expected-error @below {{broadcast_dimensions [2] must name a dim of tensor<2x4xf32> for each of tensor<4xf32>}}
  %0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 2>}> : (tensor<4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @broadcast_size(%x: tensor<4xf32>) {
  // expected-error @below {{a dim of size 4 cannot become 2}}
  %0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @transpose(%x: tensor<2x4xf32>) {
  // expected-error @below {{permutation [0, 0] must name each dim of tensor<2x4xf32> once}}
  %0 = "stablehlo.transpose"(%x) <{permutation = array<i64: 0, 0>}> : (tensor<2x4xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @dot(%x: tensor<2x4xf32>) {
  // expected-error @below {{the dims [2] of lhs are not distinct dims of tensor<2x4xf32>}}
  %0 = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @dot_key(%x: tensor<2x4xf32>) {
  // expected-error @below {{expected one of lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions, got lhs_dims}}
  %0 = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_dims = [2]>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @conv_dims(%x: tensor<1x1x4x4xf32>) {
  // expected-error @below {{expected the dims b, f and 0.. once each}}
  %0 = "stablehlo.convolution"(%x, %x) <{dimension_numbers = #stablehlo.conv<[b, b, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x1x1xf32>
  func.return
}

// -----

func.func @select(%p: tensor<2xi1>, %x: tensor<4xf32>) {
  // expected-error @below {{pred must be i1, a scalar or with the dims of tensor<4xf32>, got tensor<2xi1>}}
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<2xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}
