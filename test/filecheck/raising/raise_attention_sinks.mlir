// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// A column beside the scores is one more key before the others, of zeros, whose bias it is.
// CHECK-LABEL: @f26_sink
// CHECK:       %[[B:.*]] = rlx.pad constant %{{.*}} low [0, 0, 0, 0] high [0, 0, 0, 3] value(0.0) : tensor<1x4x1x1xf32> -> tensor<1x4x1x4xf32>
// CHECK:       %[[K:.*]] = rlx.pad constant %k low [0, 0, 1, 0] high [0, 0, 0, 0] value(0.0)
// CHECK:       %[[V:.*]] = rlx.pad constant %v low [0, 0, 1, 0] high [0, 0, 0, 0] value(0.0)
// CHECK:       rlx.attention %q, %[[K]], %[[V]] mask bias(%[[B]]) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(1.0) causal_offset(1)
func.func @f26_sink(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>, %s: tensor<4xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x3x8xf32> -> tensor<2x4x8x3xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x3xf32>) -> tensor<2x4x3x3xf32>
  %2 = arith.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %3 = arith.constant dense<0xff800000> : tensor<f32>
  %4 = rlx.where %2, %1, %3 : (tensor<3x3xi1>, tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x4x3x3xf32>
  %5 = rlx.reshape %s : tensor<4xf32> -> tensor<1x4x1x1xf32>
  %6 = rlx.expand %5 : tensor<1x4x1x1xf32> -> tensor<2x4x3x1xf32>
  %7 = rlx.concat %4, %6 axis(3) : (tensor<2x4x3x3xf32>, tensor<2x4x3x1xf32>) -> tensor<2x4x3x4xf32>
  %8 = rlx.softmax %7 axis(3) : tensor<2x4x3x4xf32>
  %9 = rlx.narrow %8 axis(3) start(0) length(3) : tensor<2x4x3x4xf32> -> tensor<2x4x3x3xf32>
  %10 = rlx.matmul %9, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %10 : tensor<2x4x3x8xf32>
}

// What is subtracted is another value's greatest element.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @shifted_by_another
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @shifted_by_another(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>, %s: tensor<2x4x3x1xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x3x8xf32> -> tensor<2x4x8x3xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x3xf32>) -> tensor<2x4x3x3xf32>
  %2 = rlx.concat %1, %s axis(3) : (tensor<2x4x3x3xf32>, tensor<2x4x3x1xf32>) -> tensor<2x4x3x4xf32>
  %3 = rlx.reduce max %q axes [3] keep_dims : tensor<2x4x3x8xf32> -> tensor<2x4x3x1xf32>
  %4 = rlx.binary sub %2, %3 : (tensor<2x4x3x4xf32>, tensor<2x4x3x1xf32>) -> tensor<2x4x3x4xf32>
  %5 = rlx.softmax %4 axis(3) : tensor<2x4x3x4xf32>
  %6 = rlx.narrow %5 axis(3) start(0) length(3) : tensor<2x4x3x4xf32> -> tensor<2x4x3x3xf32>
  %7 = rlx.matmul %6, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// Another column is cut off.
// MISS: RLX-F016 axis
// CHECK-LABEL: @another_column_goes
// CHECK-NOT:   rlx.attention
// CHECK:       func.return
func.func @another_column_goes(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>, %s: tensor<2x4x3x1xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x3x8xf32> -> tensor<2x4x8x3xf32>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xf32>, tensor<2x4x8x3xf32>) -> tensor<2x4x3x3xf32>
  %2 = rlx.concat %1, %s axis(3) : (tensor<2x4x3x3xf32>, tensor<2x4x3x1xf32>) -> tensor<2x4x3x4xf32>
  %3 = rlx.softmax %2 axis(3) : tensor<2x4x3x4xf32>
  %4 = rlx.narrow %3 axis(3) start(1) length(3) : tensor<2x4x3x4xf32> -> tensor<2x4x3x3xf32>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %5 : tensor<2x4x3x8xf32>
}

// The softmax is computed in f32, of the column and of the scores.
// CHECK-LABEL: @sink_in_f32
// CHECK:       rlx.attention {{.*}} mask bias(%{{.*}}) {{.*}} -> tensor<2x4x3x8xbf16>
// CHECK-NOT:   rlx.softmax
func.func @sink_in_f32(%q: tensor<2x4x3x8xbf16>, %k: tensor<2x4x3x8xbf16>, %v: tensor<2x4x3x8xbf16>, %s: tensor<4xbf16>) -> tensor<2x4x3x8xbf16> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x3x8xbf16> -> tensor<2x4x8x3xbf16>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xbf16>, tensor<2x4x8x3xbf16>) -> tensor<2x4x3x3xbf16>
  %2 = rlx.reshape %s : tensor<4xbf16> -> tensor<1x4x1x1xbf16>
  %3 = rlx.expand %2 : tensor<1x4x1x1xbf16> -> tensor<2x4x3x1xbf16>
  %4 = rlx.concat %1, %3 axis(3) : (tensor<2x4x3x3xbf16>, tensor<2x4x3x1xbf16>) -> tensor<2x4x3x4xbf16>
  %5 = rlx.cast %4 : tensor<2x4x3x4xbf16> -> tensor<2x4x3x4xf32>
  %6 = rlx.softmax %5 axis(3) : tensor<2x4x3x4xf32>
  %7 = rlx.cast %6 : tensor<2x4x3x4xf32> -> tensor<2x4x3x4xbf16>
  %8 = rlx.narrow %7 axis(3) start(0) length(3) : tensor<2x4x3x4xbf16> -> tensor<2x4x3x3xbf16>
  %9 = rlx.matmul %8, %v : (tensor<2x4x3x3xbf16>, tensor<2x4x3x8xbf16>) -> tensor<2x4x3x8xbf16>
  func.return %9 : tensor<2x4x3x8xbf16>
}
