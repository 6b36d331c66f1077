// RUN: rlx-opt --rlx-raise-gelu %s | filecheck %s

// As JAX writes it.
// CHECK-LABEL: @jax_erfc
// CHECK-NEXT:  %0 = rlx.activation gelu %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @jax_erfc(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<0.707106769> : tensor<2x8xf32>
  %1 = arith.constant dense<5.000000e-01> : tensor<2x8xf32>
  %2 = rlx.binary mul %1, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = rlx.activation neg %x : tensor<2x8xf32>
  %4 = rlx.binary mul %3, %0 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = rlx.erfc %4 : tensor<2x8xf32>
  %6 = rlx.binary mul %2, %5 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %6 : tensor<2x8xf32>
}

// CHECK-LABEL: @torch_erf
// CHECK-NEXT:  %0 = rlx.activation gelu %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @torch_erf(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<1.41421354> : tensor<f32>
  %1 = rlx.binary div %x, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %2 = rlx.activation erf %1 : tensor<2x8xf32>
  %3 = arith.constant dense<1.000000e+00> : tensor<f32>
  %4 = rlx.binary add %2, %3 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %5 = rlx.binary mul %x, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = arith.constant dense<5.000000e-01> : tensor<f32>
  %7 = rlx.binary mul %5, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %7 : tensor<2x8xf32>
}

// As PyTorch takes erfc apart.
// CHECK-LABEL: @torch_erfc
// CHECK-NEXT:  %0 = rlx.activation gelu %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @torch_erfc(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<0.707106769> : tensor<f32>
  %1 = arith.constant dense<1.000000e+00> : tensor<f32>
  %2 = arith.constant dense<5.000000e-01> : tensor<f32>
  %3 = rlx.activation neg %x : tensor<2x8xf32>
  %4 = rlx.binary mul %3, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %5 = rlx.activation erf %4 : tensor<2x8xf32>
  %6 = rlx.binary sub %1, %5 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %8 = rlx.binary mul %7, %6 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %8 : tensor<2x8xf32>
}

// The complement of gelu: x times the other tail.
// CHECK-LABEL: @other_tail
// CHECK:       rlx.activation erf
func.func @other_tail(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<0.707106769> : tensor<f32>
  %1 = arith.constant dense<1.000000e+00> : tensor<f32>
  %2 = arith.constant dense<5.000000e-01> : tensor<f32>
  %3 = rlx.binary mul %x, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.activation erf %3 : tensor<2x8xf32>
  %5 = rlx.binary sub %1, %4 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %7 = rlx.binary mul %6, %5 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %7 : tensor<2x8xf32>
}

// erf less 1 has the other sign.
// CHECK-LABEL: @one_subtracted
// CHECK:       rlx.activation erf
func.func @one_subtracted(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<-0.707106769> : tensor<f32>
  %1 = arith.constant dense<1.000000e+00> : tensor<f32>
  %2 = arith.constant dense<5.000000e-01> : tensor<f32>
  %3 = rlx.binary mul %x, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.activation erf %3 : tensor<2x8xf32>
  %5 = rlx.binary sub %4, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %6 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %7 = rlx.binary mul %6, %5 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %7 : tensor<2x8xf32>
}

// CHECK-LABEL: @regrouped
// CHECK-NEXT:  %0 = rlx.activation gelu %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @regrouped(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<0.707106769> : tensor<f32>
  %1 = rlx.binary mul %0, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = rlx.activation erf %1 : tensor<2x8xf32>
  %3 = arith.constant dense<1.000000e+00> : tensor<f32>
  %4 = rlx.binary add %3, %2 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = arith.constant dense<5.000000e-01> : tensor<f32>
  %6 = rlx.binary mul %5, %4 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = rlx.binary mul %6, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %7 : tensor<2x8xf32>
}

// CHECK-LABEL: @halved
// CHECK-NEXT:  %0 = rlx.activation gelu %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @halved(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<2.000000e+00> : tensor<f32>
  %1 = rlx.binary div %x, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %2 = arith.constant dense<-0.707106769> : tensor<f32>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.erfc %3 : tensor<2x8xf32>
  %5 = rlx.binary mul %1, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// CHECK-LABEL: @jax_tanh
// CHECK-NEXT:  %0 = rlx.activation gelu_approx %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @jax_tanh(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.binary mul %x, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.binary mul %0, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = arith.constant dense<4.471500e-02> : tensor<f32>
  %3 = rlx.binary mul %2, %1 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary add %x, %3 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = arith.constant dense<0.797884583> : tensor<f32>
  %6 = rlx.binary mul %5, %4 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = rlx.activation tanh %6 : tensor<2x8xf32>
  %8 = arith.constant dense<1.000000e+00> : tensor<f32>
  %9 = rlx.binary add %8, %7 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %10 = arith.constant dense<5.000000e-01> : tensor<f32>
  %11 = rlx.binary mul %10, %9 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %12 = rlx.binary mul %x, %11 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %12 : tensor<2x8xf32>
}

// CHECK-LABEL: @power
// CHECK-NEXT:  %0 = rlx.activation gelu_approx %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @power(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<5.000000e-01> : tensor<f32>
  %1 = rlx.binary mul %0, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = arith.constant dense<3.000000e+00> : tensor<f32>
  %3 = rlx.binary pow %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = arith.constant dense<4.471500e-02> : tensor<f32>
  %5 = rlx.binary mul %4, %3 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = rlx.binary add %x, %5 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = arith.constant dense<0.797884583> : tensor<f32>
  %8 = rlx.binary mul %6, %7 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %9 = rlx.activation tanh %8 : tensor<2x8xf32>
  %10 = arith.constant dense<1.000000e+00> : tensor<f32>
  %11 = rlx.binary add %10, %9 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %12 = rlx.binary mul %1, %11 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %12 : tensor<2x8xf32>
}

// CHECK-LABEL: @horner
// CHECK-NEXT:  %0 = rlx.activation gelu_approx %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @horner(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<5.000000e-01> : tensor<f32>
  %1 = rlx.binary mul %0, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = arith.constant dense<0.797884583> : tensor<f32>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = arith.constant dense<4.471500e-02> : tensor<f32>
  %5 = rlx.binary mul %4, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = rlx.binary mul %5, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = arith.constant dense<1.000000e+00> : tensor<f32>
  %8 = rlx.binary add %7, %6 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %9 = rlx.binary mul %3, %8 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %10 = rlx.activation tanh %9 : tensor<2x8xf32>
  %11 = rlx.binary add %7, %10 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %12 = rlx.binary mul %1, %11 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %12 : tensor<2x8xf32>
}

// The constant is 0.707 in bf16, and so is the wanted one.
// CHECK-LABEL: @half_precision
// CHECK-NEXT:  %0 = rlx.activation gelu %x : tensor<2x8xbf16>
func.func @half_precision(%x: tensor<2x8xbf16>) -> tensor<2x8xbf16> {
  %0 = arith.constant dense<5.000000e-01> : tensor<bf16>
  %1 = rlx.binary mul %0, %x : (tensor<bf16>, tensor<2x8xbf16>) -> tensor<2x8xbf16>
  %2 = arith.constant dense<7.070310e-01> : tensor<bf16>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xbf16>, tensor<bf16>) -> tensor<2x8xbf16>
  %4 = rlx.activation erf %3 : tensor<2x8xbf16>
  %5 = arith.constant dense<1.000000e+00> : tensor<bf16>
  %6 = rlx.binary add %5, %4 : (tensor<bf16>, tensor<2x8xbf16>) -> tensor<2x8xbf16>
  %7 = rlx.binary mul %1, %6 : (tensor<2x8xbf16>, tensor<2x8xbf16>) -> tensor<2x8xbf16>
  func.return %7 : tensor<2x8xbf16>
}

// The x is itself a product.
// CHECK-LABEL: @of_a_product
// CHECK:       %[[Z:.*]] = rlx.binary mul %x, %y
// CHECK:       rlx.activation gelu %[[Z]]
func.func @of_a_product(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.binary mul %x, %y : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = arith.constant dense<5.000000e-01> : tensor<f32>
  %2 = rlx.binary mul %1, %0 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = arith.constant dense<0.707106769> : tensor<f32>
  %4 = rlx.binary mul %0, %3 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %5 = rlx.activation erf %4 : tensor<2x8xf32>
  %6 = arith.constant dense<1.000000e+00> : tensor<f32>
  %7 = rlx.binary add %6, %5 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %8 = rlx.binary mul %2, %7 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %8 : tensor<2x8xf32>
}

// K13: two kinds, told apart.
// CHECK-LABEL: @k13_both_kinds
// CHECK:       %[[A:.*]] = rlx.matmul %x, %w
// CHECK:       %[[B:.*]] = rlx.matmul %x, %v
// CHECK:       %[[C:.*]] = rlx.activation gelu %[[A]]
// CHECK:       %[[D:.*]] = rlx.activation gelu_approx %[[B]]
// CHECK:       func.return %[[C]], %[[D]]
func.func @k13_both_kinds(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = arith.constant dense<5.000000e-01> : tensor<f32>
  %3 = rlx.binary mul %2, %0 : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = arith.constant dense<0.707106769> : tensor<f32>
  %5 = rlx.binary mul %0, %4 : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %6 = rlx.activation erf %5 : tensor<4x8xf32>
  %7 = arith.constant dense<1.000000e+00> : tensor<f32>
  %8 = rlx.binary add %7, %6 : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %9 = rlx.binary mul %3, %8 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %10 = rlx.binary mul %2, %1 : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %11 = rlx.binary mul %1, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %12 = rlx.binary mul %11, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %13 = arith.constant dense<4.471500e-02> : tensor<f32>
  %14 = rlx.binary mul %13, %12 : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %15 = rlx.binary add %1, %14 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %16 = arith.constant dense<0.797884583> : tensor<f32>
  %17 = rlx.binary mul %16, %15 : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %18 = rlx.activation tanh %17 : tensor<4x8xf32>
  %19 = rlx.binary add %7, %18 : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %20 = rlx.binary mul %10, %19 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %9, %20 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: @one_more_factor
// CHECK:       %[[G:.*]] = rlx.activation gelu %x
// CHECK-NEXT:  rlx.binary mul %[[G]], %y
func.func @one_more_factor(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<5.000000e-01> : tensor<f32>
  %1 = rlx.binary mul %0, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = arith.constant dense<-0.707106769> : tensor<f32>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.erfc %3 : tensor<2x8xf32>
  %5 = rlx.binary mul %1, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = rlx.binary mul %5, %y : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %6 : tensor<2x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @no_half
// CHECK-NOT:   rlx.activation gelu
// CHECK:       func.return
func.func @no_half(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<0.707106769> : tensor<f32>
  %1 = rlx.binary mul %x, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %2 = rlx.activation erf %1 : tensor<2x8xf32>
  %3 = arith.constant dense<1.000000e+00> : tensor<f32>
  %4 = rlx.binary add %3, %2 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = rlx.binary mul %x, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @other_constant
// CHECK-NOT:   rlx.activation gelu
// CHECK:       func.return
func.func @other_constant(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<5.000000e-01> : tensor<f32>
  %1 = rlx.binary mul %0, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = arith.constant dense<7.071000e-01> : tensor<f32>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.activation erf %3 : tensor<2x8xf32>
  %5 = arith.constant dense<1.000000e+00> : tensor<f32>
  %6 = rlx.binary add %5, %4 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = rlx.binary mul %1, %6 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %7 : tensor<2x8xf32>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @other_coefficient
// CHECK-NOT:   rlx.activation gelu
// CHECK:       func.return
func.func @other_coefficient(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<5.000000e-01> : tensor<f32>
  %1 = rlx.binary mul %0, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = rlx.binary mul %x, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = rlx.binary mul %2, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = arith.constant dense<4.471000e-02> : tensor<f32>
  %5 = rlx.binary mul %4, %3 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = rlx.binary add %x, %5 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = arith.constant dense<0.797884583> : tensor<f32>
  %8 = rlx.binary mul %7, %6 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %9 = rlx.activation tanh %8 : tensor<2x8xf32>
  %10 = arith.constant dense<1.000000e+00> : tensor<f32>
  %11 = rlx.binary add %10, %9 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %12 = rlx.binary mul %1, %11 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %12 : tensor<2x8xf32>
}

// The factor is another value than the argument.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @other_value
// CHECK-NOT:   rlx.activation gelu
// CHECK:       func.return
func.func @other_value(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<5.000000e-01> : tensor<f32>
  %1 = rlx.binary mul %0, %y : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = arith.constant dense<0.707106769> : tensor<f32>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.activation erf %3 : tensor<2x8xf32>
  %5 = arith.constant dense<1.000000e+00> : tensor<f32>
  %6 = rlx.binary add %5, %4 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = rlx.binary mul %1, %6 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %7 : tensor<2x8xf32>
}

// `erfc(x / sqrt 2)` is the mirror image.
// MISS: RLX-F025 constant
// CHECK-LABEL: @sign
// CHECK-NOT:   rlx.activation gelu
// CHECK:       func.return
func.func @sign(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<5.000000e-01> : tensor<f32>
  %1 = rlx.binary mul %0, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = arith.constant dense<0.707106769> : tensor<f32>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.erfc %3 : tensor<2x8xf32>
  %5 = rlx.binary mul %1, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @inner_returned
// CHECK-NOT:   rlx.activation gelu
// CHECK:       func.return
func.func @inner_returned(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = arith.constant dense<-0.707106769> : tensor<f32>
  %1 = rlx.binary mul %x, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %2 = rlx.erfc %1 : tensor<2x8xf32>
  %3 = arith.constant dense<5.000000e-01> : tensor<f32>
  %4 = rlx.binary mul %3, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = rlx.binary mul %4, %2 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5, %2 : tensor<2x8xf32>, tensor<2x8xf32>
}

// The constant of an f32 program is another number in f64.
// MISS: RLX-F025 constant
// CHECK-LABEL: @double
// CHECK-NOT:   rlx.activation gelu
// CHECK:       func.return
func.func @double(%x: tensor<2x8xf64>) -> tensor<2x8xf64> {
  %0 = arith.constant dense<5.000000e-01> : tensor<f64>
  %1 = rlx.binary mul %0, %x : (tensor<f64>, tensor<2x8xf64>) -> tensor<2x8xf64>
  %2 = arith.constant dense<0.70710669999999998> : tensor<f64>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xf64>, tensor<f64>) -> tensor<2x8xf64>
  %4 = rlx.activation erf %3 : tensor<2x8xf64>
  %5 = arith.constant dense<1.000000e+00> : tensor<f64>
  %6 = rlx.binary add %5, %4 : (tensor<f64>, tensor<2x8xf64>) -> tensor<2x8xf64>
  %7 = rlx.binary mul %1, %6 : (tensor<2x8xf64>, tensor<2x8xf64>) -> tensor<2x8xf64>
  func.return %7 : tensor<2x8xf64>
}
