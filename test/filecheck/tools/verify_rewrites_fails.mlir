// RUN: not rlx-opt --verify-rewrites --rlx-select-peaks-only-outputs='enabled=true compat-signatures=true' %s 2>&1 | filecheck %s

// A result that may be dropped is no loss; any other is.
// CHECK: error: pass 'rlx-select-peaks-only-outputs' changes what @spectrum computes: result 'out0' is gone

func.func @kept(%x: tensor<4x16xf32>) -> (tensor<4x16xf32> {rlx.optional}, tensor<2x4xf32>) {
  %0 = rlx.fft %x norm(none) : tensor<4x16xf32>
  %1 = rlx.welch_peaks %0 k(2) n_segments(2) : tensor<4x16xf32> -> tensor<2x4xf32>
  func.return %0, %1 : tensor<4x16xf32>, tensor<2x4xf32>
}

func.func @spectrum(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<2x4xf32>) {
  %0 = rlx.fft %x norm(none) : tensor<4x16xf32>
  %1 = rlx.welch_peaks %0 k(2) n_segments(2) : tensor<4x16xf32> -> tensor<2x4xf32>
  func.return %0, %1 : tensor<4x16xf32>, tensor<2x4xf32>
}
