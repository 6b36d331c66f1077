// RUN: rlx-opt --rlx-fuse-conv-bias-act %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-conv-bias-act='epilogues=exp dtypes=f32,f64 kernel-min=3 max-groups=2' %s | filecheck %s --check-prefixes=ALL,OTHER
// RUN: rlx-opt --rlx-fuse-conv-bias-act=compat-conv=true %s | filecheck %s --check-prefixes=ALL,CONV
// RUN: rlx-opt --rlx-fuse-conv-bias-act=compat-epilogues=true %s | filecheck %s --check-prefixes=ALL,RELU
// RUN: not rlx-opt --rlx-fuse-conv-bias-act=kernel-min=0 %s 2>&1 | filecheck %s --check-prefix=KERNEL
// RUN: not rlx-opt --rlx-fuse-conv-bias-act=max-groups=0 %s 2>&1 | filecheck %s --check-prefix=GROUPS
// RUN: not rlx-opt --rlx-fuse-conv-bias-act=epilogues=geluu %s 2>&1 | filecheck %s --check-prefix=WORD
// RUN: not rlx-opt --rlx-fuse-conv-bias-act=dtypes=i8 %s 2>&1 | filecheck %s --check-prefix=DTYPE
// RUN: rlx-opt --rlx-fuse-conv-bias-act='max-groups=2 compat-conv=true' --print-pass-pipeline %s | filecheck %s --check-prefix=PRINT

// KERNEL: error: option 'kernel-min' of pass 'rlx-fuse-conv-bias-act' must be at least 1, not 0
// GROUPS: error: option 'max-groups' of pass 'rlx-fuse-conv-bias-act' must be at least 1, not 0
// WORD:   error: option 'epilogues' of pass 'rlx-fuse-conv-bias-act' takes {{.*}}, not 'geluu'; did you mean 'gelu'
// DTYPE:  error: option 'dtypes' of pass 'rlx-fuse-conv-bias-act' takes {{.*}}, not 'i8'
// PRINT:  rlx-fuse-conv-bias-act{epilogues=relu,gelu,gelu_approx,silu,sigmoid,tanh dtypes=f32,f16,bf16 kernel-min=1 max-groups=2 compat-conv=true compat-epilogues=false}

// ALL-LABEL:   @relu
// DEFAULT:     rlx.fused_conv_bias_act {{.*}} activation(relu)
// OTHER:       rlx.fused_conv_bias_act {{.*}} %{{[0-9a-z]+}} pad
// CONV:        rlx.fused_conv_bias_act {{.*}} activation(relu)
// RELU:        rlx.fused_conv_bias_act {{.*}} activation(relu)
func.func @relu(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// ALL-LABEL:   @no_activation
// DEFAULT:     rlx.fused_conv_bias_act {{.*}} %{{[0-9a-z]+}} pad
// OTHER:       rlx.fused_conv_bias_act {{.*}} %{{[0-9a-z]+}} pad
// CONV:        rlx.fused_conv_bias_act {{.*}} %{{[0-9a-z]+}} pad
// RELU:        rlx.fused_conv_bias_act {{.*}} %{{[0-9a-z]+}} pad
func.func @no_activation(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  func.return %s : tensor<2x8x6x6xf32>
}

// ALL-LABEL:   @gelu
// DEFAULT:     rlx.fused_conv_bias_act {{.*}} activation(gelu)
// OTHER:       rlx.fused_conv_bias_act {{.*}} %{{[0-9a-z]+}} pad
// CONV:        rlx.fused_conv_bias_act {{.*}} activation(gelu)
// RELU-NOT:    rlx.fused_conv_bias_act
func.func @gelu(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation gelu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// ALL-LABEL:   @exp
// DEFAULT:     rlx.fused_conv_bias_act {{.*}} %{{[0-9a-z]+}} pad
// OTHER:       rlx.fused_conv_bias_act {{.*}} activation(exp)
// CONV:        rlx.fused_conv_bias_act {{.*}} %{{[0-9a-z]+}} pad
// RELU-NOT:    rlx.fused_conv_bias_act
func.func @exp(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation exp %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// ALL-LABEL:   @kernel_of_one
// DEFAULT:     rlx.fused_conv_bias_act
// OTHER-NOT:   rlx.fused_conv_bias_act
// CONV-NOT:    rlx.fused_conv_bias_act
// RELU:        rlx.fused_conv_bias_act
func.func @kernel_of_one(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x1x1xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w : (tensor<2x3x6x6xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// ALL-LABEL:   @eight_groups
// DEFAULT:     rlx.fused_conv_bias_act
// OTHER-NOT:   rlx.fused_conv_bias_act
// CONV-NOT:    rlx.fused_conv_bias_act
// RELU:        rlx.fused_conv_bias_act
func.func @eight_groups(%x: tensor<2x8x6x6xf32>, %w: tensor<8x1x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) groups(8) : (tensor<2x8x6x6xf32>, tensor<8x1x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %a = rlx.activation relu %s : tensor<2x8x6x6xf32>
  func.return %a : tensor<2x8x6x6xf32>
}

// ALL-LABEL:   @one_spatial_dim
// DEFAULT:     rlx.fused_conv_bias_act
// OTHER:       rlx.fused_conv_bias_act
// CONV-NOT:    rlx.fused_conv_bias_act
// RELU:        rlx.fused_conv_bias_act
func.func @one_spatial_dim(%x: tensor<2x3x9xf32>, %w: tensor<8x3x3xf32>, %b: tensor<8x1xf32>) -> tensor<2x8x9xf32> {
  %c = rlx.conv %x, %w pad([1], [1]) : (tensor<2x3x9xf32>, tensor<8x3x3xf32>) -> tensor<2x8x9xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x9xf32>, tensor<8x1xf32>) -> tensor<2x8x9xf32>
  func.return %s : tensor<2x8x9xf32>
}

// ALL-LABEL:   @double_precision
// DEFAULT-NOT: rlx.fused_conv_bias_act
// OTHER:       rlx.fused_conv_bias_act
// CONV-NOT:    rlx.fused_conv_bias_act
// RELU-NOT:    rlx.fused_conv_bias_act
func.func @double_precision(%x: tensor<2x3x6x6xf64>, %w: tensor<8x3x3x3xf64>, %b: tensor<1x8x1x1xf64>) -> tensor<2x8x6x6xf64> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf64>, tensor<8x3x3x3xf64>) -> tensor<2x8x6x6xf64>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf64>, tensor<1x8x1x1xf64>) -> tensor<2x8x6x6xf64>
  func.return %s : tensor<2x8x6x6xf64>
}

// ALL-LABEL:   @residual
// DEFAULT:     residual(%r)
// OTHER:       residual(%r)
// CONV:        rlx.fused_conv_bias_act {{.*}} %{{[0-9a-z]+}} pad
// RELU:        residual(%r)
func.func @residual(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<1x8x1x1xf32>, %r: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %c = rlx.conv %x, %w pad([1, 1], [1, 1]) : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x6x6xf32>
  %s = rlx.binary add %c, %b : (tensor<2x8x6x6xf32>, tensor<1x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %t = rlx.binary add %s, %r : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  func.return %t : tensor<2x8x6x6xf32>
}

// ALL-LABEL:   @no_bias
// DEFAULT:     rlx.fused_conv_bias_act %x, %w activation(relu)
// OTHER-NOT:   rlx.fused_conv_bias_act
// CONV-NOT:    rlx.fused_conv_bias_act
// RELU-NOT:    rlx.fused_conv_bias_act
// ALL:         func.return
func.func @no_bias(%x: tensor<2x3x6x6xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<2x8x4x4xf32> {
  %c = rlx.conv %x, %w : (tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x4x4xf32>
  %a = rlx.activation relu %c : tensor<2x8x4x4xf32>
  func.return %a : tensor<2x8x4x4xf32>
}
