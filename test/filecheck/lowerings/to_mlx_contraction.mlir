// RUN: rlx-opt --convert-rlx-to-mlx %s | rlx-opt | filecheck %s

// Half precision stays: MLX sums its products in f32.
// CHECK-LABEL: @half
// CHECK-NEXT:  %0 = mlx.call "mx.matmul"(%x, %w) : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
// CHECK-NEXT:  func.return %0 : tensor<4x2xf16>
func.func @half(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>) -> tensor<4x2xf16> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
  func.return %0 : tensor<4x2xf16>
}

// CHECK-LABEL: @accumulate
// CHECK-NEXT:  %0 = mlx.call "mx.astype"(%x) with {dtype = f64} : (tensor<4x8xf32>) -> tensor<4x8xf64>
// CHECK-NEXT:  %1 = mlx.call "mx.astype"(%w) with {dtype = f64} : (tensor<8x2xf32>) -> tensor<8x2xf64>
// CHECK-NEXT:  %2 = mlx.call "mx.matmul"(%0, %1) : (tensor<4x8xf64>, tensor<8x2xf64>) -> tensor<4x2xf64>
// CHECK-NEXT:  %3 = mlx.call "mx.astype"(%2) with {dtype = f32} : (tensor<4x2xf64>) -> tensor<4x2xf32>
// CHECK-NEXT:  func.return %3 : tensor<4x2xf32>
func.func @accumulate(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = rlx.matmul %x, %w accumulate(f64) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  func.return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: @integers
// CHECK-NEXT:  %0 = mlx.call "lib.integer_matmul"(%x, %w) : (tensor<4x8xi8>, tensor<8x2xi8>) -> tensor<4x2xi8>
// CHECK-NEXT:  func.return %0 : tensor<4x2xi8>
func.func @integers(%x: tensor<4x8xi8>, %w: tensor<8x2xi8>) -> tensor<4x2xi8> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xi8>, tensor<8x2xi8>) -> tensor<4x2xi8>
  func.return %0 : tensor<4x2xi8>
}

// CHECK-LABEL: @dot_general
// CHECK-NEXT:  %0 = mlx.call "mx.einsum"(%x, %w) with {subscripts = "abc,cdb->cad"} : (tensor<3x4x2xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT:  func.return %0 : tensor<2x3x5xf32>
func.func @dot_general(%x: tensor<3x4x2xf32>, %w: tensor<2x5x4xf32>) -> tensor<2x3x5xf32> {
  %0 = rlx.dot_general %x, %w contracting([1] x [2]) batch([2] x [0]) : (tensor<3x4x2xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  func.return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: @grouped
// CHECK-NEXT:  %0 = mlx.call "lib.within"(%e, %w) with {axis = 0 : i64} : (tensor<3xi32>, tensor<6x4x5xf32>) -> tensor<3xi64>
// CHECK-NEXT:  %1 = mlx.call "mx.expand_dims"(%x) with {axis = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x1x4xf32>
// CHECK-NEXT:  %2 = mlx.call "mx.gather_mm"(%1, %w, %0) : (tensor<3x1x4xf32>, tensor<6x4x5xf32>, tensor<3xi64>) -> tensor<3x1x5xf32>
// CHECK-NEXT:  %3 = mlx.call "mx.squeeze"(%2) with {axis = 1 : i64} : (tensor<3x1x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:  func.return %3 : tensor<3x5xf32>
func.func @grouped(%x: tensor<3x4xf32>, %w: tensor<6x4x5xf32>, %e: tensor<3xi32>) -> tensor<3x5xf32> {
  %0 = rlx.grouped_matmul %x, %w, %e : (tensor<3x4xf32>, tensor<6x4x5xf32>, tensor<3xi32>) -> tensor<3x5xf32>
  func.return %0 : tensor<3x5xf32>
}

// CHECK-LABEL: @grouped_quantised
// CHECK-NEXT:  %0 = mlx.call "mx.astype"(%x) with {dtype = f32} : (tensor<3x64xbf16>) -> tensor<3x64xf32>
// CHECK-NEXT:  %1 = mlx.call "mx.expand_dims"(%0) with {axis = array<i64: 1>} : (tensor<3x64xf32>) -> tensor<3x1x64xf32>
// CHECK-NEXT:  %2 = mlx.call "mx.astype"(%s) with {dtype = f32} : (tensor<2x5x2xbf16>) -> tensor<2x5x2xf32>
// CHECK-NEXT:  %3 = mlx.call "mx.astype"(%b) with {dtype = f32} : (tensor<2x5x2xbf16>) -> tensor<2x5x2xf32>
// CHECK-NEXT:  %4 = mlx.call "lib.within"(%e, %w) with {axis = 0 : i64} : (tensor<3xi32>, tensor<2x5x8xui32>) -> tensor<3xi64>
// CHECK-NEXT:  %5 = mlx.call "mx.gather_qmm"(%1, %w, %2, %3, %4) with {group_size = 32 : i64, bits = 4 : i64} : (tensor<3x1x64xf32>, tensor<2x5x8xui32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>, tensor<3xi64>) -> tensor<3x1x5xf32>
// CHECK-NEXT:  %6 = mlx.call "mx.squeeze"(%5) with {axis = 1 : i64} : (tensor<3x1x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:  %7 = mlx.call "mx.astype"(%6) with {dtype = bf16} : (tensor<3x5xf32>) -> tensor<3x5xbf16>
// CHECK-NEXT:  func.return %7 : tensor<3x5xbf16>
func.func @grouped_quantised(%x: tensor<3x64xbf16>, %w: tensor<2x5x8xui32>, %e: tensor<3xi32>, %s: tensor<2x5x2xbf16>, %b: tensor<2x5x2xbf16>) -> tensor<3x5xbf16> {
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %e, %s, %b bits(4) group_size(32) : (tensor<3x64xbf16>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xbf16>, tensor<2x5x2xbf16>) -> tensor<3x5xbf16>
  func.return %0 : tensor<3x5xbf16>
}
