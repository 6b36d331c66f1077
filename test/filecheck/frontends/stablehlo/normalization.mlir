// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// By given statistics.
// CHECK-LABEL: @inference(
// CHECK-NEXT:   rlx.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon(0.0010000000474974513) axis(1) : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<2x3x4xf32>
func.func @inference(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// By those of the batch.
// CHECK-LABEL: @training(
// CHECK-NEXT:   rlx.reduce mean %{{.*}} axes [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-NEXT:   rlx.binary sub %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:   rlx.reduce mean %{{.*}} axes [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
// CHECK-NEXT:   rlx.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon(0.0010000000474974513) axis(1) : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
func.func @training(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
}
