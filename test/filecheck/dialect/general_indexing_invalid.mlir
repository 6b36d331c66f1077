// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @vector_dim_out_of_range(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: vector_dim must be from 0 to the rank of indices tensor<4x1xi32>, got 3}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [0] batching([] x []) start_map [0] vector_dim(3) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @start_map_too_long(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: start_map needs a dim for each entry of an index, [1], got [0, 1]}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [0] batching([] x []) start_map [0, 1] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @start_map_out_of_range(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: start_map must be different dims from 0 to 1, got [2]}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [0] batching([] x []) start_map [2] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @collapsed_twice(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: collapsed must be different dims from 0 to 1, got [0, 0]}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [0, 0] batching([] x []) start_map [0] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @collapsed_out_of_order(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: collapsed must be in order, got [1, 0]}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [1, 0] batching([] x []) start_map [0] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @batching_overlaps(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: batching dims of the input must not be in collapsed or start_map}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [0] batching([0] x [0]) start_map [0] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @batching_vector_dim(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: batching dims of indices must not be vector_dim}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [] batching([1] x [1]) start_map [0] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @batching_counts(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: both sides need as many batching dims, got [1] and []}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [] batching([1] x []) start_map [0] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @batching_sizes(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: dim 1 of tensor<10x8xf32> and dim 0 of indices tensor<4x1xi32> must be equal, got 8 and 4}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [] batching([1] x [0]) start_map [0] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @dims_left_over(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: offset, collapsed and batching dims must be 2 together for tensor<10x8xf32>, got 1}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [] batching([] x []) start_map [0] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @slice_size_missing(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: slice_sizes needs an entry for each dim of tensor<10x8xf32>, got [1]}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [0] batching([] x []) start_map [0] vector_dim(1) slice_sizes [1] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @slice_too_large(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: slice size 9 does not fit into dim 1 of tensor<10x8xf32>}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [0] batching([] x []) start_map [0] vector_dim(1) slice_sizes [1, 9] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @collapsed_slice(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: slice size of dim 0 must be 1, for the result lacks it, got 2}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [0] batching([] x []) start_map [0] vector_dim(1) slice_sizes [2, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @offset_out_of_range(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{rlx.general_gather: offset must be different dims from 0 to 1, got [2]}}
  %0 = rlx.general_gather %x, %i offset [2] collapsed [0] batching([] x []) start_map [0] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @window_rank(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) {
  // expected-error @below {{rlx.general_scatter: updates must have rank 2, got tensor<4xf32>}}
  %0 = rlx.general_scatter none %x, %i, %u window [1] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<10x8xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<10x8xf32>
  func.return
}

// -----

func.func @window_too_large(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>, %u: tensor<4x9xf32>) {
  // expected-error @below {{rlx.general_scatter: dim 1 of updates tensor<4x9xf32> does not fit into dim 1 of tensor<10x8xf32>}}
  %0 = rlx.general_scatter none %x, %i, %u window [1] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<10x8xf32>, tensor<4x1xi32>, tensor<4x9xf32>) -> tensor<10x8xf32>
  func.return
}

// -----

func.func @updates_unlike_indices(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>, %u: tensor<3x8xf32>) {
  // expected-error @below {{rlx.general_scatter: dim 0 of updates tensor<3x8xf32> and the dim of indices tensor<4x1xi32> must be equal, got 3 and 4}}
  %0 = rlx.general_scatter none %x, %i, %u window [1] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<10x8xf32>, tensor<4x1xi32>, tensor<3x8xf32>) -> tensor<10x8xf32>
  func.return
}

// -----

func.func @other_elements(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>, %u: tensor<4x8xi32>) {
  // expected-error @below {{rlx.general_scatter: updates must have element type f32, got i32}}
  %0 = rlx.general_scatter none %x, %i, %u window [1] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<10x8xf32>, tensor<4x1xi32>, tensor<4x8xi32>) -> tensor<10x8xf32>
  func.return
}

// -----

func.func @window_out_of_range(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>, %u: tensor<4x8xf32>) {
  // expected-error @below {{rlx.general_scatter: window must be different dims from 0 to 1, got [2]}}
  %0 = rlx.general_scatter none %x, %i, %u window [2] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<10x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<10x8xf32>
  func.return
}

// -----

func.func @gather_real_indices(%x: tensor<10x8xf32>, %i: tensor<4x1xf32>) {
  // expected-error @below {{rlx.general_gather: indices must be integers, got tensor<4x1xf32>}}
  %0 = rlx.general_gather %x, %i offset [1] collapsed [0] batching([] x []) start_map [0] vector_dim(1) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @scatter_truth_values(%x: tensor<10x8xi1>, %i: tensor<4x1xi32>, %u: tensor<4x8xi1>) {
  // expected-error @below {{rlx.general_scatter: add needs numbers, got tensor<10x8xi1>}}
  %0 = rlx.general_scatter add %x, %i, %u window [1] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<10x8xi1>, tensor<4x1xi32>, tensor<4x8xi1>) -> tensor<10x8xi1>
  func.return
}
