// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @elementwise
// CHECK:       %0 = rlx.relu_backward %x, %g : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK-NEXT:  %1 = rlx.activation_backward gelu %x, %0 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
// GENERIC:     "rlx.relu_backward"(%x, %g)
func.func @elementwise(%x: tensor<2x?xf32>, %g: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = rlx.relu_backward %x, %g : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %1 = rlx.activation_backward gelu %x, %0 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return %1 : tensor<2x?xf32>
}

// CHECK-LABEL: @cumsum
// CHECK:       %0 = rlx.cumsum_backward %g axis(1) : tensor<2x?xf32>
// CHECK-NEXT:  %1 = rlx.cumsum_backward %0 axis(-2) exclusive reverse : tensor<2x?xf32>
// GENERIC:     "rlx.cumsum_backward"(%g) <{axis = 1 : i64}>
func.func @cumsum(%g: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = rlx.cumsum_backward %g axis(1) : tensor<2x?xf32>
  %1 = rlx.cumsum_backward %0 axis(-2) exclusive reverse : tensor<2x?xf32>
  func.return %1 : tensor<2x?xf32>
}

// CHECK-LABEL: @gather
// CHECK:       %0 = rlx.gather_backward %g, %i axis(1) size(9) : (tensor<2x4x3x5xf32>, tensor<4x3xi32>) -> tensor<2x9x5xf32>
// CHECK-NEXT:  %1 = rlx.gather_backward %h, %j axis(0) size(7) : (tensor<?x9x?xf32>, tensor<?xindex>) -> tensor<7x9x?xf32>
// GENERIC:     "rlx.gather_backward"(%g, %i) <{axis = 1 : i64, size = 9 : i64}>
func.func @gather(%g: tensor<2x4x3x5xf32>, %i: tensor<4x3xi32>, %h: tensor<?x9x?xf32>, %j: tensor<?xindex>) -> tensor<2x9x5xf32> {
  %0 = rlx.gather_backward %g, %i axis(1) size(9) : (tensor<2x4x3x5xf32>, tensor<4x3xi32>) -> tensor<2x9x5xf32>
  %1 = rlx.gather_backward %h, %j axis(0) size(7) : (tensor<?x9x?xf32>, tensor<?xindex>) -> tensor<7x9x?xf32>
  func.return %0 : tensor<2x9x5xf32>
}

// CHECK-LABEL: @layer_norm
// CHECK:       %0 = rlx.layer_norm_backward_input %x, %w, %g epsilon(1.0e-05) : (tensor<?x4x8xf32>, tensor<8xf32>, tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
// CHECK-NEXT:  %1 = rlx.layer_norm_backward_gamma %x, %g epsilon(1.0e-05) axis(1) accumulate(f64) : (tensor<?x4x8xf32>, tensor<?x4x8xf32>) -> tensor<4xf32>
// GENERIC:     "rlx.layer_norm_backward_input"(%x, %w, %g) <{epsilon = 1.000000e-05 : f64, axis = -1 : i64}>
func.func @layer_norm(%x: tensor<?x4x8xf32>, %g: tensor<?x4x8xf32>, %w: tensor<8xf32>) -> (tensor<?x4x8xf32>, tensor<4xf32>) {
  %0 = rlx.layer_norm_backward_input %x, %w, %g epsilon(1.0e-5) : (tensor<?x4x8xf32>, tensor<8xf32>, tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  %1 = rlx.layer_norm_backward_gamma %x, %g epsilon(1.0e-5) axis(1) accumulate(f64) : (tensor<?x4x8xf32>, tensor<?x4x8xf32>) -> tensor<4xf32>
  func.return %0, %1 : tensor<?x4x8xf32>, tensor<4xf32>
}

// CHECK-LABEL: @rms_norm
// CHECK:       %0 = rlx.rms_norm_backward_input %x, %w, %g epsilon(1.0e-05) axis(1) : (tensor<?x4x8xf16>, tensor<4xf16>, tensor<?x4x8xf16>) -> tensor<?x4x8xf16>
// CHECK-NEXT:  %1 = rlx.rms_norm_backward_gamma %x, %g epsilon(1.0e-05) : (tensor<?x4x8xf16>, tensor<?x4x8xf16>) -> tensor<8xf16>
// CHECK-NEXT:  %2 = rlx.rms_norm_backward_beta %g axis(1) accumulate(f32) : tensor<?x4x8xf16> -> tensor<4xf16>
// GENERIC:     "rlx.rms_norm_backward_input"(%x, %w, %g) <{epsilon = 1.000000e-05 : f64, axis = 1 : i64}>
func.func @rms_norm(%x: tensor<?x4x8xf16>, %g: tensor<?x4x8xf16>, %w: tensor<4xf16>) -> (tensor<?x4x8xf16>, tensor<8xf16>, tensor<4xf16>) {
  %0 = rlx.rms_norm_backward_input %x, %w, %g epsilon(1.0e-5) axis(1) : (tensor<?x4x8xf16>, tensor<4xf16>, tensor<?x4x8xf16>) -> tensor<?x4x8xf16>
  %1 = rlx.rms_norm_backward_gamma %x, %g epsilon(1.0e-5) : (tensor<?x4x8xf16>, tensor<?x4x8xf16>) -> tensor<8xf16>
  %2 = rlx.rms_norm_backward_beta %g axis(1) accumulate(f32) : tensor<?x4x8xf16> -> tensor<4xf16>
  func.return %0, %1, %2 : tensor<?x4x8xf16>, tensor<8xf16>, tensor<4xf16>
}

// CHECK-LABEL: @group_norm
// CHECK:       %0 = rlx.group_norm_backward_input %x, %w, %g num_groups(2) epsilon(1.0e-05) : (tensor<?x6x5x?xf32>, tensor<6xf32>, tensor<?x6x5x?xf32>) -> tensor<?x6x5x?xf32>
// CHECK-NEXT:  %1 = rlx.group_norm_backward_gamma %x, %g num_groups(3) epsilon(1.0e-05) accumulate(f64) : (tensor<?x6x5x?xf32>, tensor<?x6x5x?xf32>) -> tensor<6xf32>
// CHECK-NEXT:  %2 = rlx.group_norm_backward_beta %g accumulate(f64) : tensor<?x6x5x?xf32> -> tensor<6xf32>
// GENERIC:     "rlx.group_norm_backward_input"(%x, %w, %g) <{num_groups = 2 : i64, epsilon = 1.000000e-05 : f64}>
func.func @group_norm(%x: tensor<?x6x5x?xf32>, %g: tensor<?x6x5x?xf32>, %w: tensor<6xf32>) -> (tensor<?x6x5x?xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = rlx.group_norm_backward_input %x, %w, %g num_groups(2) epsilon(1.0e-5) : (tensor<?x6x5x?xf32>, tensor<6xf32>, tensor<?x6x5x?xf32>) -> tensor<?x6x5x?xf32>
  %1 = rlx.group_norm_backward_gamma %x, %g num_groups(3) epsilon(1.0e-5) accumulate(f64) : (tensor<?x6x5x?xf32>, tensor<?x6x5x?xf32>) -> tensor<6xf32>
  %2 = rlx.group_norm_backward_beta %g accumulate(f64) : tensor<?x6x5x?xf32> -> tensor<6xf32>
  func.return %0, %1, %2 : tensor<?x6x5x?xf32>, tensor<6xf32>, tensor<6xf32>
}

// CHECK-LABEL: @batch_norm
// CHECK:       %0 = rlx.batch_norm_inference_backward_input %w, %w, %g epsilon(1.0e-05) axis(1) : (tensor<6xbf16>, tensor<6xbf16>, tensor<?x6x5xbf16>) -> tensor<?x6x5xbf16>
// CHECK-NEXT:  %1 = rlx.batch_norm_inference_backward_gamma %x, %u, %v, %g epsilon(1.0e-05) accumulate(f64) : (tensor<?x6x5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<?x6x5xbf16>) -> tensor<5xbf16>
// CHECK-NEXT:  %2 = rlx.batch_norm_inference_backward_beta %g axis(1) : tensor<?x6x5xbf16> -> tensor<6xbf16>
// GENERIC:     "rlx.batch_norm_inference_backward_input"(%w, %w, %g) <{epsilon = 1.000000e-05 : f64, axis = 1 : i64}>
func.func @batch_norm(%x: tensor<?x6x5xbf16>, %g: tensor<?x6x5xbf16>, %w: tensor<6xbf16>, %u: tensor<5xbf16>, %v: tensor<5xbf16>) -> (tensor<?x6x5xbf16>, tensor<5xbf16>, tensor<6xbf16>) {
  %0 = rlx.batch_norm_inference_backward_input %w, %w, %g epsilon(1.0e-5) axis(1) : (tensor<6xbf16>, tensor<6xbf16>, tensor<?x6x5xbf16>) -> tensor<?x6x5xbf16>
  %1 = rlx.batch_norm_inference_backward_gamma %x, %u, %v, %g epsilon(1.0e-5) accumulate(f64) : (tensor<?x6x5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<?x6x5xbf16>) -> tensor<5xbf16>
  %2 = rlx.batch_norm_inference_backward_beta %g axis(1) : tensor<?x6x5xbf16> -> tensor<6xbf16>
  func.return %0, %1, %2 : tensor<?x6x5xbf16>, tensor<5xbf16>, tensor<6xbf16>
}

// The result holds as many elements as all gradients together, where that is known.
// CHECK-LABEL: @fused
// CHECK:       %0 = rlx.ada_layer_norm_backward %x, %s, %t, %x epsilon(1.0e-06) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<8xf32>, tensor<2x4x8xf32>) -> tensor<88xf32>
// CHECK-NEXT:  %1 = rlx.ada_layer_norm_backward %y, %t, %t, %y norm(rms_norm) epsilon(1.0e-06) accumulate(f64) : (tensor<?x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?x4x8xf32>) -> tensor<?xf32>
// CHECK-NEXT:  %2 = rlx.gated_residual_backward %x, %x, %s, %x : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<144xf32>
// GENERIC:     "rlx.ada_layer_norm_backward"(%x, %s, %t, %x) <{epsilon = 1.000000e-06 : f64, norm = "layer_norm"}>
func.func @fused(%x: tensor<2x4x8xf32>, %s: tensor<2x1x8xf32>, %t: tensor<8xf32>, %y: tensor<?x4x8xf32>) -> (tensor<88xf32>, tensor<?xf32>) {
  %0 = rlx.ada_layer_norm_backward %x, %s, %t, %x epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<8xf32>, tensor<2x4x8xf32>) -> tensor<88xf32>
  %1 = rlx.ada_layer_norm_backward %y, %t, %t, %y norm(rms_norm) epsilon(1.0e-6) accumulate(f64) : (tensor<?x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?x4x8xf32>) -> tensor<?xf32>
  %2 = rlx.gated_residual_backward %x, %x, %s, %x : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<144xf32>
  func.return %0, %1 : tensor<88xf32>, tensor<?xf32>
}

// CHECK-LABEL: @attention
// CHECK:       %0 = rlx.attention_backward key %q, %k, %k, %q mask keys(%m) layout(bsm) heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) masked_rows(zero) : (tensor<?x5x8xf32>, tensor<?x6x4xf32>, tensor<?x6x4xf32>, tensor<?x5x8xf32>, tensor<?x6xi1>) -> tensor<?x6x4xf32>
// CHECK-NEXT:  %1 = rlx.attention_backward query %q, %k, %0, %q layout(bsm) heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) causal_offset(end) : (tensor<?x5x8xf32>, tensor<?x6x4xf32>, tensor<?x6x4xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
// GENERIC:     "rlx.attention_backward"(%q, %k, %k, %q, %m) <{wrt = "key", mask_kind = "keys", layout = "bsm", heads = 4 : i64, kv_heads = 2 : i64, head_dim = 2 : i64, v_head_dim = 2 : i64, scale = 5.000000e-01 : f64, masked_rows = "zero"}>
func.func @attention(%q: tensor<?x5x8xf32>, %k: tensor<?x6x4xf32>, %m: tensor<?x6xi1>, %b: tensor<5x5xf32>) -> tensor<?x6x4xf32> {
  %0 = rlx.attention_backward key %q, %k, %k, %q mask keys(%m) layout(bsm) heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) masked_rows(zero) : (tensor<?x5x8xf32>, tensor<?x6x4xf32>, tensor<?x6x4xf32>, tensor<?x5x8xf32>, tensor<?x6xi1>) -> tensor<?x6x4xf32>
  %1 = rlx.attention_backward query %q, %k, %0, %q layout(bsm) heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) causal_offset(end) : (tensor<?x5x8xf32>, tensor<?x6x4xf32>, tensor<?x6x4xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
  func.return %0 : tensor<?x6x4xf32>
}

// CHECK-LABEL: @attention_all
// CHECK:       %0 = rlx.attention_backward_all %q, %q, %q, %q mask bias(%m) layout(bsm) heads(4) kv_heads(4) head_dim(2) v_head_dim(2) scale(0.5) softcap(3.0) window_left(2) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<5x5xf32>) -> tensor<6x5x8xf32>
// CHECK-NEXT:  %1 = rlx.attention_backward_all %u, %u, %u, %u layout(bsm) heads(4) kv_heads(4) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>, tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
// GENERIC:     "rlx.attention_backward_all"(%q, %q, %q, %q, %m) <{mask_kind = "bias", layout = "bsm", heads = 4 : i64, kv_heads = 4 : i64, head_dim = 2 : i64, v_head_dim = 2 : i64, scale = 5.000000e-01 : f64, softcap = 3.000000e+00 : f64, window_left = 2 : i64, masked_rows = "uniform"}>
func.func @attention_all(%q: tensor<2x5x8xf32>, %m: tensor<5x5xf32>, %u: tensor<?x5x8xf32>) -> (tensor<6x5x8xf32>, tensor<?x5x8xf32>) {
  %0 = rlx.attention_backward_all %q, %q, %q, %q mask bias(%m) layout(bsm) heads(4) kv_heads(4) head_dim(2) v_head_dim(2) scale(0.5) softcap(3) window_left(2) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<5x5xf32>) -> tensor<6x5x8xf32>
  %1 = rlx.attention_backward_all %u, %u, %u, %u layout(bsm) heads(4) kv_heads(4) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<?x5x8xf32>, tensor<?x5x8xf32>, tensor<?x5x8xf32>, tensor<?x5x8xf32>) -> tensor<?x5x8xf32>
  func.return %0, %1 : tensor<6x5x8xf32>, tensor<?x5x8xf32>
}
