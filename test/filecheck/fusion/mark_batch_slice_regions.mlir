// RUN: rlx-opt --rlx-mark-batch-slice-regions %s | filecheck %s

// What becomes regions.

// CHECK-LABEL: @two_slices
// CHECK:       %[[A:.*]] = rlx.elementwise_region(%[[P:.*]] = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
// CHECK-NEXT:    %[[R:.*]] = rlx.activation relu %[[P]] :
// CHECK-NEXT:    rlx.yield %[[R]]
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[B:.*]] = rlx.elementwise_region(%{{.*}} = %b) :
// CHECK:       rlx.concat %[[A]], %[[B]] axis(0)
func.func @two_slices(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation relu %a : tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %b : tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %2 : tensor<2x3x8x8xf32>
}

// The order is that of the concat, and a slice may be taken twice.
// CHECK-LABEL: @any_order
// CHECK:       %[[B:.*]] = rlx.elementwise_region(%{{.*}} = %b) :
// CHECK:       %[[A:.*]] = rlx.elementwise_region(%{{.*}} = %a) :
// CHECK:       %[[C:.*]] = rlx.elementwise_region(%{{.*}} = %b) :
// CHECK:       rlx.concat %[[B]], %[[A]], %[[C]] axis(-4)
func.func @any_order(%x: tensor<4x3x8x8xf32>) -> tensor<3x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation exp %a : tensor<1x3x8x8xf32>
  %1 = rlx.activation exp %b : tensor<1x3x8x8xf32>
  %2 = rlx.activation exp %b : tensor<1x3x8x8xf32>
  %3 = rlx.concat %1, %0, %2 axis(-4) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<3x3x8x8xf32>
  func.return %3 : tensor<3x3x8x8xf32>
}

// CHECK-LABEL: @casts_that_change_nothing
// CHECK:       rlx.elementwise_region
// CHECK-NEXT:    rlx.cast
func.func @casts_that_change_nothing(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(2) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(3) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.cast %a : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %1 = rlx.cast %b : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %2 : tensor<2x3x8x8xf32>
}

// What must not.

// CHECK-LABEL: @different_activations
// CHECK-NOT:   rlx.elementwise_region
// MISS: RLX-F019 attributes
func.func @different_activations(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation relu %a : tensor<1x3x8x8xf32>
  %1 = rlx.activation exp %b : tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %2 : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @different_sizes
// CHECK-NOT:   rlx.elementwise_region
// MISS: RLX-F015 dims-not-known-equal
func.func @different_sizes(%x: tensor<4x3x8x8xf32>) -> tensor<3x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(2) : tensor<4x3x8x8xf32> -> tensor<2x3x8x8xf32>
  %0 = rlx.activation relu %a : tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %b : tensor<2x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<3x3x8x8xf32>
  func.return %2 : tensor<3x3x8x8xf32>
}

// CHECK-LABEL: @two_parents
// CHECK-NOT:   rlx.elementwise_region
// MISS: RLX-F006 not-produced-by
func.func @two_parents(%x: tensor<4x3x8x8xf32>, %y: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %y axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation relu %a : tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %b : tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %2 : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @read_elsewhere
// CHECK-NOT:   rlx.elementwise_region
// MISS: RLX-F002 multi-use
func.func @read_elsewhere(%x: tensor<4x3x8x8xf32>) -> (tensor<2x3x8x8xf32>, tensor<1x3x8x8xf32>) {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation relu %a : tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %b : tensor<1x3x8x8xf32>
  %3 = rlx.activation exp %1 : tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %2, %3 : tensor<2x3x8x8xf32>, tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @returned
// CHECK-NOT:   rlx.elementwise_region
// MISS: RLX-F003 returned
func.func @returned(%x: tensor<4x3x8x8xf32>) -> (tensor<2x3x8x8xf32>, tensor<1x3x8x8xf32>) {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation relu %a : tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %b : tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %2, %1 : tensor<2x3x8x8xf32>, tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @one_plain_slice
// CHECK-NOT:   rlx.elementwise_region
// MISS: RLX-F006 not-produced-by
func.func @one_plain_slice(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation relu %a : tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %b axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %2 : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @other_kind
// CHECK-NOT:   rlx.elementwise_region
// MISS: RLX-F027 not-a-step
func.func @other_kind(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation floor %a : tensor<1x3x8x8xf32>
  %1 = rlx.activation floor %b : tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %2 : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @slices_of_another_axis
// CHECK-NOT:   rlx.elementwise_region
// MISS: RLX-F016 axis
func.func @slices_of_another_axis(%x: tensor<1x4x8x8xf32>) -> tensor<2x2x8x8xf32> {
  %a = rlx.narrow %x axis(1) start(0) length(2) : tensor<1x4x8x8xf32> -> tensor<1x2x8x8xf32>
  %b = rlx.narrow %x axis(1) start(2) length(2) : tensor<1x4x8x8xf32> -> tensor<1x2x8x8xf32>
  %0 = rlx.activation relu %a : tensor<1x2x8x8xf32>
  %1 = rlx.activation relu %b : tensor<1x2x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) -> tensor<2x2x8x8xf32>
  func.return %2 : tensor<2x2x8x8xf32>
}

// MISS: none
// CHECK-LABEL: @joined_on_another_axis
// CHECK-NOT:   rlx.elementwise_region
func.func @joined_on_another_axis(%x: tensor<4x3x8x8xf32>) -> tensor<1x6x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation relu %a : tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %b : tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(1) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x6x8x8xf32>
  func.return %2 : tensor<1x6x8x8xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.elementwise_region
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.activation relu %a {rlx.no_fuse} : tensor<1x3x8x8xf32>
  %1 = rlx.activation relu %b : tensor<1x3x8x8xf32>
  %2 = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %2 : tensor<2x3x8x8xf32>
}
