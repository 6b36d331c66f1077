// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @no_yield(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.elementwise_region: body must end with rlx.yield, got test.termop}}
  %0 = rlx.elementwise_region(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    "test.termop"() : () -> ()
  }
  func.return
}

// -----

func.func @empty(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.elementwise_region: body must end with rlx.yield, got nothing}}
  %0 = rlx.elementwise_region(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
  }
  func.return
}

// -----

func.func @two_values(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.elementwise_region: body must yield one value, got 2}}
  %0 = rlx.elementwise_region(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.activation relu %a : tensor<4xf32>
    rlx.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.return
}

// -----

func.func @identity(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.elementwise_region: body must yield the result of one of its ops}}
  %0 = rlx.elementwise_region(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  }
  func.return
}

// -----

func.func @other_op(%x: tensor<4x4xf32>) {
  // expected-error @below {{body may hold rlx.activation, rlx.binary, rlx.cast, rlx.compare, rlx.erfc, rlx.expm1, rlx.is_finite, rlx.log1p, rlx.logical_not, rlx.where, got rlx.matmul}}
  %0 = rlx.elementwise_region(%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %1 = rlx.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    rlx.yield %1 : tensor<4x4xf32>
  }
  func.return
}

// -----

func.func @result(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.elementwise_region: result #0 must be tensor<4xf32>, got tensor<4xf16>}}
  %0 = rlx.elementwise_region(%a = %x) : (tensor<4xf32>) -> tensor<4xf16> {
    %1 = rlx.activation relu %a : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return
}

// -----

func.func @argument_count(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.elementwise_region: body needs 2 arguments, got 1}}
  %0 = "rlx.elementwise_region"(%x, %x) <{prologue = "none"}> ({
  ^bb0(%a: tensor<4xf32>):
    %1 = "rlx.activation"(%a) <{kind = "relu"}> : (tensor<4xf32>) -> tensor<4xf32>
    "rlx.yield"(%1) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @argument_type(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.elementwise_region: argument #0 of body must be tensor<4xf32>, got tensor<5xf32>}}
  %0 = "rlx.elementwise_region"(%x) <{prologue = "none"}> ({
  ^bb0(%a: tensor<5xf32>):
    %1 = "rlx.activation"(%a) <{kind = "relu"}> : (tensor<5xf32>) -> tensor<5xf32>
    "rlx.yield"(%1) : (tensor<5xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @unknown_prologue(%x: tensor<4xf32>) {
  // expected-error @below {{expected one of none, resize_nearest2x, got "flip"}}
  %0 = "rlx.elementwise_region"(%x) <{prologue = "flip"}> ({
  ^bb0(%a: tensor<4xf32>):
    %1 = "rlx.activation"(%a) <{kind = "relu"}> : (tensor<4xf32>) -> tensor<4xf32>
    "rlx.yield"(%1) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @prologue_rank(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.elementwise_region: operand #0 must have rank 4, got tensor<4xf32>}}
  %0 = rlx.elementwise_region(%a = %x) prologue(resize_nearest2x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.activation relu %a : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return
}

// -----

func.func @prologue_without_operand() {
  // expected-error @below {{rlx.elementwise_region: a prologue needs an operand}}
  %0 = rlx.elementwise_region() prologue(resize_nearest2x) : () -> tensor<4xf32> {
  }
  func.return
}

// -----

func.func @types(%x: tensor<4xf32>) {
  // expected-error @below {{2 operands need as many types, got 1}}
  %0 = rlx.elementwise_region(%a = %x, %b = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.activation relu %a : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return
}

// -----

func.func @from_above(%x: tensor<4xf32>) {
  // expected-error @below {{Operation using value defined out of its IsolatedFromAbove parent}}
  %0 = rlx.elementwise_region(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.activation relu %x : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return
}

// -----

func.func @transform_of_two(%x: tensor<1x1x4x4xf32>) {
  // expected-error @below {{rlx.transform_region: takes one operand, got 2}}
  %0 = rlx.transform_region(%a = %x, %b = %x) : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32> {
    %1 = rlx.resize_nearest2x %a : tensor<1x1x4x4xf32> -> tensor<1x1x8x8xf32>
    rlx.yield %1 : tensor<1x1x8x8xf32>
  }
  func.return
}

// -----

func.func @transform_of_another_kind(%x: tensor<1x1x4x4xf32>) {
  // expected-error @below {{rlx.transform_region: body may hold rlx.resize_nearest2x, got rlx.activation}}
  %0 = rlx.transform_region(%a = %x) : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
    %1 = rlx.activation relu %a : tensor<1x1x4x4xf32>
    rlx.yield %1 : tensor<1x1x4x4xf32>
  }
  func.return
}

// -----

func.func @slices_differ(%x: tensor<1x4xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{rlx.batch_elementwise_region: dim 0 of operand #0 tensor<1x4xf32> and operand #1 tensor<2x4xf32> must be equal, got 1 and 2}}
  %0 = rlx.batch_elementwise_region(%a = [%x, %y]) : (tensor<1x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32> {
    %1 = rlx.activation relu %a : tensor<1x4xf32>
    rlx.yield %1 : tensor<1x4xf32>
  }
  func.return
}

// -----

func.func @no_slice() {
  // expected-error @below {{rlx.batch_elementwise_region: needs at least one operand}}
  %0 = "rlx.batch_elementwise_region"() <{prologue = "none"}> ({
  ^bb0(%a: tensor<1x4xf32>):
    %1 = "rlx.activation"(%a) <{kind = "relu"}> : (tensor<1x4xf32>) -> tensor<1x4xf32>
    "rlx.yield"(%1) : (tensor<1x4xf32>) -> ()
  }) : () -> tensor<1x4xf32>
  func.return
}

// -----

func.func @slices_of_rank_0(%x: tensor<f32>) {
  // expected-error @below {{rlx.batch_elementwise_region: axis 0 is out of range for slice 0 of rank 0}}
  %0 = rlx.batch_elementwise_region(%a = [%x]) : (tensor<f32>) -> tensor<1xf32> {
    %1 = rlx.activation relu %a : tensor<f32>
    rlx.yield %1 : tensor<f32>
  }
  func.return
}

// -----

func.func @lone_yield(%x: tensor<4xf32>) {
  // expected-error @below {{'rlx.yield' expects parent op to be one of}}
  rlx.yield %x : tensor<4xf32>
}
