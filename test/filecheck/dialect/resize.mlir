// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @nearest2x
// CHECK:       %0 = rlx.resize_nearest2x %x : tensor<?x3x?x5xf32> -> tensor<?x3x?x10xf32>
// CHECK-NEXT:  %1 = rlx.resize_nearest2x %y : tensor<1x0x2x0xi8> -> tensor<1x0x4x0xi8>
// GENERIC:     "rlx.resize_nearest2x"(%x) : (tensor<?x3x?x5xf32>) -> tensor<?x3x?x10xf32>
func.func @nearest2x(%x: tensor<?x3x?x5xf32>, %y: tensor<1x0x2x0xi8>) -> (tensor<?x3x?x10xf32>, tensor<1x0x4x0xi8>) {
  %0 = rlx.resize_nearest2x %x : tensor<?x3x?x5xf32> -> tensor<?x3x?x10xf32>
  %1 = rlx.resize_nearest2x %y : tensor<1x0x2x0xi8> -> tensor<1x0x4x0xi8>
  func.return %0, %1 : tensor<?x3x?x10xf32>, tensor<1x0x4x0xi8>
}

// CHECK-LABEL: @resize
// CHECK:       %0 = rlx.resize nearest %x axes [2, 3] size [6, 7] : tensor<?x3x4x5xf32> -> tensor<?x3x6x7xf32>
// CHECK-NEXT:  %1 = rlx.resize nearest %z axes [1] scales [1.6] coordinates(asymmetric) rounding(floor) : tensor<2x4xi8> -> tensor<2x6xi8>
// CHECK-NEXT:  %2 = rlx.resize linear %x axes [-1, 2] scales [2.0, 0.6] coordinates(align_corners) exclude_outside : tensor<?x3x4x5xf32> -> tensor<?x3x2x10xf32>
// CHECK-NEXT:  %3 = rlx.resize cubic %y axes [2, 3] size [3, 9] cubic_coefficient(-0.5) : tensor<?x?x4x5xbf16> -> tensor<?x?x3x9xbf16>
// CHECK-NEXT:  %4 = rlx.resize linear %u axes [2] scales [0.5] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:  %5 = rlx.resize linear %e axes [0] size [0] : tensor<0x2xf32> -> tensor<0x2xf32>
// GENERIC:     "rlx.resize"(%x) <{mode = "nearest", axes = array<i64: 2, 3>, size = array<i64: 6, 7>, coordinates = "half_pixel", rounding = "round_prefer_floor", cubic_coefficient = -7.500000e-01 : f64}>
func.func @resize(%x: tensor<?x3x4x5xf32>, %y: tensor<?x?x4x5xbf16>, %z: tensor<2x4xi8>, %u: tensor<?x?x?xf64>, %e: tensor<0x2xf32>) -> tensor<?x3x6x7xf32> {
  %0 = rlx.resize nearest %x axes [2, 3] size [6, 7] : tensor<?x3x4x5xf32> -> tensor<?x3x6x7xf32>
  %1 = rlx.resize nearest %z axes [1] scales [1.6] coordinates(asymmetric) rounding(floor) : tensor<2x4xi8> -> tensor<2x6xi8>
  %2 = rlx.resize linear %x axes [-1, 2] scales [2, 0.6] coordinates(align_corners) exclude_outside : tensor<?x3x4x5xf32> -> tensor<?x3x2x10xf32>
  %3 = rlx.resize cubic %y axes [2, 3] size [3, 9] cubic_coefficient(-0.5) : tensor<?x?x4x5xbf16> -> tensor<?x?x3x9xbf16>
  %4 = rlx.resize linear %u axes [2] scales [0.5] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %5 = rlx.resize linear %e axes [0] size [0] : tensor<0x2xf32> -> tensor<0x2xf32>
  func.return %0 : tensor<?x3x6x7xf32>
}

// CHECK-LABEL: @known_sizes
// CHECK:       %0 = rlx.resize_nearest2x %x : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
// CHECK-NEXT:  %1 = rlx.resize nearest %x axes [2, 3] size [7, 3] : tensor<2x3x4x5xf32> -> tensor<2x3x7x3xf32>
// CHECK-NEXT:  %2 = rlx.resize nearest %i axes [1] size [9] coordinates(asymmetric) rounding(ceil) : tensor<3x4xi16> -> tensor<3x9xi16>
// CHECK-NEXT:  %3 = rlx.resize linear %x axes [2, 3] size [7, 3] : tensor<2x3x4x5xf32> -> tensor<2x3x7x3xf32>
// CHECK-NEXT:  %4 = rlx.resize linear %x axes [3] scales [1.7] coordinates(align_corners) : tensor<2x3x4x5xf32> -> tensor<2x3x4x8xf32>
// CHECK-NEXT:  %5 = rlx.resize cubic %x axes [3, 2] size [9, 6] cubic_coefficient(-0.5) exclude_outside : tensor<2x3x4x5xf32> -> tensor<2x3x6x9xf32>
// CHECK-NEXT:  %6 = rlx.resize cubic %x axes [2] scales [0.8] coordinates(half_pixel_symmetric) : tensor<2x3x4x5xf32> -> tensor<2x3x3x5xf32>
// CHECK-NEXT:  %7 = rlx.resize linear %x axes [2] size [1] coordinates(pytorch_half_pixel) : tensor<2x3x4x5xf32> -> tensor<2x3x1x5xf32>
func.func @known_sizes(%x: tensor<2x3x4x5xf32>, %i: tensor<3x4xi16>) -> (tensor<2x3x8x10xf32>, tensor<2x3x7x3xf32>, tensor<3x9xi16>, tensor<2x3x7x3xf32>, tensor<2x3x4x8xf32>, tensor<2x3x6x9xf32>, tensor<2x3x3x5xf32>, tensor<2x3x1x5xf32>) {
  %0 = rlx.resize_nearest2x %x : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
  %1 = rlx.resize nearest %x axes [2, 3] size [7, 3] : tensor<2x3x4x5xf32> -> tensor<2x3x7x3xf32>
  %2 = rlx.resize nearest %i axes [1] size [9] coordinates(asymmetric) rounding(ceil) : tensor<3x4xi16> -> tensor<3x9xi16>
  %3 = rlx.resize linear %x axes [2, 3] size [7, 3] : tensor<2x3x4x5xf32> -> tensor<2x3x7x3xf32>
  %4 = rlx.resize linear %x axes [3] scales [1.7] coordinates(align_corners) : tensor<2x3x4x5xf32> -> tensor<2x3x4x8xf32>
  %5 = rlx.resize cubic %x axes [3, 2] size [9, 6] cubic_coefficient(-0.5) exclude_outside : tensor<2x3x4x5xf32> -> tensor<2x3x6x9xf32>
  %6 = rlx.resize cubic %x axes [2] scales [0.8] coordinates(half_pixel_symmetric) : tensor<2x3x4x5xf32> -> tensor<2x3x3x5xf32>
  %7 = rlx.resize linear %x axes [2] size [1] coordinates(pytorch_half_pixel) : tensor<2x3x4x5xf32> -> tensor<2x3x1x5xf32>
  func.return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3x8x10xf32>, tensor<2x3x7x3xf32>, tensor<3x9xi16>, tensor<2x3x7x3xf32>, tensor<2x3x4x8xf32>, tensor<2x3x6x9xf32>, tensor<2x3x3x5xf32>, tensor<2x3x1x5xf32>
}

// CHECK-LABEL: @crop
// CHECK:       %0 = rlx.resize linear %x axes [1, 0] size [5, 4] coordinates(crop) region [0.25, 0.0, 1.5, 1.0] : tensor<2x8xf32> -> tensor<4x5xf32>
func.func @crop(%x: tensor<2x8xf32>) -> tensor<4x5xf32> {
  %0 = rlx.resize linear %x axes [1, 0] size [5, 4] coordinates(crop) region [0.25, 0, 1.5, 1] : tensor<2x8xf32> -> tensor<4x5xf32>
  func.return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: @antialias
// CHECK:       %0 = rlx.resize linear %x axes [1] size [3] antialias : tensor<2x8xf32> -> tensor<2x3xf32>
// CHECK-NEXT:  %1 = rlx.resize cubic %x axes [1] scales [0.3] exclude_outside antialias : tensor<2x8xf32> -> tensor<2x2xf32>
func.func @antialias(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x2xf32>) {
  %0 = rlx.resize linear %x axes [1] size [3] antialias : tensor<2x8xf32> -> tensor<2x3xf32>
  %1 = rlx.resize cubic %x axes [1] scales [0.3] exclude_outside antialias : tensor<2x8xf32> -> tensor<2x2xf32>
  func.return %0, %1 : tensor<2x3xf32>, tensor<2x2xf32>
}
