// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @norm_gamma(%a: tensor<2x6x4xf32>, %b: tensor<6xf32>, %c: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.layer_norm_backward_input: the size of gamma and the normalised dim must be equal, got 6 and 4}}
  %0 = rlx.layer_norm_backward_input %a, %b, %c epsilon(1.0e-5) : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @norm_axis(%a: tensor<2x6x4xf32>, %b: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.rms_norm_backward_gamma: axis -4 is out of range for input of rank 3}}
  %0 = rlx.rms_norm_backward_gamma %a, %b epsilon(1.0e-5) axis(-4) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @norm_gradient(%a: tensor<2x6x4xf32>, %b: tensor<4xf32>, %c: tensor<1x6x4xf32>) {
  // expected-error @below {{rlx.rms_norm_backward_input: dim 0 of input tensor<2x6x4xf32> and gradient tensor<1x6x4xf32> must be equal, got 2 and 1}}
  %0 = rlx.rms_norm_backward_input %a, %b, %c epsilon(1.0e-5) : (tensor<2x6x4xf32>, tensor<4xf32>, tensor<1x6x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @beta_of_integers(%a: tensor<2x4xi32>) {
  // expected-error @below {{rlx.rms_norm_backward_beta: gradient must have a float element type, got tensor<2x4xi32>}}
  %0 = rlx.rms_norm_backward_beta %a  : tensor<2x4xi32> -> tensor<4xi32>
  func.return
}

// -----

func.func @beta_result(%a: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.rms_norm_backward_beta: result #0 must be tensor<4xf32>, got tensor<6xf32>}}
  %0 = rlx.rms_norm_backward_beta %a  : tensor<2x6x4xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @groups(%a: tensor<2x6x4xf32>, %b: tensor<6xf32>, %c: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.group_norm_backward_input: dim 1 of input must be known and a multiple of num_groups 4, got tensor<2x6x4xf32>}}
  %0 = rlx.group_norm_backward_input %a, %b, %c num_groups(4) epsilon(1.0e-5) : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @group_gamma(%a: tensor<2x6x4xf32>, %b: tensor<4xf32>, %c: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.group_norm_backward_input: the size of gamma and dim 1 of input must be equal, got 4 and 6}}
  %0 = rlx.group_norm_backward_input %a, %b, %c num_groups(2) epsilon(1.0e-5) : (tensor<2x6x4xf32>, tensor<4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @groups_gamma(%a: tensor<2x6x4xf32>, %b: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.group_norm_backward_gamma: dim 1 of input must be known and a multiple of num_groups 0, got tensor<2x6x4xf32>}}
  %0 = rlx.group_norm_backward_gamma %a, %b num_groups(0) epsilon(1.0e-5) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @group_beta_rank(%a: tensor<6xf32>) {
  // expected-error @below {{rlx.group_norm_backward_beta: axis 1 is out of range for gradient of rank 1}}
  %0 = rlx.group_norm_backward_beta %a  : tensor<6xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @group_beta_of_integers(%a: tensor<2x4xi32>) {
  // expected-error @below {{rlx.group_norm_backward_beta: gradient must have a float element type, got tensor<2x4xi32>}}
  %0 = rlx.group_norm_backward_beta %a  : tensor<2x4xi32> -> tensor<4xi32>
  func.return
}

// -----

func.func @batch_variance(%a: tensor<6xf32>, %b: tensor<4xf32>, %c: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.batch_norm_inference_backward_input: the size of variance and the dim of axis must be equal, got 4 and 6}}
  %0 = rlx.batch_norm_inference_backward_input %a, %b, %c epsilon(1.0e-5) axis(1) : (tensor<6xf32>, tensor<4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @batch_of_integers(%a: tensor<4xi32>, %b: tensor<4xi32>, %c: tensor<2x4xi32>) {
  // expected-error @below {{rlx.batch_norm_inference_backward_input: gradient must have a float element type, got tensor<2x4xi32>}}
  %0 = rlx.batch_norm_inference_backward_input %a, %b, %c epsilon(1.0e-5) : (tensor<4xi32>, tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  func.return
}

// -----

func.func @batch_mean(%a: tensor<2x6x4xf32>, %b: tensor<4xf32>, %c: tensor<6xf32>, %d: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.batch_norm_inference_backward_gamma: the size of mean and the dim of axis must be equal, got 4 and 6}}
  %0 = rlx.batch_norm_inference_backward_gamma %a, %b, %c, %d epsilon(1.0e-5) axis(1) : (tensor<2x6x4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<2x6x4xf32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @ada_scale(%a: tensor<2x6x4xf32>, %b: tensor<2x4xf32>, %c: tensor<4xf32>, %d: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.ada_layer_norm_backward: scale [2, 4] and the dims [2, 6, 4] do not broadcast: 2 and 6 meet in dim 1}}
  %0 = rlx.ada_layer_norm_backward %a, %b, %c, %d epsilon(1.0e-5) : (tensor<2x6x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<2x6x4xf32>) -> tensor<60xf32>
  func.return
}

// -----

func.func @ada_shift(%a: tensor<2x6x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf16>, %d: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.ada_layer_norm_backward: shift must have element type f32, got f16}}
  %0 = rlx.ada_layer_norm_backward %a, %b, %c, %d epsilon(1.0e-5) : (tensor<2x6x4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<2x6x4xf32>) -> tensor<56xf32>
  func.return
}

// -----

func.func @ada_count(%a: tensor<2x6x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.ada_layer_norm_backward: result #0 must be tensor<56xf32>, got tensor<57xf32>}}
  %0 = rlx.ada_layer_norm_backward %a, %b, %c, %d epsilon(1.0e-5) : (tensor<2x6x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x6x4xf32>) -> tensor<57xf32>
  func.return
}

// -----

func.func @ada_rank(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>) {
  // expected-error @below {{rlx.ada_layer_norm_backward: input must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.ada_layer_norm_backward %a, %b, %c, %d epsilon(1.0e-5) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @gated_update(%a: tensor<2x6x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.gated_residual_backward: update must have rank 3, got tensor<4xf32>}}
  %0 = rlx.gated_residual_backward %a, %b, %c, %d : (tensor<2x6x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x6x4xf32>) -> tensor<100xf32>
  func.return
}

// -----

func.func @gated_gate(%a: tensor<2x6x4xf32>, %b: tensor<2x6x4xf32>, %c: tensor<6xf32>, %d: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.gated_residual_backward: gate [6] and the dims [2, 6, 4] do not broadcast: 6 and 4 meet in dim 2}}
  %0 = rlx.gated_residual_backward %a, %b, %c, %d : (tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<6xf32>, tensor<2x6x4xf32>) -> tensor<102xf32>
  func.return
}

// -----

func.func @of_integers(%a: tensor<2x5x4xi32>, %b: tensor<2x5x4xi32>, %c: tensor<2x5x4xi32>, %d: tensor<2x5x4xi32>) {
  // expected-error @below {{rlx.attention_backward: query must have a float element type, got tensor<2x5x4xi32>}}
  %0 = rlx.attention_backward query %a, %b, %c, %d layout(bsm) heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<2x5x4xi32>, tensor<2x5x4xi32>, tensor<2x5x4xi32>, tensor<2x5x4xi32>) -> tensor<2x5x4xi32>
  func.return
}

// -----

func.func @attention_gradient(%a: tensor<2x5x4xf32>, %b: tensor<2x5x4xf32>, %c: tensor<2x5x4xf32>, %d: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.attention_backward: dim 1 of the attention tensor<2x5x4xf32> and gradient tensor<2x6x4xf32> must be equal, got 5 and 6}}
  %0 = rlx.attention_backward query %a, %b, %c, %d layout(bsm) heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x6x4xf32>) -> tensor<2x5x4xf32>
  func.return
}

// -----

func.func @key_batch(%a: tensor<2x5x4xf32>, %b: tensor<3x5x4xf32>, %c: tensor<2x5x4xf32>, %d: tensor<2x5x4xf32>) {
  // expected-error @below {{rlx.attention_backward: the batch of query and key must be equal, got 2 and 3}}
  %0 = rlx.attention_backward query %a, %b, %c, %d layout(bsm) heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<2x5x4xf32>, tensor<3x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  func.return
}

// -----

func.func @of_which(%a: tensor<2x5x4xf32>, %b: tensor<2x5x4xf32>, %c: tensor<2x5x4xf32>, %d: tensor<2x5x4xf32>) {
  %0 = rlx.attention_backward mask %a, %b, %c, %d layout(bsm) heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  // expected-error @below {{expected one of query, key, value, got "mask"}}
  func.return
}

// -----

func.func @key_length(%a: tensor<2x5x4xf32>, %b: tensor<2x6x4xf32>, %c: tensor<2x6x4xf32>, %d: tensor<2x5x4xf32>) {
  // expected-error @below {{rlx.attention_backward_all: dim 1 of query tensor<2x5x4xf32> and key tensor<2x6x4xf32> must be equal, got 5 and 6}}
  %0 = rlx.attention_backward_all %a, %b, %c, %d layout(bsm) heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<2x5x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<2x5x4xf32>) -> tensor<6x5x4xf32>
  func.return
}

// -----

func.func @thirds(%a: tensor<2x5x4xf32>, %b: tensor<2x5x4xf32>, %c: tensor<2x5x4xf32>, %d: tensor<2x5x4xf32>) {
  // expected-error @below {{rlx.attention_backward_all: result #0 must be tensor<6x5x4xf32>, got tensor<2x5x4xf32>}}
  %0 = rlx.attention_backward_all %a, %b, %c, %d layout(bsm) heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  func.return
}

// -----

func.func @conv_weight_rank(%g: tensor<1x6x8x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{rlx.conv_backward_input: weight must have rank 4, got tensor<6x4x3xf32>}}
  %0 = rlx.conv_backward_input %g, %w size [10, 10] : (tensor<1x6x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1x4x10x10xf32>
  func.return
}

// -----

func.func @conv_weight_element(%g: tensor<1x6x8xf32>, %w: tensor<6x4x3xf16>) {
  // expected-error @below {{rlx.conv_backward_input: weight must have element type f32, got f16}}
  %0 = rlx.conv_backward_input %g, %w size [10] : (tensor<1x6x8xf32>, tensor<6x4x3xf16>) -> tensor<1x4x10xf32>
  func.return
}

// -----

func.func @conv_integers(%x: tensor<1x4x10xi32>, %g: tensor<1x6x8xi32>) {
  // expected-error @below {{rlx.conv_backward_weight: input must have a float element type, got tensor<1x4x10xi32>}}
  %0 = rlx.conv_backward_weight %x, %g kernel [3] : (tensor<1x4x10xi32>, tensor<1x6x8xi32>) -> tensor<6x4x3xi32>
  func.return
}

// -----

func.func @conv_gradient_rank(%x: tensor<1x4x10xf32>, %g: tensor<1x6x8x1xf32>) {
  // expected-error @below {{rlx.conv_backward_weight: gradient must have rank 3, got tensor<1x6x8x1xf32>}}
  %0 = rlx.conv_backward_weight %x, %g kernel [3] : (tensor<1x4x10xf32>, tensor<1x6x8x1xf32>) -> tensor<6x4x3xf32>
  func.return
}

// -----

func.func @conv_gradient_element(%x: tensor<1x4x10xf32>, %g: tensor<1x6x8xf16>) {
  // expected-error @below {{rlx.conv_backward_weight: gradient must have element type f32, got f16}}
  %0 = rlx.conv_backward_weight %x, %g kernel [3] : (tensor<1x4x10xf32>, tensor<1x6x8xf16>) -> tensor<6x4x3xf32>
  func.return
}

// -----

func.func @conv_gradient_size(%x: tensor<1x4x10xf32>, %g: tensor<1x6x9xf32>) {
  // expected-error @below {{rlx.conv_backward_weight: dim 2 of the result of the convolution tensor<1x6x8xf32> and gradient tensor<1x6x9xf32> must be equal, got 8 and 9}}
  %0 = rlx.conv_backward_weight %x, %g kernel [3] : (tensor<1x4x10xf32>, tensor<1x6x9xf32>) -> tensor<6x4x3xf32>
  func.return
}

// -----

func.func @norm_input_axis(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{rlx.layer_norm_backward_input: axis 2 is out of range for input of rank 2}}
  %0 = rlx.layer_norm_backward_input %x, %w, %x epsilon(1.0e-5) axis(2) : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @norm_gamma_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{rlx.layer_norm_backward_gamma: axis -3 is out of range for input of rank 2}}
  %0 = rlx.layer_norm_backward_gamma %x, %x epsilon(1.0e-5) axis(-3) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8xf32>
  func.return
}

// -----

func.func @norm_beta_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{rlx.rms_norm_backward_beta: axis 2 is out of range for gradient of rank 2}}
  %0 = rlx.rms_norm_backward_beta %x axis(2) : tensor<4x8xf32> -> tensor<8xf32>
  func.return
}

// -----

func.func @batch_norm_axis(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{rlx.batch_norm_inference_backward_gamma: axis 2 is out of range for input of rank 2}}
  %0 = rlx.batch_norm_inference_backward_gamma %x, %w, %w, %x epsilon(1.0e-5) axis(2) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<8xf32>
  func.return
}

// -----

func.func @batch_norm_input_axis(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{rlx.batch_norm_inference_backward_input: axis 2 is out of range for gradient of rank 2}}
  %0 = rlx.batch_norm_inference_backward_input %w, %w, %x epsilon(1.0e-5) axis(2) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @batch_norm_beta_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{rlx.batch_norm_inference_backward_beta: axis 2 is out of range for gradient of rank 2}}
  %0 = rlx.batch_norm_inference_backward_beta %x axis(2) : tensor<4x8xf32> -> tensor<8xf32>
  func.return
}

// -----

func.func @epsilon_of_layer_norm_backward_input(%x: tensor<?x4x8xf32>, %w: tensor<8xf32>, %g: tensor<?x4x8xf32>) {
  // expected-error @below {{rlx.layer_norm_backward_input: epsilon must be 0 or more, got nan}}
  %0 = rlx.layer_norm_backward_input %x, %w, %g epsilon(nan) : (tensor<?x4x8xf32>, tensor<8xf32>, tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  func.return
}

// -----

func.func @epsilon_of_layer_norm_backward_gamma(%x: tensor<?x4x8xf32>, %g: tensor<?x4x8xf32>) {
  // expected-error @below {{rlx.layer_norm_backward_gamma: epsilon must be 0 or more, got -1e-05}}
  %0 = rlx.layer_norm_backward_gamma %x, %g epsilon(-1.0e-05) axis(1) accumulate(f64) : (tensor<?x4x8xf32>, tensor<?x4x8xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @epsilon_of_rms_norm_backward_input(%x: tensor<?x4x8xf16>, %w: tensor<4xf16>, %g: tensor<?x4x8xf16>) {
  // expected-error @below {{rlx.rms_norm_backward_input: epsilon must be 0 or more, got nan}}
  %0 = rlx.rms_norm_backward_input %x, %w, %g epsilon(nan) axis(1) : (tensor<?x4x8xf16>, tensor<4xf16>, tensor<?x4x8xf16>) -> tensor<?x4x8xf16>
  func.return
}

// -----

func.func @epsilon_of_rms_norm_backward_gamma(%x: tensor<?x4x8xf16>, %g: tensor<?x4x8xf16>) {
  // expected-error @below {{rlx.rms_norm_backward_gamma: epsilon must be 0 or more, got -1e-05}}
  %0 = rlx.rms_norm_backward_gamma %x, %g epsilon(-1.0e-05) : (tensor<?x4x8xf16>, tensor<?x4x8xf16>) -> tensor<8xf16>
  func.return
}

// -----

func.func @epsilon_of_group_norm_backward_input(%x: tensor<?x6x5x?xf32>, %w: tensor<6xf32>, %g: tensor<?x6x5x?xf32>) {
  // expected-error @below {{rlx.group_norm_backward_input: epsilon must be 0 or more, got nan}}
  %0 = rlx.group_norm_backward_input %x, %w, %g num_groups(2) epsilon(nan) : (tensor<?x6x5x?xf32>, tensor<6xf32>, tensor<?x6x5x?xf32>) -> tensor<?x6x5x?xf32>
  func.return
}

// -----

func.func @epsilon_of_group_norm_backward_gamma(%x: tensor<?x6x5x?xf32>, %g: tensor<?x6x5x?xf32>) {
  // expected-error @below {{rlx.group_norm_backward_gamma: epsilon must be 0 or more, got -1e-05}}
  %0 = rlx.group_norm_backward_gamma %x, %g num_groups(3) epsilon(-1.0e-05) accumulate(f64) : (tensor<?x6x5x?xf32>, tensor<?x6x5x?xf32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @epsilon_of_batch_norm_inference_backward_input(%w: tensor<6xbf16>, %g: tensor<?x6x5xbf16>) {
  // expected-error @below {{rlx.batch_norm_inference_backward_input: epsilon must be 0 or more, got nan}}
  %0 = rlx.batch_norm_inference_backward_input %w, %w, %g epsilon(nan) axis(1) : (tensor<6xbf16>, tensor<6xbf16>, tensor<?x6x5xbf16>) -> tensor<?x6x5xbf16>
  func.return
}

// -----

func.func @epsilon_of_batch_norm_inference_backward_gamma(%x: tensor<?x6x5xbf16>, %u: tensor<5xbf16>, %v: tensor<5xbf16>, %g: tensor<?x6x5xbf16>) {
  // expected-error @below {{rlx.batch_norm_inference_backward_gamma: epsilon must be 0 or more, got -1e-05}}
  %0 = rlx.batch_norm_inference_backward_gamma %x, %u, %v, %g epsilon(-1.0e-05) accumulate(f64) : (tensor<?x6x5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<?x6x5xbf16>) -> tensor<5xbf16>
  func.return
}

// -----

func.func @epsilon_of_ada_layer_norm_backward(%x: tensor<2x4x8xf32>, %s: tensor<2x1x8xf32>, %t: tensor<8xf32>) {
  // expected-error @below {{rlx.ada_layer_norm_backward: epsilon must be 0 or more, got nan}}
  %0 = rlx.ada_layer_norm_backward %x, %s, %t, %x epsilon(nan) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<8xf32>, tensor<2x4x8xf32>) -> tensor<88xf32>
  func.return
}
