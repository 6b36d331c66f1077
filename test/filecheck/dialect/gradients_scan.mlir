// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// The scan is c' = w * c + x, y = c'; its gradients by the start and by w.
// CHECK-LABEL: @scan_backward
// CHECK:       %0, %1 = rlx.scan_backward(%a = %g) states(%c = %cs) over(%e = %xs) outputs(%h = %ys) captures(%f = %w) : (tensor<4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:    %2 = rlx.binary add %a, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %3 = rlx.binary mul %2, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %4 = rlx.binary mul %2, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    rlx.yield %3, %4 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:  }
// GENERIC:     "rlx.scan_backward"(%g, %cs, %xs, %ys, %w) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> ({
// GENERIC-NEXT: ^bb0(%a: tensor<4xf32>, %c: tensor<4xf32>, %e: tensor<4xf32>, %h: tensor<4xf32>, %f: tensor<4xf32>):
func.func @scan_backward(%g: tensor<4xf32>, %cs: tensor<?x4xf32>, %xs: tensor<?x4xf32>, %ys: tensor<?x4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0, %1 = rlx.scan_backward(%a = %g) states(%c = %cs) over(%e = %xs) outputs(%h = %ys) captures(%f = %w) : (tensor<4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %2 = rlx.binary add %a, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = rlx.binary mul %2, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %4 = rlx.binary mul %2, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    rlx.yield %3, %4 : tensor<4xf32>, tensor<4xf32>
  }
  func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A state without a gradient, nothing scanned, rounds in the order of the entries.
// CHECK-LABEL: @scan_backward_of_states
// CHECK:       %0 = rlx.scan_backward(%a = %g) states(%c = %cs, %i = %is) reverse attributes {rlx.no_fuse} : (tensor<2xf16>, tensor<3x2xf16>, tensor<3xi32>) -> tensor<2xf16> {
// CHECK-NEXT:    %1 = rlx.binary mul %a, %c : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
// CHECK-NEXT:    rlx.yield %1 : tensor<2xf16>
// CHECK-NEXT:  }
// GENERIC:     "rlx.scan_backward"(%g, %cs, %is) <{reverse, operandSegmentSizes = array<i32: 1, 2, 0, 0, 0>}> ({
func.func @scan_backward_of_states(%g: tensor<2xf16>, %cs: tensor<3x2xf16>, %is: tensor<3xi32>) -> tensor<2xf16> {
  %0 = rlx.scan_backward(%a = %g) states(%c = %cs, %i = %is) reverse attributes {rlx.no_fuse} : (tensor<2xf16>, tensor<3x2xf16>, tensor<3xi32>) -> tensor<2xf16> {
    %1 = rlx.binary mul %a, %c : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
    rlx.yield %1 : tensor<2xf16>
  }
  func.return %0 : tensor<2xf16>
}

// CHECK-LABEL: @scan_backward_xs
// CHECK:       %0 = rlx.scan_backward_xs(%a = %g) states(%c = %cs) over(%e = %xs, %i = %is) outputs(%h = %ys) captures(%f = %w) : (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xi32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32> {
// CHECK-NEXT:    %1 = rlx.binary add %a, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %2 = rlx.binary mul %1, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    rlx.yield %2, %1 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:  }
// GENERIC:     "rlx.scan_backward_xs"(%g, %cs, %xs, %is, %ys, %w) <{operandSegmentSizes = array<i32: 1, 1, 2, 1, 1>}> ({
func.func @scan_backward_xs(%g: tensor<4xf32>, %cs: tensor<3x4xf32>, %xs: tensor<3x4xf32>, %is: tensor<3xi32>, %ys: tensor<3x4xf32>, %w: tensor<4xf32>) -> tensor<3x4xf32> {
  %0 = rlx.scan_backward_xs(%a = %g) states(%c = %cs) over(%e = %xs, %i = %is) outputs(%h = %ys) captures(%f = %w) : (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xi32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32> {
    %1 = rlx.binary add %a, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = rlx.binary mul %1, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    rlx.yield %2, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.return %0 : tensor<3x4xf32>
}

// Nothing is carried: each entry alone.
// CHECK-LABEL: @scan_backward_xs_of_entries
// CHECK:       %0 = rlx.scan_backward_xs() over(%e = %xs) outputs(%h = %ys) : (tensor<?x2xf64>, tensor<?xf64>) -> tensor<?x2xf64> {
// CHECK-NEXT:    %1 = rlx.binary mul %e, %h : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
// CHECK-NEXT:    rlx.yield %1 : tensor<2xf64>
// CHECK-NEXT:  }
// GENERIC:     "rlx.scan_backward_xs"(%xs, %ys) <{operandSegmentSizes = array<i32: 0, 0, 1, 1, 0>}> ({
func.func @scan_backward_xs_of_entries(%xs: tensor<?x2xf64>, %ys: tensor<?xf64>) -> tensor<?x2xf64> {
  %0 = rlx.scan_backward_xs() over(%e = %xs) outputs(%h = %ys) : (tensor<?x2xf64>, tensor<?xf64>) -> tensor<?x2xf64> {
    %1 = rlx.binary mul %e, %h : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
    rlx.yield %1 : tensor<2xf64>
  }
  func.return %0 : tensor<?x2xf64>
}
