// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @rnn
// CHECK:       %0, %1 = rlx.rnn forward %x, %w, %r activation(tanh) : (tensor<?x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<?x1x2x4xf32>, tensor<1x2x4xf32>)
// CHECK-NEXT:  %2, %3 = rlx.rnn reverse %x, %w, %r bias(%b : tensor<1x8xf32>) lengths(%l : tensor<2xi32>) initial_h(%h : tensor<1x2x4xf32>) activation(relu) : (tensor<?x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<?x1x2x4xf32>, tensor<1x2x4xf32>)
// GENERIC:     "rlx.rnn"(%x, %w, %r) <{direction = "forward", activation = "tanh", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
func.func @rnn(%x: tensor<?x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %b: tensor<1x8xf32>, %l: tensor<2xi32>, %h: tensor<1x2x4xf32>) {
  %0, %1 = rlx.rnn forward %x, %w, %r activation(tanh) : (tensor<?x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<?x1x2x4xf32>, tensor<1x2x4xf32>)
  %2, %3 = rlx.rnn reverse %x, %w, %r bias(%b : tensor<1x8xf32>) lengths(%l : tensor<2xi32>) initial_h(%h : tensor<1x2x4xf32>) activation(relu) : (tensor<?x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<?x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// CHECK-LABEL: @gru
// CHECK:       %0, %1 = rlx.gru bidirectional %x, %w, %r : (tensor<5x?x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>) -> (tensor<5x2x?x4xf32>, tensor<2x?x4xf32>)
// CHECK-NEXT:  %2, %3 = rlx.gru bidirectional %x, %w, %r bias(%b : tensor<2x24xf32>) linear_before_reset : (tensor<5x?x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>) -> (tensor<5x2x?x4xf32>, tensor<2x?x4xf32>)
// GENERIC:     "rlx.gru"(%x, %w, %r) <{direction = "bidirectional", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
func.func @gru(%x: tensor<5x?x3xf32>, %w: tensor<2x12x3xf32>, %r: tensor<2x12x4xf32>, %b: tensor<2x24xf32>) {
  %0, %1 = rlx.gru bidirectional %x, %w, %r : (tensor<5x?x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>) -> (tensor<5x2x?x4xf32>, tensor<2x?x4xf32>)
  %2, %3 = rlx.gru bidirectional %x, %w, %r bias(%b : tensor<2x24xf32>) linear_before_reset : (tensor<5x?x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>) -> (tensor<5x2x?x4xf32>, tensor<2x?x4xf32>)
  func.return
}

// CHECK-LABEL: @lstm
// CHECK:       %0, %1, %2 = rlx.lstm forward %x, %w, %r : (tensor<5x2x3xf16>, tensor<1x16x3xf16>, tensor<1x16x4xf16>) -> (tensor<5x1x2x4xf16>, tensor<1x2x4xf16>, tensor<1x2x4xf16>)
// CHECK-NEXT:  %3, %4, %5 = rlx.lstm reverse %x, %w, %r lengths(%l : tensor<2xi64>) initial_h(%h : tensor<1x2x4xf16>) initial_c(%h : tensor<1x2x4xf16>) peepholes(%p : tensor<1x12xf16>) : (tensor<5x2x3xf16>, tensor<1x16x3xf16>, tensor<1x16x4xf16>) -> (tensor<5x1x2x4xf16>, tensor<1x2x4xf16>, tensor<1x2x4xf16>)
// GENERIC:     "rlx.lstm"(%x, %w, %r) <{direction = "forward", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}>
func.func @lstm(%x: tensor<5x2x3xf16>, %w: tensor<1x16x3xf16>, %r: tensor<1x16x4xf16>, %p: tensor<1x12xf16>, %l: tensor<2xi64>, %h: tensor<1x2x4xf16>) {
  %0, %1, %2 = rlx.lstm forward %x, %w, %r : (tensor<5x2x3xf16>, tensor<1x16x3xf16>, tensor<1x16x4xf16>) -> (tensor<5x1x2x4xf16>, tensor<1x2x4xf16>, tensor<1x2x4xf16>)
  %3, %4, %5 = rlx.lstm reverse %x, %w, %r lengths(%l : tensor<2xi64>) initial_h(%h : tensor<1x2x4xf16>) initial_c(%h : tensor<1x2x4xf16>) peepholes(%p : tensor<1x12xf16>) : (tensor<5x2x3xf16>, tensor<1x16x3xf16>, tensor<1x16x4xf16>) -> (tensor<5x1x2x4xf16>, tensor<1x2x4xf16>, tensor<1x2x4xf16>)
  func.return
}
