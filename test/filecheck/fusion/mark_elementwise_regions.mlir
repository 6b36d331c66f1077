// RUN: rlx-opt --rlx-mark-elementwise-regions --allow-unregistered-dialect %s | filecheck %s

// What becomes a region.

// CHECK-LABEL: @three_steps
// CHECK-NEXT:  %y = rlx.elementwise_region(%[[A:.*]] = %a, %[[B:.*]] = %b, %[[C:.*]] = %c) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %[[S:.*]] = rlx.binary add %[[A]], %[[B]] :
// CHECK-NEXT:    %[[P:.*]] = rlx.binary mul %[[S]], %[[C]] :
// CHECK-NEXT:    %[[R:.*]] = rlx.activation relu %[[P]] :
// CHECK-NEXT:    rlx.yield %[[R]] :
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %y
func.func @three_steps(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary add %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.binary mul %0, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = rlx.activation relu %1 : tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// CHECK-LABEL: @compare_where_add
// CHECK-NEXT:  rlx.elementwise_region(%[[A:.*]] = %a, %[[B:.*]] = %b) :
// CHECK-NEXT:    rlx.compare gt
// CHECK-NEXT:    rlx.where
// CHECK-NEXT:    rlx.binary add
// CHECK-NEXT:    rlx.yield
func.func @compare_where_add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.compare gt %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = rlx.where %0, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = rlx.binary add %1, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// Operands that stretch along leading axes, one element, and one value that two steps read: an input each.
// CHECK-LABEL: @trailing_operands
// CHECK-NEXT:  rlx.elementwise_region(%{{.*}} = %x, %{{.*}} = %row, %{{.*}} = %one, %{{.*}} = %s) :
// CHECK-NEXT:    rlx.binary add
// CHECK-NEXT:    rlx.binary mul
// CHECK-NEXT:    rlx.binary sub
// CHECK-NEXT:    rlx.binary div
// CHECK-NEXT:    rlx.yield
func.func @trailing_operands(%x: tensor<2x3x4xf16>, %row: tensor<1x4xf16>, %one: tensor<1x1xf16>, %s: tensor<f16>) -> tensor<2x3x4xf16> {
  %0 = rlx.binary add %x, %row : (tensor<2x3x4xf16>, tensor<1x4xf16>) -> tensor<2x3x4xf16>
  %1 = rlx.binary mul %one, %0 : (tensor<1x1xf16>, tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  %2 = rlx.binary sub %1, %row : (tensor<2x3x4xf16>, tensor<1x4xf16>) -> tensor<2x3x4xf16>
  %3 = rlx.binary div %2, %s : (tensor<2x3x4xf16>, tensor<f16>) -> tensor<2x3x4xf16>
  func.return %3 : tensor<2x3x4xf16>
}

// Two chains meet: the sum goes on with that of its first operand, the other ends before it.
// CHECK-LABEL: @two_chains_meet
// CHECK-NEXT:  %[[T:.*]] = rlx.elementwise_region(%{{.*}} = %b) :
// CHECK-NEXT:    rlx.activation exp
// CHECK-NEXT:    rlx.activation neg
// CHECK:       rlx.elementwise_region(%{{.*}} = %a, %{{.*}} = %[[T]]) :
// CHECK-NEXT:    rlx.activation exp
// CHECK-NEXT:    rlx.activation tanh
// CHECK-NEXT:    rlx.binary add
// CHECK-NEXT:    rlx.yield
// MISS: RLX-F027 not-a-step
func.func @two_chains_meet(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %a : tensor<4xf32>
  %1 = rlx.activation exp %b : tensor<4xf32>
  %2 = rlx.activation tanh %0 : tensor<4xf32>
  %3 = rlx.activation neg %1 : tensor<4xf32>
  %4 = rlx.binary add %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = rlx.activation floor %4 : tensor<4xf32>
  func.return %5 : tensor<4xf32>
}

// The first operand is read elsewhere: the chain of the second goes on.
// CHECK-LABEL: @second_operand
// CHECK-NEXT:  %[[E:.*]] = rlx.activation exp %a
// CHECK-NEXT:  %[[R:.*]] = rlx.elementwise_region(%{{.*}} = %b, %{{.*}} = %[[E]]) :
// CHECK-NEXT:    rlx.activation neg
// CHECK-NEXT:    rlx.binary add
// CHECK:       func.return %[[E]], %[[R]]
func.func @second_operand(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = rlx.activation exp %a : tensor<4xf32>
  %1 = rlx.activation neg %b : tensor<4xf32>
  %2 = rlx.binary add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// A cast to the type that is there already; a cast that converts stays outside.
// CHECK-LABEL: @casts
// CHECK-NEXT:  %[[R:.*]] = rlx.elementwise_region
// CHECK-NEXT:    rlx.activation exp
// CHECK-NEXT:    rlx.cast {{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT:    rlx.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  rlx.cast %[[R]] : tensor<4xf32> -> tensor<4xf16>
func.func @casts(%a: tensor<4xf32>) -> tensor<4xf16> {
  %0 = rlx.activation exp %a : tensor<4xf32>
  %1 = rlx.cast %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = rlx.cast %1 : tensor<4xf32> -> tensor<4xf16>
  func.return %2 : tensor<4xf16>
}

// A product on the way: the sum starts a chain of its own.
// CHECK-LABEL: @behind_a_product
// CHECK-NEXT:  rlx.activation exp %x
// CHECK-NEXT:  rlx.matmul
// CHECK-NEXT:  rlx.elementwise_region
// CHECK-NEXT:    rlx.binary add
// CHECK-NEXT:    rlx.activation relu
// MISS: RLX-F030 fusion-boundary
func.func @behind_a_product(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = rlx.activation exp %x : tensor<4x4xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = rlx.binary add %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = rlx.activation relu %2 : tensor<4x4xf32>
  func.return %3 : tensor<4x4xf32>
}

// Inside of a region of another op, the whole chain or none of it.
// CHECK-LABEL: @in_a_branch
// CHECK-NEXT:  %[[E:.*]] = rlx.activation exp
// CHECK-NEXT:  scf.if
// CHECK-NEXT:    rlx.elementwise_region(%{{.*}} = %[[E]])
// MISS: RLX-F004 other-block
func.func @in_a_branch(%p: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %x : tensor<4xf32>
  %1 = scf.if %p -> (tensor<4xf32>) {
    %2 = rlx.activation relu %0 : tensor<4xf32>
    %3 = rlx.activation tanh %2 : tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  func.return %1 : tensor<4xf32>
}

// What must not.

// CHECK-LABEL: @one_step
// CHECK-NOT:   region
// MISS: RLX-F003 returned
func.func @one_step(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation relu %a : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @two_readers
// CHECK-NOT:   region
// MISS: RLX-F002 multi-use
func.func @two_readers(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = rlx.binary add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = rlx.activation relu %0 : tensor<4xf32>
  %2 = rlx.activation sigmoid %0 : tensor<4xf32>
  func.return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// One reader that reads twice.
// CHECK-LABEL: @squared
// CHECK-NOT:   region
func.func @squared(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %a : tensor<4xf32>
  %1 = rlx.binary mul %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// CHECK-LABEL: @read_by_another_op
// CHECK-NOT:   region
// MISS: RLX-F005 not-consumed-by
func.func @read_by_another_op(%a: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %0 = rlx.activation relu %a : tensor<4x2xf32>
  %1 = rlx.transpose %0 [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}

// Kinds that no backend computes in one expression.
// CHECK-LABEL: @other_kinds
// CHECK-NOT:   region
// MISS: RLX-F027 not-a-step
func.func @other_kinds(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation floor %a : tensor<4xf32>
  %1 = rlx.activation mish %0 : tensor<4xf32>
  %2 = rlx.binary atan2 %1, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = rlx.binary mod %2, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %3 : tensor<4xf32>
}

// An operand that stretches in the middle.
// CHECK-LABEL: @middle_axis
// CHECK-NOT:   region
// MISS: RLX-F029 not-trailing
func.func @middle_axis(%a: tensor<2x3x4xf32>, %m: tensor<2x1x4xf32>) -> tensor<2x3x4xf32> {
  %0 = rlx.binary add %a, %m : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %1 = rlx.activation relu %0 : tensor<2x3x4xf32>
  func.return %1 : tensor<2x3x4xf32>
}

// The chain computes a row, the sum a matrix.
// CHECK-LABEL: @other_dims
// CHECK-NOT:   region
// MISS: RLX-F032 dims-change
func.func @other_dims(%a: tensor<4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = rlx.activation relu %a : tensor<4xf32>
  %1 = rlx.binary add %0, %b : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: @dynamic
// CHECK-NOT:   region
// MISS: RLX-F014 dynamic
func.func @dynamic(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.activation exp %a : tensor<?x4xf32>
  %1 = rlx.activation relu %0 : tensor<?x4xf32>
  func.return %1 : tensor<?x4xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK-NOT:   region
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %a : tensor<4xf32>
  %1 = rlx.activation relu %0 {rlx.no_fuse} : tensor<4xf32>
  %2 = rlx.activation neg %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// The chain of the other operand goes on.
// CHECK-LABEL: @other_chain
// CHECK-NEXT:  %[[B:.*]] = rlx.activation exp %b
// CHECK-NEXT:  rlx.elementwise_region(%{{.*}} = %a, %{{.*}} = %[[B]]) :
// MISS: RLX-F031 other-chain
func.func @other_chain(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %b : tensor<4xf32>
  %1 = rlx.activation exp %a : tensor<4xf32>
  %2 = rlx.binary add %1, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// A chain ends before an op that is fenced off.
// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @ends_at_a_fence
// CHECK-NEXT:  rlx.elementwise_region
// CHECK:       rlx.activation exp {{.*}} {rlx.no_fuse}
func.func @ends_at_a_fence(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary add %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.activation relu %0 : tensor<4x8xf32>
  %2 = rlx.activation exp %1 {rlx.no_fuse} : tensor<4x8xf32>
  func.return %2 : tensor<4x8xf32>
}
