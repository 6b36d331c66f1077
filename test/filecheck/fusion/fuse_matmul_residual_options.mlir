// RUN: rlx-opt --rlx-fuse-matmul-residual %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-matmul-residual=dtypes=f64 %s | filecheck %s --check-prefixes=ALL,DOUBLE
// RUN: rlx-opt --rlx-fuse-matmul-residual=compat-dtypes=true %s | filecheck %s --check-prefixes=ALL,COMPAT
// RUN: not rlx-opt --rlx-fuse-matmul-residual=dtypes=i8 %s 2>&1 | filecheck %s --check-prefix=DTYPE

// DTYPE: error: option 'dtypes' of pass 'rlx-fuse-matmul-residual' takes {{.*}}, not 'i8'

// ALL-LABEL:   @half
// DEFAULT:     rlx.fused_matmul_residual
// DOUBLE-NOT:  rlx.fused_matmul_residual
// COMPAT-NOT:  rlx.fused_matmul_residual
func.func @half(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>, %r: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf16>, tensor<4x6xf16>) -> tensor<4x6xf16>
  func.return %1 : tensor<4x6xf16>
}

// ALL-LABEL:   @single
// DEFAULT:     rlx.fused_matmul_residual
// DOUBLE-NOT:  rlx.fused_matmul_residual
// COMPAT:      rlx.fused_matmul_residual
func.func @single(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// ALL-LABEL:   @double
// DEFAULT-NOT: rlx.fused_matmul_residual
// DOUBLE:      rlx.fused_matmul_residual
// COMPAT-NOT:  rlx.fused_matmul_residual
func.func @double(%x: tensor<4x8xf64>, %w: tensor<8x6xf64>, %r: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
  func.return %1 : tensor<4x6xf64>
}
