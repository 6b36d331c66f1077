// RUN: rlx-opt --rlx-raise-hard-swish %s | filecheck %s

// As JAX and PyTorch write it.
// CHECK-LABEL: @product_over_six
// CHECK-NEXT:  %0 = rlx.activation hard_swish %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @product_over_six(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %3 = arith.constant dense<3.0> : tensor<f32>
  %6 = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary add %x, %3 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.clamp %0 low(0.0) high(6.0) : tensor<2x8xf32>
  %2 = rlx.binary mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary div %2, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// CHECK-LABEL: @sixth_first
// CHECK-NEXT:  %0 = rlx.activation hard_swish %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @sixth_first(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %3 = arith.constant dense<3.0> : tensor<f32>
  %6 = arith.constant dense<0.166666672> : tensor<f32>
  %0 = rlx.binary add %3, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.clamp %0 low(0.0) high(6.0) : tensor<2x8xf32>
  %2 = rlx.binary mul %1, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.binary mul %2, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// CHECK-LABEL: @sixth_of_x
// CHECK-NEXT:  %0 = rlx.activation hard_swish %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @sixth_of_x(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %3 = arith.constant dense<3.0> : tensor<f32>
  %6 = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary add %3, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.clamp %0 low(0.0) high(6.0) : tensor<2x8xf32>
  %2 = rlx.binary div %x, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.binary mul %2, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// CHECK-LABEL: @line_to_one
// CHECK-NEXT:  %0 = rlx.activation hard_swish %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @line_to_one(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %h = arith.constant dense<0.5> : tensor<f32>
  %6 = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary div %x, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.binary add %0, %h : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %2 = rlx.clamp %1 low(0.0) high(1.0) : tensor<2x8xf32>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %3 : tensor<2x8xf32>
}

// CHECK-LABEL: @sigmoid_over_six
// CHECK-NEXT:  %0 = rlx.activation hard_sigmoid %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @sigmoid_over_six(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %3 = arith.constant dense<3.0> : tensor<f32>
  %6 = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary add %x, %3 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.clamp %0 low(0.0) high(6.0) : tensor<2x8xf32>
  %2 = rlx.binary div %1, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// CHECK-LABEL: @sigmoid_as_line
// CHECK-NEXT:  %0 = rlx.activation hard_sigmoid %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @sigmoid_as_line(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %h = arith.constant dense<0.5> : tensor<f32>
  %6 = arith.constant dense<0.166666672> : tensor<f32>
  %0 = rlx.binary mul %x, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.binary add %0, %h : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %2 = rlx.clamp %1 low(0.0) high(1.0) : tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// A sixth in bf16.
// CHECK-LABEL: @bfloat
// CHECK-NEXT:  %0 = rlx.activation hard_swish %x : tensor<2x8xbf16>
// CHECK-NEXT:  func.return %0
func.func @bfloat(%x: tensor<2x8xbf16>) -> tensor<2x8xbf16> {
  %h = arith.constant dense<0.5> : tensor<bf16>
  %6 = arith.constant dense<0.1669921875> : tensor<bf16>
  %0 = rlx.binary mul %x, %6 : (tensor<2x8xbf16>, tensor<bf16>) -> tensor<2x8xbf16>
  %1 = rlx.binary add %0, %h : (tensor<2x8xbf16>, tensor<bf16>) -> tensor<2x8xbf16>
  %2 = rlx.clamp %1 low(0.0) high(1.0) : tensor<2x8xbf16>
  %3 = rlx.binary mul %x, %2 : (tensor<2x8xbf16>, tensor<2x8xbf16>) -> tensor<2x8xbf16>
  func.return %3 : tensor<2x8xbf16>
}

// CHECK-LABEL: @half_raised
// CHECK-NEXT:  %0 = rlx.activation hard_swish %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @half_raised(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.activation hard_sigmoid %x : tensor<2x8xf32>
  %1 = rlx.binary mul %0, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// Another value is scaled.
// CHECK-LABEL: @gate
// CHECK-NOT:   rlx.activation hard_swish
// CHECK:       func.return
func.func @gate(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = rlx.activation hard_sigmoid %x : tensor<2x8xf32>
  %1 = rlx.binary mul %y, %0 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// The hard sigmoid of other libraries.
// MISS: RLX-F025 constant
// CHECK-LABEL: @other_slope
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @other_slope(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %h = arith.constant dense<0.5> : tensor<f32>
  %6 = arith.constant dense<0.2> : tensor<f32>
  %0 = rlx.binary mul %x, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.binary add %0, %h : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %2 = rlx.clamp %1 low(0.0) high(1.0) : tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @other_offset
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @other_offset(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %3 = arith.constant dense<2.0> : tensor<f32>
  %6 = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary add %x, %3 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.clamp %0 low(0.0) high(6.0) : tensor<2x8xf32>
  %2 = rlx.binary mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary div %2, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @other_bound
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @other_bound(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %3 = arith.constant dense<3.0> : tensor<f32>
  %6 = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary add %x, %3 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.clamp %0 low(0.0) high(5.0) : tensor<2x8xf32>
  %2 = rlx.binary mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary div %2, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// Six times as much, and returned.
// MISS: RLX-F003 returned
// CHECK-LABEL: @not_divided
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @not_divided(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %3 = arith.constant dense<3.0> : tensor<f32>
  %0 = rlx.binary add %x, %3 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.clamp %0 low(0.0) high(6.0) : tensor<2x8xf32>
  %2 = rlx.binary mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @product_with_another
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @product_with_another(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %3 = arith.constant dense<3.0> : tensor<f32>
  %6 = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary add %x, %3 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.clamp %0 low(0.0) high(6.0) : tensor<2x8xf32>
  %2 = rlx.binary mul %y, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary div %2, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @inner_returned
// CHECK-NOT:   rlx.activation
// CHECK:       func.return
func.func @inner_returned(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %3 = arith.constant dense<3.0> : tensor<f32>
  %6 = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary add %x, %3 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.clamp %0 low(0.0) high(6.0) : tensor<2x8xf32>
  %2 = rlx.binary mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary div %2, %6 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %4, %0 : tensor<2x8xf32>, tensor<2x8xf32>
}
