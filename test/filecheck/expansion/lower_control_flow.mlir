// RUN: rlx-opt --rlx-lower-control-flow --allow-unregistered-dialect %s | filecheck %s

// What becomes plain ops.

// CHECK-LABEL: @small_if
// CHECK-NEXT:  %[[A:.*]] = rlx.activation relu %x
// CHECK-NEXT:  %[[B:.*]] = rlx.binary add %x, %z
// CHECK-NEXT:  %y = rlx.where %p, %[[A]], %[[B]] : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:  func.return %y
func.func @small_if(%p: tensor<i1>, %x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %y = rlx.if %p(%a = %x, %b = %z) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %0 = rlx.activation relu %a : tensor<4xf32>
    rlx.yield %0 : tensor<4xf32>
  } else(%c, %d) {
    %1 = rlx.binary add %c, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}

// A condition of higher rank than a result, a result that is the same in both branches, one that nobody reads.
// CHECK-LABEL: @results
// CHECK-NEXT:  %[[P:.*]] = rlx.reshape %p : tensor<1x1xi1> -> tensor<i1>
// CHECK-NEXT:  %[[W:.*]] = rlx.where %[[P]], %s, %t : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:  func.return %[[W]], %s
func.func @results(%p: tensor<1x1xi1>, %s: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0, %1, %2 = rlx.if %p(%a = %s, %b = %t) : (tensor<1x1xi1>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
    %3 = rlx.activation exp %a : tensor<f32>
    rlx.yield %a, %a, %3 : tensor<f32>, tensor<f32>, tensor<f32>
  } else(%c, %d) {
    rlx.yield %d, %c, %d : tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.return %0, %1 : tensor<f32>, tensor<f32>
}

// One conditional in the branch of another: none is left.
// CHECK-LABEL: @nested
// CHECK-NEXT:  %[[A:.*]] = rlx.activation neg %x
// CHECK-NEXT:  %[[I:.*]] = rlx.where %q, %x, %[[A]]
// CHECK-NEXT:  %[[O:.*]] = rlx.where %p, %[[I]], %x
// CHECK-NEXT:  func.return %[[O]]
func.func @nested(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.if %p(%a = %x, %b = %q) : (tensor<i1>, tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
    %1 = rlx.if %b(%c = %a) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
      rlx.yield %c : tensor<4xf32>
    } else(%d) {
      %2 = rlx.activation neg %d : tensor<4xf32>
      rlx.yield %2 : tensor<4xf32>
    }
    rlx.yield %1 : tensor<4xf32>
  } else(%e, %f) {
    rlx.yield %e : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// Two rounds; the second counts only where both conditions hold.
// CHECK-LABEL: @two_rounds
// CHECK-NEXT:  %[[C0:.*]] = rlx.compare lt %n, %m
// CHECK-NEXT:  %[[B0:.*]] = rlx.binary add %x, %x
// CHECK-NEXT:  %[[I0:.*]] = rlx.binary add %n, %n
// CHECK-NEXT:  %[[X1:.*]] = rlx.where %[[C0]], %[[B0]], %x
// CHECK-NEXT:  %[[N1:.*]] = rlx.where %[[C0]], %[[I0]], %n
// CHECK-NEXT:  %[[C1:.*]] = rlx.compare lt %[[N1]], %m
// CHECK-NEXT:  %[[A1:.*]] = rlx.binary bit_and %[[C0]], %[[C1]]
// CHECK-NEXT:  %[[B1:.*]] = rlx.binary add %[[X1]], %[[X1]]
// CHECK-NEXT:  %[[I1:.*]] = rlx.binary add %[[N1]], %[[N1]]
// CHECK-NEXT:  %[[X2:.*]] = rlx.where %[[A1]], %[[B1]], %[[X1]]
// CHECK-NEXT:  %[[N2:.*]] = rlx.where %[[A1]], %[[I1]], %[[N1]]
// CHECK-NEXT:  func.return %[[X2]], %[[N2]]
func.func @two_rounds(%x: tensor<2x4xf32>, %n: tensor<i32>, %m: tensor<i32>) -> (tensor<2x4xf32>, tensor<i32>) {
  %0, %1 = rlx.while(%a = %x, %i = %n) captures(%l = %m) max_iterations(2) : (tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> (tensor<2x4xf32>, tensor<i32>) {
    %2 = rlx.compare lt %i, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
    rlx.yield %2 : tensor<i1>
  } do(%b, %j, %k) {
    %3 = rlx.binary add %b, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = rlx.binary add %j, %j : (tensor<i32>, tensor<i32>) -> tensor<i32>
    rlx.yield %3, %4 : tensor<2x4xf32>, tensor<i32>
  }
  func.return %0, %1 : tensor<2x4xf32>, tensor<i32>
}

// A counter that starts at a constant leaves nothing: rounds are known, and slices fixed.
// CHECK-LABEL: @f30_counted
// CHECK-NEXT:  %[[A:.*]] = rlx.narrow %w axis(0) start(0) length(1)
// CHECK-NEXT:  %[[B:.*]] = rlx.binary add %x, %[[A]]
// CHECK-NEXT:  %[[C:.*]] = rlx.narrow %w axis(0) start(2) length(1)
// CHECK-NEXT:  %[[D:.*]] = rlx.binary add %[[B]], %[[C]]
// CHECK-NEXT:  func.return %[[D]]
func.func @f30_counted(%x: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %c0 = arith.constant dense<0> : tensor<i32>
  %0, %1 = rlx.while(%i = %c0, %a = %x) captures(%v = %w) max_iterations(8) : (tensor<i32>, tensor<1x4xf32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<1x4xf32>) {
    %end = arith.constant dense<4> : tensor<i32>
    %2 = rlx.compare lt %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    rlx.yield %2 : tensor<i1>
  } do(%j, %b, %u) {
    %zero = arith.constant dense<0> : tensor<i32>
    %two = arith.constant dense<2> : tensor<i32>
    %rows = arith.constant dense<4> : tensor<i32>
    %3 = rlx.compare lt %j, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = rlx.binary add %j, %rows : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %5 = rlx.where %3, %4, %j : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %6 = rlx.dynamic_slice %u starts(%5, %zero) lengths [1, 4] : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %7 = rlx.binary add %b, %6 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %8 = rlx.binary add %j, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    rlx.yield %8, %7 : tensor<i32>, tensor<1x4xf32>
  }
  func.return %1 : tensor<1x4xf32>
}

// CHECK-LABEL: @no_round
// CHECK-NEXT:  func.return %x
func.func @no_round(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(0) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = rlx.activation exp %b : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// Two rounds of three each.
// CHECK-LABEL: @short_loops
// CHECK-NOT:   rlx.while
// CHECK-COUNT-6: rlx.activation tanh
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @short_loops(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(2) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = rlx.while(%e = %b) captures(%f = %d) max_iterations(3) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
      rlx.yield %f : tensor<i1>
    } do(%g, %h) {
      %2 = rlx.activation tanh %g : tensor<4xf32>
      rlx.yield %2 : tensor<4xf32>
    }
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// The outer loop stays whatever becomes of the inner one.
// CHECK-LABEL: @loop_in_a_long_loop
// CHECK-NEXT:  rlx.while
// CHECK-COUNT-2: rlx.activation tanh
// CHECK-NOT:   rlx.while
// CHECK:       func.return
func.func @loop_in_a_long_loop(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(17) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = rlx.while(%e = %b) captures(%f = %d) max_iterations(2) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
      rlx.yield %f : tensor<i1>
    } do(%g, %h) {
      %2 = rlx.activation tanh %g : tensor<4xf32>
      rlx.yield %2 : tensor<4xf32>
    }
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// What must stay.

// CHECK-LABEL: @product_in_a_branch
// CHECK-NEXT:  rlx.if
// MISS: RLX-F021 too-large
func.func @product_in_a_branch(%p: tensor<i1>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4x4xf32>) -> tensor<4x4xf32> {
    %1 = rlx.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    rlx.yield %1 : tensor<4x4xf32>
  } else(%b) {
    rlx.yield %b : tensor<4x4xf32>
  }
  func.return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: @effects
// CHECK-NEXT:  rlx.if
// MISS: RLX-F008 effects
func.func @effects(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = "acme.next"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  } else(%b) {
    rlx.yield %b : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @dims_differ
// CHECK-NEXT:  rlx.if
// MISS: RLX-F015 dims-not-known-equal
func.func @dims_differ(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<1xf32>) -> tensor<?xf32> {
  %0 = rlx.if %p(%a = %x, %b = %y) : (tensor<i1>, tensor<4xf32>, tensor<1xf32>) -> tensor<?xf32> {
    rlx.yield %a : tensor<4xf32>
  } else(%c, %d) {
    rlx.yield %d : tensor<1xf32>
  }
  func.return %0 : tensor<?xf32>
}

// A loop in a branch might not end where the branch is not wanted.
// CHECK-LABEL: @loop_in_a_branch
// CHECK-NEXT:  rlx.if
// CHECK-NEXT:    rlx.while
// MISS: RLX-F033 loop-bound
// MISS: RLX-F008 effects
func.func @loop_in_a_branch(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
    %1 = rlx.while(%b = %a) : (tensor<f32>) -> tensor<f32> {
      %2 = rlx.compare lt %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      rlx.yield %2 : tensor<i1>
    } do(%c) {
      rlx.yield %c : tensor<f32>
    }
    rlx.yield %1 : tensor<f32>
  } else(%d) {
    rlx.yield %d : tensor<f32>
  }
  func.return %0 : tensor<f32>
}

// CHECK-LABEL: @too_many_rounds
// CHECK-NEXT:  rlx.while
// MISS: RLX-F033 loop-bound
func.func @too_many_rounds(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(17) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = rlx.activation tanh %b : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// Four rounds of five each are twenty: both stay.
// CHECK-LABEL: @loop_in_a_loop
// CHECK-NEXT:  rlx.while
// CHECK:       rlx.while
// MISS: RLX-F033 loop-bound
func.func @loop_in_a_loop(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(4) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = rlx.while(%e = %b) captures(%f = %d) max_iterations(5) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
      rlx.yield %f : tensor<i1>
    } do(%g, %h) {
      %2 = rlx.activation tanh %g : tensor<4xf32>
      rlx.yield %2 : tensor<4xf32>
    }
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @unknown_sizes
// CHECK-NEXT:  rlx.while
// MISS: RLX-F014 dynamic
func.func @unknown_sizes(%p: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(2) : (tensor<?xf32>, tensor<i1>) -> tensor<?xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = rlx.activation tanh %b : tensor<?xf32>
    rlx.yield %1 : tensor<?xf32>
  }
  func.return %0 : tensor<?xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK-NEXT:  rlx.if
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.if %p(%a = %x, %b = %y) attributes {rlx.no_fuse} : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  } else(%c, %d) {
    rlx.yield %d : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @fenced_off_loop
// CHECK-NEXT:  rlx.while
// MISS: RLX-F009 no-fuse
func.func @fenced_off_loop(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(2) attributes {rlx.no_fuse} : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = rlx.activation exp %b : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @effects_in_a_loop
// CHECK-NEXT:  rlx.while
// MISS: RLX-F008 effects
func.func @effects_in_a_loop(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(2) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = "acme.next"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// What a branch knows of a value is less than what is known outside.
// CHECK-LABEL: @arguments_of_another_type
// CHECK-NEXT:  rlx.if
// MISS: RLX-F011 type-changes
func.func @arguments_of_another_type(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "rlx.if"(%p, %x) ({
  ^bb0(%a: tensor<?xf32>):
    %1 = rlx.reshape %a : tensor<?xf32> -> tensor<4xf32>
    "rlx.yield"(%1) : (tensor<4xf32>) -> ()
  }, {
  ^bb0(%b: tensor<?xf32>):
    %2 = rlx.reshape %b : tensor<?xf32> -> tensor<4xf32>
    "rlx.yield"(%2) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @loop_of_another_type
// CHECK-NEXT:  rlx.while
// MISS: RLX-F011 type-changes
func.func @loop_of_another_type(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "rlx.while"(%x, %p) <{max_iterations = 2 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<?xf32>, %c: tensor<i1>):
    "rlx.yield"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%b: tensor<?xf32>, %d: tensor<i1>):
    %1 = rlx.reshape %b : tensor<?xf32> -> tensor<4xf32>
    "rlx.yield"(%1) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @result_of_another_type
// CHECK-NEXT:  rlx.if
// MISS: RLX-F011 type-changes
func.func @result_of_another_type(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %0 = rlx.if %p(%a = %x, %b = %y) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32> {
    rlx.yield %a : tensor<4xf32>
  } else(%c, %d) {
    rlx.yield %d : tensor<4xf32>
  }
  func.return %0 : tensor<?xf32>
}

// CHECK-LABEL: @loop_result_of_another_type
// CHECK-NEXT:  rlx.while
// MISS: RLX-F011 type-changes
func.func @loop_result_of_another_type(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(2) : (tensor<4xf32>, tensor<i1>) -> tensor<?xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = rlx.activation exp %b : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<?xf32>
}
