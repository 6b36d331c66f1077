// RUN: rlx-opt --rlx-fuse-matmul-bias-act %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-matmul-bias-act='epilogues=exp dtypes=f64' %s | filecheck %s --check-prefixes=ALL,OTHER
// RUN: rlx-opt --rlx-fuse-matmul-bias-act='compat-epilogues=true compat-dtypes=true' %s | filecheck %s --check-prefixes=ALL,COMPAT
// RUN: not rlx-opt --rlx-fuse-matmul-bias-act='epilogues=geluu' %s 2>&1 | filecheck %s --check-prefix=WORD
// RUN: not rlx-opt --rlx-fuse-matmul-bias-act='dtypes=f8' %s 2>&1 | filecheck %s --check-prefix=DTYPE
// RUN: rlx-opt --rlx-fuse-matmul-bias-act='dtypes=f64 epilogues=relu,gelu' --print-pass-pipeline %s | filecheck %s --check-prefix=PRINT

// WORD:  error: option 'epilogues' of pass 'rlx-fuse-matmul-bias-act' takes {{.*}}, not 'geluu'; did you mean 'gelu'
// DTYPE: error: option 'dtypes' of pass 'rlx-fuse-matmul-bias-act' takes f32, f16, bf16, f64{{.*}}, not 'f8'
// PRINT: rlx-fuse-matmul-bias-act{epilogues=relu,gelu dtypes=f64 compat-epilogues=false compat-dtypes=false}

// ALL-LABEL: @relu_f32
// DEFAULT:   rlx.fused_matmul_bias_act %x, %w, %b activation(relu)
// OTHER-NOT: rlx.fused_matmul_bias_act
// COMPAT:    rlx.fused_matmul_bias_act %x, %w, %b :
// COMPAT:    rlx.activation relu
func.func @relu_f32(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation relu %1 : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}

// ALL-LABEL: @silu_f32
// DEFAULT:   activation(silu)
// OTHER-NOT: rlx.fused_matmul_bias_act
// COMPAT:    activation(silu)
func.func @silu_f32(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation silu %1 : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}

// ALL-LABEL:  @exp_f64
// DEFAULT-NOT: rlx.fused_matmul_bias_act
// OTHER:      activation(exp)
// COMPAT-NOT: rlx.fused_matmul_bias_act
func.func @exp_f64(%x: tensor<4x8xf64>, %w: tensor<8x16xf64>, %b: tensor<16xf64>) -> tensor<4x16xf64> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf64>, tensor<8x16xf64>) -> tensor<4x16xf64>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf64>, tensor<16xf64>) -> tensor<4x16xf64>
  %2 = rlx.activation exp %1 : tensor<4x16xf64>
  func.return %2 : tensor<4x16xf64>
}

// ALL-LABEL:  @gelu_f16
// DEFAULT:    activation(gelu)
// OTHER-NOT:  rlx.fused_matmul_bias_act
// COMPAT-NOT: rlx.fused_matmul_bias_act
func.func @gelu_f16(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>, %b: tensor<16xf16>) -> tensor<4x16xf16> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x16xf16>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf16>, tensor<16xf16>) -> tensor<4x16xf16>
  %2 = rlx.activation gelu %1 : tensor<4x16xf16>
  func.return %2 : tensor<4x16xf16>
}
