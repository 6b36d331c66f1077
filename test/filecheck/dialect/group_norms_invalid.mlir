// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @groups(%a: tensor<2x6x4x3xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>) {
  // expected-error @below {{rlx.group_norm: dim 1 of input must be known and a multiple of num_groups 4, got tensor<2x6x4x3xf32>}}
  %0 = rlx.group_norm %a, %b, %c num_groups(4) epsilon(1.0e-5) : (tensor<2x6x4x3xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4x3xf32>
  func.return
}

// -----

func.func @no_groups(%a: tensor<2x6x4x3xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>) {
  // expected-error @below {{rlx.group_norm: dim 1 of input must be known and a multiple of num_groups 0, got tensor<2x6x4x3xf32>}}
  %0 = rlx.group_norm %a, %b, %c num_groups(0) epsilon(1.0e-5) : (tensor<2x6x4x3xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4x3xf32>
  func.return
}

// -----

func.func @unknown_channels(%a: tensor<2x?xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>) {
  // expected-error @below {{rlx.group_norm: dim 1 of input must be known and a multiple of num_groups 2, got tensor<2x?xf32>}}
  %0 = rlx.group_norm %a, %b, %c num_groups(2) epsilon(1.0e-5) : (tensor<2x?xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x?xf32>
  func.return
}

// -----

func.func @group_rank(%a: tensor<6xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>) {
  // expected-error @below {{rlx.group_norm: input must have rank 2 or more, got tensor<6xf32>}}
  %0 = rlx.group_norm %a, %b, %c num_groups(2) epsilon(1.0e-5) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @group_of_integers(%a: tensor<2x6xi32>, %b: tensor<6xi32>, %c: tensor<6xi32>) {
  // expected-error @below {{rlx.group_norm: input must have a float element type, got tensor<2x6xi32>}}
  %0 = rlx.group_norm %a, %b, %c num_groups(2) epsilon(1.0e-5) : (tensor<2x6xi32>, tensor<6xi32>, tensor<6xi32>) -> tensor<2x6xi32>
  func.return
}

// -----

func.func @group_gamma(%a: tensor<2x6x4x3xf32>, %b: tensor<4xf32>, %c: tensor<6xf32>) {
  // expected-error @below {{rlx.group_norm: the size of gamma and dim 1 of input must be equal, got 4 and 6}}
  %0 = rlx.group_norm %a, %b, %c num_groups(2) epsilon(1.0e-5) : (tensor<2x6x4x3xf32>, tensor<4xf32>, tensor<6xf32>) -> tensor<2x6x4x3xf32>
  func.return
}

// -----

func.func @pixel_rank(%a: tensor<2x6x4xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>) {
  // expected-error @below {{rlx.layer_norm2d: input must have rank 4, got tensor<2x6x4xf32>}}
  %0 = rlx.layer_norm2d %a, %b, %c epsilon(1.0e-5) : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @pixel_beta(%a: tensor<2x6x4x3xf32>, %b: tensor<6xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{rlx.layer_norm2d: the size of beta and the normalised dim must be equal, got 3 and 6}}
  %0 = rlx.layer_norm2d %a, %b, %c epsilon(1.0e-5) : (tensor<2x6x4x3xf32>, tensor<6xf32>, tensor<3xf32>) -> tensor<2x6x4x3xf32>
  func.return
}

// -----

func.func @batch_axis(%a: tensor<2x6x4x3xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<6xf32>) {
  // expected-error @below {{rlx.batch_norm_inference: axis 4 is out of range for input of rank 4}}
  %0 = rlx.batch_norm_inference %a, %b, %c, %d, %e epsilon(1.0e-5) axis(4) : (tensor<2x6x4x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4x3xf32>
  func.return
}

// -----

func.func @batch_mean(%a: tensor<2x6x4x3xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %e: tensor<6xf32>) {
  // expected-error @below {{rlx.batch_norm_inference: the size of mean and the dim of axis must be equal, got 3 and 6}}
  %0 = rlx.batch_norm_inference %a, %b, %c, %d, %e epsilon(1.0e-5) axis(1) : (tensor<2x6x4x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<6xf32>) -> tensor<2x6x4x3xf32>
  func.return
}

// -----

func.func @batch_variance(%a: tensor<2x6x4x3xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<6xf64>) {
  // expected-error @below {{rlx.batch_norm_inference: variance must have element type f32, got f64}}
  %0 = rlx.batch_norm_inference %a, %b, %c, %d, %e epsilon(1.0e-5) axis(1) : (tensor<2x6x4x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf64>) -> tensor<2x6x4x3xf32>
  func.return
}

// -----

func.func @batch_rank_0(%a: tensor<f32>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<6xf32>) {
  // expected-error @below {{rlx.batch_norm_inference: axis -1 is out of range for input of rank 0}}
  %0 = rlx.batch_norm_inference %a, %b, %c, %d, %e epsilon(1.0e-5) : (tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @batch_norm_integers(%x: tensor<2x4xi32>, %g: tensor<4xi32>) {
  // expected-error @below {{rlx.batch_norm_inference: input must have a float element type, got tensor<2x4xi32>}}
  %0 = rlx.batch_norm_inference %x, %g, %g, %g, %g epsilon(1.0e-5) : (tensor<2x4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
  func.return
}

// -----

func.func @pixel_norm_integers(%x: tensor<2x4x3x3xi32>, %g: tensor<4xi32>) {
  // expected-error @below {{rlx.layer_norm2d: input must have a float element type, got tensor<2x4x3x3xi32>}}
  %0 = rlx.layer_norm2d %x, %g, %g epsilon(1.0e-5) : (tensor<2x4x3x3xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x4x3x3xi32>
  func.return
}

// -----

func.func @epsilon_of_group_norm(%x: tensor<?x6x5x4xf32>, %g: tensor<6xf32>) {
  // expected-error @below {{rlx.group_norm: epsilon must be 0 or more, got -1e-05}}
  %0 = rlx.group_norm %x, %g, %g num_groups(3) epsilon(-1.0e-05) : (tensor<?x6x5x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6x5x4xf32>
  func.return
}

// -----

func.func @epsilon_of_layer_norm2d(%x: tensor<2x?x5x4xf32>, %g: tensor<?xf32>) {
  // expected-error @below {{rlx.layer_norm2d: epsilon must be 0 or more, got nan}}
  %0 = rlx.layer_norm2d %x, %g, %g epsilon(nan) : (tensor<2x?x5x4xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x?x5x4xf32>
  func.return
}

// -----

func.func @epsilon_of_batch_norm_inference(%x: tensor<2x5x?x?xf32>, %g: tensor<?xf32>) {
  // expected-error @below {{rlx.batch_norm_inference: epsilon must be 0 or more, got -1e-05}}
  %0 = rlx.batch_norm_inference %x, %g, %g, %g, %g epsilon(-1.0e-05) : (tensor<2x5x?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x5x?x?xf32>
  func.return
}
