// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @condition_type(%p: tensor<f32>) {
  // expected-error @below {{rlx.if: condition must have element type i1, got f32}}
  rlx.if %p() : (tensor<f32>) -> () {
    rlx.yield
  } else() {
    rlx.yield
  }
  func.return
}

// -----

func.func @condition_size(%p: tensor<2xi1>) {
  // expected-error @below {{rlx.if: condition must hold one element, got tensor<2xi1>}}
  rlx.if %p() : (tensor<2xi1>) -> () {
    rlx.yield
  } else() {
    rlx.yield
  }
  func.return
}

// -----

func.func @no_yield(%p: tensor<i1>) {
  // expected-error @below {{rlx.if: else must end with rlx.yield, got nothing}}
  rlx.if %p() : (tensor<i1>) -> () {
    rlx.yield
  } else() {
  }
  func.return
}

// -----

func.func @numbers_of_results(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{rlx.if: both regions must yield as many values, got 1 and 0}}
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  } else(%b) {
    rlx.yield
  }
  func.return
}

// -----

func.func @kinds_of_results(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @below {{rlx.if: result #0 is tensor<4xf32> in the first region and tensor<4xi32> in the second}}
  %0 = rlx.if %p(%a = %x, %b = %y) : (tensor<i1>, tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  } else(%c, %d) {
    rlx.yield %d : tensor<4xi32>
  }
  func.return
}

// -----

func.func @results(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{rlx.if: must have 1 results, got 2}}
  %0, %1 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    rlx.yield %a : tensor<4xf32>
  } else(%b) {
    rlx.yield %b : tensor<4xf32>
  }
  func.return
}

// -----

func.func @result_type(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{rlx.if: result #0 must be tensor<4xf32>, got tensor<5xf32>}}
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<5xf32> {
    rlx.yield %a : tensor<4xf32>
  } else(%b) {
    rlx.yield %b : tensor<4xf32>
  }
  func.return
}

// -----

func.func @else_arguments(%p: tensor<i1>, %x: tensor<4xf32>) {
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  // expected-error @below {{else needs 1 arguments, got 0}}
  } else() {
    rlx.yield
  }
  func.return
}

// -----

func.func @arguments(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{rlx.if: argument #0 of else must be tensor<4xf32>, got tensor<4xf16>}}
  "rlx.if"(%p, %x) ({
  ^bb0(%a: tensor<4xf32>):
    "rlx.yield"() : () -> ()
  }, {
  ^bb0(%a: tensor<4xf16>):
    "rlx.yield"() : () -> ()
  }) : (tensor<i1>, tensor<4xf32>) -> ()
  func.return
}

// -----

func.func @from_above(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{Operation using value defined out of its IsolatedFromAbove parent}}
  %0 = rlx.if %p() : (tensor<i1>) -> tensor<4xf32> {
    rlx.yield %x : tensor<4xf32>
  } else() {
    rlx.yield %x : tensor<4xf32>
  }
  func.return
}

// -----

func.func @limit(%x: tensor<i1>) {
  // expected-error @below {{rlx.while: max_iterations must not be negative, got -1}}
  %0 = rlx.while(%a = %x) max_iterations(-1) : (tensor<i1>) -> tensor<i1> {
    rlx.yield %a : tensor<i1>
  } do(%b) {
    rlx.yield %b : tensor<i1>
  }
  func.return
}

// -----

func.func @two_conditions(%x: tensor<i1>) {
  // expected-error @below {{rlx.while: cond must yield one value, got 2}}
  %0 = rlx.while(%a = %x) : (tensor<i1>) -> tensor<i1> {
    rlx.yield %a, %a : tensor<i1>, tensor<i1>
  } do(%b) {
    rlx.yield %b : tensor<i1>
  }
  func.return
}

// -----

func.func @condition_of_loop(%x: tensor<i8>) {
  // expected-error @below {{rlx.while: the value yielded by cond must have element type i1, got i8}}
  %0 = rlx.while(%a = %x) : (tensor<i8>) -> tensor<i8> {
    rlx.yield %a : tensor<i8>
  } do(%b) {
    rlx.yield %b : tensor<i8>
  }
  func.return
}

// -----

func.func @carried_count(%x: tensor<i1>) {
  // expected-error @below {{rlx.while: body must yield the 1 carried values, got 0}}
  %0 = rlx.while(%a = %x) : (tensor<i1>) -> tensor<i1> {
    rlx.yield %a : tensor<i1>
  } do(%b) {
    rlx.yield
  }
  func.return
}

// -----

func.func @carried_type(%x: tensor<i1>, %y: tensor<4xf32>) {
  // expected-error @below {{rlx.while: carried value #0 is tensor<i1>, but the body yields tensor<4xf32>}}
  %0 = rlx.while(%a = %x) captures(%c = %y) : (tensor<i1>, tensor<4xf32>) -> tensor<i1> {
    rlx.yield %a : tensor<i1>
  } do(%b, %d) {
    rlx.yield %d : tensor<4xf32>
  }
  func.return
}

// -----

func.func @no_length(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.scan: needs a length where nothing is scanned}}
  %0 = rlx.scan(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  }
  func.return
}

// -----

func.func @negative_length(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.scan: length must not be negative, got -2}}
  %0 = rlx.scan(%a = %x) length(-2) : (tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  }
  func.return
}

// -----

func.func @scalar(%x: tensor<f32>) {
  // expected-error @below {{rlx.scan: scanned operand #0 must have rank 1 or more, got tensor<f32>}}
  rlx.scan() over(%a = %x) : (tensor<f32>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @lengths(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @below {{rlx.scan: the number of rounds and dim 0 of scanned operand #1 tensor<5xf32> must be equal, got 4 and 5}}
  rlx.scan() over(%a = %x, %b = %y) : (tensor<4xf32>, tensor<5xf32>) -> () {
    rlx.yield
  }
  func.return
}

// -----

func.func @scan_carried_count(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.scan: body must yield the 1 carried values, got 0}}
  %0 = rlx.scan(%a = %x) length(2) : (tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield
  }
  func.return
}

// -----

func.func @scan_carried_type(%x: tensor<4xf32>, %y: tensor<4x2xf32>) {
  // expected-error @below {{rlx.scan: carried value #0 is tensor<4xf32>, but the body yields tensor<2xf32>}}
  %0 = rlx.scan(%a = %x) over(%b = %y) : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<4xf32> {
    rlx.yield %b : tensor<2xf32>
  }
  func.return
}

// -----

func.func @scan_results(%y: tensor<4x2xf32>) {
  // expected-error @below {{rlx.scan: result #0 must be tensor<4x2xf32>, got tensor<3x2xf32>}}
  %0 = rlx.scan() over(%b = %y) : (tensor<4x2xf32>) -> tensor<3x2xf32> {
    rlx.yield %b : tensor<2xf32>
  }
  func.return
}
