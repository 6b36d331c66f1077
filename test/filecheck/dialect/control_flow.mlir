// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @if
// CHECK:       %0, %1 = rlx.if %p(%a = %x, %b = %y) : (tensor<i1>, tensor<?xf32>, tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
// CHECK-NEXT:    rlx.yield %a, %a : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT:  } else(%c, %d) {
// CHECK-NEXT:    %2 = rlx.activation relu %d : tensor<4xf32>
// CHECK-NEXT:    rlx.yield %2, %c : tensor<4xf32>, tensor<?xf32>
// CHECK-NEXT:  }
// GENERIC:     "rlx.if"(%p, %x, %y) ({
// GENERIC-NEXT: ^bb0(%a: tensor<?xf32>, %b: tensor<4xf32>):
func.func @if(%p: tensor<i1>, %x: tensor<?xf32>, %y: tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0, %1 = rlx.if %p(%a = %x, %b = %y) : (tensor<i1>, tensor<?xf32>, tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    rlx.yield %a, %a : tensor<?xf32>, tensor<?xf32>
  } else(%c, %d) {
    %2 = rlx.activation relu %d : tensor<4xf32>
    rlx.yield %2, %c : tensor<4xf32>, tensor<?xf32>
  }
  func.return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// Nothing is captured and nothing results.
// CHECK-LABEL: @empty_if
// CHECK:       rlx.if %p() : (tensor<1x1xi1>) -> () {
// CHECK-NEXT:    rlx.yield
// CHECK-NEXT:  } else() {
// CHECK-NEXT:    rlx.yield
// CHECK-NEXT:  }
func.func @empty_if(%p: tensor<1x1xi1>) {
  rlx.if %p() : (tensor<1x1xi1>) -> () {
    rlx.yield
  } else() {
    rlx.yield
  }
  func.return
}

// CHECK-LABEL: @while
// CHECK:       %0, %1 = rlx.while(%i = %n, %a = %x) captures(%s = %y) max_iterations(10) attributes {rlx.no_fuse} : (tensor<i32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) {
// CHECK-NEXT:    %2 = rlx.compare gt %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT:    rlx.yield %2 : tensor<i1>
// CHECK-NEXT:  } do(%j, %b, %t) {
// CHECK-NEXT:    %3 = rlx.binary add %b, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    rlx.yield %j, %3 : tensor<i32>, tensor<?xf32>
// CHECK-NEXT:  }
// GENERIC:     "rlx.while"(%n, %x, %y) <{max_iterations = 10 : i64, operandSegmentSizes = array<i32: 2, 1>}> ({
func.func @while(%n: tensor<i32>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) {
  %0, %1 = rlx.while(%i = %n, %a = %x) captures(%s = %y) max_iterations(10) attributes {rlx.no_fuse} : (tensor<i32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) {
    %2 = rlx.compare gt %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    rlx.yield %2 : tensor<i1>
  } do(%j, %b, %t) {
    %3 = rlx.binary add %b, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    rlx.yield %j, %3 : tensor<i32>, tensor<?xf32>
  }
  func.return %0, %1 : tensor<i32>, tensor<?xf32>
}

// CHECK-LABEL: @scan
// CHECK:       %0, %1, %2 = rlx.scan(%c = %x) over(%e = %xs, %f = %ys) captures(%w = %y) reverse : (tensor<4xf32>, tensor<?x4xf32>, tensor<?x2xi32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>, tensor<?x2xi32>) {
// CHECK-NEXT:    %3 = rlx.binary mul %c, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %4 = rlx.binary add %3, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    rlx.yield %4, %3, %f : tensor<4xf32>, tensor<4xf32>, tensor<2xi32>
// CHECK-NEXT:  }
// CHECK-NEXT:  %3, %4 = rlx.scan(%d = %x) length(3) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
// CHECK-NEXT:    rlx.yield %d, %d : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:  }
// GENERIC:     "rlx.scan"(%x, %xs, %ys, %y) <{reverse, operandSegmentSizes = array<i32: 1, 2, 1>}> ({
func.func @scan(%x: tensor<4xf32>, %y: tensor<4xf32>, %xs: tensor<?x4xf32>, %ys: tensor<?x2xi32>) -> (tensor<4xf32>, tensor<?x4xf32>, tensor<?x2xi32>, tensor<3x4xf32>) {
  %0, %1, %2 = rlx.scan(%c = %x) over(%e = %xs, %f = %ys) captures(%w = %y) reverse : (tensor<4xf32>, tensor<?x4xf32>, tensor<?x2xi32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>, tensor<?x2xi32>) {
    %3 = rlx.binary mul %c, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %4 = rlx.binary add %3, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    rlx.yield %4, %3, %f : tensor<4xf32>, tensor<4xf32>, tensor<2xi32>
  }
  %5, %6 = rlx.scan(%d = %x) length(3) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
    rlx.yield %d, %d : tensor<4xf32>, tensor<4xf32>
  }
  func.return %0, %1, %2, %6 : tensor<4xf32>, tensor<?x4xf32>, tensor<?x2xi32>, tensor<3x4xf32>
}
