// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @spline_activation
// CHECK:       %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<2x?x3xf32>, tensor<3x8xf32>) -> tensor<2x?x3xf32>
// CHECK-NEXT:  %1 = rlx.spline_activation %y, %d range(0.5, 2.5) degree(1) : (tensor<?xf16>, tensor<?x3xf16>) -> tensor<?xf16>
// CHECK-NEXT:  %2 = rlx.spline_activation %z, %e range(-3.0, -1.0) degree(0) : (tensor<5x2xf64>, tensor<2x4xf64>) -> tensor<5x2xf64>
// GENERIC:     "rlx.spline_activation"(%x, %c) <{low = -1.000000e+00 : f64, high = 1.000000e+00 : f64, degree = 3 : i64}>
// GENERIC:     "rlx.spline_activation"(%y, %d) <{low = 5.000000e-01 : f64, high = 2.500000e+00 : f64, degree = 1 : i64}>
func.func @spline_activation(%x: tensor<2x?x3xf32>, %c: tensor<3x8xf32>, %y: tensor<?xf16>, %d: tensor<?x3xf16>, %z: tensor<5x2xf64>, %e: tensor<2x4xf64>) {
  %0 = rlx.spline_activation %x, %c range(-1.0, 1.0) : (tensor<2x?x3xf32>, tensor<3x8xf32>) -> tensor<2x?x3xf32>
  %1 = rlx.spline_activation %y, %d range(0.5, 2.5) degree(1) : (tensor<?xf16>, tensor<?x3xf16>) -> tensor<?xf16>
  %2 = rlx.spline_activation %z, %e range(-3.0, -1.0) degree(0) : (tensor<5x2xf64>, tensor<2x4xf64>) -> tensor<5x2xf64>
  func.return
}

// CHECK-LABEL: @spline_activation_backward_x
// CHECK:       %0 = rlx.spline_activation_backward_x %x, %c, %g range(-1.0, 1.0) : (tensor<2x?x3xf32>, tensor<3x8xf32>, tensor<2x?x3xf32>) -> tensor<2x?x3xf32>
// CHECK-NEXT:  %1 = rlx.spline_activation_backward_x %y, %d, %y range(0.5, 2.5) degree(2) : (tensor<?xbf16>, tensor<?x3xbf16>, tensor<?xbf16>) -> tensor<?xbf16>
// CHECK-NEXT:  %2 = rlx.spline_activation_backward_x %y, %d, %y range(0.5, 2.5) degree(0) : (tensor<?xbf16>, tensor<?x3xbf16>, tensor<?xbf16>) -> tensor<?xbf16>
// GENERIC:     "rlx.spline_activation_backward_x"(%x, %c, %g) <{low = -1.000000e+00 : f64, high = 1.000000e+00 : f64, degree = 3 : i64}>
func.func @spline_activation_backward_x(%x: tensor<2x?x3xf32>, %c: tensor<3x8xf32>, %g: tensor<2x?x3xf32>, %y: tensor<?xbf16>, %d: tensor<?x3xbf16>) {
  %0 = rlx.spline_activation_backward_x %x, %c, %g range(-1.0, 1.0) : (tensor<2x?x3xf32>, tensor<3x8xf32>, tensor<2x?x3xf32>) -> tensor<2x?x3xf32>
  %1 = rlx.spline_activation_backward_x %y, %d, %y range(0.5, 2.5) degree(2) : (tensor<?xbf16>, tensor<?x3xbf16>, tensor<?xbf16>) -> tensor<?xbf16>
  %2 = rlx.spline_activation_backward_x %y, %d, %y range(0.5, 2.5) degree(0) : (tensor<?xbf16>, tensor<?x3xbf16>, tensor<?xbf16>) -> tensor<?xbf16>
  func.return
}

// CHECK-LABEL: @spline_activation_backward_coeff
// CHECK:       %0 = rlx.spline_activation_backward_coeff %x, %g intervals(5) range(-1.0, 1.0) : (tensor<2x?x3xf32>, tensor<2x?x3xf32>) -> tensor<3x8xf32>
// CHECK-NEXT:  %1 = rlx.spline_activation_backward_coeff %y, %y intervals(1) range(0.5, 2.5) degree(2) : (tensor<?xf16>, tensor<?xf16>) -> tensor<?x3xf16>
// GENERIC:     "rlx.spline_activation_backward_coeff"(%x, %g) <{intervals = 5 : i64, low = -1.000000e+00 : f64, high = 1.000000e+00 : f64, degree = 3 : i64}>
func.func @spline_activation_backward_coeff(%x: tensor<2x?x3xf32>, %g: tensor<2x?x3xf32>, %y: tensor<?xf16>) {
  %0 = rlx.spline_activation_backward_coeff %x, %g intervals(5) range(-1.0, 1.0) : (tensor<2x?x3xf32>, tensor<2x?x3xf32>) -> tensor<3x8xf32>
  %1 = rlx.spline_activation_backward_coeff %y, %y intervals(1) range(0.5, 2.5) degree(2) : (tensor<?xf16>, tensor<?xf16>) -> tensor<?x3xf16>
  func.return
}
