// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @reshape
// CHECK:       rlx.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
// CHECK-NEXT:  rlx.reshape %y sizes(%n) : tensor<?x4xf32> -> tensor<?x2x2xf32>
// GENERIC:     "rlx.reshape"(%x) : (tensor<2x6xf32>) -> tensor<3x4xf32>
// GENERIC-NEXT: "rlx.reshape"(%y, %n) : (tensor<?x4xf32>, index) -> tensor<?x2x2xf32>
func.func @reshape(%x: tensor<2x6xf32>, %y: tensor<?x4xf32>, %n: index) -> (tensor<3x4xf32>, tensor<?x2x2xf32>) {
  %0 = rlx.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
  %1 = rlx.reshape %y sizes(%n) : tensor<?x4xf32> -> tensor<?x2x2xf32>
  func.return %0, %1 : tensor<3x4xf32>, tensor<?x2x2xf32>
}

// CHECK-LABEL: @expand
// CHECK:       rlx.expand %x : tensor<1x3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT:  rlx.expand %x sizes(%n) : tensor<1x3xf32> -> tensor<?x3xf32>
func.func @expand(%x: tensor<1x3xf32>, %n: index) -> (tensor<2x4x3xf32>, tensor<?x3xf32>) {
  %0 = rlx.expand %x : tensor<1x3xf32> -> tensor<2x4x3xf32>
  %1 = rlx.expand %x sizes(%n) : tensor<1x3xf32> -> tensor<?x3xf32>
  func.return %0, %1 : tensor<2x4x3xf32>, tensor<?x3xf32>
}

// CHECK-LABEL: @transpose
// CHECK:       rlx.transpose %x [2, 0, 1] : tensor<2x?x4xf32> -> tensor<4x2x?xf32>
func.func @transpose(%x: tensor<2x?x4xf32>) -> tensor<4x2x?xf32> {
  %0 = rlx.transpose %x [2, 0, 1] : tensor<2x?x4xf32> -> tensor<4x2x?xf32>
  func.return %0 : tensor<4x2x?xf32>
}

// CHECK-LABEL: @narrow_concat
// CHECK:       %0 = rlx.narrow %x axis(1) start(2) length(3) : tensor<2x6xf32> -> tensor<2x3xf32>
// CHECK-NEXT:  %1 = rlx.concat %0, %x axis(-1) : (tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<2x9xf32>
func.func @narrow_concat(%x: tensor<2x6xf32>) -> tensor<2x9xf32> {
  %0 = rlx.narrow %x axis(1) start(2) length(3) : tensor<2x6xf32> -> tensor<2x3xf32>
  %1 = rlx.concat %0, %x axis(-1) : (tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<2x9xf32>
  func.return %1 : tensor<2x9xf32>
}

// The dims of the table before the axis stay.
// CHECK-LABEL: @gather
// CHECK:       rlx.gather %t, %i axis(1) : (tensor<2x3x5xf32>, tensor<4xi32>) -> tensor<2x4x5xf32>
func.func @gather(%t: tensor<2x3x5xf32>, %i: tensor<4xi32>) -> tensor<2x4x5xf32> {
  %0 = rlx.gather %t, %i axis(1) : (tensor<2x3x5xf32>, tensor<4xi32>) -> tensor<2x4x5xf32>
  func.return %0 : tensor<2x4x5xf32>
}

// CHECK-LABEL: @reduce
// CHECK:       rlx.reduce sum %x axes [1] keep_dims : tensor<2x6xf32> -> tensor<2x1xf32>
// CHECK-NEXT:  rlx.reduce max %x axes [-1, 0] : tensor<2x6xf32> -> tensor<f32>
// CHECK-NEXT:  rlx.reduce any %b axes [0] : tensor<4xi1> -> tensor<i1>
// CHECK-NEXT:  rlx.reduce mean %x axes [0] accumulate(f64) : tensor<2x6xf32> -> tensor<6xf32>
func.func @reduce(%x: tensor<2x6xf32>, %b: tensor<4xi1>) -> tensor<6xf32> {
  %0 = rlx.reduce sum %x axes [1] keep_dims : tensor<2x6xf32> -> tensor<2x1xf32>
  %1 = rlx.reduce max %x axes [-1, 0] : tensor<2x6xf32> -> tensor<f32>
  %2 = rlx.reduce any %b axes [0] : tensor<4xi1> -> tensor<i1>
  %3 = rlx.reduce mean %x axes [0] accumulate(f64) : tensor<2x6xf32> -> tensor<6xf32>
  func.return %3 : tensor<6xf32>
}
