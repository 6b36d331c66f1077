// RUN: rlx-opt --rlx-raise-tanh %s | filecheck %s

// CHECK-LABEL: @exponentials
// CHECK-NEXT:  %0 = rlx.activation tanh %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @exponentials(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %e = rlx.activation exp %x : tensor<2x8xf32>
  %m = rlx.activation neg %x : tensor<2x8xf32>
  %n = rlx.activation exp %m : tensor<2x8xf32>
  %0 = rlx.binary sub %e, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.binary add %e, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = rlx.binary div %0, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// Computed twice, added in the other order.
// CHECK-LABEL: @exponentials_twice
// CHECK-NEXT:  %0 = rlx.activation tanh %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @exponentials_twice(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %e = rlx.activation exp %x : tensor<2x8xf32>
  %m = rlx.activation neg %x : tensor<2x8xf32>
  %n = rlx.activation exp %m : tensor<2x8xf32>
  %0 = rlx.binary sub %e, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %f = rlx.activation exp %x : tensor<2x8xf32>
  %o = rlx.activation exp %m : tensor<2x8xf32>
  %1 = rlx.binary add %o, %f : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = rlx.binary div %0, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// CHECK-LABEL: @one_exponential
// CHECK-NEXT:  %0 = rlx.activation tanh %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @one_exponential(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %2 = arith.constant dense<2.0> : tensor<f32>
  %1 = arith.constant dense<1.0> : tensor<f32>
  %d = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %e = rlx.activation exp %d : tensor<2x8xf32>
  %3 = rlx.binary sub %e, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.binary add %e, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %5 = rlx.binary div %3, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// CHECK-LABEL: @one_negative_exponential
// CHECK-NEXT:  %0 = rlx.activation tanh %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @one_negative_exponential(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %2 = arith.constant dense<-2.0> : tensor<f32>
  %1 = arith.constant dense<1.0> : tensor<f32>
  %d = rlx.binary mul %2, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %e = rlx.activation exp %d : tensor<2x8xf32>
  %3 = rlx.binary sub %1, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary add %1, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = rlx.binary div %3, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// CHECK-LABEL: @doubled_sigmoid
// CHECK-NEXT:  %0 = rlx.activation tanh %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @doubled_sigmoid(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %2 = arith.constant dense<2.0> : tensor<f32>
  %1 = arith.constant dense<1.0> : tensor<f32>
  %d = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %e = rlx.activation sigmoid %d : tensor<2x8xf32>
  %3 = rlx.binary mul %2, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary sub %3, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// CHECK-LABEL: @sum_of_x
// CHECK-NEXT:  %0 = rlx.activation tanh %x : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @sum_of_x(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %1 = arith.constant dense<-1.0> : tensor<f32>
  %2 = arith.constant dense<2.0> : tensor<f32>
  %d = rlx.binary add %x, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %e = rlx.activation sigmoid %d : tensor<2x8xf32>
  %3 = rlx.binary mul %2, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary add %3, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// e^12 is infinite in f16, where the quotient is NaN.
// MISS: RLX-F007 dtype
// CHECK-LABEL: @half
// CHECK-NOT:   rlx.activation tanh
// CHECK:       func.return
func.func @half(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
  %e = rlx.activation exp %x : tensor<2x8xf16>
  %m = rlx.activation neg %x : tensor<2x8xf16>
  %n = rlx.activation exp %m : tensor<2x8xf16>
  %0 = rlx.binary sub %e, %n : (tensor<2x8xf16>, tensor<2x8xf16>) -> tensor<2x8xf16>
  %1 = rlx.binary add %e, %n : (tensor<2x8xf16>, tensor<2x8xf16>) -> tensor<2x8xf16>
  %2 = rlx.binary div %0, %1 : (tensor<2x8xf16>, tensor<2x8xf16>) -> tensor<2x8xf16>
  func.return %2 : tensor<2x8xf16>
}

// The negative one first: the other sign.
// MISS: RLX-F025 constant
// CHECK-LABEL: @exchanged
// CHECK-NOT:   rlx.activation tanh
// CHECK:       func.return
func.func @exchanged(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %e = rlx.activation exp %x : tensor<2x8xf32>
  %m = rlx.activation neg %x : tensor<2x8xf32>
  %n = rlx.activation exp %m : tensor<2x8xf32>
  %0 = rlx.binary sub %n, %e : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.binary add %e, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = rlx.binary div %0, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// tanh of the half of x.
// MISS: RLX-F025 constant
// CHECK-LABEL: @one_and_x
// CHECK-NOT:   rlx.activation tanh
// CHECK:       func.return
func.func @one_and_x(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %1 = arith.constant dense<1.0> : tensor<f32>
  %e = rlx.activation exp %x : tensor<2x8xf32>
  %3 = rlx.binary sub %e, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.binary add %e, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %5 = rlx.binary div %3, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @two_values
// CHECK-NOT:   rlx.activation tanh
// CHECK:       func.return
func.func @two_values(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %e = rlx.activation exp %x : tensor<2x8xf32>
  %m = rlx.activation neg %x : tensor<2x8xf32>
  %n = rlx.activation exp %m : tensor<2x8xf32>
  %f = rlx.activation exp %y : tensor<2x8xf32>
  %0 = rlx.binary sub %e, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.binary add %f, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = rlx.binary div %0, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @two_added
// CHECK-NOT:   rlx.activation tanh
// CHECK:       func.return
func.func @two_added(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %1 = arith.constant dense<1.0> : tensor<f32>
  %2 = arith.constant dense<2.0> : tensor<f32>
  %d = rlx.binary mul %x, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %e = rlx.activation exp %d : tensor<2x8xf32>
  %3 = rlx.binary sub %e, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %4 = rlx.binary add %e, %2 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %5 = rlx.binary div %3, %4 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %5 : tensor<2x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @sigmoid_not_doubled
// CHECK-NOT:   rlx.activation tanh
// CHECK:       func.return
func.func @sigmoid_not_doubled(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %2 = arith.constant dense<2.0> : tensor<f32>
  %1 = arith.constant dense<1.0> : tensor<f32>
  %e = rlx.activation sigmoid %x : tensor<2x8xf32>
  %3 = rlx.binary mul %2, %e : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %4 = rlx.binary sub %3, %1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %4 : tensor<2x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @exponential_returned
// CHECK-NOT:   rlx.activation tanh
// CHECK:       func.return
func.func @exponential_returned(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %e = rlx.activation exp %x : tensor<2x8xf32>
  %m = rlx.activation neg %x : tensor<2x8xf32>
  %n = rlx.activation exp %m : tensor<2x8xf32>
  %0 = rlx.binary sub %e, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.binary add %e, %n : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = rlx.binary div %0, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2, %e : tensor<2x8xf32>, tensor<2x8xf32>
}
