// RUN: rlx-opt --rlx-fuse-swiglu %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-swiglu=dtypes=f64 %s | filecheck %s --check-prefixes=ALL,DOUBLE
// RUN: not rlx-opt --rlx-fuse-swiglu=dtypes=i8 %s 2>&1 | filecheck %s --check-prefix=DTYPE

// DTYPE: error: option 'dtypes' of pass 'rlx-fuse-swiglu' takes {{.*}}, not 'i8'

// ALL-LABEL:   @single
// DEFAULT:     rlx.fused_swiglu
// DOUBLE-NOT:  rlx.fused_swiglu
func.func @single(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// ALL-LABEL:   @double
// DEFAULT-NOT: rlx.fused_swiglu
// DOUBLE:      rlx.fused_swiglu
func.func @double(%c: tensor<4x16xf64>) -> tensor<4x8xf64> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf64> -> tensor<4x8xf64>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf64> -> tensor<4x8xf64>
  %0 = rlx.activation silu %g : tensor<4x8xf64>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  func.return %1 : tensor<4x8xf64>
}
