// RUN: rlx-opt --rlx-clip-elementwise-regions='max-elementwise-steps=2 max-elementwise-inputs=2' %s | filecheck %s

// CHECK-LABEL: @too_many_steps
// CHECK-NEXT:  rlx.activation exp %x
// CHECK-NEXT:  rlx.activation neg
// CHECK-NEXT:  %y = rlx.activation relu
// CHECK-NEXT:  func.return %y
func.func @too_many_steps(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = rlx.elementwise_region(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %0 = rlx.activation exp %a : tensor<4xf32>
    %1 = rlx.activation neg %0 : tensor<4xf32>
    %2 = rlx.activation relu %1 : tensor<4xf32>
    rlx.yield %2 : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: @too_many_inputs
// CHECK-NEXT:  rlx.where %p, %x, %y
func.func @too_many_inputs(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.elementwise_region(%c = %p, %a = %x, %b = %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.where %c, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @within_the_limits
// CHECK-NEXT:  rlx.elementwise_region
func.func @within_the_limits(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.elementwise_region(%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.binary add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = rlx.activation relu %1 : tensor<4xf32>
    rlx.yield %2 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK-NEXT:  rlx.elementwise_region
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.elementwise_region(%a = %x) attributes {rlx.no_fuse} : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.activation exp %a : tensor<4xf32>
    %2 = rlx.activation neg %1 : tensor<4xf32>
    %3 = rlx.activation relu %2 : tensor<4xf32>
    rlx.yield %3 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
