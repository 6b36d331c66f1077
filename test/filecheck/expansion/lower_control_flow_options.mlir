// RUN: rlx-opt --rlx-lower-control-flow=speculate=always %s | filecheck %s --check-prefixes=ALL,ALWAYS
// RUN: rlx-opt --rlx-lower-control-flow='speculate=never unroll-limit=2' %s | filecheck %s --check-prefixes=ALL,NEVER
// RUN: rlx-opt --rlx-lower-control-flow=max-branch-ops=2 %s | filecheck %s --check-prefixes=ALL,TWO

// ALL-LABEL:   @product_in_a_branch
// ALWAYS-NEXT: rlx.matmul
// ALWAYS-NEXT: rlx.where
// NEVER-NEXT:  rlx.if
// TWO-NEXT:    rlx.if
func.func @product_in_a_branch(%p: tensor<i1>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4x4xf32>) -> tensor<4x4xf32> {
    %1 = rlx.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    rlx.yield %1 : tensor<4x4xf32>
  } else(%b) {
    rlx.yield %b : tensor<4x4xf32>
  }
  func.return %0 : tensor<4x4xf32>
}

// ALL-LABEL:   @two_ops
// ALWAYS-NOT:  rlx.if
// NEVER:       rlx.if
// TWO-NOT:     rlx.if
// ALL:         func.return
func.func @two_ops(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.activation exp %a : tensor<4xf32>
    %2 = rlx.activation tanh %1 : tensor<4xf32>
    rlx.yield %2 : tensor<4xf32>
  } else(%b) {
    rlx.yield %b : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// ALL-LABEL:   @three_ops
// ALWAYS-NOT:  rlx.if
// NEVER:       rlx.if
// TWO:         rlx.if
// ALL:         func.return
func.func @three_ops(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  } else(%b) {
    %1 = rlx.activation exp %b : tensor<4xf32>
    %2 = rlx.activation tanh %1 : tensor<4xf32>
    %3 = rlx.activation neg %2 : tensor<4xf32>
    rlx.yield %3 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// ALL-LABEL:   @three_rounds
// ALWAYS-NOT:  rlx.while
// NEVER:       rlx.while
// TWO-NOT:     rlx.while
// ALL:         func.return
func.func @three_rounds(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.while(%a = %x) captures(%c = %p) max_iterations(3) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
    rlx.yield %c : tensor<i1>
  } do(%b, %d) {
    %1 = rlx.activation tanh %b : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
