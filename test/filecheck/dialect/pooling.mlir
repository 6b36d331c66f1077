// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @max
// CHECK:       %0 = rlx.pool max %x kernel [3, 2] : tensor<2x3x7x6xf32> -> tensor<2x3x5x5xf32>
// CHECK-NEXT:  %1 = rlx.pool max %y kernel [3, 2] stride [2, 2] pad([1, 0], [0, 1]) dilation [2, 1] : tensor<?x3x?x6xbf16> -> tensor<?x3x?x3xbf16>
// CHECK-NEXT:  %2 = rlx.pool max %z kernel [2] stride [2] layout(channels_last) ceil : tensor<2x5x3xi32> -> tensor<2x3x3xi32>
// GENERIC:     "rlx.pool"(%x) <{kind = "max", kernel = array<i64: 3, 2>, stride = array<i64>, pad_low = array<i64>, pad_high = array<i64>, dilation = array<i64>, layout = "channels_first"}>
func.func @max(%x: tensor<2x3x7x6xf32>, %y: tensor<?x3x?x6xbf16>, %z: tensor<2x5x3xi32>) -> tensor<2x3x5x5xf32> {
  %0 = rlx.pool max %x kernel [3, 2] : tensor<2x3x7x6xf32> -> tensor<2x3x5x5xf32>
  %1 = rlx.pool max %y kernel [3, 2] stride [2, 2] pad([1, 0], [0, 1]) dilation [2, 1] : tensor<?x3x?x6xbf16> -> tensor<?x3x?x3xbf16>
  %2 = rlx.pool max %z kernel [2] stride [2] layout(channels_last) ceil : tensor<2x5x3xi32> -> tensor<2x3x3xi32>
  func.return %0 : tensor<2x3x5x5xf32>
}

// CHECK-LABEL: @avg
// CHECK:       %0 = rlx.pool avg %x kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil : tensor<?x3x6x8xf16> -> tensor<?x3x4x5xf16>
// CHECK-NEXT:  %1 = rlx.pool avg %x kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil count_include_pad accumulate(f64) : tensor<?x3x6x8xf16> -> tensor<?x3x4x5xf16>
// CHECK-NEXT:  %2 = rlx.pool avg %y kernel [2, 2, 2] pad([0, 1, 0], [0, 1, 0]) layout(channels_last) : tensor<1x3x4x5x2xf32> -> tensor<1x2x5x4x2xf32>
// GENERIC:     "rlx.pool"(%x) <{kind = "avg", kernel = array<i64: 3, 3>
// GENERIC:     count_include_pad
func.func @avg(%x: tensor<?x3x6x8xf16>, %y: tensor<1x3x4x5x2xf32>) -> tensor<?x3x4x5xf16> {
  %0 = rlx.pool avg %x kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil : tensor<?x3x6x8xf16> -> tensor<?x3x4x5xf16>
  %1 = rlx.pool avg %x kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil count_include_pad accumulate(f64) : tensor<?x3x6x8xf16> -> tensor<?x3x4x5xf16>
  %2 = rlx.pool avg %y kernel [2, 2, 2] pad([0, 1, 0], [0, 1, 0]) layout(channels_last) : tensor<1x3x4x5x2xf32> -> tensor<1x2x5x4x2xf32>
  func.return %0 : tensor<?x3x4x5xf16>
}

// No window fits; nothing to see but pads.
// CHECK-LABEL: @edges
// CHECK:       %0 = rlx.pool avg %x kernel [4] : tensor<2x3x3xf32> -> tensor<2x3x0xf32>
// CHECK-NEXT:  %1 = rlx.pool max %y kernel [2] pad([1], [1]) : tensor<2x3x0xf32> -> tensor<2x3x1xf32>
func.func @edges(%x: tensor<2x3x3xf32>, %y: tensor<2x3x0xf32>) -> tensor<2x3x0xf32> {
  %0 = rlx.pool avg %x kernel [4] : tensor<2x3x3xf32> -> tensor<2x3x0xf32>
  %1 = rlx.pool max %y kernel [2] pad([1], [1]) : tensor<2x3x0xf32> -> tensor<2x3x1xf32>
  func.return %0 : tensor<2x3x0xf32>
}

// CHECK-LABEL: @backward
// CHECK:       %0 = rlx.max_pool_backward %x, %g kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil : (tensor<?x3x6x8xf32>, tensor<?x3x4x5xf32>) -> tensor<?x3x6x8xf32>
// CHECK-NEXT:  %1 = rlx.max_pool_backward %y, %h kernel [2] layout(channels_last) : (tensor<2x5x3xf64>, tensor<2x4x3xf64>) -> tensor<2x5x3xf64>
// CHECK-NEXT:  %2 = rlx.max_pool_backward %z, %k kernel [2, 1, 2] dilation [1, 1, 2] : (tensor<1x1x3x2x4xf32>, tensor<1x1x2x2x2xf32>) -> tensor<1x1x3x2x4xf32>
// GENERIC:     "rlx.max_pool_backward"(%x, %g) <{kernel = array<i64: 3, 3>
func.func @backward(%x: tensor<?x3x6x8xf32>, %g: tensor<?x3x4x5xf32>, %y: tensor<2x5x3xf64>, %h: tensor<2x4x3xf64>, %z: tensor<1x1x3x2x4xf32>, %k: tensor<1x1x2x2x2xf32>) -> tensor<?x3x6x8xf32> {
  %0 = rlx.max_pool_backward %x, %g kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil : (tensor<?x3x6x8xf32>, tensor<?x3x4x5xf32>) -> tensor<?x3x6x8xf32>
  %1 = rlx.max_pool_backward %y, %h kernel [2] layout(channels_last) : (tensor<2x5x3xf64>, tensor<2x4x3xf64>) -> tensor<2x5x3xf64>
  %2 = rlx.max_pool_backward %z, %k kernel [2, 1, 2] dilation [1, 1, 2] : (tensor<1x1x3x2x4xf32>, tensor<1x1x2x2x2xf32>) -> tensor<1x1x3x2x4xf32>
  func.return %0 : tensor<?x3x6x8xf32>
}

// CHECK-LABEL: @im2col
// CHECK:       %0 = rlx.im2col %x kernel [3, 2] stride [2, 1] pad([1, 0], [1, 1]) : tensor<?x3x6x8xf16> -> tensor<?x18x3x8xf16>
// CHECK-NEXT:  %1 = rlx.im2col %y kernel [2] dilation [3] layout(channels_last) : tensor<2x5x3xi8> -> tensor<2x2x6xi8>
// CHECK-NEXT:  %2 = rlx.im2col %z kernel [2, 2] : tensor<1x?x?x4xf32> -> tensor<1x?x?x3xf32>
// GENERIC:     "rlx.im2col"(%x) <{kernel = array<i64: 3, 2>
func.func @im2col(%x: tensor<?x3x6x8xf16>, %y: tensor<2x5x3xi8>, %z: tensor<1x?x?x4xf32>) -> tensor<?x18x3x8xf16> {
  %0 = rlx.im2col %x kernel [3, 2] stride [2, 1] pad([1, 0], [1, 1]) : tensor<?x3x6x8xf16> -> tensor<?x18x3x8xf16>
  %1 = rlx.im2col %y kernel [2] dilation [3] layout(channels_last) : tensor<2x5x3xi8> -> tensor<2x2x6xi8>
  %2 = rlx.im2col %z kernel [2, 2] : tensor<1x?x?x4xf32> -> tensor<1x?x?x3xf32>
  func.return %0 : tensor<?x18x3x8xf16>
}

// CHECK-LABEL: @known_sizes
// CHECK:       %0 = rlx.pool max %x kernel [3, 2] stride [2, 2] pad([1, 1], [1, 1]) ceil : tensor<2x3x6x5xf32> -> tensor<2x3x4x3xf32>
// CHECK-NEXT:  %1 = rlx.pool avg %x kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil : tensor<2x3x6x5xf32> -> tensor<2x3x4x3xf32>
// CHECK-NEXT:  %2 = rlx.pool avg %x kernel [3, 3] stride [2, 2] pad([1, 0], [0, 2]) ceil count_include_pad : tensor<2x3x6x5xf32> -> tensor<2x3x3x3xf32>
// CHECK-NEXT:  %3 = rlx.pool max %y kernel [2, 2, 2] dilation [1, 2, 1] layout(channels_last) : tensor<1x4x5x4x2xf32> -> tensor<1x3x3x3x2xf32>
// CHECK-NEXT:  %4 = rlx.pool avg %y kernel [2, 2, 2] pad([1, 1, 1], [1, 1, 1]) layout(channels_last) : tensor<1x4x5x4x2xf32> -> tensor<1x5x6x5x2xf32>
// CHECK-NEXT:  %5 = rlx.pool max %i kernel [3] pad([2], [2]) : tensor<2x3x7xi32> -> tensor<2x3x9xi32>
// CHECK-NEXT:  %6 = rlx.max_pool_backward %x, %0 kernel [3, 2] stride [2, 2] pad([1, 1], [1, 1]) ceil : (tensor<2x3x6x5xf32>, tensor<2x3x4x3xf32>) -> tensor<2x3x6x5xf32>
// CHECK-NEXT:  %7 = rlx.im2col %x kernel [2, 3] stride [2, 1] pad([1, 1], [1, 1]) dilation [2, 1] : tensor<2x3x6x5xf32> -> tensor<2x18x3x5xf32>
// CHECK-NEXT:  %8 = rlx.im2col %y kernel [2, 2, 2] layout(channels_last) : tensor<1x4x5x4x2xf32> -> tensor<1x3x4x3x16xf32>
func.func @known_sizes(%x: tensor<2x3x6x5xf32>, %y: tensor<1x4x5x4x2xf32>, %i: tensor<2x3x7xi32>) -> (tensor<2x3x4x3xf32>, tensor<2x3x4x3xf32>, tensor<2x3x3x3xf32>, tensor<1x3x3x3x2xf32>, tensor<1x5x6x5x2xf32>, tensor<2x3x9xi32>, tensor<2x3x6x5xf32>, tensor<2x18x3x5xf32>, tensor<1x3x4x3x16xf32>) {
  %0 = rlx.pool max %x kernel [3, 2] stride [2, 2] pad([1, 1], [1, 1]) ceil : tensor<2x3x6x5xf32> -> tensor<2x3x4x3xf32>
  %1 = rlx.pool avg %x kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil : tensor<2x3x6x5xf32> -> tensor<2x3x4x3xf32>
  %2 = rlx.pool avg %x kernel [3, 3] stride [2, 2] pad([1, 0], [0, 2]) ceil count_include_pad : tensor<2x3x6x5xf32> -> tensor<2x3x3x3xf32>
  %3 = rlx.pool max %y kernel [2, 2, 2] dilation [1, 2, 1] layout(channels_last) : tensor<1x4x5x4x2xf32> -> tensor<1x3x3x3x2xf32>
  %4 = rlx.pool avg %y kernel [2, 2, 2] pad([1, 1, 1], [1, 1, 1]) layout(channels_last) : tensor<1x4x5x4x2xf32> -> tensor<1x5x6x5x2xf32>
  %5 = rlx.pool max %i kernel [3] pad([2], [2]) : tensor<2x3x7xi32> -> tensor<2x3x9xi32>
  %6 = rlx.max_pool_backward %x, %0 kernel [3, 2] stride [2, 2] pad([1, 1], [1, 1]) ceil : (tensor<2x3x6x5xf32>, tensor<2x3x4x3xf32>) -> tensor<2x3x6x5xf32>
  %7 = rlx.im2col %x kernel [2, 3] stride [2, 1] pad([1, 1], [1, 1]) dilation [2, 1] : tensor<2x3x6x5xf32> -> tensor<2x18x3x5xf32>
  %8 = rlx.im2col %y kernel [2, 2, 2] layout(channels_last) : tensor<1x4x5x4x2xf32> -> tensor<1x3x4x3x16xf32>
  func.return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x3x4x3xf32>, tensor<2x3x4x3xf32>, tensor<2x3x3x3xf32>, tensor<1x3x3x3x2xf32>, tensor<1x5x6x5x2xf32>, tensor<2x3x9xi32>, tensor<2x3x6x5xf32>, tensor<2x18x3x5xf32>, tensor<1x3x4x3x16xf32>
}
