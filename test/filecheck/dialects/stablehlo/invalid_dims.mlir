// RUN: rlx-opt --split-input-file --verify-diagnostics %s

func.func @iota() {
  // expected-error @below {{iota_dimension [1] must name distinct dims of tensor<4xf32>}}
  %0 = stablehlo.iota dim = 1 : tensor<4xf32>
  func.return
}

// -----

func.func @iota_of_run_time(%s: tensor<1xi64>) {
  // expected-error @below {{iota_dimension [1] must name distinct dims of tensor<?xf32>}}
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<1xi64>) -> tensor<?xf32>
  func.return
}

// -----

func.func @slice(%x: tensor<4xf32>) {
  // expected-error @below {{1:9:1 is no part of dim 0 of tensor<4xf32>}}
  %0 = stablehlo.slice %x [1:9] : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}

// -----

func.func @slice_rank(%x: tensor<4x4xf32>) {
  // expected-error @below {{start_indices [1] must have an entry for each dim of tensor<4x4xf32>}}
  %0 = stablehlo.slice %x [1:3] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @concatenate(%x: tensor<4xf32>) {
  // expected-error @below {{dimension [1] must name distinct dims of tensor<8xf32>}}
  %0 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  func.return
}

// -----

func.func @pad(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @below {{edge_padding_low [] must have an entry for each dim of tensor<4xf32>}}
  %0 = stablehlo.pad %x, %v, low = [], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @pad_interior(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @below {{interior_padding must not be negative}}
  %0 = stablehlo.pad %x, %v, low = [0], high = [1], interior = [-1] : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @reverse(%x: tensor<4xf32>) {
  // expected-error @below {{dimensions [0, 0] must name distinct dims of tensor<4xf32>}}
  %0 = stablehlo.reverse %x, dims = [0, 0] : tensor<4xf32>
  func.return
}

// -----

func.func @dynamic_slice(%x: tensor<4x8xf32>, %s: tensor<i32>) {
  // expected-error @below {{needs a start for each dim of tensor<4x8xf32>, got 1}}
  %0 = stablehlo.dynamic_slice %x, %s, sizes = [2, 3] : (tensor<4x8xf32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @sort(%x: tensor<4xf32>) {
  // expected-error @below {{dimension 1 is no dim of tensor<4xf32>}}
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @reduce(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @below {{dimensions [3] must name distinct dims of tensor<4xf32>}}
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [3] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @reduce_body(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @below {{the body needs two arguments for each of 1 inputs}}
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @window(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @below {{a window and its steps must be positive}}
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @batch_norm(%x: tensor<4x8xf32>, %v: tensor<8xf32>) {
  // expected-error @below {{feature_index 2 is no dim of tensor<4x8xf32>}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 0.001 : f32, feature_index = 2 : i64}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @size(%x: tensor<4xf32>) {
  // expected-error @below {{dimension [1] must name distinct dims of tensor<4xf32>}}
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4xf32>) -> tensor<i32>
  func.return
}

// -----

func.func @select(%x: tensor<2x3xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{dim [2] must name distinct dims of tensor<2x3xf32>}}
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 2 : i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @stretch(%x: tensor<2x3xf32>, %v: tensor<2xf32>) {
  // expected-error @below {{broadcast_dimensions [5] must name distinct dims of tensor<2x3xf32>}}
  %0 = chlo.broadcast_add %x, %v {broadcast_dimensions = array<i64: 5>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  func.return
}
