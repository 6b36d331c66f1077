// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @gather_nd
// CHECK:       %0 = rlx.gather_nd %x, %i batch_dims(0) : (tensor<2x3x?xf32>, tensor<4x2xi64>) -> tensor<4x?xf32>
// CHECK-NEXT:  %1 = rlx.gather_nd %x, %j batch_dims(1) : (tensor<2x3x?xf32>, tensor<2x5x1xi32>) -> tensor<2x5x?xf32>
// GENERIC:     "rlx.gather_nd"(%x, %i) <{batch_dims = 0 : i64}> : (tensor<2x3x?xf32>, tensor<4x2xi64>) -> tensor<4x?xf32>
func.func @gather_nd(%x: tensor<2x3x?xf32>, %i: tensor<4x2xi64>, %j: tensor<2x5x1xi32>) -> tensor<2x5x?xf32> {
  %0 = rlx.gather_nd %x, %i batch_dims(0) : (tensor<2x3x?xf32>, tensor<4x2xi64>) -> tensor<4x?xf32>
  %1 = rlx.gather_nd %x, %j batch_dims(1) : (tensor<2x3x?xf32>, tensor<2x5x1xi32>) -> tensor<2x5x?xf32>
  func.return %1 : tensor<2x5x?xf32>
}

// CHECK-LABEL: @static_gather_nd
// CHECK:       %0 = rlx.gather_nd %x, %i batch_dims(0) : (tensor<2x3x4xf32>, tensor<5x2xi64>) -> tensor<5x4xf32>
// CHECK-NEXT:  %1 = rlx.gather_nd %x, %j batch_dims(1) : (tensor<2x3x4xf32>, tensor<2x5x1xi32>) -> tensor<2x5x4xf32>
func.func @static_gather_nd(%x: tensor<2x3x4xf32>, %i: tensor<5x2xi64>, %j: tensor<2x5x1xi32>) -> tensor<2x5x4xf32> {
  %0 = rlx.gather_nd %x, %i batch_dims(0) : (tensor<2x3x4xf32>, tensor<5x2xi64>) -> tensor<5x4xf32>
  %1 = rlx.gather_nd %x, %j batch_dims(1) : (tensor<2x3x4xf32>, tensor<2x5x1xi32>) -> tensor<2x5x4xf32>
  func.return %1 : tensor<2x5x4xf32>
}

// CHECK-LABEL: @gather_elements
// CHECK:       %0 = rlx.gather_elements %x, %i axis(1) : (tensor<3x4xf16>, tensor<2x6xi32>) -> tensor<2x6xf16>
// CHECK-NEXT:  %1 = rlx.gather_elements %y, %i axis(-1) : (tensor<?x4xf16>, tensor<2x6xi32>) -> tensor<2x6xf16>
func.func @gather_elements(%x: tensor<3x4xf16>, %i: tensor<2x6xi32>, %y: tensor<?x4xf16>) -> tensor<2x6xf16> {
  %0 = rlx.gather_elements %x, %i axis(1) : (tensor<3x4xf16>, tensor<2x6xi32>) -> tensor<2x6xf16>
  %1 = rlx.gather_elements %y, %i axis(-1) : (tensor<?x4xf16>, tensor<2x6xi32>) -> tensor<2x6xf16>
  func.return %1 : tensor<2x6xf16>
}

// CHECK-LABEL: @static_gather_elements
// CHECK:       %0 = rlx.gather_elements %x, %i axis(0) : (tensor<3x4xf16>, tensor<5x2xi8>) -> tensor<5x2xf16>
func.func @static_gather_elements(%x: tensor<3x4xf16>, %i: tensor<5x2xi8>) -> tensor<5x2xf16> {
  %0 = rlx.gather_elements %x, %i axis(0) : (tensor<3x4xf16>, tensor<5x2xi8>) -> tensor<5x2xf16>
  func.return %0 : tensor<5x2xf16>
}

// CHECK-LABEL: @scatter_add
// CHECK:       %0 = rlx.scatter_add %x, %i, %u axis(1) : (tensor<2x3x5xf32>, tensor<4xi32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
func.func @scatter_add(%x: tensor<2x3x5xf32>, %i: tensor<4xi32>, %u: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = rlx.scatter_add %x, %i, %u axis(1) : (tensor<2x3x5xf32>, tensor<4xi32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: @scatter_add_of_unknown_many
// CHECK:       %0 = rlx.scatter_add %x, %i, %u axis(0) : (tensor<?x5xbf16>, tensor<?x2xi64>, tensor<?x2x5xbf16>) -> tensor<?x5xbf16>
func.func @scatter_add_of_unknown_many(%x: tensor<?x5xbf16>, %i: tensor<?x2xi64>, %u: tensor<?x2x5xbf16>) -> tensor<?x5xbf16> {
  %0 = rlx.scatter_add %x, %i, %u axis(0) : (tensor<?x5xbf16>, tensor<?x2xi64>, tensor<?x2x5xbf16>) -> tensor<?x5xbf16>
  func.return %0 : tensor<?x5xbf16>
}

// CHECK-LABEL: @scatter_nd
// CHECK:       %0 = rlx.scatter_nd add %x, %i, %u : (tensor<4x3xf32>, tensor<5x1xi64>, tensor<5x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:  %1 = rlx.scatter_nd max %0, %i, %u : (tensor<4x3xf32>, tensor<5x1xi64>, tensor<5x3xf32>) -> tensor<4x3xf32>
func.func @scatter_nd(%x: tensor<4x3xf32>, %i: tensor<5x1xi64>, %u: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %0 = rlx.scatter_nd add %x, %i, %u : (tensor<4x3xf32>, tensor<5x1xi64>, tensor<5x3xf32>) -> tensor<4x3xf32>
  %1 = rlx.scatter_nd max %0, %i, %u : (tensor<4x3xf32>, tensor<5x1xi64>, tensor<5x3xf32>) -> tensor<4x3xf32>
  func.return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: @scatter_nd_of_elements
// CHECK:       %0 = rlx.scatter_nd none %x, %i, %u : (tensor<?x3xi32>, tensor<?x2xi64>, tensor<?xi32>) -> tensor<?x3xi32>
func.func @scatter_nd_of_elements(%x: tensor<?x3xi32>, %i: tensor<?x2xi64>, %u: tensor<?xi32>) -> tensor<?x3xi32> {
  %0 = rlx.scatter_nd none %x, %i, %u : (tensor<?x3xi32>, tensor<?x2xi64>, tensor<?xi32>) -> tensor<?x3xi32>
  func.return %0 : tensor<?x3xi32>
}

// CHECK-LABEL: @scatter_elements
// CHECK:       %0 = rlx.scatter_elements mul %x, %i, %u axis(0) : (tensor<4x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:  %1 = rlx.scatter_elements min %0, %i, %u axis(0) : (tensor<4x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
func.func @scatter_elements(%x: tensor<4x3xf32>, %i: tensor<2x3xi32>, %u: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = rlx.scatter_elements mul %x, %i, %u axis(0) : (tensor<4x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = rlx.scatter_elements min %0, %i, %u axis(0) : (tensor<4x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  func.return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: @scatter_elements_of_unknown_many
// CHECK:       %0 = rlx.scatter_elements none %x, %i, %u axis(-1) : (tensor<?x3xf32>, tensor<2x?xi32>, tensor<2x?xf32>) -> tensor<?x3xf32>
func.func @scatter_elements_of_unknown_many(%x: tensor<?x3xf32>, %i: tensor<2x?xi32>, %u: tensor<2x?xf32>) -> tensor<?x3xf32> {
  %0 = rlx.scatter_elements none %x, %i, %u axis(-1) : (tensor<?x3xf32>, tensor<2x?xi32>, tensor<2x?xf32>) -> tensor<?x3xf32>
  func.return %0 : tensor<?x3xf32>
}
