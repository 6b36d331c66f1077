// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @targets(%a: tensor<2x5x3xf32>, %b: tensor<2x5x1xf32>) {
  // expected-error @below {{rlx.softmax_cross_entropy: dim 2 of logits tensor<2x5x3xf32> and targets tensor<2x5x1xf32> must be equal, got 3 and 1}}
  %0 = rlx.softmax_cross_entropy %a, %b : (tensor<2x5x3xf32>, tensor<2x5x1xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

func.func @integers(%a: tensor<2x5xi32>, %b: tensor<2x5xi32>) {
  // expected-error @below {{rlx.softmax_cross_entropy: logits must have a float element type, got tensor<2x5xi32>}}
  %0 = rlx.softmax_cross_entropy %a, %b : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2xi32>
  func.return
}

// -----

func.func @axis(%a: tensor<2x5x3xf32>, %b: tensor<2x5x3xf32>) {
  // expected-error @below {{rlx.softmax_cross_entropy: axis 3 is out of range for logits of rank 3}}
  %0 = rlx.softmax_cross_entropy %a, %b axis(3) : (tensor<2x5x3xf32>, tensor<2x5x3xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

func.func @result(%a: tensor<2x5x3xf32>, %b: tensor<2x5x3xf32>) {
  // expected-error @below {{rlx.softmax_cross_entropy: result #0 must be tensor<2x5xf32>, got tensor<2x3xf32>}}
  %0 = rlx.softmax_cross_entropy %a, %b : (tensor<2x5x3xf32>, tensor<2x5x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @no_axis(%a: tensor<f32>, %b: tensor<f32>) {
  // expected-error @below {{rlx.softmax_cross_entropy: axis -1 is out of range for logits of rank 0}}
  %0 = rlx.softmax_cross_entropy %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @float_labels(%a: tensor<2x5x3xf32>, %b: tensor<2x5xf32>) {
  // expected-error @below {{rlx.softmax_cross_entropy_with_logits: labels must be integers, got tensor<2x5xf32>}}
  %0 = rlx.softmax_cross_entropy_with_logits %a, %b : (tensor<2x5x3xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

func.func @label_rank(%a: tensor<2x5x3xf32>, %b: tensor<2xi32>) {
  // expected-error @below {{rlx.softmax_cross_entropy_with_logits: labels must have rank 2, got tensor<2xi32>}}
  %0 = rlx.softmax_cross_entropy_with_logits %a, %b : (tensor<2x5x3xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  func.return
}

// -----

func.func @label_count(%a: tensor<2x5x3xf32>, %b: tensor<2x4xi32>) {
  // expected-error @below {{rlx.softmax_cross_entropy_with_logits: dim 1 of the rows of logits tensor<2x5xf32> and labels tensor<2x4xi32> must be equal, got 5 and 4}}
  %0 = rlx.softmax_cross_entropy_with_logits %a, %b : (tensor<2x5x3xf32>, tensor<2x4xi32>) -> tensor<2x5xf32>
  func.return
}

// -----

func.func @unknown_classes(%a: tensor<2x?xf32>, %b: tensor<2xi32>) {
  // expected-error @below {{rlx.softmax_cross_entropy_with_logits: the number of classes must be known, got tensor<2x?xf32>}}
  %0 = rlx.softmax_cross_entropy_with_logits %a, %b : (tensor<2x?xf32>, tensor<2xi32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @gradient(%a: tensor<2x5x3xf32>, %b: tensor<2x5xi32>, %c: tensor<2x3xf32>) {
  // expected-error @below {{rlx.softmax_cross_entropy_backward: dim 1 of the losses tensor<2x5xf32> and gradient tensor<2x3xf32> must be equal, got 5 and 3}}
  %0 = rlx.softmax_cross_entropy_backward %a, %b, %c : (tensor<2x5x3xf32>, tensor<2x5xi32>, tensor<2x3xf32>) -> tensor<2x5x3xf32>
  func.return
}

// -----

func.func @gradient_element(%a: tensor<2x5x3xf32>, %b: tensor<2x5x3xf32>, %c: tensor<2x5xf16>) {
  // expected-error @below {{rlx.softmax_cross_entropy_backward: gradient must have element type f32, got f16}}
  %0 = rlx.softmax_cross_entropy_backward %a, %b, %c : (tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x5xf16>) -> tensor<2x5x3xf32>
  func.return
}

// -----

func.func @backward_targets(%a: tensor<2x5x3xf32>, %b: tensor<2x5xf32>, %c: tensor<2x5xf32>) {
  // expected-error @below {{rlx.softmax_cross_entropy_backward: targets must have rank 3, got tensor<2x5xf32>}}
  %0 = rlx.softmax_cross_entropy_backward %a, %b, %c : (tensor<2x5x3xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5x3xf32>
  func.return
}

// -----

func.func @integer_logits(%x: tensor<4x3xi32>, %i: tensor<4xi32>) {
  // expected-error @below {{rlx.softmax_cross_entropy_with_logits: logits must have a float element type, got tensor<4x3xi32>}}
  %0 = rlx.softmax_cross_entropy_with_logits %x, %i : (tensor<4x3xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

func.func @backward_integers(%x: tensor<4x3xi32>, %g: tensor<4xi32>) {
  // expected-error @below {{rlx.softmax_cross_entropy_backward: logits must have a float element type, got tensor<4x3xi32>}}
  %0 = rlx.softmax_cross_entropy_backward %x, %x, %g : (tensor<4x3xi32>, tensor<4x3xi32>, tensor<4xi32>) -> tensor<4x3xi32>
  func.return
}

// -----

func.func @scalar_logits(%x: tensor<f32>) {
  // expected-error @below {{rlx.softmax_cross_entropy: axis -1 is out of range for logits of rank 0}}
  %0 = rlx.softmax_cross_entropy %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return
}
