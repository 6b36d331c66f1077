// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// A window over all entries up to each.
// CHECK-LABEL: @cumsum(
// CHECK-NEXT:   rlx.cumsum %{{.*}} axis(1) : tensor<4x8xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4x8xf32>
func.func @cumsum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 1, 8>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The least so far is the greatest of the negative ones, from the end where the window looks ahead.
// CHECK-LABEL: @cummin(
// CHECK-NEXT:   rlx.activation neg %{{.*}} : tensor<8xf32>
// CHECK-NEXT:   rlx.cummax %{{.*}} axis(0) reverse : tensor<8xf32>
// CHECK-NEXT:   rlx.activation neg %{{.*}} : tensor<8xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<8xf32>
func.func @cummin(%x: tensor<8xf32>) -> tensor<8xf32> {
  %init = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 8>, padding = dense<[[0, 7]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Pools; a sum that is divided by the size of the window is a mean.
// CHECK-LABEL: @pools(
// CHECK-NEXT:   rlx.pool max %{{.*}} kernel [2, 2] stride [2, 2] layout(channels_last) : tensor<1x4x4x3xf32> -> tensor<1x2x2x3xf32>
// CHECK-NEXT:   rlx.pool avg %{{.*}} kernel [2, 2] stride [2, 2] layout(channels_last) count_include_pad : tensor<1x4x4x3xf32> -> tensor<1x2x2x3xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>
func.func @pools(%x: tensor<1x4x4x3xf32>) -> (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>) {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x2x2x3xf32>
  %1 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x2x2x3xf32>
  %2 = stablehlo.broadcast_in_dim %four, dims = [] : (tensor<f32>) -> tensor<1x2x2x3xf32>
  %3 = stablehlo.divide %1, %2 : tensor<1x2x2x3xf32>
  return %0, %3 : tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>
}

// Any other window: the entries that it sees are slices.
// CHECK-LABEL: @slices(
// CHECK-NEXT:   arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.slice %{{.*}} starts [0] steps [2] : tensor<8xf32> -> tensor<3xf32>
// CHECK-NEXT:   rlx.slice %{{.*}} starts [1] steps [2] : tensor<8xf32> -> tensor<3xf32>
// CHECK-NEXT:   rlx.slice %{{.*}} starts [2] steps [2] : tensor<8xf32> -> tensor<3xf32>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:   rlx.expand %{{.*}} : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<3xf32>
func.func @slices(%x: tensor<8xf32>) -> tensor<3xf32> {
  %init = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// The gradient of a max pool.
// CHECK-LABEL: @max_pool_gradient(
// CHECK-NEXT:   rlx.max_pool_backward %{{.*}}, %{{.*}} kernel [2, 2] stride [2, 2] layout(channels_last) : (tensor<1x4x4x3xf32>, tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<1x4x4x3xf32>
func.func @max_pool_gradient(%x: tensor<1x4x4x3xf32>, %g: tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1x4x4x3xf32>, tensor<1x2x2x3xf32>, tensor<f32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}
