// RUN: rlx-opt --rlx-unfuse-elementwise-regions %s | filecheck %s --check-prefixes=CHECK,PLAIN
// RUN: rlx-opt --rlx-unfuse-elementwise-regions=keep-prologue=true %s | filecheck %s --check-prefixes=CHECK,KEEP

// CHECK-LABEL: @three_steps
// CHECK-NEXT:  %[[S:.*]] = rlx.binary add %x, %z : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  %[[P:.*]] = rlx.binary mul %[[S]], %z : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  %y = rlx.activation relu %[[P]] : tensor<4x8xf32>
// CHECK-NEXT:  func.return %y
func.func @three_steps(%x: tensor<4x8xf32>, %z: tensor<8xf32>) -> tensor<4x8xf32> {
  %y = rlx.elementwise_region(%a = %x, %b = %z) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = rlx.binary add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %1 = rlx.binary mul %0, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %2 = rlx.activation relu %1 : tensor<4x8xf32>
    rlx.yield %2 : tensor<4x8xf32>
  }
  func.return %y : tensor<4x8xf32>
}

// CHECK-LABEL: @selection
// CHECK-NEXT:  %[[P:.*]] = rlx.compare gt %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
// CHECK-NEXT:  rlx.where %[[P]], %x, %z :
func.func @selection(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.elementwise_region(%a = %x, %b = %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.compare gt %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = rlx.where %1, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    rlx.yield %2 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @prologue
// PLAIN-NEXT:  %[[A:.*]] = rlx.resize_nearest2x %x : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
// PLAIN-NEXT:  rlx.binary add %[[A]], %z
// KEEP-NEXT:   rlx.elementwise_region({{.*}}) prologue(resize_nearest2x)
// KEEP-NOT:    rlx.resize_nearest2x
func.func @prologue(%x: tensor<1x3x4x4xf32>, %z: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.elementwise_region(%a = %x, %b = %z) prologue(resize_nearest2x) : (tensor<1x3x4x4xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %1 = rlx.binary add %a, %b : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    rlx.yield %1 : tensor<1x3x8x8xf32>
  }
  func.return %0 : tensor<1x3x8x8xf32>
}

// What stays.

// CHECK-LABEL: @fenced_off
// CHECK-NEXT:  rlx.elementwise_region
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.elementwise_region(%a = %x) attributes {rlx.no_fuse} : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.activation relu %a : tensor<4xf32>
    rlx.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @other_regions
// CHECK-NEXT:  rlx.batch_elementwise_region
// CHECK:       rlx.transform_region
func.func @other_regions(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = rlx.batch_elementwise_region(%a = [%x]) : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
    %1 = rlx.activation relu %a : tensor<1x3x4x4xf32>
    rlx.yield %1 : tensor<1x3x4x4xf32>
  }
  %2 = rlx.transform_region(%b = %0) : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
    %3 = rlx.resize_nearest2x %b : tensor<1x3x4x4xf32> -> tensor<1x3x8x8xf32>
    rlx.yield %3 : tensor<1x3x8x8xf32>
  }
  func.return %2 : tensor<1x3x8x8xf32>
}
