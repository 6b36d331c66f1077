// RUN: rlx-opt --convert-rlx-to-mlx %s | rlx-opt | filecheck %s

// CHECK-LABEL: @layer_norm
// CHECK-NEXT:  %0 = mlx.call "mx.fast.layer_norm"(%x, %g, %b) with {eps = 1.000000e-05 : f64} : (tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
// CHECK-NEXT:  func.return %0 : tensor<4x8xbf16>
func.func @layer_norm(%x: tensor<4x8xbf16>, %g: tensor<8xbf16>, %b: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %0 = rlx.layer_norm %x, %g, %b epsilon(1.0e-5) : (tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  func.return %0 : tensor<4x8xbf16>
}

// Another axis changes places with the last one.
// CHECK-LABEL: @other_axis
// CHECK-NEXT:  %0 = mlx.call "mx.transpose"(%x) with {axes = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %1 = mlx.call "mx.fast.layer_norm"(%0, %g, %b) with {eps = 1.000000e-05 : f64} : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %2 = mlx.call "mx.transpose"(%1) with {axes = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %2 : tensor<4x8xf32>
func.func @other_axis(%x: tensor<4x8xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4x8xf32> {
  %0 = rlx.layer_norm %x, %g, %b epsilon(1.0e-5) axis(0) : (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @rms_norm
// CHECK-NEXT:  %0 = mlx.call "mx.fast.rms_norm"(%x, %g) with {eps = 1.000000e-06 : f64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  %1 = mlx.call "mx.add"(%0, %b) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %1 : tensor<4x8xf32>
func.func @rms_norm(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// A shift of zero is left out.
// CHECK-LABEL: @rms_norm_without_shift
// CHECK-NEXT:  %0 = mlx.call "mx.fast.rms_norm"(%x, %g) with {eps = 1.000000e-06 : f64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %0 : tensor<4x8xf32>
func.func @rms_norm_without_shift(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %b = arith.constant dense<0.0> : tensor<8xf32>
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @softmax
// CHECK-NEXT:  %0 = mlx.call "mx.softmax"(%x) with {axis = 0 : i64, precise = true} : (tensor<4x8xf16>) -> tensor<4x8xf16>
// CHECK-NEXT:  %1 = mlx.call "lib.softmax"(%y) with {axis = 1 : i64} : (tensor<4x8xf64>) -> tensor<4x8xf64>
// CHECK-NEXT:  func.return %0, %1 : tensor<4x8xf16>, tensor<4x8xf64>
func.func @softmax(%x: tensor<4x8xf16>, %y: tensor<4x8xf64>) -> (tensor<4x8xf16>, tensor<4x8xf64>) {
  %0 = rlx.softmax %x axis(0) : tensor<4x8xf16>
  %1 = rlx.softmax %y : tensor<4x8xf64>
  func.return %0, %1 : tensor<4x8xf16>, tensor<4x8xf64>
}

// CHECK-LABEL: @reductions
// CHECK-NEXT:  %0 = mlx.call "mx.astype"(%x) with {dtype = f32} : (tensor<4x8xf16>) -> tensor<4x8xf32>
// CHECK-NEXT:  %1 = mlx.call "mx.sum"(%0) with {axis = array<i64: 1>, keepdims = false} : (tensor<4x8xf32>) -> tensor<4xf32>
// CHECK-NEXT:  %2 = mlx.call "mx.astype"(%1) with {dtype = f16} : (tensor<4xf32>) -> tensor<4xf16>
// CHECK-NEXT:  %3 = mlx.call "mx.max"(%x) with {axis = array<i64: 1>, keepdims = true} : (tensor<4x8xf16>) -> tensor<4x1xf16>
// CHECK-NEXT:  %4 = mlx.call "lib.filled"(%e) with {axis = array<i64: 0>, initial = 0xfff0000000000000 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK-NEXT:  %5 = mlx.call "mx.max"(%4) with {axis = array<i64: 0>, keepdims = false} : (tensor<?x8xf32>) -> tensor<8xf32>
// CHECK-NEXT:  func.return %2, %3, %5 : tensor<4xf16>, tensor<4x1xf16>, tensor<8xf32>
func.func @reductions(%x: tensor<4x8xf16>, %e: tensor<?x8xf32>) -> (tensor<4xf16>, tensor<4x1xf16>, tensor<8xf32>) {
  %0 = rlx.reduce sum %x axes [1] : tensor<4x8xf16> -> tensor<4xf16>
  %1 = rlx.reduce max %x axes [1] keep_dims : tensor<4x8xf16> -> tensor<4x1xf16>
  %2 = rlx.reduce max %e axes [0] : tensor<?x8xf32> -> tensor<8xf32>
  func.return %0, %1, %2 : tensor<4xf16>, tensor<4x1xf16>, tensor<8xf32>
}

// CHECK-LABEL: @rms_norm_of_rows
// CHECK:       %[[N:.*]] = mlx.call "mx.fast.rms_norm"
// CHECK:       mlx.call "mx.reshape"(%{{.*}}) with {shape = array<i64: 6, 8>} : (tensor<2x3x8xf32>) -> tensor<6x8xf32>
func.func @rms_norm_of_rows(%x: tensor<2x3x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<6x8xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) flatten : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  func.return %0 : tensor<6x8xf32>
}
