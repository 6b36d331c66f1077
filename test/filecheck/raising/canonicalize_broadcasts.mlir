// RUN: rlx-opt --rlx-canonicalize-broadcasts %s | filecheck %s

// CHECK-LABEL: @row
// CHECK-NEXT:  %0 = rlx.binary add %x, %b : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @row(%x: tensor<2x4x8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = rlx.reshape %b : tensor<8xf32> -> tensor<1x1x8xf32>
  %1 = rlx.expand %0 : tensor<1x1x8xf32> -> tensor<2x4x8xf32>
  %2 = rlx.binary add %x, %1 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %2 : tensor<2x4x8xf32>
}

// The reshape puts a one after the values, which no rule does by itself: it stays.
// CHECK-LABEL: @statistic
// CHECK-NEXT:  %0 = rlx.reshape %m : tensor<2x4xf32> -> tensor<2x4x1xf32>
// CHECK-NEXT:  %1 = rlx.binary sub %x, %0 : (tensor<2x4x8xf32>, tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %1
func.func @statistic(%x: tensor<2x4x8xf32>, %m: tensor<2x4xf32>) -> tensor<2x4x8xf32> {
  %0 = rlx.reshape %m : tensor<2x4xf32> -> tensor<2x4x1xf32>
  %1 = rlx.expand %0 : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %2 = rlx.binary sub %x, %1 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %2 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @compare_and_where
// CHECK-NEXT:  %0 = rlx.compare gt %x, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
// CHECK-NEXT:  %1 = rlx.where %0, %x, %b : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @compare_and_where(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.expand %b : tensor<8xf32> -> tensor<4x8xf32>
  %1 = rlx.compare gt %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %2 = rlx.where %1, %x, %0 : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %2 : tensor<4x8xf32>
}

// Two broadcasts along different axes meet in the full shape.
// CHECK-LABEL: @both
// CHECK-NEXT:  %0 = rlx.binary mul %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @both(%a: tensor<4x1xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.expand %a : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = rlx.expand %b : tensor<8xf32> -> tensor<4x8xf32>
  %2 = rlx.binary mul %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %2 : tensor<4x8xf32>
}

// All operands are stretched alike: the op is computed before, and its result is stretched where it is needed.
// CHECK-LABEL: @before_the_stretch
// CHECK-NEXT:  %one = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:  %0 = rlx.activation exp %b : tensor<1x8xf32>
// CHECK-NEXT:  %1 = rlx.binary add %0, %one : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
// CHECK-NEXT:  %2 = rlx.expand %1 : tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %2
func.func @before_the_stretch(%b: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %0 = rlx.expand %b : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = rlx.activation exp %0 : tensor<4x8xf32>
  %2 = rlx.expand %one : tensor<f32> -> tensor<4x8xf32>
  %3 = rlx.binary add %1, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %3 : tensor<4x8xf32>
}

// Equal elements become one of rank 0.
// CHECK-LABEL: @splat
// CHECK-NEXT:  %0 = arith.constant dense<5.000000e-01> : tensor<f16>
// CHECK-NEXT:  %1 = rlx.binary mul %x, %0 : (tensor<4x8xf16>, tensor<f16>) -> tensor<4x8xf16>
func.func @splat(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %half = arith.constant dense<0.5> : tensor<4x8xf16>
  %0 = rlx.binary mul %x, %half : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
  func.return %0 : tensor<4x8xf16>
}

// Another kind of op, or a return, reads the full shape.
// CHECK-LABEL: @read_in_full
// CHECK-NEXT:  %0 = arith.constant dense<2.000000e+00> : tensor<4x4xf32>
// CHECK-NEXT:  %1 = rlx.expand %b : tensor<4xf32> -> tensor<4x4xf32>
// CHECK-NEXT:  %2 = rlx.matmul %1, %0
// CHECK-NEXT:  func.return %1, %2
func.func @read_in_full(%b: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %two = arith.constant dense<2.0> : tensor<f32>
  %0 = rlx.expand %two : tensor<f32> -> tensor<4x4xf32>
  %1 = rlx.expand %b : tensor<4xf32> -> tensor<4x4xf32>
  %2 = rlx.matmul %1, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A size that is only known at run time: only the static 1 stretches.
// CHECK-LABEL: @unknown
// CHECK:       %0 = rlx.binary add %x, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
func.func @unknown(%x: tensor<?x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x8xf32>
  %0 = rlx.expand %b sizes(%n) : tensor<8xf32> -> tensor<?x8xf32>
  %1 = rlx.binary add %x, %0 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  func.return %1 : tensor<?x8xf32>
}

// Ops that give an operand back bit for bit go; the sum with 0.0 is not one, since -0.0 would become 0.0.
// CHECK-LABEL: @identities
// CHECK-NEXT:  %zero = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:  %0 = rlx.binary add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:  func.return %x, %x, %x, %x, %x, %0
func.func @identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %minus_zero = arith.constant dense<-0.0> : tensor<f32>
  %never = arith.constant dense<0xFF800000> : tensor<4xf32>
  %0 = rlx.binary mul %one, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = rlx.binary div %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = rlx.binary sub %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = rlx.binary add %minus_zero, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = rlx.binary max %never, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = rlx.binary add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The product with 1 that stretches x is a broadcast, not x.
// CHECK-LABEL: @stretching_one
// CHECK-NEXT:  %0 = rlx.expand %x : tensor<1x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT:  func.return %0
func.func @stretching_one(%x: tensor<1x4xf32>) -> tensor<3x4xf32> {
  %one = arith.constant dense<1.0> : tensor<3x4xf32>
  %0 = rlx.binary mul %x, %one : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: @fenced
// CHECK:       rlx.binary add %x, %{{.*}} {rlx.no_fuse} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @fenced(%x: tensor<2x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = rlx.expand %b : tensor<4xf32> -> tensor<2x4xf32>
  %1 = rlx.binary add %x, %0 {rlx.no_fuse} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}

// Numbers computed from numbers, as in the divisor of a variance; what a constant chooses; a conjunction with true.
// CHECK-LABEL: @numbers
// CHECK-NEXT:  %0 = arith.constant dense<1.600000e+01> : tensor<f32>
// CHECK-NEXT:  %1 = rlx.binary div %x, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:  func.return %1, %c
func.func @numbers(%x: tensor<4xf32>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %one = arith.constant dense<1> : tensor<i32>
  %size = arith.constant dense<17.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %nan = arith.constant dense<0x7FC00000> : tensor<4xf32>
  %true = arith.constant dense<true> : tensor<4xi1>
  %0 = rlx.cast %one : tensor<i32> -> tensor<f32>
  %1 = rlx.binary sub %size, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = rlx.binary div %x, %1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = rlx.compare gt %1, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %4 = rlx.where %3, %2, %nan : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = rlx.binary bit_and %true, %c : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  func.return %4, %5 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: @there_and_back
// CHECK-NEXT:  func.return %x, %x
func.func @there_and_back(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %0 = rlx.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = rlx.transpose %0 [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  %2 = rlx.reshape %x : tensor<2x3x4xf32> -> tensor<6x1x4xf32>
  %3 = rlx.reshape %2 : tensor<6x1x4xf32> -> tensor<2x3x4xf32>
  func.return %1, %3 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// Twice the same rotation is no identity, though the dims come back.
// CHECK-LABEL: @not_back
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.transpose
func.func @not_back(%x: tensor<3x3x3xf32>) -> tensor<3x3x3xf32> {
  %0 = rlx.transpose %x [2, 0, 1] : tensor<3x3x3xf32> -> tensor<3x3x3xf32>
  %1 = rlx.transpose %0 [2, 0, 1] : tensor<3x3x3xf32> -> tensor<3x3x3xf32>
  func.return %1 : tensor<3x3x3xf32>
}
