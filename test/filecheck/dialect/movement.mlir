// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @slice
// CHECK:       %0 = rlx.slice %x starts [0, 5, 1] steps [1, -2, 1] sizes(%n) : tensor<2x6x?xf32> -> tensor<2x3x?xf32>
// GENERIC:     "rlx.slice"(%x, %n) <{starts = array<i64: 0, 5, 1>, steps = array<i64: 1, -2, 1>}> : (tensor<2x6x?xf32>, index) -> tensor<2x3x?xf32>
func.func @slice(%x: tensor<2x6x?xf32>, %n: index) -> tensor<2x3x?xf32> {
  %0 = rlx.slice %x starts [0, 5, 1] steps [1, -2, 1] sizes(%n) : tensor<2x6x?xf32> -> tensor<2x3x?xf32>
  func.return %0 : tensor<2x3x?xf32>
}

// Nothing may start at the end.
// CHECK-LABEL: @slice_of_nothing
// CHECK:       %0 = rlx.slice %x starts [4] steps [1] : tensor<4xi32> -> tensor<0xi32>
func.func @slice_of_nothing(%x: tensor<4xi32>) -> tensor<0xi32> {
  %0 = rlx.slice %x starts [4] steps [1] : tensor<4xi32> -> tensor<0xi32>
  func.return %0 : tensor<0xi32>
}

// CHECK-LABEL: @dynamic_slice
// CHECK:       %0 = rlx.dynamic_slice %x starts(%i, %j) lengths [2, 3] : (tensor<4x?xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
func.func @dynamic_slice(%x: tensor<4x?xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x3xf32> {
  %0 = rlx.dynamic_slice %x starts(%i, %j) lengths [2, 3] : (tensor<4x?xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @dynamic_slice_of_a_scalar
// CHECK:       %0 = rlx.dynamic_slice %x starts() lengths [] : (tensor<f32>) -> tensor<f32>
func.func @dynamic_slice_of_a_scalar(%x: tensor<f32>) -> tensor<f32> {
  %0 = rlx.dynamic_slice %x starts() lengths [] : (tensor<f32>) -> tensor<f32>
  func.return %0 : tensor<f32>
}

// CHECK-LABEL: @dynamic_update_slice
// CHECK:       %0 = rlx.dynamic_update_slice %x, %u starts(%i, %j) : (tensor<4x5xf32>, tensor<2x?xf32>, tensor<i64>, tensor<i64>) -> tensor<4x5xf32>
func.func @dynamic_update_slice(%x: tensor<4x5xf32>, %u: tensor<2x?xf32>, %i: tensor<i64>, %j: tensor<i64>) -> tensor<4x5xf32> {
  %0 = rlx.dynamic_update_slice %x, %u starts(%i, %j) : (tensor<4x5xf32>, tensor<2x?xf32>, tensor<i64>, tensor<i64>) -> tensor<4x5xf32>
  func.return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: @static_update
// CHECK:       %0 = rlx.dynamic_update_slice %x, %u starts(%i, %i) : (tensor<4x5xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x5xf32>
func.func @static_update(%x: tensor<4x5xf32>, %u: tensor<2x3xf32>, %i: tensor<i64>) -> tensor<4x5xf32> {
  %0 = rlx.dynamic_update_slice %x, %u starts(%i, %i) : (tensor<4x5xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x5xf32>
  func.return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: @reverse
// CHECK:       %0 = rlx.reverse %x axes [0, -1] : tensor<2x?x4xi8>
func.func @reverse(%x: tensor<2x?x4xi8>) -> tensor<2x?x4xi8> {
  %0 = rlx.reverse %x axes [0, -1] : tensor<2x?x4xi8>
  func.return %0 : tensor<2x?x4xi8>
}

// CHECK-LABEL: @pad
// CHECK:       %0 = rlx.pad constant %x low [1, -2] high [0, 1] value(0.5) : tensor<2x4xf32> -> tensor<3x3xf32>
// CHECK-NEXT:  %1 = rlx.pad constant %x low [0, 0] high [0, 1] value(neg_inf) : tensor<2x4xf32> -> tensor<2x5xf32>
// CHECK-NEXT:  %2 = rlx.pad reflect %x low [1, 3] high [0, 2] : tensor<2x4xf32> -> tensor<3x9xf32>
// CHECK-NEXT:  %3 = rlx.pad replicate %x low [2, 0] high [2, 0] : tensor<2x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT:  %4 = rlx.pad circular %x low [0, 5] high [0, 6] : tensor<2x4xf32> -> tensor<2x15xf32>
func.func @pad(%x: tensor<2x4xf32>) -> tensor<2x15xf32> {
  %0 = rlx.pad constant %x low [1, -2] high [0, 1] value(0.5) : tensor<2x4xf32> -> tensor<3x3xf32>
  %1 = rlx.pad constant %x low [0, 0] high [0, 1] value(neg_inf) : tensor<2x4xf32> -> tensor<2x5xf32>
  %2 = rlx.pad reflect %x low [1, 3] high [0, 2] : tensor<2x4xf32> -> tensor<3x9xf32>
  %3 = rlx.pad replicate %x low [2, 0] high [2, 0] : tensor<2x4xf32> -> tensor<6x4xf32>
  %4 = rlx.pad circular %x low [0, 5] high [0, 6] : tensor<2x4xf32> -> tensor<2x15xf32>
  func.return %4 : tensor<2x15xf32>
}

// CHECK-LABEL: @pad_of_integers
// CHECK:       %0 = rlx.pad constant %x low [1, 0] high [0, 0] value(-3) : tensor<?x4xi32> -> tensor<?x4xi32>
func.func @pad_of_integers(%x: tensor<?x4xi32>) -> tensor<?x4xi32> {
  %0 = rlx.pad constant %x low [1, 0] high [0, 0] value(-3) : tensor<?x4xi32> -> tensor<?x4xi32>
  func.return %0 : tensor<?x4xi32>
}

// CHECK-LABEL: @tile
// CHECK:       %0 = rlx.tile %x repeats [2, 1] : tensor<2x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT:  %1 = rlx.tile %y repeats [2, 2] : tensor<?x3xf32> -> tensor<?x6xf32>
func.func @tile(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x6xf32> {
  %0 = rlx.tile %x repeats [2, 1] : tensor<2x3xf32> -> tensor<4x3xf32>
  %1 = rlx.tile %y repeats [2, 2] : tensor<?x3xf32> -> tensor<?x6xf32>
  func.return %1 : tensor<?x6xf32>
}

// CHECK-LABEL: @roll
// CHECK:       %0 = rlx.roll %x shifts [1, -7] axes [0, 1] : tensor<3x?xf32>
func.func @roll(%x: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %0 = rlx.roll %x shifts [1, -7] axes [0, 1] : tensor<3x?xf32>
  func.return %0 : tensor<3x?xf32>
}

// CHECK-LABEL: @trilu
// CHECK:       %0 = rlx.trilu upper %x diagonal(1) : tensor<2x3x4xf32>
// CHECK-NEXT:  %1 = rlx.trilu lower %b diagonal(-1) : tensor<?x?xi1>
func.func @trilu(%x: tensor<2x3x4xf32>, %b: tensor<?x?xi1>) -> tensor<?x?xi1> {
  %0 = rlx.trilu upper %x diagonal(1) : tensor<2x3x4xf32>
  %1 = rlx.trilu lower %b diagonal(-1) : tensor<?x?xi1>
  func.return %1 : tensor<?x?xi1>
}

// CHECK-LABEL: @static_roll
// CHECK:       %0 = rlx.roll %x shifts [1, -7, 3] axes [0, 1, 2] : tensor<3x5x3xf32>
func.func @static_roll(%x: tensor<3x5x3xf32>) -> tensor<3x5x3xf32> {
  %0 = rlx.roll %x shifts [1, -7, 3] axes [0, 1, 2] : tensor<3x5x3xf32>
  func.return %0 : tensor<3x5x3xf32>
}

// All but numbers is taken away.
// CHECK-LABEL: @pad_of_what_is_gone
// CHECK:       %0 = rlx.pad constant %x low [-8] high [5] value(7.0) : tensor<6xf32> -> tensor<3xf32>
// CHECK-NEXT:  %1 = rlx.pad constant %x low [5] high [-8] value(7.0) : tensor<6xf32> -> tensor<3xf32>
func.func @pad_of_what_is_gone(%x: tensor<6xf32>) -> tensor<3xf32> {
  %0 = rlx.pad constant %x low [-8] high [5] value(7.0) : tensor<6xf32> -> tensor<3xf32>
  %1 = rlx.pad constant %x low [5] high [-8] value(7.0) : tensor<6xf32> -> tensor<3xf32>
  func.return %1 : tensor<3xf32>
}
