// RUN: rlx-opt --rlx-fuse-region-prologue %s | filecheck %s

// What gets a prologue.

// CHECK-LABEL: @second_operand
// CHECK-NEXT:  %y = rlx.elementwise_region(%[[B:.*]] = %x, %[[A:.*]] = %z) prologue(resize_nearest2x) : (tensor<1x3x4x4xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
// CHECK-NEXT:    %[[S:.*]] = rlx.binary sub %[[A]], %[[B]] :
// CHECK-NEXT:    rlx.yield %[[S]]
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %y
func.func @second_operand(%x: tensor<1x3x4x4xf32>, %z: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %y = rlx.elementwise_region(%a = %z, %b = %0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %1 = rlx.binary sub %a, %b : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    rlx.yield %1 : tensor<1x3x8x8xf32>
  }
  func.return %y : tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @activation
// CHECK-NEXT:  rlx.elementwise_region(%[[A:.*]] = %x) prologue(resize_nearest2x) :
// CHECK-NEXT:    rlx.activation relu %[[A]] : tensor<1x3x8x8xf32>
// CHECK-NEXT:    rlx.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return
func.func @activation(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %0 : tensor<1x3x8x8xf32>
  func.return %1 : tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @cast_that_changes_nothing
// CHECK-NEXT:  rlx.elementwise_region({{.*}}) prologue(resize_nearest2x)
// CHECK-NEXT:    rlx.cast
func.func @cast_that_changes_nothing(%x: tensor<1x3x4x4xi8>) -> tensor<1x3x8x8xi8> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xi8> -> tensor<1x3x8x8xi8>
  %1 = rlx.cast %0 : tensor<1x3x8x8xi8> -> tensor<1x3x8x8xi8>
  func.return %1 : tensor<1x3x8x8xi8>
}

// Two resizes: the first that fits. The one in front is read elsewhere.
// CHECK-LABEL: @first_that_fits
// CHECK-NEXT:  %[[A:.*]] = rlx.resize_nearest2x %x
// CHECK-NEXT:  %[[C:.*]] = rlx.resize_nearest2x %z
// CHECK-NEXT:  %[[R:.*]] = rlx.elementwise_region(%{{.*}} = %y, %{{.*}} = %[[A]], %{{.*}} = %[[C]]) prologue(resize_nearest2x)
// CHECK:       func.return %[[A]], %[[R]]
func.func @first_that_fits(%x: tensor<1x3x4x4xf32>, %y: tensor<1x3x4x4xf32>, %z: tensor<1x3x4x4xf32>) -> (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.resize_nearest2x %y : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %2 = rlx.resize_nearest2x %z : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %3 = rlx.elementwise_region(%a = %0, %b = %1, %c = %2) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %4 = rlx.binary sub %a, %b : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    %5 = rlx.binary div %4, %c : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    rlx.yield %5 : tensor<1x3x8x8xf32>
  }
  func.return %0, %3 : tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>
}

// A resize that is fenced off is passed over.
// CHECK-LABEL: @first_is_fenced_off
// CHECK:       %0 = rlx.resize_nearest2x %x {rlx.no_fuse}
// CHECK-NEXT:  rlx.elementwise_region(%{{.*}} = %y, %{{.*}} = %0) prologue(resize_nearest2x)
func.func @first_is_fenced_off(%x: tensor<1x3x4x4xf32>, %y: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x {rlx.no_fuse} : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.resize_nearest2x %y : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %2 = rlx.elementwise_region(%p = %0, %q = %1) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %3 = rlx.binary sub %p, %q : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    rlx.yield %3 : tensor<1x3x8x8xf32>
  }
  func.return %2 : tensor<1x3x8x8xf32>
}

// What must not.

// CHECK-LABEL: @two_readers
// CHECK-NOT:   prologue
// MISS: RLX-F002 multi-use
func.func @two_readers(%x: tensor<1x3x4x4xf32>) -> (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %0 : tensor<1x3x8x8xf32>
  %2 = rlx.activation exp %0 : tensor<1x3x8x8xf32>
  func.return %1, %2 : tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>
}

// The resized operand stretches.
// CHECK-LABEL: @stretches
// CHECK-NOT:   prologue
// MISS: RLX-F015 dims-not-known-equal
func.func @stretches(%x: tensor<1x1x4x4xf32>, %z: tensor<2x1x8x8xf32>) -> tensor<2x1x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x1x4x4xf32> -> tensor<1x1x8x8xf32>
  %1 = rlx.elementwise_region(%a = %0, %b = %z) : (tensor<1x1x8x8xf32>, tensor<2x1x8x8xf32>) -> tensor<2x1x8x8xf32> {
    %2 = rlx.binary add %a, %b : (tensor<1x1x8x8xf32>, tensor<2x1x8x8xf32>) -> tensor<2x1x8x8xf32>
    rlx.yield %2 : tensor<2x1x8x8xf32>
  }
  func.return %1 : tensor<2x1x8x8xf32>
}

// CHECK-LABEL: @dynamic
// CHECK-NOT:   prologue
// MISS: RLX-F014 dynamic
func.func @dynamic(%x: tensor<1x3x4x?xf32>) -> tensor<1x3x8x?xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x?xf32> -> tensor<1x3x8x?xf32>
  %1 = rlx.activation relu %0 : tensor<1x3x8x?xf32>
  func.return %1 : tensor<1x3x8x?xf32>
}

// CHECK-LABEL: @other_kinds
// CHECK-NOT:   prologue
// MISS: RLX-F027 not-a-step
func.func @other_kinds(%x: tensor<1x3x4x4xf32>, %y: tensor<1x3x4x4xf32>) -> (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf16>) {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.activation ceil %0 : tensor<1x3x8x8xf32>
  %2 = rlx.resize_nearest2x %y : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %3 = rlx.cast %2 : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf16>
  func.return %1, %3 : tensor<1x3x8x8xf32>, tensor<1x3x8x8xf16>
}

// CHECK-LABEL: @prologue_already
// CHECK-NEXT:  %[[A:.*]] = rlx.resize_nearest2x %x
// CHECK-NEXT:  rlx.elementwise_region(%{{.*}} = %x, %{{.*}} = %[[A]]) prologue(resize_nearest2x)
// MISS: RLX-F019 attributes
func.func @prologue_already(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.elementwise_region(%a = %x, %b = %0) prologue(resize_nearest2x) : (tensor<1x3x4x4xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %2 = rlx.binary add %a, %b : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    rlx.yield %2 : tensor<1x3x8x8xf32>
  }
  func.return %1 : tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK-NOT:   prologue
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.resize_nearest2x %x {rlx.no_fuse} : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %0 : tensor<1x3x8x8xf32>
  func.return %1 : tensor<1x3x8x8xf32>
}
