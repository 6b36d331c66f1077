// RUN: rlx-opt --rlx-dead-code-elimination --allow-unregistered-dialect %s | filecheck %s --check-prefixes=CHECK,KEEP
// RUN: rlx-opt --rlx-dead-code-elimination=compat-signatures=true --allow-unregistered-dialect %s | filecheck %s --check-prefixes=CHECK,DROP

// A chain that ends in nothing goes in one sweep; arguments stay unless asked for otherwise, with their attributes.
// KEEP:      func.func @chain(%x: tensor<4xf32> {rlx.input = "x"}, %w: tensor<4xf32> {rlx.param = "w"}, %u: tensor<4xf32> {rlx.param = "u"})
// DROP:      func.func @chain(%x: tensor<4xf32> {rlx.input = "x"}, %u: tensor<4xf32> {rlx.param = "u"})
// CHECK-NEXT:  rlx.binary add %x, %u
// CHECK-NEXT:  func.return
func.func @chain(%x: tensor<4xf32> {rlx.input = "x"}, %w: tensor<4xf32> {rlx.param = "w"}, %u: tensor<4xf32> {rlx.param = "u"}) -> tensor<4xf32> {
  %0 = rlx.binary add %x, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = rlx.binary mul %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = rlx.activation exp %1 : tensor<4xf32>
  %3 = arith.constant dense<1.0> : tensor<4xf32>
  %4 = rlx.binary add %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// What has effects stays, and so does what it reads; what only a dead op with a region read goes with it.
// CHECK-LABEL: @effects
// CHECK-NEXT:  %[[E:.*]] = rlx.activation exp %x
// CHECK-NEXT:  "acme.print"(%[[E]])
// CHECK-NEXT:  %{{.*}} = "acme.random"()
// CHECK-NEXT:  func.return
func.func @effects(%p: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %x : tensor<4xf32>
  "acme.print"(%0) : (tensor<4xf32>) -> ()
  %1 = "acme.random"() : () -> tensor<4xf32>
  %2 = rlx.activation neg %x : tensor<4xf32>
  %3 = scf.if %p -> (tensor<4xf32>) {
    %4 = rlx.activation tanh %2 : tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  } else {
    scf.yield %2 : tensor<4xf32>
  }
  func.return %x : tensor<4xf32>
}

// A result of two that is read keeps its op.
// CHECK-LABEL: @one_of_two_results
// CHECK:       %{{.*}}, %[[S:.*]] = rlx.fused_residual_ln
// CHECK-NEXT:  func.return %[[S]]
func.func @one_of_two_results(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %0, %1 = rlx.fused_residual_ln %x, %x, %g, %g epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  func.return %1 : tensor<4x8xf32>
}

// A function that is called keeps its arguments.
// CHECK: func.func private @called(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
func.func private @called(%x: tensor<4xf32>, %unused: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @called(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// An argument that had its place for a name keeps the name.
// KEEP: func.func @named_by_place(%x: tensor<4xf32>, %y: tensor<4xf32>)
// DROP: func.func @named_by_place(%y: tensor<4xf32> {rlx.input = "arg1"})
func.func @named_by_place(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  func.return %y : tensor<4xf32>
}
