// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// Roles and names are given, what is there stays.
// CHECK-LABEL: func.func @names(%x: tensor<4xf32> {rlx.input = "arg0"}, %w: tensor<4xf32> {rlx.param = "w"})
// CHECK-SAME:  -> (tensor<4xf32> {jax.result_info = "result", rlx.output = "out0"})
// CHECK-NEXT:  rlx.binary add %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @names(%x: tensor<4xf32>, %w: tensor<4xf32> {rlx.param = "w"}) -> (tensor<4xf32> {jax.result_info = "result"}) {
  %0 = "stablehlo.add"(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @elementwise
// CHECK-NEXT:  rlx.activation exp %x
// CHECK-NEXT:  rlx.activation sigmoid %x
// CHECK-NEXT:  rlx.erfc %x
// CHECK-NEXT:  rlx.compare ge %x, %x
// CHECK-NEXT:  rlx.where
// CHECK-NEXT:  rlx.binary max %x, %lo : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:  rlx.binary min %{{.*}}, %x
// CHECK-NEXT:  rlx.cast %x : tensor<4xf32> -> tensor<4xi32>
// CHECK-NEXT:  func.return
func.func @elementwise(%x: tensor<4xf32>, %lo: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %0 = "stablehlo.exponential"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.logistic"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "chlo.erfc"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = "stablehlo.select"(%3, %x, %0) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = "stablehlo.clamp"(%lo, %x, %x) : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xi32>
  func.return %0, %1, %2, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// Arithmetic on truth values is logic.
// CHECK-LABEL: @truth
// CHECK-NEXT:  rlx.binary bit_or %p, %p
// CHECK-NEXT:  rlx.binary bit_and %p, %p
// CHECK-NEXT:  rlx.logical_not %p
func.func @truth(%p: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = "stablehlo.add"(%p, %p) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = "stablehlo.multiply"(%p, %p) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = "stablehlo.not"(%p) : (tensor<4xi1>) -> tensor<4xi1>
  func.return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// Ones are inserted by a reshape, the rest is an expand; dims that change places are a transpose.
// CHECK-LABEL: @broadcasts
// CHECK-NEXT:  %[[R:.*]] = rlx.reshape %x : tensor<2x8xf32> -> tensor<2x1x8xf32>
// CHECK-NEXT:  rlx.expand %[[R]] : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:  rlx.expand %x : tensor<2x8xf32> -> tensor<3x2x8xf32>
// CHECK-NEXT:  rlx.reshape %x : tensor<2x8xf32> -> tensor<2x8x1xf32>
// CHECK-NEXT:  rlx.transpose %x [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
// CHECK-NEXT:  rlx.expand %s : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT:  func.return
func.func @broadcasts(%x: tensor<2x8xf32>, %s: tensor<f32>) -> (tensor<2x4x8xf32>, tensor<3x2x8xf32>, tensor<2x8x1xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<3xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x8xf32>) -> tensor<2x4x8xf32>
  %1 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<2x8xf32>) -> tensor<3x2x8xf32>
  %2 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
  %3 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1, 0>}> : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %4 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3xf32>
  func.return %0, %1, %2, %3, %4, %5 : tensor<2x4x8xf32>, tensor<3x2x8xf32>, tensor<2x8x1xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<3xf32>
}

// CHECK-LABEL: @movement
// CHECK-NEXT:  rlx.narrow %x axis(0) start(1) length(1)
// CHECK-NEXT:  rlx.narrow %{{.*}} axis(1) start(2) length(5)
// CHECK-NEXT:  rlx.concat %x, %x axis(0)
// CHECK-NEXT:  rlx.transpose %x [1, 0]
// CHECK-NEXT:  arith.constant dense<[0, 1, 2]> : tensor<3xi32>
// CHECK-NEXT:  rlx.reshape %{{.*}} : tensor<3xi32> -> tensor<3x1xi32>
// CHECK-NEXT:  rlx.expand %{{.*}} : tensor<3x1xi32> -> tensor<3x2xi32>
func.func @movement(%x: tensor<2x8xf32>) -> (tensor<1x5xf32>, tensor<4x8xf32>, tensor<8x2xf32>, tensor<3x2xi32>) {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 1, 2>, limit_indices = array<i64: 2, 7>, strides = array<i64: 1, 1>}> : (tensor<2x8xf32>) -> tensor<1x5xf32>
  %1 = "stablehlo.concatenate"(%x, %x) <{dimension = 0 : i64}> : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %2 = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %3 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3x2xi32>
  func.return %0, %1, %2, %3 : tensor<1x5xf32>, tensor<4x8xf32>, tensor<8x2xf32>, tensor<3x2xi32>
}

// Every other element is a column of pairs.
// CHECK-LABEL: @odd
// CHECK-NEXT:  %[[PAIRS:.*]] = rlx.reshape %x : tensor<2x8xf32> -> tensor<2x4x2xf32>
// CHECK-NEXT:  %[[ODD:.*]] = rlx.narrow %[[PAIRS]] axis(2) start(1) length(1) : tensor<2x4x2xf32> -> tensor<2x4x1xf32>
// CHECK-NEXT:  rlx.reshape %[[ODD]] : tensor<2x4x1xf32> -> tensor<2x4xf32>
func.func @odd(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.slice %x [0:2, 1:8:2] : (tensor<2x8xf32>) -> tensor<2x4xf32>
  func.return %0 : tensor<2x4xf32>
}

// StableHLO moves an index out of range inside, so the indices are clamped unless it is certain that they need not be.
// CHECK-LABEL: @take
// CHECK:       %[[LOW:.*]] = rlx.binary max %i, %{{.*}} : (tensor<2x1xi32>, tensor<i32>) -> tensor<2x1xi32>
// CHECK:       %[[IN:.*]] = rlx.binary min %[[LOW]]
// CHECK-NEXT:  %[[FLAT:.*]] = rlx.reshape %[[IN]] : tensor<2x1xi32> -> tensor<2xi32>
// CHECK-NEXT:  rlx.gather %t, %[[FLAT]] axis(0)
// CHECK:       %[[KNOWN:.*]] = arith.constant dense<[0, 4]>
// CHECK-NEXT:  rlx.gather %t, %[[KNOWN]] axis(0)
func.func @take(%t: tensor<5x3xf32>, %i: tensor<2x1xi32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  %1 = "stablehlo.constant"() <{value = dense<[0, 4]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %2 = "stablehlo.gather"(%t, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  func.return %0, %2 : tensor<2x3xf32>, tensor<2x3xf32>
}

// An initial value that is the identity goes, another one is combined in.
// CHECK-LABEL: @reductions
// CHECK-NEXT:  rlx.reduce max %x axes [1] : tensor<2x8xf32> -> tensor<2xf32>
// CHECK-NEXT:  %[[SUM:.*]] = rlx.reduce sum %x axes [0, 1] : tensor<2x8xf32> -> tensor<f32>
// CHECK-NEXT:  rlx.binary add %[[SUM]], %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:  rlx.reduce any %p axes [0] : tensor<4xi1> -> tensor<i1>
// CHECK-NEXT:  func.return
func.func @reductions(%x: tensor<2x8xf32>, %s: tensor<f32>, %p: tensor<4xi1>) -> (tensor<2xf32>, tensor<f32>, tensor<i1>) {
  %low = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
  %no = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
  %0 = "stablehlo.reduce"(%x, %low) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<2x8xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%b, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<2x8xf32>, tensor<f32>) -> tensor<f32>
  %2 = "stablehlo.reduce"(%p, %no) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %c = "stablehlo.or"(%a, %b) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  func.return %0, %1, %2 : tensor<2xf32>, tensor<f32>, tensor<i1>
}

// A result wider than the operands is a product of widened operands.
// CHECK-LABEL: @products
// CHECK-NEXT:  rlx.dot_general %x, %y contracting([2] x [1]) batch([0] x [0])
// CHECK-NEXT:  rlx.cast %h : tensor<4x4xbf16> -> tensor<4x4xf32>
// CHECK-NEXT:  rlx.cast %h : tensor<4x4xbf16> -> tensor<4x4xf32>
// CHECK-NEXT:  rlx.dot_general %{{.*}} contracting([1] x [0]) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @products(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>, %h: tensor<4x4xbf16>) -> (tensor<2x3x5xf32>, tensor<4x4xf32>) {
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = "stablehlo.dot_general"(%h, %h) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
  func.return %0, %1 : tensor<2x3x5xf32>, tensor<4x4xf32>
}

// Private functions are inlined, through each other, and go; one that calls itself stays.
// CHECK-LABEL: @calls
// CHECK-NEXT:  rlx.activation exp %x
// CHECK-NEXT:  rlx.activation neg %{{.*}}
// CHECK-NEXT:  func.call @forever
// CHECK-NOT:   @outer
// CHECK-NOT:   @inner
// CHECK:       func.func private @forever
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @forever(%0) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.negate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.exponential"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @forever(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @forever(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// A composite of an RLX op becomes that op, any other one is what its decomposition does.
// CHECK-LABEL: @composites
// CHECK-NEXT:  rlx.fused_residual_ln %x, %x, %g, %g epsilon(1.0e-05)
// CHECK-NEXT:  rlx.activation neg %x
// CHECK-NEXT:  func.return
// CHECK-NOT:   func.func private @{{ln|other}}
func.func @composites(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = "stablehlo.composite"(%x, %x, %g, %g) <{composite_attributes = {epsilon = 1.0e-05 : f64}, decomposition = @ln, name = "rlx.fused_residual_ln", version = 0 : i32}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.composite"(%x) <{composite_attributes = {}, decomposition = @other, name = "my.op", version = 0 : i32}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}
func.func private @ln(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  func.return %x : tensor<4x8xf32>
}
func.func private @other(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.negate"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// What RLX has no kind for stays, with the body it has; so do foreign attributes, collectives, tokens and shardings.
// CHECK:       sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: @stays
// CHECK-SAME:  sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>
// CHECK-NEXT:  stablehlo.compare GE, %x, %x, TOTALORDER
// CHECK-NEXT:  rlx.activation exp %x {mhlo.frontend_attributes = {a = "b"}} : tensor<8xf32>
// CHECK-NEXT:  "stablehlo.all_reduce"(%{{.*}})
// CHECK-NEXT:  ^{{.*}}:
// CHECK-NEXT:    stablehlo.add
// CHECK:       sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT:  stablehlo.create_token : !stablehlo.token
// CHECK-NEXT:  stablehlo.custom_call @there(%{{.*}}) {has_side_effect = true}
// CHECK-NEXT:  func.return
sdy.mesh @mesh = <["x"=2]>
func.func @stays(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>, !stablehlo.token) {
  %0 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %1 = "stablehlo.exponential"(%x) {mhlo.frontend_attributes = {a = "b"}} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.all_reduce"(%1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}]> : tensor<8xf32>
  %4 = stablehlo.create_token : !stablehlo.token
  %5 = stablehlo.custom_call @there(%3) {has_side_effect = true} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0, %3, %5, %4 : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>, !stablehlo.token
}
