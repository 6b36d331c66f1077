// RUN: rlx-opt --rlx-fuse-batch-preprocess %s | filecheck %s

// What becomes one region.

// CHECK-LABEL: @two_slices
// CHECK:       %y = rlx.batch_elementwise_region(%[[P:.*]] = [%a, %b]) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
// CHECK-NEXT:    %[[R:.*]] = rlx.activation relu %[[P]] :
// CHECK-NEXT:    rlx.yield %[[R]]
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %y
func.func @two_slices(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.activation relu %p1 : tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y : tensor<2x3x8x8xf32>
}

// The order is that of the concat, whatever that of the slices.
// CHECK-LABEL: @order
// CHECK:       rlx.batch_elementwise_region(%{{.*}} = [%b, %a]) :
func.func @order(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.activation relu %p1 : tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %1, %0 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @prologue
// CHECK:       rlx.batch_elementwise_region(%{{.*}} = [%a, %b]) prologue(resize_nearest2x) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x16x16xf32> {
// CHECK-NEXT:    rlx.activation relu %{{.*}} : tensor<1x3x16x16xf32>
func.func @prologue(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x16x16xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) prologue(resize_nearest2x) : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x16x16xf32>
    rlx.yield %s0 : tensor<1x3x16x16xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) prologue(resize_nearest2x) : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32> {
    %s1 = rlx.activation relu %p1 : tensor<1x3x16x16xf32>
    rlx.yield %s1 : tensor<1x3x16x16xf32>
  }
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x16x16xf32>, tensor<1x3x16x16xf32>) -> tensor<2x3x16x16xf32>
  func.return %y : tensor<2x3x16x16xf32>
}

// What must not.

// As many steps, but not the same.
// CHECK-LABEL: @different_bodies
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F019 attributes
func.func @different_bodies(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.activation sigmoid %p1 : tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @returned
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F003 returned
func.func @returned(%x: tensor<4x3x8x8xf32>) -> (tensor<2x3x8x8xf32>, tensor<1x3x8x8xf32>) {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.activation relu %p1 : tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y, %1 : tensor<2x3x8x8xf32>, tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @joined_twice
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F002 multi-use
func.func @joined_twice(%x: tensor<4x3x8x8xf32>) -> (tensor<2x3x8x8xf32>) {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %0 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @read_elsewhere
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F002 multi-use
func.func @read_elsewhere(%x: tensor<4x3x8x8xf32>) -> (tensor<2x3x8x8xf32>, tensor<1x3x8x8xf32>) {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.activation relu %p1 : tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %2 = rlx.activation exp %0 : tensor<1x3x8x8xf32>
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y, %2 : tensor<2x3x8x8xf32>, tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @two_parents
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F006 not-produced-by
func.func @two_parents(%x: tensor<4x3x8x8xf32>, %z: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %z axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.activation relu %p1 : tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @no_slices
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F006 not-produced-by
func.func @no_slices(%a: tensor<1x3x8x8xf32>, %b: tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.activation relu %p1 : tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @different_sizes
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F015 dims-not-known-equal
func.func @different_sizes(%x: tensor<4x3x8x8xf32>) -> tensor<3x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(2) : tensor<4x3x8x8xf32> -> tensor<2x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
    %s1 = rlx.activation relu %p1 : tensor<2x3x8x8xf32>
    rlx.yield %s1 : tensor<2x3x8x8xf32>
  }
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<3x3x8x8xf32>
  func.return %y : tensor<3x3x8x8xf32>
}

// Alike in all, but a second value is no slice.
// CHECK-LABEL: @two_inputs
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F019 attributes
func.func @two_inputs(%x: tensor<4x3x8x8xf32>, %z: tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a, %q0 = %z) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.binary add %p0, %q0 : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b, %q1 = %z) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.binary add %p1, %q1 : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y : tensor<2x3x8x8xf32>
}

// CHECK-LABEL: @one_plain_operand
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F006 not-produced-by
func.func @one_plain_operand(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %b axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y : tensor<2x3x8x8xf32>
}

// MISS: none
// CHECK-LABEL: @joined_on_another_axis
// CHECK-NOT:   rlx.batch_elementwise_region
func.func @joined_on_another_axis(%x: tensor<4x3x8x8xf32>) -> tensor<1x6x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.activation relu %p1 : tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %1 axis(1) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x6x8x8xf32>
  func.return %y : tensor<1x6x8x8xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.batch_elementwise_region
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%x: tensor<4x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %a = rlx.narrow %x axis(0) start(0) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %b = rlx.narrow %x axis(0) start(1) length(1) : tensor<4x3x8x8xf32> -> tensor<1x3x8x8xf32>
  %0 = rlx.elementwise_region(%p0 = %a) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s0 = rlx.activation relu %p0 : tensor<1x3x8x8xf32>
    rlx.yield %s0 : tensor<1x3x8x8xf32>
  }
  %1 = rlx.elementwise_region(%p1 = %b) attributes {rlx.no_fuse} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %s1 = rlx.activation relu %p1 : tensor<1x3x8x8xf32>
    rlx.yield %s1 : tensor<1x3x8x8xf32>
  }
  %y = rlx.concat %0, %1 axis(0) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  func.return %y : tensor<2x3x8x8xf32>
}
