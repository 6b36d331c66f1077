// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @no_rounds(%g: tensor<4xf32>) {
  // expected-error @below {{rlx.scan_backward: needs states, scanned operands or output gradients, which say the number of rounds}}
  rlx.scan_backward() captures(%a = %g) : (tensor<4xf32>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @state_rank(%s: tensor<f32>) {
  // expected-error @below {{rlx.scan_backward: state #0 must have rank 1 or more, got tensor<f32>}}
  rlx.scan_backward() states(%a = %s) : (tensor<f32>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @output_gradient_rank(%s: tensor<3x4xf32>, %y: tensor<f32>) {
  // expected-error @below {{rlx.scan_backward: output gradient #0 must have rank 1 or more, got tensor<f32>}}
  rlx.scan_backward() states(%a = %s) outputs(%b = %y) : (tensor<3x4xf32>, tensor<f32>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @rounds(%s: tensor<3x4xf32>, %y: tensor<5x4xf32>) {
  // expected-error @below {{rlx.scan_backward: the number of rounds and dim 0 of output gradient #0 tensor<5x4xf32> must be equal, got 3 and 5}}
  rlx.scan_backward() states(%a = %s) outputs(%b = %y) : (tensor<3x4xf32>, tensor<5x4xf32>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @gradient_elements(%g: tensor<4xi32>, %s: tensor<3x4xi32>) {
  // expected-error @below {{rlx.scan_backward: carried gradient #0 must have a float element type, got tensor<4xi32>}}
  %0 = rlx.scan_backward(%a = %g) states(%b = %s) : (tensor<4xi32>, tensor<3x4xi32>) -> tensor<4xi32> {
    rlx.yield %a : tensor<4xi32>
  }
  func.return
}

// -----

func.func @no_state(%g: tensor<4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward: carried gradient #1 has no state: 2 need as many, got 1}}
  %0, %1 = rlx.scan_backward(%a = %g, %b = %g) states(%c = %s) : (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    rlx.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  func.return
}

// -----

func.func @state_dims(%g: tensor<5xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward: dim 0 of an entry of state #0 tensor<4xf32> and carried gradient #0 tensor<5xf32> must be equal, got 4 and 5}}
  %0 = rlx.scan_backward(%a = %g) states(%c = %s) : (tensor<5xf32>, tensor<3x4xf32>) -> tensor<5xf32> {
    rlx.yield %a : tensor<5xf32>
  }
  func.return
}

// -----

func.func @gradient_rank(%g: tensor<3x4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward: carried gradient #0 must have rank 1, got tensor<3x4xf32>}}
  %0 = rlx.scan_backward(%a = %g) states(%c = %s) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32> {
    rlx.yield %a : tensor<3x4xf32>
  }
  func.return
}

// -----

func.func @state_elements(%g: tensor<4xf16>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward: carried gradient #0 must have element type f32, got f16}}
  %0 = rlx.scan_backward(%a = %g) states(%c = %s) : (tensor<4xf16>, tensor<3x4xf32>) -> tensor<4xf16> {
    rlx.yield %a : tensor<4xf16>
  }
  func.return
}

// -----

func.func @output_elements(%y: tensor<3xi8>) {
  // expected-error @below {{rlx.scan_backward: output gradient #0 must have a float element type, got tensor<3xi8>}}
  rlx.scan_backward() outputs(%c = %y) : (tensor<3xi8>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @argument(%g: tensor<4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward: argument #1 of body must be tensor<4xf32>, got tensor<3x4xf32>}}
  %0 = "rlx.scan_backward"(%g, %s) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<3x4xf32>):
    "rlx.yield"(%a) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @too_few(%g: tensor<4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward: body must yield the 1 carried gradients, got 0}}
  rlx.scan_backward(%a = %g) states(%c = %s) : (tensor<4xf32>, tensor<3x4xf32>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @too_many(%g: tensor<4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward: body must yield at most 2 gradients, got 3}}
  %0, %1, %2 = rlx.scan_backward(%a = %g) states(%c = %s) captures(%d = %g) : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    rlx.yield %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.return
}

// -----

func.func @carried_type(%g: tensor<4xf32>, %s: tensor<3x4xf32>, %w: tensor<2xf32>) {
  // expected-error @below {{rlx.scan_backward: carried gradient #0 is tensor<4xf32>, but value #0 that body yields is tensor<2xf32>}}
  %0 = rlx.scan_backward(%a = %g) states(%c = %s) captures(%d = %w) : (tensor<4xf32>, tensor<3x4xf32>, tensor<2xf32>) -> tensor<4xf32> {
    rlx.yield %d : tensor<2xf32>
  }
  func.return
}

// -----

func.func @capture_type(%g: tensor<4xf32>, %s: tensor<3x4xf32>, %w: tensor<2xf32>) {
  // expected-error @below {{rlx.scan_backward: capture #0 is tensor<2xf32>, but value #1 that body yields is tensor<4xf32>}}
  %0, %1 = rlx.scan_backward(%a = %g) states(%c = %s) captures(%d = %w) : (tensor<4xf32>, tensor<3x4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
    rlx.yield %a, %c : tensor<4xf32>, tensor<4xf32>
  }
  func.return
}

// -----

func.func @capture_elements(%s: tensor<3x4xf32>, %w: tensor<2xi32>) {
  // expected-error @below {{rlx.scan_backward: capture #0 must have a float element type, got tensor<2xi32>}}
  %0 = rlx.scan_backward() states(%c = %s) captures(%d = %w) : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2xi32> {
    rlx.yield %d : tensor<2xi32>
  }
  func.return
}

// -----

func.func @results(%g: tensor<4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward: must have 2 results, got 1}}
  %0 = rlx.scan_backward(%a = %g) states(%c = %s) captures(%d = %g) : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  func.return
}

// -----

func.func @result(%g: tensor<4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward: result #0 must be tensor<4xf32>, got tensor<5xf32>}}
  %0 = rlx.scan_backward(%a = %g) states(%c = %s) : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<5xf32> {
    rlx.yield %a : tensor<4xf32>
  }
  func.return
}

// -----

func.func @xs_without_rounds(%g: tensor<4xf32>) {
  // expected-error @below {{rlx.scan_backward_xs: needs states, scanned operands or output gradients, which say the number of rounds}}
  rlx.scan_backward_xs() captures(%a = %g) : (tensor<4xf32>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @xs_rank(%x: tensor<f32>) {
  // expected-error @below {{rlx.scan_backward_xs: scanned operand #0 must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.scan_backward_xs() over(%e = %x) : (tensor<f32>) -> tensor<f32> {
    rlx.yield %e : tensor<f32>
  }
  func.return
}

// -----

func.func @xs_too_few(%g: tensor<4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward_xs: body must yield the 1 carried gradients, got 0}}
  rlx.scan_backward_xs(%a = %g) states(%c = %s) : (tensor<4xf32>, tensor<3x4xf32>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @xs_too_many(%g: tensor<4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.scan_backward_xs: body must yield at most 1 gradients, got 2}}
  %0 = rlx.scan_backward_xs(%a = %g) states(%c = %s) captures(%d = %g) : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32> {
    rlx.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  func.return
}

// -----

func.func @xs_type(%g: tensor<4xf32>, %s: tensor<3x4xf32>, %x: tensor<3x2xf32>) {
  // expected-error @below {{rlx.scan_backward_xs: an entry of scanned operand #0 is tensor<2xf32>, but value #1 that body yields is tensor<4xf32>}}
  %0 = rlx.scan_backward_xs(%a = %g) states(%c = %s) over(%e = %x) : (tensor<4xf32>, tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x2xf32> {
    rlx.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  func.return
}

// -----

func.func @xs_elements(%x: tensor<3xi32>) {
  // expected-error @below {{rlx.scan_backward_xs: an entry of scanned operand #0 must have a float element type, got tensor<i32>}}
  %0 = rlx.scan_backward_xs() over(%e = %x) : (tensor<3xi32>) -> tensor<3xi32> {
    rlx.yield %e : tensor<i32>
  }
  func.return
}

// -----

func.func @xs_results(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.scan_backward_xs: must have 1 results, got 0}}
  rlx.scan_backward_xs() over(%e = %x) : (tensor<3xf32>) -> () {
    rlx.yield %e : tensor<f32>
  }
  func.return
}

// -----

func.func @xs_result(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.scan_backward_xs: result #0 must be tensor<3xf32>, got tensor<4xf32>}}
  %0 = rlx.scan_backward_xs() over(%e = %x) : (tensor<3xf32>) -> tensor<4xf32> {
    rlx.yield %e : tensor<f32>
  }
  func.return
}
