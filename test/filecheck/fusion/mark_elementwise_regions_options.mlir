// RUN: rlx-opt --rlx-mark-elementwise-regions='max-elementwise-steps=2 max-elementwise-inputs=3' %s | filecheck %s

// Five steps: two, two, and one that is left.
// CHECK-LABEL: @steps
// CHECK-NEXT:  %[[R:.*]] = rlx.elementwise_region
// CHECK-NEXT:    rlx.activation exp
// CHECK-NEXT:    rlx.activation neg
// CHECK-NEXT:    rlx.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[S:.*]] = rlx.elementwise_region(%{{.*}} = %[[R]])
// CHECK-NEXT:    rlx.activation tanh
// CHECK-NEXT:    rlx.activation relu
// CHECK-NEXT:    rlx.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  rlx.activation sin %[[S]]
// MISS: RLX-F028 region-full
func.func @steps(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %a : tensor<4xf32>
  %1 = rlx.activation neg %0 : tensor<4xf32>
  %2 = rlx.activation tanh %1 : tensor<4xf32>
  %3 = rlx.activation relu %2 : tensor<4xf32>
  %4 = rlx.activation sin %3 : tensor<4xf32>
  func.return %4 : tensor<4xf32>
}

// The second sum would make four inputs: the selection stays alone, and the sum starts a chain.
// CHECK-LABEL: @inputs
// CHECK-NEXT:  %[[W:.*]] = rlx.where %p, %a, %b
// CHECK-NEXT:  rlx.elementwise_region(%{{.*}} = %[[W]], %{{.*}} = %c)
// CHECK-NEXT:    rlx.binary add
// CHECK-NEXT:    rlx.activation relu
// MISS: RLX-F028 region-full
func.func @inputs(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.where %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = rlx.binary add %0, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = rlx.activation relu %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// An input that is read already takes no other place.
// CHECK-LABEL: @inputs_read_already
// CHECK-NEXT:  rlx.elementwise_region(%{{.*}} = %p, %{{.*}} = %a, %{{.*}} = %b)
func.func @inputs_read_already(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.where %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = rlx.binary add %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
