// RUN: rlx-opt --rlx-infer-shapes --split-input-file %s | filecheck %s

// A size goes from operands to results, and a size operand whose value is known goes into the type.
// CHECK-LABEL: @from_operands
// CHECK:       %0 = rlx.expand %b : tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  %1 = rlx.activation relu %0 : tensor<4x8xf32>
// CHECK-NEXT:  rlx.binary add %x, %1 : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  func.return
func.func @from_operands(%x: tensor<?x8xf32>, %b: tensor<1x8xf32>) {
  %c4 = arith.constant 4 : index
  %0 = rlx.expand %b sizes(%c4) : tensor<1x8xf32> -> tensor<?x8xf32>
  %1 = rlx.activation relu %0 : tensor<?x8xf32>
  %2 = rlx.binary add %x, %1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  func.return
}

// CHECK-LABEL: @from_dim
// CHECK:       rlx.expand %b sizes(%n) : tensor<8xf32> -> tensor<6x?x8xf32>
func.func @from_dim(%x: tensor<6x8xf32>, %b: tensor<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<6x8xf32>
  %0 = rlx.expand %b sizes(%d, %n) : tensor<8xf32> -> tensor<?x?x8xf32>
  func.return
}

// An input that does not stretch says its size; the number of elements says the last size of a reshape.
// CHECK-LABEL: @from_input
// CHECK:       rlx.expand %x sizes(%n) : tensor<5x1xf32> -> tensor<5x?xf32>
// CHECK-NEXT:  rlx.reshape %y : tensor<4x6xf32> -> tensor<3x8xf32>
// CHECK-NEXT:  rlx.reshape %y sizes(%n, %n) : tensor<4x6xf32> -> tensor<?x?xf32>
func.func @from_input(%x: tensor<5x1xf32>, %y: tensor<4x6xf32>, %n: index) {
  %0 = rlx.expand %x sizes(%n, %n) : tensor<5x1xf32> -> tensor<?x?xf32>
  %1 = rlx.reshape %y sizes(%n) : tensor<4x6xf32> -> tensor<?x8xf32>
  %2 = rlx.reshape %y sizes(%n, %n) : tensor<4x6xf32> -> tensor<?x?xf32>
  func.return
}

// What a public function takes and gives stays, and so does what must have the type of either.
// CHECK-LABEL: @public
// CHECK-SAME:  (%x: tensor<?x8xf32>, %y: tensor<4x8xf32>) -> tensor<?x8xf32>
// CHECK:       %0 = rlx.binary add %x, %y : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
// CHECK-NEXT:  %1 = rlx.activation relu %0 : tensor<?x8xf32>
// CHECK-NEXT:  rlx.activation tanh %x : tensor<?x8xf32>
// CHECK-NEXT:  func.return %1 : tensor<?x8xf32>
func.func @public(%x: tensor<?x8xf32>, %y: tensor<4x8xf32>) -> tensor<?x8xf32> {
  %0 = rlx.binary add %x, %y : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %1 = rlx.activation relu %0 : tensor<?x8xf32>
  %2 = rlx.activation tanh %x : tensor<?x8xf32>
  func.return %1 : tensor<?x8xf32>
}

// An op of another dialect may depend on the type.
// CHECK-LABEL: @foreign
// CHECK:       rlx.binary add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
func.func @foreign(%x: tensor<?xf32>, %y: tensor<4xf32>) {
  %0 = rlx.binary add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  "test.op"(%0) : (tensor<?xf32>) -> ()
  func.return
}

// -----

// A private function takes what its only call passes, and its calls give what it returns. With two calls its arguments stay.
// CHECK-LABEL: @caller
// CHECK:       %0 = rlx.expand %b : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  %1 = func.call @once(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  %2 = func.call @twice(%x) : (tensor<?x8xf32>) -> tensor<3xf32>
// CHECK-NEXT:  %3 = func.call @twice(%x) : (tensor<?x8xf32>) -> tensor<3xf32>
// CHECK-NEXT:  rlx.binary add %2, %3 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
func.func @caller(%x: tensor<?x8xf32>, %b: tensor<8xf32>) {
  %c4 = arith.constant 4 : index
  %0 = rlx.expand %b sizes(%c4) : tensor<8xf32> -> tensor<?x8xf32>
  %1 = func.call @once(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = func.call @twice(%x) : (tensor<?x8xf32>) -> tensor<?xf32>
  %3 = func.call @twice(%x) : (tensor<?x8xf32>) -> tensor<?xf32>
  %4 = rlx.binary add %2, %3 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  func.return
}

// CHECK:       func.func private @once(%x: tensor<4x8xf32>) -> tensor<4x8xf32>
func.func private @once(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = rlx.binary add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  func.return %0 : tensor<?x8xf32>
}

// CHECK:       func.func private @twice(%x: tensor<?x8xf32>) -> tensor<3xf32>
func.func private @twice(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %c3 = arith.constant 3 : index
  %0 = rlx.reduce sum %x axes [0, 1] : tensor<?x8xf32> -> tensor<f32>
  %1 = rlx.expand %0 sizes(%c3) : tensor<f32> -> tensor<?xf32>
  func.return %1 : tensor<?xf32>
}

// -----

// `rlx.dims` names sizes: a number is one, and what is known of a name in one argument holds for the others.
// CHECK-LABEL: @names
// CHECK:       %1 = rlx.full 0.0 : tensor<4x2xf32>
// CHECK:       func.call @named(%0, %1) : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
func.func @names(%x: tensor<4x8xf32>, %n: index) {
  %0 = rlx.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = rlx.full 0.0 sizes(%n, %n) : tensor<?x?xf32>
  %2 = func.call @named(%0, %1) : (tensor<4x8xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  func.return
}

// CHECK:       func.func private @named(%x: tensor<4x8xf32> {rlx.dims = ["batch", 8 : i64]}, %y: tensor<4x2xf32> {rlx.dims = ["batch", 2 : i64]}) -> tensor<4x2xf32>
func.func private @named(%x: tensor<4x8xf32> {rlx.dims = ["batch", 8]}, %y: tensor<?x?xf32> {rlx.dims = ["batch", 2]}) -> tensor<?x?xf32> {
  %0 = rlx.activation relu %y : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}

// -----

// The body of a region op follows its operands; other regions keep what they take, and what they give follows.
// CHECK-LABEL: @regions
// CHECK:       %0 = rlx.binary add %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
// CHECK-NEXT:  rlx.elementwise_region(%a = %0) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    rlx.activation tanh %a : tensor<4xf32>
// CHECK:       %[[M:.*]] = rlx.binary add %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:  rlx.if %c(%b = %[[M]], %d = %x) : (tensor<i1>, tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32> {
func.func @regions(%x: tensor<4xf32>, %y: tensor<?xf32>, %c: tensor<i1>) {
  %0 = rlx.binary add %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = rlx.elementwise_region(%a = %0) : (tensor<?xf32>) -> tensor<?xf32> {
    %2 = rlx.activation tanh %a : tensor<?xf32>
    rlx.yield %2 : tensor<?xf32>
  }
  %3 = rlx.binary add %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
  %4 = rlx.if %c(%b = %3, %d = %x) : (tensor<i1>, tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32> {
    rlx.yield %d : tensor<4xf32>
  } else(%e, %f) {
    %5 = rlx.binary mul %f, %e : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
    rlx.yield %5 : tensor<4xf32>
  }
  func.return
}

// -----

// Arguments of other blocks keep their types, and so does what they are given.
// CHECK-LABEL: @blocks
// CHECK:       %0 = rlx.binary add %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:  %1 = rlx.binary mul %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
// CHECK-NEXT:  "test.termop"(%0) [^{{.*}}] : (tensor<?xf32>) -> ()
// CHECK-NEXT:  ^{{.*}}(%z: tensor<?xf32>):
func.func @blocks(%x: tensor<4xf32>, %y: tensor<?xf32>) {
  %0 = rlx.binary add %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = rlx.binary mul %x, %y : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
  "test.termop"(%0) [^next] : (tensor<?xf32>) -> ()
^next(%z: tensor<?xf32>):
  %2 = rlx.binary add %x, %z : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
  func.return
}

// -----

// Dims that meet are equal in each run without an error, also where another op reads them; a loop that keeps a size gives it.
// CHECK-LABEL: @met
// CHECK:       rlx.binary add %x, %y : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  %[[C:.*]] = rlx.cast %x : tensor<?x8xf32> -> tensor<4x8xf16>
// CHECK-NEXT:  rlx.dot_general %[[C]], %z
// CHECK-SAME:  -> tensor<4x3xf16>
// CHECK-NEXT:  %{{.*}}, %{{.*}} = rlx.while(%{{.*}} = %t, %{{.*}} = %x) : (tensor<i1>, tensor<?x8xf32>) -> (tensor<i1>, tensor<4x8xf32>) {
func.func @met(%x: tensor<?x8xf32>, %y: tensor<4x8xf32>, %z: tensor<3x8xf16>, %t: tensor<i1>) {
  %0 = rlx.binary add %x, %y : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %1 = rlx.cast %x : tensor<?x8xf32> -> tensor<?x8xf16>
  %2 = rlx.dot_general %1, %z contracting([1] x [1]) : (tensor<?x8xf16>, tensor<3x8xf16>) -> tensor<?x3xf16>
  %3, %4 = rlx.while(%a = %t, %b = %x) : (tensor<i1>, tensor<?x8xf32>) -> (tensor<i1>, tensor<?x8xf32>) {
    rlx.yield %a : tensor<i1>
  } do(%c, %d) {
    %5 = rlx.logical_not %c : tensor<i1>
    rlx.yield %5, %d : tensor<i1>, tensor<?x8xf32>
  }
  func.return
}
