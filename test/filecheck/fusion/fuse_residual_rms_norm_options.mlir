// RUN: rlx-opt --rlx-fuse-residual-rms-norm %s | filecheck %s --check-prefixes=ALL,TEE
// RUN: rlx-opt --rlx-fuse-residual-rms-norm=tee=false %s | filecheck %s --check-prefixes=ALL,NOTEE
// RUN: rlx-opt --rlx-fuse-residual-rms-norm=compat-tee=true %s | filecheck %s --check-prefixes=ALL,NOTEE
// RUN: rlx-opt --rlx-fuse-residual-rms-norm='compat-tee=true yield-to=ada_layer_norm' %s | filecheck %s --check-prefixes=ALL,NOTEE
// RUN: not rlx-opt --rlx-fuse-residual-rms-norm=yield-to=swiglu %s 2>&1 | filecheck %s --check-prefix=WORD
// RUN: rlx-opt --rlx-fuse-residual-rms-norm='yield-to=ada_layer_norm,gated_residual tee=true' --print-pass-pipeline %s | filecheck %s --check-prefix=PRINT

// WORD:  error: option 'yield-to' of pass 'rlx-fuse-residual-rms-norm' takes ada_layer_norm, gated_residual, not 'swiglu'
// PRINT: rlx-fuse-residual-rms-norm{tee=true yield-to=ada_layer_norm,gated_residual dtypes=f32,f16,bf16 compat-tee=false}

// ALL-LABEL: @teed
// TEE:       %{{.*}}, %{{.*}} = rlx.fused_residual_rms_norm
// NOTEE-NOT: rlx.fused_residual_rms_norm
func.func @teed(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// ALL-LABEL: @read_once
// TEE:       rlx.fused_residual_rms_norm
// NOTEE:     rlx.fused_residual_rms_norm
func.func @read_once(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// Without tees every sum that the norm alone reads is taken, as the original has it, an adaptive norm or not.
// ALL-LABEL: @f29_last_norm
// TEE:       rlx.fused_residual_rms_norm
// NOTEE:     rlx.fused_residual_rms_norm
func.func @f29_last_norm(%x: tensor<2x4x8xf32>, %q: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %scale: tensor<2x1x8xf32>, %shift: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %p = rlx.binary mul %gate, %q : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %n = rlx.rms_norm %s, %one, %zero epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x8xf32>
  %k = rlx.binary add %c, %scale : (tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %m = rlx.binary mul %n, %k : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %y = rlx.binary add %m, %shift : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %y : tensor<2x4x8xf32>
}
