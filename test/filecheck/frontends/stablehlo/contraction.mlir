// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// A product of an earlier version.
// CHECK-LABEL: @dot(
// CHECK-NEXT:   rlx.dot_general %{{.*}}, %{{.*}} contracting([1] x [0]) : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4x3xf32>
func.func @dot(%x: tensor<4x8xf32>, %y: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.dot %x, %y, precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A mirrored kernel is reversed.
// CHECK-LABEL: @mirrored(
// CHECK-NEXT:   rlx.reverse %{{.*}} axes [2] : tensor<4x3x3xf32>
// CHECK-NEXT:   rlx.conv %{{.*}}, %{{.*}} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<1x4x6xf32>
func.func @mirrored(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// Groups of the batch become groups of channels.
// CHECK-LABEL: @batch_groups(
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<4x3x8xf32> -> tensor<2x2x3x8xf32>
// CHECK-NEXT:   rlx.transpose %{{.*}} [1, 0, 2, 3] : tensor<2x2x3x8xf32> -> tensor<2x2x3x8xf32>
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<2x2x3x8xf32> -> tensor<2x6x8xf32>
// CHECK-NEXT:   rlx.conv %{{.*}}, %{{.*}} groups(2) : (tensor<2x6x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<2x4x6xf32>
func.func @batch_groups(%x: tensor<4x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x4x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}
