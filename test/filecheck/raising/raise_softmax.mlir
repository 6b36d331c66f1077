// RUN: rlx-opt --rlx-raise-softmax %s | filecheck %s

// As JAX writes it: the maximum once more with -inf, statistics without their axis, stretched back.
// CHECK-LABEL: @jax
// CHECK-NEXT:  %0 = rlx.softmax %x : tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @jax(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %never = arith.constant dense<0xFF800000> : tensor<f32>
  %0 = rlx.reduce max %x axes [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %1 = rlx.expand %never : tensor<f32> -> tensor<2x4xf32>
  %2 = rlx.binary max %1, %0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = rlx.reshape %2 : tensor<2x4xf32> -> tensor<2x4x1xf32>
  %4 = rlx.expand %3 : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %5 = rlx.binary sub %x, %4 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %6 = rlx.activation exp %5 : tensor<2x4x8xf32>
  %7 = rlx.reduce sum %6 axes [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %8 = rlx.reshape %7 : tensor<2x4xf32> -> tensor<2x4x1xf32>
  %9 = rlx.expand %8 : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %10 = rlx.binary div %6, %9 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %10 : tensor<2x4x8xf32>
}

// Another axis, kept as 1; the reciprocal sum; the sum's type.
// CHECK-LABEL: @axis_one
// CHECK-NEXT:  %0 = rlx.softmax %x axis(1) accumulate(f32) : tensor<2x4x8xf16>
func.func @axis_one(%x: tensor<2x4x8xf16>) -> tensor<2x4x8xf16> {
  %0 = rlx.reduce max %x axes [-2] keep_dims : tensor<2x4x8xf16> -> tensor<2x1x8xf16>
  %1 = rlx.binary sub %x, %0 : (tensor<2x4x8xf16>, tensor<2x1x8xf16>) -> tensor<2x4x8xf16>
  %2 = rlx.activation exp %1 : tensor<2x4x8xf16>
  %3 = rlx.reduce sum %2 axes [1] keep_dims accumulate(f32) : tensor<2x4x8xf16> -> tensor<2x1x8xf16>
  %4 = rlx.activation recip %3 : tensor<2x1x8xf16>
  %5 = rlx.binary mul %4, %2 : (tensor<2x1x8xf16>, tensor<2x4x8xf16>) -> tensor<2x4x8xf16>
  func.return %5 : tensor<2x4x8xf16>
}

// Two maxima of one value are one value.
// CHECK-LABEL: @sizes_unknown
// CHECK-NEXT:  %0 = rlx.softmax %x : tensor<?x8xf32>
func.func @sizes_unknown(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %0 = rlx.reduce max %x axes [1] keep_dims : tensor<?x8xf32> -> tensor<?x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %2 = rlx.activation exp %1 : tensor<?x8xf32>
  %3 = rlx.reduce sum %2 axes [1] keep_dims : tensor<?x8xf32> -> tensor<?x1xf32>
  %4 = rlx.binary div %one, %3 : (tensor<f32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %5 = rlx.binary mul %2, %4 : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  func.return %5 : tensor<?x8xf32>
}

// Without the maximum e^x overflows at 89 where softmax does not.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @no_maximum
// CHECK-NOT:   rlx.softmax
// CHECK:       func.return
func.func @no_maximum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.activation exp %x : tensor<4x8xf32>
  %1 = rlx.reduce sum %0 axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = rlx.binary div %0, %1 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  func.return %2 : tensor<4x8xf32>
}

// The maximum lies along one axis, the sum along the other. On a square the dims alone do not tell.
// MISS: RLX-F016 axis
// CHECK-LABEL: @axes_differ
// CHECK-NOT:   rlx.softmax
// CHECK:       func.return
func.func @axes_differ(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = rlx.reduce max %x axes [0] keep_dims : tensor<4x4xf32> -> tensor<1x4xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %2 = rlx.activation exp %1 : tensor<4x4xf32>
  %3 = rlx.reduce sum %2 axes [1] keep_dims : tensor<4x4xf32> -> tensor<4x1xf32>
  %4 = rlx.binary div %2, %3 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  func.return %4 : tensor<4x4xf32>
}

// The sums of the rows are laid along the columns.
// MISS: RLX-F016 axis
// CHECK-LABEL: @sum_misplaced
// CHECK-NOT:   rlx.softmax
// CHECK:       func.return
func.func @sum_misplaced(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = rlx.reduce max %x axes [1] keep_dims : tensor<4x4xf32> -> tensor<4x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %2 = rlx.activation exp %1 : tensor<4x4xf32>
  %3 = rlx.reduce sum %2 axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  %4 = rlx.binary div %2, %3 : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  func.return %4 : tensor<4x4xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @maximum_of_another
// CHECK-NOT:   rlx.softmax
// CHECK:       func.return
func.func @maximum_of_another(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.reduce max %y axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = rlx.activation exp %1 : tensor<4x8xf32>
  %3 = rlx.reduce sum %2 axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %4 = rlx.binary div %2, %3 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  func.return %4 : tensor<4x8xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @two_axes
// CHECK-NOT:   rlx.softmax
// CHECK:       func.return
func.func @two_axes(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = rlx.reduce max %x axes [1, 2] keep_dims : tensor<2x4x8xf32> -> tensor<2x1x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<2x4x8xf32>, tensor<2x1x1xf32>) -> tensor<2x4x8xf32>
  %2 = rlx.activation exp %1 : tensor<2x4x8xf32>
  %3 = rlx.reduce sum %2 axes [1, 2] keep_dims : tensor<2x4x8xf32> -> tensor<2x1x1xf32>
  %4 = rlx.binary div %2, %3 : (tensor<2x4x8xf32>, tensor<2x1x1xf32>) -> tensor<2x4x8xf32>
  func.return %4 : tensor<2x4x8xf32>
}

// The maximum is a result of its own.
// MISS: RLX-F003 returned
// CHECK-LABEL: @maximum_returned
// CHECK-NOT:   rlx.softmax
// CHECK:       func.return
func.func @maximum_returned(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %0 = rlx.reduce max %x axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = rlx.activation exp %1 : tensor<4x8xf32>
  %3 = rlx.reduce sum %2 axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %4 = rlx.binary div %2, %3 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  func.return %4, %0 : tensor<4x8xf32>, tensor<4x1xf32>
}

// The logarithm of the sum is read too, as in a loss.
// MISS: RLX-F002 multi-use
// CHECK-LABEL: @sum_read_twice
// CHECK-NOT:   rlx.softmax
// CHECK:       func.return
func.func @sum_read_twice(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %0 = rlx.reduce max %x axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = rlx.binary sub %x, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = rlx.activation exp %1 : tensor<4x8xf32>
  %3 = rlx.reduce sum %2 axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %4 = rlx.binary div %2, %3 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %5 = rlx.activation log %3 : tensor<4x1xf32>
  func.return %4, %5 : tensor<4x8xf32>, tensor<4x1xf32>
}

// As JAX maps a softmax over an axis: the maximum is taken before the axes are moved.
// CHECK-LABEL: @maximum_before_the_move
// CHECK-NEXT:  %0 = rlx.transpose %y [2, 0, 1, 3] : tensor<2x3x4x8xf32> -> tensor<4x2x3x8xf32>
// CHECK-NEXT:  %1 = rlx.softmax %0 : tensor<4x2x3x8xf32>
// CHECK-NEXT:  func.return %1
func.func @maximum_before_the_move(%y: tensor<2x3x4x8xf32>) -> tensor<4x2x3x8xf32> {
  %0 = rlx.reduce max %y axes [3] : tensor<2x3x4x8xf32> -> tensor<2x3x4xf32>
  %1 = rlx.transpose %0 [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %2 = rlx.reshape %1 : tensor<4x2x3xf32> -> tensor<4x2x3x1xf32>
  %3 = rlx.transpose %y [2, 0, 1, 3] : tensor<2x3x4x8xf32> -> tensor<4x2x3x8xf32>
  %4 = rlx.binary sub %3, %2 : (tensor<4x2x3x8xf32>, tensor<4x2x3x1xf32>) -> tensor<4x2x3x8xf32>
  %5 = rlx.activation exp %4 : tensor<4x2x3x8xf32>
  %6 = rlx.reduce sum %5 axes [3] keep_dims : tensor<4x2x3x8xf32> -> tensor<4x2x3x1xf32>
  %7 = rlx.binary div %5, %6 : (tensor<4x2x3x8xf32>, tensor<4x2x3x1xf32>) -> tensor<4x2x3x8xf32>
  func.return %7 : tensor<4x2x3x8xf32>
}

// The maxima are moved another way than the values. On a cube the dims alone do not tell.
// MISS: RLX-F016 axis
// CHECK-LABEL: @maximum_moved_otherwise
// CHECK-NOT:   rlx.softmax
// CHECK:       func.return
func.func @maximum_moved_otherwise(%y: tensor<3x3x3xf32>) -> tensor<3x3x3xf32> {
  %0 = rlx.reduce max %y axes [2] : tensor<3x3x3xf32> -> tensor<3x3xf32>
  %1 = rlx.transpose %0 [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  %2 = rlx.reshape %1 : tensor<3x3xf32> -> tensor<3x3x1xf32>
  %3 = rlx.transpose %y [0, 1, 2] : tensor<3x3x3xf32> -> tensor<3x3x3xf32>
  %4 = rlx.binary sub %3, %2 : (tensor<3x3x3xf32>, tensor<3x3x1xf32>) -> tensor<3x3x3xf32>
  %5 = rlx.activation exp %4 : tensor<3x3x3xf32>
  %6 = rlx.reduce sum %5 axes [2] keep_dims : tensor<3x3x3xf32> -> tensor<3x3x1xf32>
  %7 = rlx.binary div %5, %6 : (tensor<3x3x3xf32>, tensor<3x3x1xf32>) -> tensor<3x3x3xf32>
  func.return %7 : tensor<3x3x3xf32>
}

// Halves are summed in f32, between casts.
// CHECK-LABEL: @sum_between_casts
// CHECK-NEXT:  %0 = rlx.softmax %x : tensor<4x8xbf16>
// CHECK-NEXT:  func.return %0
func.func @sum_between_casts(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = rlx.reduce max %x axes [1] keep_dims : tensor<4x8xbf16> -> tensor<4x1xbf16>
  %1 = rlx.binary sub %x, %0 : (tensor<4x8xbf16>, tensor<4x1xbf16>) -> tensor<4x8xbf16>
  %2 = rlx.activation exp %1 : tensor<4x8xbf16>
  %3 = rlx.cast %2 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %4 = rlx.reduce sum %3 axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %5 = rlx.cast %4 : tensor<4x1xf32> -> tensor<4x1xbf16>
  %6 = rlx.binary div %2, %5 : (tensor<4x8xbf16>, tensor<4x1xbf16>) -> tensor<4x8xbf16>
  func.return %6 : tensor<4x8xbf16>
}
