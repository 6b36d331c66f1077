// RUN: rlx-opt --rlx-raise-activations %s | filecheck %s

// CHECK-LABEL: @sigmoid
// CHECK-NEXT:  %0 = rlx.activation sigmoid %x
// CHECK-NEXT:  func.return %0
func.func @sigmoid(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.activation neg %x : tensor<2x8xf32>
  %1 = rlx.activation exp %0 : tensor<2x8xf32>
  %2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %3 = rlx.binary add %2, %1 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary div %2, %3 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// CHECK-LABEL: @sigmoid_recip
// CHECK-NEXT:  %0 = rlx.activation sigmoid %x
// CHECK-NEXT:  func.return %0
func.func @sigmoid_recip(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.activation neg %x : tensor<2x8xf32>
  %1 = rlx.activation exp %0 : tensor<2x8xf32>
  %2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %3 = rlx.binary add %1, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.activation recip %3 : tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// CHECK-LABEL: @silu
// CHECK-NEXT:  %0 = rlx.activation silu %x
// CHECK-NEXT:  func.return %0
func.func @silu(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.activation neg %x : tensor<2x8xf32>
  %1 = rlx.activation exp %0 : tensor<2x8xf32>
  %2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %3 = rlx.binary add %2, %1 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary div %2, %3 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = rlx.binary mul %x, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// CHECK-LABEL: @silu_as_quotient
// CHECK-NEXT:  %0 = rlx.activation silu %x : tensor<?x8xf32>
// CHECK-NEXT:  func.return %0
func.func @silu_as_quotient(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = rlx.activation neg %x : tensor<?x8xf32>
  %1 = rlx.activation exp %0 : tensor<?x8xf32>
  %2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %3 = rlx.binary add %2, %1 : (tensor<f32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %4 = rlx.binary div %x, %3 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  func.return %4 : tensor<?x8xf32>
}

// CHECK-LABEL: @silu_half_raised
// CHECK-NEXT:  %0 = rlx.activation silu %x
// CHECK-NEXT:  func.return %0
func.func @silu_half_raised(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.activation sigmoid %x : tensor<2x8xf32>
  %1 = rlx.binary mul %0, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @relu
// CHECK-NEXT:  %0 = rlx.activation relu %x : tensor<2x8xf32>
// CHECK-NEXT:  %1 = rlx.activation relu %i : tensor<4xi32>
// CHECK-NEXT:  func.return %0, %1
func.func @relu(%x: tensor<2x8xf32>, %i: tensor<4xi32>) -> (tensor<2x8xf32>, tensor<4xi32>) {
  %0 = arith.constant dense<0.000000e+00> : tensor<f32>
  %1 = rlx.binary max %x, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %2 = arith.constant dense<0> : tensor<i32>
  %3 = rlx.binary max %2, %i : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  func.return %1, %3 : tensor<2x8xf32>, tensor<4xi32>
}

// Another value is scaled.
// CHECK-LABEL: @gate
// CHECK-NEXT:  %0 = rlx.activation sigmoid
// CHECK-NEXT:  %1 = rlx.binary mul %y, %0
func.func @gate(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.activation sigmoid %x : tensor<2x8xf32>
  %1 = rlx.binary mul %y, %0 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @sigmoid_read_twice
// CHECK-NEXT:  %0 = rlx.activation sigmoid %x
// CHECK-NEXT:  %1 = rlx.binary mul %x, %0
func.func @sigmoid_read_twice(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = rlx.activation sigmoid %x : tensor<2x8xf32>
  %1 = rlx.binary mul %x, %0 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %1, %0 : tensor<2x8xf32>, tensor<2x8xf32>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @other_sum
// CHECK-NOT:   rlx.activation sigmoid
// CHECK:       func.return
func.func @other_sum(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.activation neg %x : tensor<2x8xf32>
  %1 = rlx.activation exp %0 : tensor<2x8xf32>
  %2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %3 = rlx.binary add %2, %1 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = arith.constant dense<2.000000e+00> : tensor<f32>
  %5 = rlx.binary div %4, %3 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @sum_returned
// CHECK-NOT:   rlx.activation sigmoid
// CHECK:       func.return
func.func @sum_returned(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = rlx.activation neg %x : tensor<2x8xf32>
  %1 = rlx.activation exp %0 : tensor<2x8xf32>
  %2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %3 = rlx.binary add %2, %1 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary div %2, %3 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %4, %3 : tensor<2x8xf32>, tensor<2x8xf32>
}

// For NaN this gives 0, and relu NaN.
// CHECK-LABEL: @chosen
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @chosen(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<0.000000e+00> : tensor<f32>
  %1 = rlx.compare gt %x, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xi1>
  %2 = rlx.where %1, %x, %0 : (tensor<2x8xi1>, tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// MISS: RLX-F011 type-changes
// CHECK-LABEL: @stretched
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @stretched(%x: tensor<1x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<0.000000e+00> : tensor<2x8xf32>
  %1 = rlx.binary max %x, %0 : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @nothing_wider
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @nothing_wider(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = arith.constant dense<1.000000e+00> : tensor<f32>
  %1 = rlx.binary max %x, %0 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @sigmoid_as_tanh
// CHECK-NEXT:  %0 = rlx.activation sigmoid %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @sigmoid_as_tanh(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %h = arith.constant dense<0.5> : tensor<f32>
  %d = rlx.binary mul %x, %h : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %t = rlx.activation tanh %d : tensor<2x8xf32>
  %0 = rlx.binary mul %h, %t : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.binary add %0, %h : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @silu_as_tanh
// CHECK-NEXT:  %0 = rlx.activation silu %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @silu_as_tanh(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %2 = arith.constant dense<2.0> : tensor<f32>
  %h = arith.constant dense<0.5> : tensor<f32>
  %1 = arith.constant dense<1.0> : tensor<f32>
  %d = rlx.binary div %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %t = rlx.activation tanh %d : tensor<2x8xf32>
  %3 = rlx.binary add %1, %t : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary mul %3, %h : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %5 = rlx.binary mul %4, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// Not halved: the value is returned before it is a sigmoid.
// MISS: RLX-F003 returned
// CHECK-LABEL: @tanh_of_a_half
// CHECK-NOT:   rlx.activation sigmoid
// CHECK:       func.return
func.func @tanh_of_a_half(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %h = arith.constant dense<0.5> : tensor<f32>
  %d = rlx.binary mul %x, %h : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %t = rlx.activation tanh %d : tensor<2x8xf32>
  %1 = rlx.binary add %t, %h : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @quick_gelu
// CHECK-NEXT:  %0 = rlx.activation quick_gelu %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @quick_gelu(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %c = arith.constant dense<1.702> : tensor<f32>
  %0 = rlx.binary mul %c, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.activation sigmoid %0 : tensor<2x8xf32>
  %2 = rlx.binary mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// The slope in bf16, and the sigmoid written out.
// CHECK-LABEL: @quick_gelu_of_bf16
// CHECK-NEXT:  %0 = rlx.activation quick_gelu %x : tensor<?x8xbf16>
// CHECK-NEXT:  func.return %0
func.func @quick_gelu_of_bf16(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %c = arith.constant dense<1.703125> : tensor<bf16>
  %one = arith.constant dense<1.0> : tensor<bf16>
  %0 = rlx.binary mul %x, %c : (tensor<?x8xbf16>, tensor<bf16>) -> tensor<?x8xbf16>
  %1 = rlx.activation neg %0 : tensor<?x8xbf16>
  %2 = rlx.activation exp %1 : tensor<?x8xbf16>
  %3 = rlx.binary add %one, %2 : (tensor<bf16>, tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %4 = rlx.binary div %one, %3 : (tensor<bf16>, tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %5 = rlx.binary mul %4, %x : (tensor<?x8xbf16>, tensor<?x8xbf16>) -> tensor<?x8xbf16>
  func.return %5 : tensor<?x8xbf16>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @other_slope
// CHECK-NOT:   quick_gelu
// CHECK:       func.return
func.func @other_slope(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %c = arith.constant dense<1.7> : tensor<f32>
  %0 = rlx.binary mul %c, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.activation sigmoid %0 : tensor<2x8xf32>
  %2 = rlx.binary mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// Another value is scaled.
// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @steep_gate
// CHECK-NOT:   quick_gelu
// CHECK:       func.return
func.func @steep_gate(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %c = arith.constant dense<1.702> : tensor<f32>
  %0 = rlx.binary mul %c, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.activation sigmoid %0 : tensor<2x8xf32>
  %2 = rlx.binary mul %y, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}
