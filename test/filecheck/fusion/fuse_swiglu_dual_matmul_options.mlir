// RUN: rlx-opt --rlx-fuse-swiglu-dual-matmul %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-swiglu-dual-matmul=dtypes=f64 %s | filecheck %s --check-prefixes=ALL,DOUBLE
// RUN: not rlx-opt --rlx-fuse-swiglu-dual-matmul=dtypes=i8 %s 2>&1 | filecheck %s --check-prefix=DTYPE

// DTYPE: error: option 'dtypes' of pass 'rlx-fuse-swiglu-dual-matmul' takes {{.*}}, not 'i8'

// ALL-LABEL:   @single
// DEFAULT:     rlx.fused_swiglu
// DOUBLE-NOT:  rlx.fused_swiglu
func.func @single(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// ALL-LABEL:   @double
// DEFAULT-NOT: rlx.fused_swiglu
// DOUBLE:      rlx.fused_swiglu
func.func @double(%x: tensor<4x8xf64>, %wu: tensor<8x6xf64>, %wg: tensor<8x6xf64>) -> tensor<4x6xf64> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  %0 = rlx.activation silu %g : tensor<4x6xf64>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
  func.return %1 : tensor<4x6xf64>
}
