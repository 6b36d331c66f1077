// RUN: rlx-opt --rlx-fuse-gated-residual %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-gated-residual=dtypes=f64 %s | filecheck %s --check-prefixes=ALL,DOUBLE
// RUN: rlx-opt --rlx-fuse-gated-residual=compat-dtypes=true %s | filecheck %s --check-prefixes=ALL,COMPAT
// RUN: not rlx-opt --rlx-fuse-gated-residual=dtypes=i8 %s 2>&1 | filecheck %s --check-prefix=DTYPE

// DTYPE: error: option 'dtypes' of pass 'rlx-fuse-gated-residual' takes {{.*}}, not 'i8'

// ALL-LABEL:   @single
// DEFAULT:     rlx.gated_residual
// DOUBLE-NOT:  rlx.gated_residual
// COMPAT:      rlx.gated_residual
func.func @single(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// ALL-LABEL:   @half
// DEFAULT:     rlx.gated_residual
// DOUBLE-NOT:  rlx.gated_residual
// COMPAT-NOT:  rlx.gated_residual
func.func @half(%x: tensor<2x4x8xf16>, %y: tensor<2x4x8xf16>, %gate: tensor<2x1x8xf16>) -> tensor<2x4x8xf16> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf16>, tensor<2x4x8xf16>) -> tensor<2x4x8xf16>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf16>, tensor<2x4x8xf16>) -> tensor<2x4x8xf16>
  func.return %s : tensor<2x4x8xf16>
}

// ALL-LABEL:   @double
// DEFAULT-NOT: rlx.gated_residual
// DOUBLE:      rlx.gated_residual
// COMPAT-NOT:  rlx.gated_residual
func.func @double(%x: tensor<2x4x8xf64>, %y: tensor<2x4x8xf64>, %gate: tensor<2x1x8xf64>) -> tensor<2x4x8xf64> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf64>, tensor<2x4x8xf64>) -> tensor<2x4x8xf64>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf64>, tensor<2x4x8xf64>) -> tensor<2x4x8xf64>
  func.return %s : tensor<2x4x8xf64>
}
