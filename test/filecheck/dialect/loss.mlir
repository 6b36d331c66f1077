// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @shares
// CHECK:       %0 = rlx.softmax_cross_entropy %x, %x : (tensor<?x5x3xf32>, tensor<?x5x3xf32>) -> tensor<?x5xf32>
// CHECK-NEXT:  %1 = rlx.softmax_cross_entropy %h, %h axis(1) accumulate(f64) : (tensor<?x5x3xbf16>, tensor<?x5x3xbf16>) -> tensor<?x3xbf16>
// GENERIC:     "rlx.softmax_cross_entropy"(%x, %x) <{axis = -1 : i64}>
func.func @shares(%x: tensor<?x5x3xf32>, %h: tensor<?x5x3xbf16>) -> (tensor<?x5xf32>, tensor<?x3xbf16>) {
  %0 = rlx.softmax_cross_entropy %x, %x : (tensor<?x5x3xf32>, tensor<?x5x3xf32>) -> tensor<?x5xf32>
  %1 = rlx.softmax_cross_entropy %h, %h axis(1) accumulate(f64) : (tensor<?x5x3xbf16>, tensor<?x5x3xbf16>) -> tensor<?x3xbf16>
  func.return %0, %1 : tensor<?x5xf32>, tensor<?x3xbf16>
}

// CHECK-LABEL: @labels
// CHECK:       %0 = rlx.softmax_cross_entropy_with_logits %x, %i : (tensor<?x5x3xf32>, tensor<?x5xi32>) -> tensor<?x5xf32>
// CHECK-NEXT:  %1 = rlx.softmax_cross_entropy_with_logits %x, %j axis(-2) accumulate(f64) : (tensor<?x5x3xf32>, tensor<?x3xindex>) -> tensor<?x3xf32>
// CHECK-NEXT:  %2 = rlx.softmax_cross_entropy_with_logits %v, %k : (tensor<7xf16>, tensor<ui8>) -> tensor<f16>
// GENERIC:     "rlx.softmax_cross_entropy_with_logits"(%x, %i) <{axis = -1 : i64}>
func.func @labels(%x: tensor<?x5x3xf32>, %i: tensor<?x5xi32>, %j: tensor<?x3xindex>, %v: tensor<7xf16>, %k: tensor<ui8>) -> tensor<?x5xf32> {
  %0 = rlx.softmax_cross_entropy_with_logits %x, %i : (tensor<?x5x3xf32>, tensor<?x5xi32>) -> tensor<?x5xf32>
  %1 = rlx.softmax_cross_entropy_with_logits %x, %j axis(-2) accumulate(f64) : (tensor<?x5x3xf32>, tensor<?x3xindex>) -> tensor<?x3xf32>
  %2 = rlx.softmax_cross_entropy_with_logits %v, %k : (tensor<7xf16>, tensor<ui8>) -> tensor<f16>
  func.return %0 : tensor<?x5xf32>
}

// CHECK-LABEL: @backward
// CHECK:       %0 = rlx.softmax_cross_entropy_backward %x, %x, %g : (tensor<?x5x3xf32>, tensor<?x5x3xf32>, tensor<?x5xf32>) -> tensor<?x5x3xf32>
// CHECK-NEXT:  %1 = rlx.softmax_cross_entropy_backward %x, %i, %g : (tensor<?x5x3xf32>, tensor<?x5xi32>, tensor<?x5xf32>) -> tensor<?x5x3xf32>
// CHECK-NEXT:  %2 = rlx.softmax_cross_entropy_backward %x, %j, %t axis(1) accumulate(f64) : (tensor<?x5x3xf32>, tensor<?x3xi64>, tensor<?x3xf32>) -> tensor<?x5x3xf32>
// GENERIC:     "rlx.softmax_cross_entropy_backward"(%x, %x, %g) <{axis = -1 : i64}>
func.func @backward(%x: tensor<?x5x3xf32>, %g: tensor<?x5xf32>, %i: tensor<?x5xi32>, %t: tensor<?x3xf32>, %j: tensor<?x3xi64>) -> tensor<?x5x3xf32> {
  %0 = rlx.softmax_cross_entropy_backward %x, %x, %g : (tensor<?x5x3xf32>, tensor<?x5x3xf32>, tensor<?x5xf32>) -> tensor<?x5x3xf32>
  %1 = rlx.softmax_cross_entropy_backward %x, %i, %g : (tensor<?x5x3xf32>, tensor<?x5xi32>, tensor<?x5xf32>) -> tensor<?x5x3xf32>
  %2 = rlx.softmax_cross_entropy_backward %x, %j, %t axis(1) accumulate(f64) : (tensor<?x5x3xf32>, tensor<?x3xi64>, tensor<?x3xf32>) -> tensor<?x5x3xf32>
  func.return %2 : tensor<?x5x3xf32>
}
