// RUN: rlx-opt --convert-rlx-to-linalg --rlx-fuse-elementwise --rlx-bufferize --rlx-flatten-convolutions --split-input-file %s | filecheck %s

// Tap (i, j) of a window reads the column of the window and 6 i + j elements on. Two columns between rows are no windows.

// CHECK-LABEL: @image(
// CHECK:       memref.collapse_shape %{{.*}} [[0 : i64, 1 : i64, 2 : i64], [3 : i64, 4 : i64]] : memref<1x1x2x6x6xf32> into memref<2x36xf32>
// CHECK:       %[[wide:[0-9]+]] = memref.alloc() : memref<1x1x4x4x6xf32>
// CHECK:       %[[out:[0-9]+]] = memref.subview %{{.*}}[0, 0] [4, 22] [1, 1] : memref<4x24xf32> to memref<4x22xf32, strided<[24, 1]>>
// CHECK:       linalg.generic
// CHECK-SAME:  (d0, d1, d2) -> ((d2 floordiv 9), (d1 + ((((d2 floordiv 3) mod 3) * 6) + (d2 mod 3))))
// CHECK-SAME:  outs(%[[out]] :
// CHECK:       memref.subview %[[wide]][0, 0, 0, 0, 0] [1, 1, 4, 4, 4]
func.func @image(%x: tensor<1x2x6x6xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x4x4xf32> {
  %0 = rlx.conv %x, %w : (tensor<1x2x6x6xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x4x4xf32>
  func.return %0 : tensor<1x4x4x4xf32>
}

// -----

// A kernel of one element is a plain product, in place.

// CHECK-LABEL: @pointwise(
// CHECK-NOT:   memref.alloc
// CHECK:       linalg.generic
// CHECK-SAME:  iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME:  : memref<8x4xf32>, memref<4x36xf32>) outs(%{{[0-9]+}} : memref<8x36xf32>)
func.func @pointwise(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x1x1xf32>) -> tensor<1x8x6x6xf32> {
  %0 = rlx.conv %x, %w : (tensor<1x4x6x6xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x6x6xf32>
  func.return %0 : tensor<1x8x6x6xf32>
}

// -----

// With a stride, the elements that are read together are brought together.

// CHECK-LABEL: @strided(
// CHECK:       memref.alloc() : memref<1x1x2x2x2x5x5xf32>
// CHECK-COUNT-4: "memref.copy"(
// CHECK:       linalg.generic
// CHECK-SAME:  : memref<4x18xf32>, memref<2x100xf32>)
func.func @strided(%x: tensor<1x2x9x9xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x4x4xf32> {
  %0 = rlx.conv %x, %w stride[2, 2] : (tensor<1x2x9x9xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x4x4xf32>
  func.return %0 : tensor<1x4x4x4xf32>
}

// -----

// Sizes that only a run knows stay loops over windows.

// CHECK-LABEL: @open(
// CHECK:       "reduction", "reduction", "reduction"]
func.func @open(%x: tensor<1x2x?x6xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x?x4xf32> {
  %0 = rlx.conv %x, %w : (tensor<1x2x?x6xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x?x4xf32>
  func.return %0 : tensor<1x4x?x4xf32>
}
