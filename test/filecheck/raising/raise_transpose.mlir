// RUN: rlx-opt --rlx-raise-transpose %s | filecheck %s

// Batch and heads are joined while keys are turned, as PyTorch's exporter writes it.
// CHECK-LABEL: @joined_and_split
// CHECK-NEXT:  %0 = rlx.transpose %x [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
// CHECK-NEXT:  func.return %0
func.func @joined_and_split(%x: tensor<2x4x5x8xf32>) -> tensor<2x4x8x5xf32> {
  %0 = rlx.reshape %x : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<8x5x8xf32> -> tensor<8x8x5xf32>
  %2 = rlx.reshape %1 : tensor<8x8x5xf32> -> tensor<2x4x8x5xf32>
  func.return %2 : tensor<2x4x8x5xf32>
}

// The joined axes may be moved, and lie anywhere.
// CHECK-LABEL: @moved_together
// CHECK-NEXT:  %0 = rlx.transpose %x [0, 3, 1, 2] : tensor<2x3x4x5xf32> -> tensor<2x5x3x4xf32>
// CHECK-NEXT:  func.return %0
func.func @moved_together(%x: tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<2x12x5xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<2x12x5xf32> -> tensor<2x5x12xf32>
  %2 = rlx.reshape %1 : tensor<2x5x12xf32> -> tensor<2x5x3x4xf32>
  func.return %2 : tensor<2x5x3x4xf32>
}

// Two groups change places.
// CHECK-LABEL: @two_groups
// CHECK-NEXT:  %0 = rlx.transpose %x [2, 3, 0, 1] : tensor<2x3x4x5xf32> -> tensor<4x5x2x3xf32>
// CHECK-NEXT:  func.return %0
func.func @two_groups(%x: tensor<2x3x4x5xf32>) -> tensor<4x5x2x3xf32> {
  %0 = rlx.reshape %x : tensor<2x3x4x5xf32> -> tensor<6x20xf32>
  %1 = rlx.transpose %0 [1, 0] : tensor<6x20xf32> -> tensor<20x6xf32>
  %2 = rlx.reshape %1 : tensor<20x6xf32> -> tensor<4x5x2x3xf32>
  func.return %2 : tensor<4x5x2x3xf32>
}

// An axis of one element lies anywhere.
// CHECK-LABEL: @axis_of_one
// CHECK-NEXT:  %0 = rlx.transpose %x [0, 3, 1, 2] : tensor<2x1x4x5xf32> -> tensor<2x5x1x4xf32>
// CHECK-NEXT:  func.return %0
func.func @axis_of_one(%x: tensor<2x1x4x5xf32>) -> tensor<2x5x1x4xf32> {
  %0 = rlx.reshape %x : tensor<2x1x4x5xf32> -> tensor<2x4x5xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<2x4x5xf32> -> tensor<2x5x4xf32>
  %2 = rlx.reshape %1 : tensor<2x5x4xf32> -> tensor<2x5x1x4xf32>
  func.return %2 : tensor<2x5x1x4xf32>
}

// Sizes that only a run knows: the joined one is their product.
// CHECK-LABEL: @any_sizes
// CHECK-NEXT:  %0 = rlx.transpose %x [0, 1, 3, 2] : tensor<?x4x?x8xf32> -> tensor<?x4x8x?xf32>
// CHECK-NEXT:  func.return %0
func.func @any_sizes(%x: tensor<?x4x?x8xf32>) -> tensor<?x4x8x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %b = tensor.dim %x, %c0 : tensor<?x4x?x8xf32>
  %s = tensor.dim %x, %c2 : tensor<?x4x?x8xf32>
  %bh = arith.muli %c4, %b : index
  %0 = rlx.reshape %x sizes(%bh, %s) : tensor<?x4x?x8xf32> -> tensor<?x?x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<?x?x8xf32> -> tensor<?x8x?xf32>
  %2 = rlx.reshape %1 sizes(%b, %s) : tensor<?x8x?xf32> -> tensor<?x4x8x?xf32>
  func.return %2 : tensor<?x4x8x?xf32>
}

// Sizes are followed to where they come from: another argument with axes of the same names, the sizes of a reshape before.
// CHECK-LABEL: @sizes_of_another_value
// CHECK:       %[[SPLIT:.*]] = rlx.reshape %y
// CHECK-NEXT:  %[[HEADS:.*]] = rlx.transpose %[[SPLIT]] [0, 2, 1, 3] : tensor<?x?x4x8xf32> -> tensor<?x4x?x8xf32>
// CHECK-NEXT:  %[[TURNED:.*]] = rlx.transpose %[[HEADS]] [0, 1, 3, 2] : tensor<?x4x?x8xf32> -> tensor<?x4x8x?xf32>
// CHECK-NEXT:  func.return %[[TURNED]]
func.func @sizes_of_another_value(%x: tensor<?x?x32xf32> {rlx.dims = ["b", "s", 32]}, %m: tensor<?x?xi1> {rlx.dims = ["b", "s"]}) -> tensor<?x4x8x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %b = tensor.dim %m, %c0 : tensor<?x?xi1>
  %s = tensor.dim %m, %c1 : tensor<?x?xi1>
  %xb = tensor.dim %x, %c0 : tensor<?x?x32xf32>
  %bh = arith.muli %xb, %c4 : index
  %y = rlx.activation relu %x : tensor<?x?x32xf32>
  %0 = rlx.reshape %y sizes(%b, %s) : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<?x?x4x8xf32> -> tensor<?x4x?x8xf32>
  %2 = rlx.reshape %1 sizes(%bh, %s) : tensor<?x4x?x8xf32> -> tensor<?x?x8xf32>
  %3 = rlx.transpose %2 [0, 2, 1] : tensor<?x?x8xf32> -> tensor<?x8x?xf32>
  %4 = rlx.reshape %3 sizes(%xb, %s) : tensor<?x8x?xf32> -> tensor<?x4x8x?xf32>
  func.return %4 : tensor<?x4x8x?xf32>
}

// What was joined is read elsewhere too: it costs nothing and stays.
// CHECK-LABEL: @joined_is_read
// CHECK-NEXT:  %0 = rlx.reshape %x
// CHECK-NEXT:  %1 = rlx.transpose %x [0, 1, 3, 2]
// CHECK-NEXT:  func.return %1, %0
func.func @joined_is_read(%x: tensor<2x4x5x8xf32>) -> (tensor<2x4x8x5xf32>, tensor<8x5x8xf32>) {
  %0 = rlx.reshape %x : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<8x5x8xf32> -> tensor<8x8x5xf32>
  %2 = rlx.reshape %1 : tensor<8x8x5xf32> -> tensor<2x4x8x5xf32>
  func.return %2, %0 : tensor<2x4x8x5xf32>, tensor<8x5x8xf32>
}

// The joined axis is split into other axes.
// CHECK-LABEL: @split_otherwise
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @split_otherwise(%x: tensor<2x4x5x8xf32>) -> tensor<4x2x8x5xf32> {
  %0 = rlx.reshape %x : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<8x5x8xf32> -> tensor<8x8x5xf32>
  %2 = rlx.reshape %1 : tensor<8x8x5xf32> -> tensor<4x2x8x5xf32>
  func.return %2 : tensor<4x2x8x5xf32>
}

// The first reshape splits an axis and joins a part of it.
// CHECK-LABEL: @joined_across
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @joined_across(%x: tensor<2x6x5xf32>) -> tensor<2x5x6xf32> {
  %0 = rlx.reshape %x : tensor<2x6x5xf32> -> tensor<4x3x5xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<4x3x5xf32> -> tensor<4x5x3xf32>
  %2 = rlx.reshape %1 : tensor<4x5x3xf32> -> tensor<2x5x6xf32>
  func.return %2 : tensor<2x5x6xf32>
}

// The axes are not split again.
// CHECK-LABEL: @stays_joined
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @stays_joined(%x: tensor<2x4x5x8xf32>) -> tensor<64x5xf32> {
  %0 = rlx.reshape %x : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<8x5x8xf32> -> tensor<8x8x5xf32>
  %2 = rlx.reshape %1 : tensor<8x8x5xf32> -> tensor<64x5xf32>
  func.return %2 : tensor<64x5xf32>
}

// One axis of size 1 more than there was.
// CHECK-LABEL: @another_axis_of_one
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @another_axis_of_one(%x: tensor<2x4x5xf32>) -> tensor<5x1x2x4xf32> {
  %0 = rlx.reshape %x : tensor<2x4x5xf32> -> tensor<8x5xf32>
  %1 = rlx.transpose %0 [1, 0] : tensor<8x5xf32> -> tensor<5x8xf32>
  %2 = rlx.reshape %1 : tensor<5x8xf32> -> tensor<5x1x2x4xf32>
  func.return %2 : tensor<5x1x2x4xf32>
}

// Axes of one element alone change places: that is no transpose, and reshapes are free.
// CHECK-LABEL: @keeps_the_order
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @keeps_the_order(%x: tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
  %0 = rlx.reshape %x : tensor<1x2x3xf32> -> tensor<1x6xf32>
  %1 = rlx.transpose %0 [1, 0] : tensor<1x6xf32> -> tensor<6x1xf32>
  %2 = rlx.reshape %1 : tensor<6x1xf32> -> tensor<1x2x3xf32>
  func.return %2 : tensor<1x2x3xf32>
}

// Sizes that are not known to be those of the axes.
// CHECK-LABEL: @sizes_nobody_knows
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @sizes_nobody_knows(%x: tensor<?x4x?x8xf32>, %y: tensor<?x?xf32>) -> tensor<?x4x8x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %b = tensor.dim %y, %c0 : tensor<?x?xf32>
  %s = tensor.dim %y, %c1 : tensor<?x?xf32>
  %bh = arith.muli %c4, %b : index
  %0 = rlx.reshape %x sizes(%bh, %s) : tensor<?x4x?x8xf32> -> tensor<?x?x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<?x?x8xf32> -> tensor<?x8x?xf32>
  %2 = rlx.reshape %1 sizes(%b, %s) : tensor<?x8x?xf32> -> tensor<?x4x8x?xf32>
  func.return %2 : tensor<?x4x8x?xf32>
}

// The joined size is read from one axis, the split from another.
// CHECK-LABEL: @sizes_change_places
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @sizes_change_places(%x: tensor<?x?x8xf32>) -> tensor<8x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %ab = arith.muli %a, %b : index
  %0 = rlx.reshape %x sizes(%ab) : tensor<?x?x8xf32> -> tensor<?x8xf32>
  %1 = rlx.transpose %0 [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>
  %2 = rlx.reshape %1 sizes(%b, %a) : tensor<8x?xf32> -> tensor<8x?x?xf32>
  func.return %2 : tensor<8x?x?xf32>
}

// An empty axis: every size would do for those joined with it.
// CHECK-LABEL: @empty
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @empty(%x: tensor<0x4x5xf32>) -> tensor<5x0x4xf32> {
  %0 = rlx.reshape %x : tensor<0x4x5xf32> -> tensor<0x5xf32>
  %1 = rlx.transpose %0 [1, 0] : tensor<0x5xf32> -> tensor<5x0xf32>
  %2 = rlx.reshape %1 : tensor<5x0xf32> -> tensor<5x0x4xf32>
  func.return %2 : tensor<5x0x4xf32>
}

// What was moved is read twice: two transposes would move it.
// CHECK-LABEL: @moved_is_read
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @moved_is_read(%x: tensor<2x4x5x8xf32>) -> (tensor<2x4x8x5xf32>, tensor<8x8x5xf32>) {
  %0 = rlx.reshape %x : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<8x5x8xf32> -> tensor<8x8x5xf32>
  %2 = rlx.reshape %1 : tensor<8x8x5xf32> -> tensor<2x4x8x5xf32>
  func.return %2, %1 : tensor<2x4x8x5xf32>, tensor<8x8x5xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK:       rlx.reshape
// CHECK-NEXT:  rlx.transpose
// CHECK-NEXT:  rlx.reshape
func.func @fenced_off(%x: tensor<2x4x5x8xf32>) -> tensor<2x4x8x5xf32> {
  %0 = rlx.reshape %x : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
  %1 = rlx.transpose %0 [0, 2, 1] {rlx.no_fuse} : tensor<8x5x8xf32> -> tensor<8x8x5xf32>
  %2 = rlx.reshape %1 : tensor<8x8x5xf32> -> tensor<2x4x8x5xf32>
  func.return %2 : tensor<2x4x8x5xf32>
}

// The halves of a packed product, taken by an axis of their own.
// CHECK-LABEL: @slice_of_split
// CHECK-NEXT:  %0 = rlx.narrow %x axis(2) start(24) length(24) : tensor<2x6x48xf32> -> tensor<2x6x24xf32>
// CHECK-NEXT:  func.return %0
func.func @slice_of_split(%x: tensor<2x6x48xf32>) -> tensor<2x6x24xf32> {
  %0 = rlx.reshape %x : tensor<2x6x48xf32> -> tensor<2x6x2x24xf32>
  %1 = rlx.narrow %0 axis(2) start(1) length(1) : tensor<2x6x2x24xf32> -> tensor<2x6x1x24xf32>
  %2 = rlx.reshape %1 : tensor<2x6x1x24xf32> -> tensor<2x6x24xf32>
  func.return %2 : tensor<2x6x24xf32>
}

// The keys of a packed projection.
// CHECK-LABEL: @heads_of_split
// CHECK-NEXT:  %0 = rlx.narrow %x axis(2) start(32) length(32) : tensor<2x6x96xf32> -> tensor<2x6x32xf32>
// CHECK-NEXT:  %1 = rlx.reshape %0 : tensor<2x6x32xf32> -> tensor<2x6x4x8xf32>
// CHECK-NEXT:  func.return %1
func.func @heads_of_split(%x: tensor<2x6x96xf32>) -> tensor<2x6x4x8xf32> {
  %0 = rlx.reshape %x : tensor<2x6x96xf32> -> tensor<2x6x3x4x8xf32>
  %1 = rlx.narrow %0 axis(2) start(1) length(1) : tensor<2x6x3x4x8xf32> -> tensor<2x6x1x4x8xf32>
  %2 = rlx.reshape %1 : tensor<2x6x1x4x8xf32> -> tensor<2x6x4x8xf32>
  func.return %2 : tensor<2x6x4x8xf32>
}

// Every second element: no slice of the last axis.
// CHECK-LABEL: @every_second
// CHECK:       rlx.narrow %0 axis(3)
func.func @every_second(%x: tensor<2x6x48xf32>) -> tensor<2x6x24xf32> {
  %0 = rlx.reshape %x : tensor<2x6x48xf32> -> tensor<2x6x24x2xf32>
  %1 = rlx.narrow %0 axis(3) start(1) length(1) : tensor<2x6x24x2xf32> -> tensor<2x6x24x1xf32>
  %2 = rlx.reshape %1 : tensor<2x6x24x1xf32> -> tensor<2x6x24xf32>
  func.return %2 : tensor<2x6x24xf32>
}

// The slice is read as it lies as well.
// MISS: RLX-F003 returned
// CHECK-LABEL: @slice_is_read
// CHECK:       rlx.narrow %0 axis(2)
func.func @slice_is_read(%x: tensor<2x6x48xf32>) -> (tensor<2x6x24xf32>, tensor<2x6x1x24xf32>) {
  %0 = rlx.reshape %x : tensor<2x6x48xf32> -> tensor<2x6x2x24xf32>
  %1 = rlx.narrow %0 axis(2) start(1) length(1) : tensor<2x6x2x24xf32> -> tensor<2x6x1x24xf32>
  %2 = rlx.reshape %1 : tensor<2x6x1x24xf32> -> tensor<2x6x24xf32>
  func.return %2, %1 : tensor<2x6x24xf32>, tensor<2x6x1x24xf32>
}
