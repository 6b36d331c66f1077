// RUN: rlx-opt --convert-rlx-to-mlx %s | rlx-opt | filecheck %s

// CHECK-LABEL: @matmul_bias_act
// CHECK-NEXT:  %0 = mlx.call "mx.addmm"(%b, %x, %w) : (tensor<2xf32>, tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT:  %1 = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %2 = mlx.call "mx.maximum"(%0, %1) : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
// CHECK-NEXT:  func.return %2 : tensor<4x2xf32>
func.func @matmul_bias_act(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(relu) : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  func.return %0 : tensor<4x2xf32>
}

// The sum of half precision is rounded for the second result only.
// CHECK-LABEL: @residual_ln
// CHECK-NEXT:  %0 = mlx.call "mx.astype"(%x) with {dtype = f32} : (tensor<4x8xf16>) -> tensor<4x8xf32>
// CHECK-NEXT:  %1 = mlx.call "mx.astype"(%r) with {dtype = f32} : (tensor<4x8xf16>) -> tensor<4x8xf32>
// CHECK-NEXT:  %2 = mlx.call "mx.add"(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  %3 = mlx.call "mx.astype"(%g) with {dtype = f32} : (tensor<8xf16>) -> tensor<8xf32>
// CHECK-NEXT:  %4 = mlx.call "mx.astype"(%b) with {dtype = f32} : (tensor<8xf16>) -> tensor<8xf32>
// CHECK-NEXT:  %5 = mlx.call "mx.fast.layer_norm"(%2, %3, %4) with {eps = 1.000000e-05 : f64} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  %6 = mlx.call "mx.astype"(%5) with {dtype = f16} : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK-NEXT:  %7 = mlx.call "mx.astype"(%2) with {dtype = f16} : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK-NEXT:  func.return %6, %7 : tensor<4x8xf16>, tensor<4x8xf16>
func.func @residual_ln(%x: tensor<4x8xf16>, %r: tensor<4x8xf16>, %g: tensor<8xf16>, %b: tensor<8xf16>) -> (tensor<4x8xf16>, tensor<4x8xf16>) {
  %0, %1 = rlx.fused_residual_ln %x, %r, %g, %b epsilon(1.0e-5) : (tensor<4x8xf16>, tensor<4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> (tensor<4x8xf16>, tensor<4x8xf16>)
  func.return %0, %1 : tensor<4x8xf16>, tensor<4x8xf16>
}

// CHECK-LABEL: @ada_layer_norm
// CHECK-NEXT:  %0 = mlx.call "mx.fast.layer_norm"(%x) with {weight, bias, eps = 1.000000e-05 : f64} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  %1 = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:  %2 = mlx.call "mx.add"(%1, %s) : (tensor<f32>, tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
// CHECK-NEXT:  %3 = mlx.call "mx.multiply"(%0, %2) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  %4 = mlx.call "mx.add"(%3, %s) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %4 : tensor<2x4x8xf32>
func.func @ada_layer_norm(%x: tensor<2x4x8xf32>, %s: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %0 = rlx.ada_layer_norm %x, %s, %s epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @gated_residual
// CHECK-NEXT:  %0 = mlx.call "mx.multiply"(%g, %x) : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  %1 = mlx.call "mx.add"(%x, %0) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %1 : tensor<2x4x8xf32>
func.func @gated_residual(%x: tensor<2x4x8xf32>, %g: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %0 = rlx.gated_residual %x, %x, %g : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  func.return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @swiglu
// CHECK-NEXT:  %0 = mlx.slice %x axis(1) start(0) length(4) : tensor<4x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT:  %1 = mlx.slice %x axis(1) start(4) length(4) : tensor<4x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT:  %2 = mlx.call "lib.silu"(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:  %3 = mlx.call "mx.multiply"(%1, %2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:  func.return %3 : tensor<4x4xf32>
func.func @swiglu(%x: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %0 = rlx.fused_swiglu %x gate_first : tensor<4x8xf32> -> tensor<4x4xf32>
  func.return %0 : tensor<4x4xf32>
}

// An op without calls of its own is taken apart first.
// CHECK-LABEL: @attention_block
// CHECK-NEXT:  %0 = mlx.call "mx.matmul"(%x, %w) : (tensor<1x2x4xf32>, tensor<4x12xf32>) -> tensor<1x2x12xf32>
// CHECK-NEXT:  %1 = mlx.slice %0 axis(2) start(0) length(4) : tensor<1x2x12xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:  %2 = mlx.slice %0 axis(2) start(4) length(4) : tensor<1x2x12xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:  %3 = mlx.slice %0 axis(2) start(8) length(4) : tensor<1x2x12xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:  %4 = mlx.call "mx.unflatten"(%1) with {axis = 2 : i64, shape = array<i64: 2, 2>} : (tensor<1x2x4xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:  %5 = mlx.call "mx.transpose"(%4) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:  %6 = mlx.call "mx.unflatten"(%2) with {axis = 2 : i64, shape = array<i64: 2, 2>} : (tensor<1x2x4xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:  %7 = mlx.call "mx.transpose"(%6) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:  %8 = mlx.call "mx.unflatten"(%3) with {axis = 2 : i64, shape = array<i64: 2, 2>} : (tensor<1x2x4xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:  %9 = mlx.call "mx.transpose"(%8) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:  %10 = mlx.call "mx.fast.scaled_dot_product_attention"(%5, %7, %9) with {scale = 5.000000e-01 : f64} : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:  %11 = mlx.call "mx.transpose"(%10) with {axes = array<i64: 0, 2, 1, 3>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT:  %12 = mlx.call "mx.flatten"(%11) with {start_axis = 2 : i64} : (tensor<1x2x2x2xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT:  %13 = mlx.call "mx.matmul"(%12, %o) : (tensor<1x2x4xf32>, tensor<4x4xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT:  func.return %13 : tensor<1x2x4xf32>
func.func @attention_block(%x: tensor<1x2x4xf32>, %w: tensor<4x12xf32>, %o: tensor<4x4xf32>) -> tensor<1x2x4xf32> {
  %0 = rlx.fused_attention_block %x, %w, %o heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5) : (tensor<1x2x4xf32>, tensor<4x12xf32>, tensor<4x4xf32>) -> tensor<1x2x4xf32>
  func.return %0 : tensor<1x2x4xf32>
}
