// RUN: rlx-opt --rlx-fuse-ada-layer-norm %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-ada-layer-norm=dtypes=f16 %s | filecheck %s --check-prefixes=ALL,HALF
// RUN: not rlx-opt --rlx-fuse-ada-layer-norm=dtypes=i8 %s 2>&1 | filecheck %s --check-prefix=DTYPE

// DTYPE: error: option 'dtypes' of pass 'rlx-fuse-ada-layer-norm' takes {{.*}}, not 'i8'

// ALL-LABEL: @single
// DEFAULT:   rlx.ada_layer_norm
// HALF-NOT:  rlx.ada_layer_norm
func.func @single(%x: tensor<2x4x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %gain = rlx.binary add %one, %scale : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}

// ALL-LABEL: @half
// ALL:       rlx.ada_layer_norm
func.func @half(%x: tensor<2x4x8xf16>, %scale: tensor<2x1x8xf16>, %shift: tensor<2x1x8xf16>) -> tensor<2x4x8xf16> {
  %ones = arith.constant dense<1.0> : tensor<8xf16>
  %zeros = arith.constant dense<0.0> : tensor<8xf16>
  %one = arith.constant dense<1.0> : tensor<f16>
  %n = rlx.layer_norm %x, %ones, %zeros epsilon(1.0e-6) : (tensor<2x4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x4x8xf16>
  %gain = rlx.binary add %one, %scale : (tensor<f16>, tensor<2x1x8xf16>) -> tensor<2x1x8xf16>
  %m = rlx.binary mul %n, %gain : (tensor<2x4x8xf16>, tensor<2x1x8xf16>) -> tensor<2x4x8xf16>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf16>, tensor<2x1x8xf16>) -> tensor<2x4x8xf16>
  func.return %y : tensor<2x4x8xf16>
}
