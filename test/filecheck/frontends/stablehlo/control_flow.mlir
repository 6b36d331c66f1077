// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// What a region reads from outside becomes a captured operand; small constants stand in it. The bound of a counting loop is known.
// CHECK-LABEL: @while(
// CHECK-NEXT:   arith.constant dense<0> : tensor<i32>
// CHECK-NEXT:   rlx.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) captures(%{{.*}} = %{{.*}}) max_iterations(5) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
// CHECK-NEXT:     %{{.*}} = arith.constant dense<5> : tensor<i32>
// CHECK-NEXT:     %{{.*}} = rlx.compare lt %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT:     rlx.yield %{{.*}} : tensor<i1>
// CHECK-NEXT:   } do(%{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK-NEXT:     %{{.*}} = arith.constant dense<1> : tensor<i32>
// CHECK-NEXT:     %{{.*}} = rlx.binary add %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK-NEXT:     %{{.*}} = rlx.binary add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:     rlx.yield %{{.*}}, %{{.*}} : tensor<i32>, tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @while(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %s, %x : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// A conditional.
// CHECK-LABEL: @if(
// CHECK-NEXT:   rlx.if %{{.*}}(%{{.*}} = %{{.*}}) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %{{.*}} = rlx.activation exp %{{.*}} : tensor<4xf32>
// CHECK-NEXT:     rlx.yield %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   } else(%{{.*}}) {
// CHECK-NEXT:     rlx.yield %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @if(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.exponential %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// One conditional in the other; any number without a branch takes the last.
// CHECK-LABEL: @case(
// CHECK-NEXT:   arith.constant dense<0> : tensor<i32>
// CHECK-NEXT:   rlx.compare eq %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT:   rlx.if %{{.*}}(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<i1>, tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     rlx.yield %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   } else(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK-NEXT:     %{{.*}} = arith.constant dense<1> : tensor<i32>
// CHECK-NEXT:     %{{.*}} = rlx.compare eq %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT:     %{{.*}} = rlx.if %{{.*}}(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:       rlx.yield %{{.*}} : tensor<4xf32>
// CHECK-NEXT:     } else(%{{.*}}, %{{.*}}) {
// CHECK-NEXT:       rlx.yield %{{.*}} : tensor<4xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:     rlx.yield %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @case(%i: tensor<i32>, %x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %y : tensor<4xf32>
  }, {
    stablehlo.return %z : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A barrier computes nothing.
// CHECK-LABEL: @barrier(
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @barrier(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.optimization_barrier %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
