// RUN: rlx-opt --rlx-raise-clamp %s | filecheck %s

// The bounds of ONNX's Clip and JAX's clip: the upper one last.
// CHECK-LABEL: @relu6
// CHECK-NEXT:  %0 = rlx.clamp %x low(0.0) high(6.0) : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @relu6(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %z = arith.constant dense<0.0> : tensor<f32>
  %s = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary max %x, %z : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.binary min %0, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @lower_bound_last
// CHECK-NEXT:  %0 = rlx.clamp %x low(-1.0) high(0.1) : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @lower_bound_last(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %z = arith.constant dense<-1.0> : tensor<f32>
  %s = arith.constant dense<0.1> : tensor<f32>
  %0 = rlx.binary min %s, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.binary max %z, %0 : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @of_a_relu
// CHECK-NEXT:  %0 = rlx.clamp %x low(0.0) high(6.0) : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @of_a_relu(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %s = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.activation relu %x : tensor<2x8xf32>
  %1 = rlx.binary min %0, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @relu_of_a_minimum
// CHECK-NEXT:  %0 = rlx.clamp %x low(0.0) high(6.0) : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @relu_of_a_minimum(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %s = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary min %x, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.activation relu %0 : tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @integers
// CHECK-NEXT:  %0 = rlx.clamp %x low(-3) high(7) : tensor<4xi32>
// CHECK-NEXT:  func.return %0
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %z = arith.constant dense<-3> : tensor<i32>
  %s = arith.constant dense<7> : tensor<i32>
  %0 = rlx.binary max %x, %z : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = rlx.binary min %0, %s : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  func.return %1 : tensor<4xi32>
}

// The lowest number of f16 is a bound as well; these are the fewest digits that give it.
// CHECK-LABEL: @sizes_unknown
// CHECK-NEXT:  %0 = rlx.clamp %x low(-65500.0) high(0.0) : tensor<?x8xf16>
// CHECK-NEXT:  func.return %0
func.func @sizes_unknown(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %z = arith.constant dense<0.0> : tensor<f16>
  %s = arith.constant dense<0xFBFF> : tensor<f16>
  %0 = rlx.binary min %x, %z : (tensor<?x8xf16>, tensor<f16>) -> tensor<?x8xf16>
  %1 = rlx.binary max %0, %s : (tensor<?x8xf16>, tensor<f16>) -> tensor<?x8xf16>
  func.return %1 : tensor<?x8xf16>
}

// The lower bound would win where the clamp's upper one does.
// MISS: RLX-F025 constant
// CHECK-LABEL: @bounds_cross
// CHECK-NOT:   rlx.clamp
// CHECK:       func.return
func.func @bounds_cross(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %z = arith.constant dense<6.0> : tensor<f32>
  %s = arith.constant dense<0.0> : tensor<f32>
  %0 = rlx.binary min %x, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.binary max %0, %z : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// Here the upper one wins, as in a clamp.
// CHECK-LABEL: @upper_bound_wins
// CHECK-NEXT:  %0 = rlx.clamp %x low(6.0) high(0.0) : tensor<2x8xf32>
// CHECK-NEXT:  func.return %0
func.func @upper_bound_wins(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %z = arith.constant dense<6.0> : tensor<f32>
  %s = arith.constant dense<0.0> : tensor<f32>
  %0 = rlx.binary max %x, %z : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.binary min %0, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @one_bound
// CHECK-NOT:   rlx.clamp
// CHECK:       func.return
func.func @one_bound(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %z = arith.constant dense<1.0> : tensor<f32>
  %0 = rlx.binary max %x, %z : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: @two_lower_bounds
// CHECK-NOT:   rlx.clamp
// CHECK:       func.return
func.func @two_lower_bounds(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %z = arith.constant dense<1.0> : tensor<f32>
  %s = arith.constant dense<2.0> : tensor<f32>
  %0 = rlx.binary max %x, %z : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.binary max %0, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// The lower bounds are values.
// CHECK-LABEL: @a_row_of_bounds
// CHECK-NOT:   rlx.clamp
// CHECK:       func.return
func.func @a_row_of_bounds(%x: tensor<2x8xf32>, %r: tensor<8xf32>) -> tensor<2x8xf32> {
  %s = arith.constant dense<2.0> : tensor<f32>
  %0 = rlx.binary max %x, %r : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %1 = rlx.binary min %0, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// MISS: RLX-F025 constant
// CHECK-LABEL: @no_number
// CHECK-NOT:   rlx.clamp
// CHECK:       func.return
func.func @no_number(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %z = arith.constant dense<0x7FC00000> : tensor<f32>
  %s = arith.constant dense<2.0> : tensor<f32>
  %0 = rlx.binary max %x, %z : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.binary min %0, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @inner_returned
// CHECK-NOT:   rlx.clamp
// CHECK:       func.return
func.func @inner_returned(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %z = arith.constant dense<0.0> : tensor<f32>
  %s = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary max %x, %z : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = rlx.binary min %0, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1, %0 : tensor<2x8xf32>, tensor<2x8xf32>
}

// MISS: RLX-F011 type-changes
// CHECK-LABEL: @stretched
// CHECK-NOT:   rlx.clamp
// CHECK:       func.return
func.func @stretched(%x: tensor<1x8xf32>) -> tensor<2x8xf32> {
  %z = arith.constant dense<0.0> : tensor<2x8xf32>
  %s = arith.constant dense<6.0> : tensor<f32>
  %0 = rlx.binary max %x, %z : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = rlx.binary min %0, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}
