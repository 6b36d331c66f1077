// RUN: rlx-opt --rlx-raise-resize-nearest2x %s | filecheck %s

// CHECK-LABEL: @both_axes
// CHECK-NEXT:  %0 = rlx.resize_nearest2x %x : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
// CHECK-NEXT:  func.return %0
func.func @both_axes(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x1x5x1xf32>
  %1 = rlx.expand %0 : tensor<2x3x4x1x5x1xf32> -> tensor<2x3x4x2x5x2xf32>
  %2 = rlx.reshape %1 : tensor<2x3x4x2x5x2xf32> -> tensor<2x3x8x10xf32>
  func.return %2 : tensor<2x3x8x10xf32>
}

// The height by an expand, the width by a join with itself.
// CHECK-LABEL: @one_axis_after_the_other
// CHECK-NEXT:  %0 = rlx.resize_nearest2x %x : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
// CHECK-NEXT:  func.return %0
func.func @one_axis_after_the_other(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x1x5xf32>
  %1 = rlx.expand %0 : tensor<2x3x4x1x5xf32> -> tensor<2x3x4x2x5xf32>
  %2 = rlx.reshape %1 : tensor<2x3x4x2x5xf32> -> tensor<2x3x8x5xf32>
  %3 = rlx.reshape %2 : tensor<2x3x8x5xf32> -> tensor<2x3x8x5x1xf32>
  %4 = rlx.concat %3, %3 axis(4) : (tensor<2x3x8x5x1xf32>, tensor<2x3x8x5x1xf32>) -> tensor<2x3x8x5x2xf32>
  %5 = rlx.reshape %4 : tensor<2x3x8x5x2xf32> -> tensor<2x3x8x10xf32>
  func.return %5 : tensor<2x3x8x10xf32>
}

// Ones that are put in one at a time, as PyTorch exports `x[:, :, :, None, :, None].expand(...)`.
// CHECK-LABEL: @ones_one_at_a_time
// CHECK-NEXT:  %0 = rlx.resize_nearest2x %x : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
// CHECK-NEXT:  func.return %0
func.func @ones_one_at_a_time(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x1x5xf32>
  %1 = rlx.reshape %0 : tensor<2x3x4x1x5xf32> -> tensor<2x3x4x1x5x1xf32>
  %2 = rlx.expand %1 : tensor<2x3x4x1x5x1xf32> -> tensor<2x3x4x2x5x2xf32>
  %3 = rlx.reshape %2 : tensor<2x3x4x2x5x2xf32> -> tensor<2x3x8x10xf32>
  func.return %3 : tensor<2x3x8x10xf32>
}

// An axis of one that is tiled, as PyTorch exports `repeat_interleave`.
// CHECK-LABEL: @tiles
// CHECK-NEXT:  %0 = rlx.resize_nearest2x %x : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
// CHECK-NEXT:  func.return %0
func.func @tiles(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x1x5xf32>
  %1 = rlx.tile %0 repeats [1, 1, 1, 2, 1] : tensor<2x3x4x1x5xf32> -> tensor<2x3x4x2x5xf32>
  %2 = rlx.reshape %1 : tensor<2x3x4x2x5xf32> -> tensor<2x3x8x5xf32>
  %3 = rlx.reshape %2 : tensor<2x3x8x5xf32> -> tensor<2x3x8x5x1xf32>
  %4 = rlx.tile %3 repeats [1, 1, 1, 1, 2] : tensor<2x3x8x5x1xf32> -> tensor<2x3x8x5x2xf32>
  %5 = rlx.reshape %4 : tensor<2x3x8x5x2xf32> -> tensor<2x3x8x10xf32>
  func.return %5 : tensor<2x3x8x10xf32>
}

// Rows that are tiled as a whole.
// CHECK-LABEL: @tiled_rows
// CHECK-NOT:   resize_nearest2x
// CHECK:       rlx.tile
func.func @tiled_rows(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<2x3x1x4x1x5xf32>
  %1 = rlx.tile %0 repeats [1, 1, 2, 1, 2, 1] : tensor<2x3x1x4x1x5xf32> -> tensor<2x3x2x4x2x5xf32>
  %2 = rlx.reshape %1 : tensor<2x3x2x4x2x5xf32> -> tensor<2x3x8x10xf32>
  func.return %2 : tensor<2x3x8x10xf32>
}

// Indices that are constants, the width first.
// CHECK-LABEL: @gathers
// CHECK-NEXT:  %0 = rlx.resize_nearest2x %x : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
// CHECK-NEXT:  func.return %0
func.func @gathers(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %i = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3]> : tensor<8xi32>
  %j = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]> : tensor<10xi32>
  %0 = rlx.gather %x, %j axis(3) : (tensor<2x3x4x5xf32>, tensor<10xi32>) -> tensor<2x3x4x10xf32>
  %1 = rlx.gather %0, %i axis(2) : (tensor<2x3x4x10xf32>, tensor<8xi32>) -> tensor<2x3x8x10xf32>
  func.return %1 : tensor<2x3x8x10xf32>
}

// CHECK-LABEL: @batch_unknown
// CHECK:       rlx.resize_nearest2x %x : tensor<?x3x4x5xf32> -> tensor<?x3x8x10xf32>
func.func @batch_unknown(%x: tensor<?x3x4x5xf32>) -> tensor<?x3x8x10xf32> {
  %c = arith.constant 0 : index
  %n = tensor.dim %x, %c : tensor<?x3x4x5xf32>
  %0 = rlx.reshape %x sizes(%n) : tensor<?x3x4x5xf32> -> tensor<?x3x4x1x5x1xf32>
  %1 = rlx.expand %0 sizes(%n) : tensor<?x3x4x1x5x1xf32> -> tensor<?x3x4x2x5x2xf32>
  %2 = rlx.reshape %1 sizes(%n) : tensor<?x3x4x2x5x2xf32> -> tensor<?x3x8x10xf32>
  func.return %2 : tensor<?x3x8x10xf32>
}

// K38: only what takes each pixel twice.
// CHECK-LABEL: @k38_asymmetric_floor
// CHECK-NEXT:  %0 = rlx.resize_nearest2x %x : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
// CHECK-NEXT:  func.return %0
func.func @k38_asymmetric_floor(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.resize nearest %x axes [2, 3] scales [2.0, 2.0] coordinates(asymmetric) rounding(floor) : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
  func.return %0 : tensor<2x3x8x10xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @k38_half_pixel_floor
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @k38_half_pixel_floor(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.resize nearest %x axes [2, 3] scales [2.0, 2.0] rounding(floor) : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
  func.return %0 : tensor<2x3x8x10xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @k38_half_pixel_ceil
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @k38_half_pixel_ceil(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.resize nearest %x axes [2, 3] scales [2.0, 2.0] rounding(ceil) : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
  func.return %0 : tensor<2x3x8x10xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @asymmetric_ceil
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @asymmetric_ceil(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.resize nearest %x axes [2, 3] scales [2.0, 2.0] coordinates(asymmetric) rounding(ceil) : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
  func.return %0 : tensor<2x3x8x10xf32>
}

// The centre of each new pixel lies in the old one.
// CHECK-LABEL: @half_pixel_round
// CHECK-NEXT:  %0 = rlx.resize_nearest2x %x : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
// CHECK-NEXT:  func.return %0
func.func @half_pixel_round(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.resize nearest %x axes [2, 3] size [8, 10] : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
  func.return %0 : tensor<2x3x8x10xf32>
}

// CHECK-LABEL: @sizes_unknown
// CHECK-NEXT:  %0 = rlx.resize_nearest2x %x : tensor<?x3x?x?xf32> -> tensor<?x3x?x?xf32>
func.func @sizes_unknown(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> {
  %0 = rlx.resize nearest %x axes [2, 3] scales [2.0, 2.0] coordinates(asymmetric) rounding(floor) : tensor<?x3x?x?xf32> -> tensor<?x3x?x?xf32>
  func.return %0 : tensor<?x3x?x?xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @sizes_unknown_and_half_pixel_ceil
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @sizes_unknown_and_half_pixel_ceil(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> {
  %0 = rlx.resize nearest %x axes [2, 3] scales [2.0, 2.0] rounding(ceil) : tensor<?x3x?x?xf32> -> tensor<?x3x?x?xf32>
  func.return %0 : tensor<?x3x?x?xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @sizes_unknown_and_other_scale
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @sizes_unknown_and_other_scale(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> {
  %0 = rlx.resize nearest %x axes [2, 3] scales [2.0, 3.0] coordinates(asymmetric) rounding(floor) : tensor<?x3x?x?xf32> -> tensor<?x3x?x?xf32>
  func.return %0 : tensor<?x3x?x?xf32>
}

// CHECK-LABEL: @linear
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @linear(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.resize linear %x axes [2, 3] scales [2.0, 2.0] : tensor<2x3x4x5xf32> -> tensor<2x3x8x10xf32>
  func.return %0 : tensor<2x3x8x10xf32>
}

// Tiles: 0, 1, 0, 1.
// CHECK-LABEL: @rows_as_a_whole
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @rows_as_a_whole(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<2x3x1x4x1x5xf32>
  %1 = rlx.expand %0 : tensor<2x3x1x4x1x5xf32> -> tensor<2x3x2x4x2x5xf32>
  %2 = rlx.reshape %1 : tensor<2x3x2x4x2x5xf32> -> tensor<2x3x8x10xf32>
  func.return %2 : tensor<2x3x8x10xf32>
}

// CHECK-LABEL: @joined_as_a_whole
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @joined_as_a_whole(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %0 = rlx.concat %x, %x axis(3) : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x10xf32>
  %1 = rlx.concat %0, %0 axis(2) : (tensor<2x3x4x10xf32>, tensor<2x3x4x10xf32>) -> tensor<2x3x8x10xf32>
  func.return %1 : tensor<2x3x8x10xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @height_only
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @height_only(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x5xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x1x5xf32>
  %1 = rlx.expand %0 : tensor<2x3x4x1x5xf32> -> tensor<2x3x4x2x5xf32>
  %2 = rlx.reshape %1 : tensor<2x3x4x2x5xf32> -> tensor<2x3x8x5xf32>
  func.return %2 : tensor<2x3x8x5xf32>
}

// CHECK-LABEL: @three_times
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @three_times(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x12x15xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<2x3x4x1x5x1xf32>
  %1 = rlx.expand %0 : tensor<2x3x4x1x5x1xf32> -> tensor<2x3x4x3x5x3xf32>
  %2 = rlx.reshape %1 : tensor<2x3x4x3x5x3xf32> -> tensor<2x3x12x15xf32>
  func.return %2 : tensor<2x3x12x15xf32>
}

// The last row is the third once more.
// MISS: RLX-F025 constant
// CHECK-LABEL: @other_indices
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @other_indices(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x8x10xf32> {
  %i = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 2]> : tensor<8xi32>
  %j = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]> : tensor<10xi32>
  %0 = rlx.gather %x, %i axis(2) : (tensor<2x3x4x5xf32>, tensor<8xi32>) -> tensor<2x3x8x5xf32>
  %1 = rlx.gather %0, %j axis(3) : (tensor<2x3x8x5xf32>, tensor<10xi32>) -> tensor<2x3x8x10xf32>
  func.return %1 : tensor<2x3x8x10xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @height_read_elsewhere
// CHECK-NOT:   rlx.resize_nearest2x
// CHECK:       func.return
func.func @height_read_elsewhere(%x: tensor<2x3x4x5xf32>) -> (tensor<2x3x8x10xf32>, tensor<2x3x8x5xf32>) {
  %i = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3]> : tensor<8xi32>
  %j = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]> : tensor<10xi32>
  %0 = rlx.gather %x, %i axis(2) : (tensor<2x3x4x5xf32>, tensor<8xi32>) -> tensor<2x3x8x5xf32>
  %1 = rlx.gather %0, %j axis(3) : (tensor<2x3x8x5xf32>, tensor<10xi32>) -> tensor<2x3x8x10xf32>
  func.return %1, %0 : tensor<2x3x8x10xf32>, tensor<2x3x8x5xf32>
}
