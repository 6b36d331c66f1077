// RUN: rlx-opt --rlx-fuse-shared-input-matmul %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-shared-input-matmul=dtypes=f64 %s | filecheck %s --check-prefixes=ALL,DOUBLE
// RUN: not rlx-opt --rlx-fuse-shared-input-matmul=dtypes=i8 %s 2>&1 | filecheck %s --check-prefix=DTYPE

// DTYPE: error: option 'dtypes' of pass 'rlx-fuse-shared-input-matmul' takes {{.*}}, not 'i8'

// ALL-LABEL:   @single
// DEFAULT:     rlx.concat
// DOUBLE-NOT:  rlx.concat
func.func @single(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x3xf32>
}

// ALL-LABEL:   @double
// DEFAULT-NOT: rlx.concat
// DOUBLE:      rlx.concat
func.func @double(%x: tensor<4x8xf64>, %v: tensor<8x6xf64>, %w: tensor<8x3xf64>) -> (tensor<4x6xf64>, tensor<4x3xf64>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf64>, tensor<8x3xf64>) -> tensor<4x3xf64>
  func.return %0, %1 : tensor<4x6xf64>, tensor<4x3xf64>
}
