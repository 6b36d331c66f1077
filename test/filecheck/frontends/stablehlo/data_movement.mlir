// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// What comes between the elements is added as rows of its own.
// CHECK-LABEL: @pad(
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT:   rlx.pad constant %{{.*}} low [0, 0] high [0, 2] value(2.0) : tensor<4x1xf32> -> tensor<4x3xf32>
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<4x3xf32> -> tensor<12xf32>
// CHECK-NEXT:   rlx.pad constant %{{.*}} low [1] high [-1] value(2.0) : tensor<12xf32> -> tensor<12xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<12xf32>
func.func @pad(%x: tensor<4xf32>) -> tensor<12xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.pad %x, %c, low = [1], high = [1], interior = [2] : (tensor<4xf32>, tensor<f32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

// A padding value that is not known.
// CHECK-LABEL: @pad_with_a_value(
// CHECK-NEXT:   rlx.full 1 : tensor<4xi1>
// CHECK-NEXT:   rlx.pad constant %{{.*}} low [2] high [-1] value(0) : tensor<4xi1> -> tensor<5xi1>
// CHECK-NEXT:   rlx.pad constant %{{.*}} low [2] high [-1] value(0.0) : tensor<4xf32> -> tensor<5xf32>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<5xi1>, tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<5xf32>
func.func @pad_with_a_value(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<5xf32> {
  %0 = stablehlo.pad %x, %v, low = [2], high = [-1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// Steps whose last row is not whole.
// CHECK-LABEL: @slice(
// CHECK-NEXT:   rlx.slice %{{.*}} starts [0] steps [3] : tensor<8xf32> -> tensor<3xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<3xf32>
func.func @slice(%x: tensor<8xf32>) -> tensor<3xf32> {
  %0 = stablehlo.slice %x [0:8:3] : (tensor<8xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Other movement.
// CHECK-LABEL: @others(
// CHECK-NEXT:   rlx.reverse %{{.*}} axes [1] : tensor<4x8xf32>
// CHECK-NEXT:   rlx.expand %{{.*}} : tensor<4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<2x4x8xf32>
func.func @others(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<2x4x8xf32>) {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<4x8xf32>
  %1 = stablehlo.broadcast %x, sizes = [2] : (tensor<4x8xf32>) -> tensor<2x4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<2x4x8xf32>
}
