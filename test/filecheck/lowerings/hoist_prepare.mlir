// RUN: rlx-opt --rlx-hoist-prepare --split-input-file %s | filecheck %s

// Transposing, joining and converting params happens once.

// CHECK-LABEL: func.func @packed_prepare(
// CHECK-SAME:    %w: tensor<8x4xf32> {rlx.param = "w"}, %v: tensor<4x8xf16> {rlx.param = "v"}) -> (tensor<4x16xf32> {rlx.prepared = "p0"})
// CHECK:         [[T:%.*]] = rlx.transpose %w [1, 0]
// CHECK-NEXT:    [[V:%.*]] = rlx.cast %v
// CHECK-NEXT:    [[P:%.*]] = rlx.concat [[T]], [[V]] axis(1)
// CHECK-NEXT:    func.return [[P]]
// CHECK-LABEL: func.func @packed(
// CHECK-SAME:    %x: tensor<2x4xf32> {rlx.input = "x"}, %p: tensor<4x16xf32> {rlx.prepared = "p0"}) -> (tensor<2x16xf32> {rlx.output = "y"}) attributes {rlx.prepare = @packed_prepare}
// CHECK-NEXT:    rlx.matmul %x, %p
// CHECK-NEXT:    func.return
func.func @packed(%x: tensor<2x4xf32> {rlx.input = "x"}, %w: tensor<8x4xf32> {rlx.param = "w"}, %v: tensor<4x8xf16> {rlx.param = "v"})
    -> (tensor<2x16xf32> {rlx.output = "y"}) {
  %0 = rlx.transpose %w [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %1 = rlx.cast %v : tensor<4x8xf16> -> tensor<4x8xf32>
  %p = rlx.concat %0, %1 axis(1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %y = rlx.matmul %x, %p : (tensor<2x4xf32>, tensor<4x16xf32>) -> tensor<2x16xf32>
  func.return %y : tensor<2x16xf32>
}

// -----

// A param that the function still reads stays, and constants are copied rather than passed.

// CHECK-LABEL: func.func @shared_prepare(
// CHECK-SAME:    %w: tensor<4xf32> {rlx.param = "w"}) -> (tensor<4xf32> {rlx.prepared = "p0"})
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    rlx.binary mul
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %w: tensor<4xf32> {rlx.param = "w"}, %s: tensor<4xf32> {rlx.prepared = "p0"}
// CHECK-NEXT:    [[C:%.*]] = arith.constant
// CHECK-NEXT:    rlx.binary add %x, [[C]]
func.func @shared(%x: tensor<2x4xf32> {rlx.input = "x"}, %w: tensor<4xf32> {rlx.param = "w"}) -> tensor<2x4xf32> {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %s = rlx.binary mul %w, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = rlx.binary add %x, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = rlx.binary mul %0, %w : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = rlx.binary add %1, %s : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %2 : tensor<2x4xf32>
}

// -----

// A view of a prepared value is made where it is read.

// CHECK-LABEL: func.func @view_prepare(
// CHECK:         rlx.transpose
// CHECK-NEXT:    func.return
// CHECK-LABEL: func.func @view(
// CHECK-SAME:    %{{.*}}: tensor<4x6xf32> {rlx.prepared = "p0"}
// CHECK-NEXT:    rlx.reshape
// CHECK-NEXT:    rlx.binary add
func.func @view(%x: tensor<24xf32> {rlx.input = "x"}, %w: tensor<6x4xf32> {rlx.param = "w"}) -> tensor<24xf32> {
  %0 = rlx.transpose %w [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %1 = rlx.reshape %0 : tensor<4x6xf32> -> tensor<24xf32>
  %2 = rlx.binary add %x, %1 : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
  func.return %2 : tensor<24xf32>
}

// -----

// Nothing to hoist: an expand only makes the param bigger, a slice and a reshape cost nothing, and the rest reads an input.

// CHECK-NOT:   _prepare
// CHECK-LABEL: func.func @nothing(
// CHECK-SAME:    %w: tensor<4xf32> {rlx.param = "w"}
// CHECK:         rlx.expand
func.func @nothing(%x: tensor<2x3xf32> {rlx.input = "x"}, %w: tensor<4xf32> {rlx.param = "w"}) -> tensor<2x3xf32> {
  %0 = rlx.narrow %w axis(0) start(1) length(3) : tensor<4xf32> -> tensor<3xf32>
  %1 = rlx.reshape %0 : tensor<3xf32> -> tensor<1x3xf32>
  %2 = rlx.expand %1 : tensor<1x3xf32> -> tensor<2x3xf32>
  %3 = rlx.binary add %x, %2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %3 : tensor<2x3xf32>
}

// -----

// An op with effects is not moved, nor is what it gives; callers of a function know its arguments.

// CHECK-NOT:   _prepare
// CHECK-LABEL: func.func @effects(
// CHECK-LABEL: func.func @called(
// CHECK-LABEL: func.func private @hidden(
// CHECK-LABEL: func.func @caller(
func.func @effects(%w: tensor<4xf32> {rlx.param = "w"}) -> tensor<4xf32> {
  %0 = "test.op"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = rlx.activation exp %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
func.func @called(%w: tensor<4xf32> {rlx.param = "w"}) -> tensor<4xf32> {
  %0 = rlx.activation exp %w : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @hidden(%w: tensor<4xf32> {rlx.param = "w"}) -> tensor<4xf32> {
  %0 = rlx.activation exp %w : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @caller(%w: tensor<4xf32> {rlx.param = "w"}) -> tensor<4xf32> {
  %0 = func.call @called(%w) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// A result that is prepared is returned as it is; a function that has been treated is left alone.

// CHECK-LABEL: func.func @again_prepare_1(
// CHECK-LABEL: func.func @again(
// CHECK-SAME:    %e: tensor<4xf32> {rlx.prepared = "p0"}) -> tensor<4xf32> attributes {rlx.prepare = @again_prepare_1}
// CHECK-NEXT:    func.return %e
// CHECK-LABEL: func.func @again_prepare(
// CHECK:         rlx.activation
// CHECK-LABEL: func.func @done(
// CHECK-SAME:    attributes {rlx.prepare = @again_prepare}
// CHECK-NEXT:    rlx.activation
func.func @again(%w: tensor<4xf32> {rlx.param = "w"}) -> tensor<4xf32> {
  %e = rlx.activation exp %w : tensor<4xf32>
  func.return %e : tensor<4xf32>
}
func.func @again_prepare(%w: tensor<4xf32> {rlx.param = "w"}) -> (tensor<4xf32> {rlx.prepared = "p0"}) {
  %0 = rlx.activation exp %w : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @done(%w: tensor<4xf32> {rlx.param = "w"}, %p: tensor<4xf32> {rlx.prepared = "p0"}) -> tensor<4xf32>
    attributes {rlx.prepare = @again_prepare} {
  %0 = rlx.activation exp %w : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// An input that had its place for a name keeps the name when a param before it goes.

// CHECK-LABEL: func.func @named_by_place(
// CHECK-SAME:    %y: tensor<4xf32> {rlx.input = "arg1"}, %{{.*}}: tensor<4xf32> {rlx.prepared = "p0"})
func.func @named_by_place(%w: tensor<4xf32> {rlx.param = "w"}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %w : tensor<4xf32>
  %1 = rlx.binary mul %y, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
