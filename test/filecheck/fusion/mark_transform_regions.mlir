// RUN: rlx-opt --rlx-mark-transform-regions %s | filecheck %s

// What becomes a region.

// CHECK-LABEL: @two_resizes
// CHECK-NEXT:  %y = rlx.transform_region(%[[A:.*]] = %x) : (tensor<1x3x4x4xf32>) -> tensor<1x3x16x16xf32> {
// CHECK-NEXT:    %[[B:.*]] = rlx.resize_nearest2x %[[A]] :
// CHECK-NEXT:    %[[C:.*]] = rlx.resize_nearest2x %[[B]] :
// CHECK-NEXT:    rlx.yield %[[C]]
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %y
func.func @two_resizes(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x16x16xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %y = rlx.resize_nearest2x %0 : tensor<1x3x8x8xf32> -> tensor<1x3x16x16xf32>
  func.return %y : tensor<1x3x16x16xf32>
}

// One is enough, and sizes may be unknown.
// CHECK-LABEL: @one_resize
// CHECK-NEXT:  rlx.transform_region(%{{.*}} = %x) : (tensor<?x3x4x?xf32>) -> tensor<?x3x8x?xf32> {
func.func @one_resize(%x: tensor<?x3x4x?xf32>) -> tensor<?x3x8x?xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<?x3x4x?xf32> -> tensor<?x3x8x?xf32>
  func.return %0 : tensor<?x3x8x?xf32>
}

// A value between that is returned ends the chain.
// CHECK-LABEL: @returned_between
// CHECK-NEXT:  %[[A:.*]] = rlx.transform_region(%{{.*}} = %x) :
// CHECK:       %[[B:.*]] = rlx.transform_region(%{{.*}} = %[[A]]) :
// CHECK:       func.return %[[A]], %[[B]]
func.func @returned_between(%x: tensor<1x3x4x4xf32>) -> (tensor<1x3x8x8xf32>, tensor<1x3x16x16xf32>) {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.resize_nearest2x %0 : tensor<1x3x8x8xf32> -> tensor<1x3x16x16xf32>
  func.return %0, %1 : tensor<1x3x8x8xf32>, tensor<1x3x16x16xf32>
}

// The second resize becomes a prologue, the first a region.
// CHECK-LABEL: @before_a_prologue
// CHECK-NEXT:  %[[A:.*]] = rlx.transform_region(%{{.*}} = %x) :
// CHECK:       %[[B:.*]] = rlx.resize_nearest2x %[[A]]
// CHECK-NEXT:  rlx.activation relu %[[B]]
// MISS: RLX-F018 later-fusion
func.func @before_a_prologue(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x16x16xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.resize_nearest2x %0 : tensor<1x3x8x8xf32> -> tensor<1x3x16x16xf32>
  %2 = rlx.activation relu %1 : tensor<1x3x16x16xf32>
  func.return %2 : tensor<1x3x16x16xf32>
}

// An activation that goes into no region takes no prologue either.
// CHECK-LABEL: @before_another_kind
// CHECK-NEXT:  rlx.transform_region
// CHECK:       rlx.activation floor
func.func @before_another_kind(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.activation floor %0 : tensor<1x3x8x8xf32>
  func.return %1 : tensor<1x3x8x8xf32>
}

// A region has one prologue: the second resize that it reads becomes a region of its own.
// CHECK-LABEL: @two_for_one_region
// CHECK-NEXT:  %[[A:.*]] = rlx.resize_nearest2x %x
// CHECK-NEXT:  %[[B:.*]] = rlx.transform_region(%{{.*}} = %y) :
// CHECK:       rlx.elementwise_region(%{{.*}} = %[[A]], %{{.*}} = %[[B]]) :
func.func @two_for_one_region(%x: tensor<1x3x4x4xf32>, %y: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.resize_nearest2x %y : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %2 = rlx.elementwise_region(%a = %0, %b = %1) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %3 = rlx.binary add %a, %b : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    rlx.yield %3 : tensor<1x3x8x8xf32>
  }
  func.return %2 : tensor<1x3x8x8xf32>
}

// What must not.

// CHECK-LABEL: @prologue
// CHECK-NEXT:  rlx.resize_nearest2x
// CHECK-NEXT:  rlx.cast
// MISS: RLX-F018 later-fusion
func.func @prologue(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.cast %0 : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32>
  func.return %1 : tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK-NEXT:  rlx.transform_region
// CHECK:       rlx.resize_nearest2x {{.*}} {rlx.no_fuse}
// CHECK-NEXT:  rlx.transform_region
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%x: tensor<1x3x1x1xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x1x1xf32> -> tensor<1x3x2x2xf32>
  %1 = rlx.resize_nearest2x %0 {rlx.no_fuse} : tensor<1x3x2x2xf32> -> tensor<1x3x4x4xf32>
  %2 = rlx.resize_nearest2x %1 : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  func.return %2 : tensor<1x3x8x8xf32>
}

// A region that is fenced off takes no prologue.
// CHECK-LABEL: @before_a_fenced_region
// CHECK-NEXT:  rlx.transform_region
func.func @before_a_fenced_region(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.elementwise_region(%p = %0) attributes {rlx.no_fuse} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %2 = rlx.activation relu %p : tensor<1x3x8x8xf32>
    rlx.yield %2 : tensor<1x3x8x8xf32>
  }
  func.return %1 : tensor<1x3x8x8xf32>
}
