// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// K25: the axes come to lie in an order that no layout has.
// MISS: RLX-F022 layout
// CHECK-LABEL: @k25_batch_mixed
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @k25_batch_mixed(%q: tensor<4x4x4x8xf32>, %k: tensor<4x4x4x8xf32>, %v: tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32> {
  %0 = rlx.transpose %k [1, 2, 3, 0] : tensor<4x4x4x8xf32> -> tensor<4x4x8x4xf32>
  %1 = rlx.matmul %q, %0 : (tensor<4x4x4x8xf32>, tensor<4x4x8x4xf32>) -> tensor<4x4x4x4xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<4x4x4x4xf32>, tensor<f32>) -> tensor<4x4x4x4xf32>
  %4 = rlx.softmax %3 : tensor<4x4x4x4xf32>
  %5 = rlx.matmul %4, %v : (tensor<4x4x4x4xf32>, tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32>
  func.return %5 : tensor<4x4x4x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @no_product
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @no_product(%x: tensor<2x4x3x5xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.softmax %x : tensor<2x4x3x5xf32>
  %1 = rlx.matmul %0, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %1 : tensor<2x4x3x8xf32>
}

// The weights are read by another product.
// MISS: RLX-F002 multi-use
// CHECK-LABEL: @weights_read_twice
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @weights_read_twice(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>, %u: tensor<2x4x5x2xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x4x3x2xf32>) {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x3x5xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  %6 = rlx.matmul %4, %u : (tensor<2x4x3x5xf32>, tensor<2x4x5x2xf32>) -> tensor<2x4x3x2xf32>
  func.return %5, %6 : tensor<2x4x3x8xf32>, tensor<2x4x3x2xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @scores_returned
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @scores_returned(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x4x3x5xf32>) {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x3x5xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %5, %3 : tensor<2x4x3x8xf32>, tensor<2x4x3x5xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @over_queries
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @over_queries(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x3x8xf32> -> tensor<2x4x8x3xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x3xf32>) -> tensor<2x4x3x3xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x4x3x3xf32>
  %4 = rlx.softmax %3 axis(2) : tensor<2x4x3x3xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %5 : tensor<2x4x3x8xf32>
}

// The scale reaches the mask too.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @scale_after_mask
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @scale_after_mask(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>, %m: tensor<3x5xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = rlx.binary add %1, %m : (tensor<2x4x3x5xf32>, tensor<3x5xf32>) -> tensor<2x4x3x5xf32>
  %3 = arith.constant dense<0.353553385> : tensor<f32>
  %4 = rlx.binary mul %2, %3 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %5 = rlx.softmax %4 : tensor<2x4x3x5xf32>
  %6 = rlx.matmul %5, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %6 : tensor<2x4x3x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @weights_on_the_right
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @weights_on_the_right(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x5x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x5x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x5x5xf32>
  %5 = rlx.matmul %v, %4 : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  func.return %5 : tensor<2x4x5x5xf32>
}

// One query for a batch of keys.
// MISS: RLX-F015 dims-not-known-equal
// CHECK-LABEL: @batch_stretched
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @batch_stretched(%q: tensor<1x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<1x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = arith.constant dense<0.353553385> : tensor<f32>
  %3 = rlx.binary mul %1, %2 : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %4 = rlx.softmax %3 : tensor<2x4x3x5xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %5 : tensor<2x4x3x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @scale_computed
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @scale_computed(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>, %t: tensor<f32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x3x5xf32>
  %2 = rlx.binary mul %1, %t : (tensor<2x4x3x5xf32>, tensor<f32>) -> tensor<2x4x3x5xf32>
  %3 = rlx.softmax %2 : tensor<2x4x3x5xf32>
  %4 = rlx.matmul %3, %v : (tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %4 : tensor<2x4x3x8xf32>
}
