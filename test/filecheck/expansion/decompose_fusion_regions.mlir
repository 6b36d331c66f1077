// RUN: rlx-opt --rlx-decompose-fusion-regions %s | filecheck %s

// CHECK-LABEL: @transform
// CHECK-NEXT:  %[[A:.*]] = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
// CHECK-NEXT:  %y = rlx.resize_nearest2x %[[A]] : tensor<1x3x8x8xf32> -> tensor<1x3x16x16xf32>
// CHECK-NEXT:  func.return %y
func.func @transform(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x16x16xf32> {
  %y = rlx.transform_region(%a = %x) : (tensor<1x3x4x4xf32>) -> tensor<1x3x16x16xf32> {
    %0 = rlx.resize_nearest2x %a : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
    %1 = rlx.resize_nearest2x %0 : tensor<1x3x8x8xf32> -> tensor<1x3x16x16xf32>
    rlx.yield %1 : tensor<1x3x16x16xf32>
  }
  func.return %y : tensor<1x3x16x16xf32>
}

// Slices of any rank and length.
// CHECK-LABEL: @batch
// CHECK-NEXT:  %[[A:.*]] = rlx.elementwise_region(%{{.*}} = %x) : (tensor<2x5xf32>) -> tensor<2x5xf32> {
// CHECK-NEXT:    rlx.activation relu
// CHECK-NEXT:    rlx.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[B:.*]] = rlx.elementwise_region(%{{.*}} = %z) :
// CHECK:       %y = rlx.concat %[[A]], %[[B]] axis(0) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<4x5xf32>
// CHECK-NEXT:  func.return %y
func.func @batch(%x: tensor<2x5xf32>, %z: tensor<2x5xf32>) -> tensor<4x5xf32> {
  %y = rlx.batch_elementwise_region(%a = [%x, %z]) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<4x5xf32> {
    %0 = rlx.activation relu %a : tensor<2x5xf32>
    rlx.yield %0 : tensor<2x5xf32>
  }
  func.return %y : tensor<4x5xf32>
}

// CHECK-LABEL: @batch_with_prologue
// CHECK-NEXT:  %[[A:.*]] = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
// CHECK-NEXT:  %[[B:.*]] = rlx.elementwise_region(%{{.*}} = %[[A]]) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
// CHECK:       rlx.concat %[[B]] axis(0)
func.func @batch_with_prologue(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.batch_elementwise_region(%a = [%x]) prologue(resize_nearest2x) : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
    %1 = rlx.activation relu %a : tensor<1x3x8x8xf32>
    rlx.yield %1 : tensor<1x3x8x8xf32>
  }
  func.return %0 : tensor<1x3x8x8xf32>
}

// What stays: elementwise regions, with a prologue or without, and what is fenced off.

// CHECK-LABEL: @elementwise_regions
// CHECK-NEXT:  rlx.elementwise_region({{.*}}) prologue(resize_nearest2x)
func.func @elementwise_regions(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.elementwise_region(%a = %x) prologue(resize_nearest2x) : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
    %1 = rlx.activation relu %a : tensor<1x3x8x8xf32>
    rlx.yield %1 : tensor<1x3x8x8xf32>
  }
  func.return %0 : tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK-NEXT:  rlx.transform_region
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.transform_region(%a = %x) attributes {rlx.no_fuse} : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
    %1 = rlx.resize_nearest2x %a : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
    rlx.yield %1 : tensor<1x3x8x8xf32>
  }
  func.return %0 : tensor<1x3x8x8xf32>
}
