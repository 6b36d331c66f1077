// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @elementwise_region
// CHECK:       %0 = rlx.elementwise_region(%a = %x, %b = %y) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1> {
// CHECK-NEXT:    %1 = rlx.binary add %a, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT:    %2 = rlx.compare gt %1, %a : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xi1>
// CHECK-NEXT:    rlx.yield %2 : tensor<?x4xi1>
// CHECK-NEXT:  }
// GENERIC:     "rlx.elementwise_region"(%x, %y) <{prologue = "none"}> ({
// GENERIC-NEXT: ^bb0(%a: tensor<?x4xf32>, %b: tensor<4xf32>):
func.func @elementwise_region(%x: tensor<?x4xf32>, %y: tensor<4xf32>) -> tensor<?x4xi1> {
  %0 = rlx.elementwise_region(%a = %x, %b = %y) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1> {
    %1 = rlx.binary add %a, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    %2 = rlx.compare gt %1, %a : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xi1>
    rlx.yield %2 : tensor<?x4xi1>
  }
  func.return %0 : tensor<?x4xi1>
}

// A foreign attribute comes before the types.
// CHECK-LABEL: @prologue
// CHECK:       %0 = rlx.elementwise_region(%a = %x, %b = %y) prologue(resize_nearest2x) attributes {rlx.no_fuse} : (tensor<?x3x4x?xf32>, tensor<?x3x8x?xf32>) -> tensor<?x3x8x?xf32> {
// CHECK-NEXT:    %1 = rlx.binary mul %b, %a : (tensor<?x3x8x?xf32>, tensor<?x3x8x?xf32>) -> tensor<?x3x8x?xf32>
// GENERIC:     "rlx.elementwise_region"(%x, %y) <{prologue = "resize_nearest2x"}> ({
// GENERIC-NEXT: ^bb0(%a: tensor<?x3x8x?xf32>, %b: tensor<?x3x8x?xf32>):
// GENERIC:     }) {rlx.no_fuse} : (tensor<?x3x4x?xf32>, tensor<?x3x8x?xf32>) -> tensor<?x3x8x?xf32>
func.func @prologue(%x: tensor<?x3x4x?xf32>, %y: tensor<?x3x8x?xf32>) -> tensor<?x3x8x?xf32> {
  %0 = rlx.elementwise_region(%a = %x, %b = %y) prologue(resize_nearest2x) attributes {rlx.no_fuse} : (tensor<?x3x4x?xf32>, tensor<?x3x8x?xf32>) -> tensor<?x3x8x?xf32> {
    %1 = rlx.binary mul %b, %a : (tensor<?x3x8x?xf32>, tensor<?x3x8x?xf32>) -> tensor<?x3x8x?xf32>
    rlx.yield %1 : tensor<?x3x8x?xf32>
  }
  func.return %0 : tensor<?x3x8x?xf32>
}

// CHECK-LABEL: @transform_region
// CHECK:       %0 = rlx.transform_region(%a = %x) : (tensor<2x3x4x?xi8>) -> tensor<2x3x16x?xi8> {
// CHECK-NEXT:    %1 = rlx.resize_nearest2x %a : tensor<2x3x4x?xi8> -> tensor<2x3x8x?xi8>
// CHECK-NEXT:    %2 = rlx.resize_nearest2x %1 : tensor<2x3x8x?xi8> -> tensor<2x3x16x?xi8>
// CHECK-NEXT:    rlx.yield %2 : tensor<2x3x16x?xi8>
// GENERIC:     "rlx.transform_region"(%x) ({
func.func @transform_region(%x: tensor<2x3x4x?xi8>) -> tensor<2x3x16x?xi8> {
  %0 = rlx.transform_region(%a = %x) : (tensor<2x3x4x?xi8>) -> tensor<2x3x16x?xi8> {
    %1 = rlx.resize_nearest2x %a : tensor<2x3x4x?xi8> -> tensor<2x3x8x?xi8>
    %2 = rlx.resize_nearest2x %1 : tensor<2x3x8x?xi8> -> tensor<2x3x16x?xi8>
    rlx.yield %2 : tensor<2x3x16x?xi8>
  }
  func.return %0 : tensor<2x3x16x?xi8>
}

// CHECK-LABEL: @batch_elementwise_region
// CHECK:       %0 = rlx.batch_elementwise_region(%a = [%x, %y, %x]) : (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<6x5xf32> {
// CHECK-NEXT:    %1 = rlx.activation relu %a : tensor<2x5xf32>
// CHECK-NEXT:    rlx.yield %1 : tensor<2x5xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  %1 = rlx.batch_elementwise_region(%b = [%z]) prologue(resize_nearest2x) : (tensor<?x1x4x4xf32>) -> tensor<?x1x8x8xf16> {
// CHECK-NEXT:    %2 = rlx.cast %b : tensor<?x1x8x8xf32> -> tensor<?x1x8x8xf16>
// GENERIC:     "rlx.batch_elementwise_region"(%x, %y, %x) <{prologue = "none"}> ({
// GENERIC-NEXT: ^bb0(%a: tensor<2x5xf32>):
func.func @batch_elementwise_region(%x: tensor<2x5xf32>, %y: tensor<2x5xf32>, %z: tensor<?x1x4x4xf32>) -> (tensor<6x5xf32>, tensor<?x1x8x8xf16>) {
  %0 = rlx.batch_elementwise_region(%a = [%x, %y, %x]) : (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<6x5xf32> {
    %1 = rlx.activation relu %a : tensor<2x5xf32>
    rlx.yield %1 : tensor<2x5xf32>
  }
  %2 = rlx.batch_elementwise_region(%b = [%z]) prologue(resize_nearest2x) : (tensor<?x1x4x4xf32>) -> tensor<?x1x8x8xf16> {
    %3 = rlx.cast %b : tensor<?x1x8x8xf32> -> tensor<?x1x8x8xf16>
    rlx.yield %3 : tensor<?x1x8x8xf16>
  }
  func.return %0, %2 : tensor<6x5xf32>, tensor<?x1x8x8xf16>
}
