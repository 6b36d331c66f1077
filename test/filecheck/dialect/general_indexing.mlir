// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// Rows of a table.
// CHECK-LABEL: @rows
// CHECK:       %0 = rlx.general_gather %x, %i offset [2] collapsed [0] batching([] x []) start_map [0] vector_dim(2) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x?xi32>) -> tensor<4x?x8xf32>
func.func @rows(%x: tensor<10x8xf32>, %i: tensor<4x?xi32>) -> tensor<4x?x8xf32> {
  %0 = rlx.general_gather %x, %i offset [2] collapsed [0] batching([] x []) start_map [0] vector_dim(2) slice_sizes [1, 8] : (tensor<10x8xf32>, tensor<4x?xi32>) -> tensor<4x?x8xf32>
  func.return %0 : tensor<4x?x8xf32>
}

// Windows of a batch, each with its own corner; the entries of an index lie on dim 0.
// CHECK-LABEL: @windows
// CHECK:       %0 = rlx.general_gather %x, %i offset [1, 2] collapsed [] batching([0] x [1]) start_map [2, 1] vector_dim(0) slice_sizes [1, 3, 2] : (tensor<2x6x7xf32>, tensor<2x2x5xi64>) -> tensor<2x3x2x5xf32>
// GENERIC:     "rlx.general_gather"(%x, %i) <{offset = array<i64: 1, 2>, collapsed = array<i64>, input_batching = array<i64: 0>, indices_batching = array<i64: 1>, start_map = array<i64: 2, 1>, vector_dim = 0 : i64, slice_sizes = array<i64: 1, 3, 2>}> : (tensor<2x6x7xf32>, tensor<2x2x5xi64>) -> tensor<2x3x2x5xf32>
func.func @windows(%x: tensor<2x6x7xf32>, %i: tensor<2x2x5xi64>) -> tensor<2x3x2x5xf32> {
  %0 = rlx.general_gather %x, %i offset [1, 2] collapsed [] batching([0] x [1]) start_map [2, 1] vector_dim(0) slice_sizes [1, 3, 2] : (tensor<2x6x7xf32>, tensor<2x2x5xi64>) -> tensor<2x3x2x5xf32>
  func.return %0 : tensor<2x3x2x5xf32>
}

// CHECK-LABEL: @scattered_rows
// CHECK:       %0 = rlx.general_scatter add %x, %i, %u window [1] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<10x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<10x8xf32>
func.func @scattered_rows(%x: tensor<10x8xf32>, %i: tensor<4x1xi32>, %u: tensor<4x8xf32>) -> tensor<10x8xf32> {
  %0 = rlx.general_scatter add %x, %i, %u window [1] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<10x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<10x8xf32>
  func.return %0 : tensor<10x8xf32>
}

// CHECK-LABEL: @scattered_windows
// CHECK:       %0 = rlx.general_scatter none %x, %i, %u window [2, 3] inserted [] batching([0] x [0]) scatter_map [1, 2] vector_dim(2) : (tensor<2x?x7xf32>, tensor<2x5x2xi64>, tensor<2x5x?x2xf32>) -> tensor<2x?x7xf32>
func.func @scattered_windows(%x: tensor<2x?x7xf32>, %i: tensor<2x5x2xi64>, %u: tensor<2x5x?x2xf32>) -> tensor<2x?x7xf32> {
  %0 = rlx.general_scatter none %x, %i, %u window [2, 3] inserted [] batching([0] x [0]) scatter_map [1, 2] vector_dim(2) : (tensor<2x?x7xf32>, tensor<2x5x2xi64>, tensor<2x5x?x2xf32>) -> tensor<2x?x7xf32>
  func.return %0 : tensor<2x?x7xf32>
}
