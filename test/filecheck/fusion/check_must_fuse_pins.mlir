// RUN: rlx-opt --rlx-fusion=target=rocm --split-input-file --verify-diagnostics %s
// RUN: rlx-opt --rlx-pipeline='target=rocm stage=fuse from=rlx' --split-input-file --verify-diagnostics %s

// Every op is absorbed, and the fused op carries no pin: a second run would fail.
func.func @absorbed(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w {rlx.must_fuse} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b {rlx.must_fuse} : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation relu %1 {rlx.must_fuse} : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}

// -----

// A dot_general that becomes a product is not fused by that alone.
func.func @only_lowered(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{'rlx.matmul' at}}
  %0 = rlx.dot_general %x, %w contracting([1] x [0]) {rlx.must_fuse} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}

// -----

// The reason, and where; the addend is pinned, the product has two readers.
func.func @missed(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  // expected-error @below {{RLX-F003 returned}}
  %1 = rlx.binary add %0, %b {rlx.must_fuse} : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %1, %0 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

func.func @contradiction(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{carries both rlx.must_fuse and rlx.no_fuse: take one of them away}}
  %0 = rlx.activation relu %x {rlx.must_fuse, rlx.no_fuse} : tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// -----

func.func @nobody_tried(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{must fuse, and no fusion of this pipeline tried it}}
  %0 = rlx.transpose %x [1, 0] {rlx.must_fuse} : tensor<4x8xf32> -> tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}
