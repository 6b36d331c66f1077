// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @beyond_the_end(%x: tensor<2x6xf32>) {
  // expected-error @below {{rlx.slice: 3 entries from 1 in steps of 3 leave dim 1 of tensor<2x6xf32>}}
  %0 = rlx.slice %x starts [0, 1] steps [1, 3] : tensor<2x6xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @before_the_start(%x: tensor<?xf32>) {
  // expected-error @below {{rlx.slice: 3 entries from 1 in steps of -1 leave dim 0 of tensor<?xf32>}}
  %0 = rlx.slice %x starts [1] steps [-1] : tensor<?xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @no_step(%x: tensor<6xf32>) {
  // expected-error @below {{rlx.slice: steps must not be 0, got [0]}}
  %0 = rlx.slice %x starts [1] steps [0] : tensor<6xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @start_missing(%x: tensor<2x6xf32>) {
  // expected-error @below {{rlx.slice: starts needs an entry for each dim of tensor<2x6xf32>, got [0]}}
  %0 = rlx.slice %x starts [0] steps [1, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return
}

// -----

func.func @slice_to_other_elements(%x: tensor<6xf32>) {
  // expected-error @below {{rlx.slice: result must have element type f32, got i32}}
  %0 = rlx.slice %x starts [0] steps [1] : tensor<6xf32> -> tensor<6xi32>
  func.return
}

// -----

func.func @slice_loses_a_dim(%x: tensor<2x6xf32>) {
  // expected-error @below {{rlx.slice: result must have rank 2, got tensor<6xf32>}}
  %0 = rlx.slice %x starts [0, 0] steps [1, 1] : tensor<2x6xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @dynamic_slice_too_long(%x: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error @below {{rlx.dynamic_slice: length 5 does not fit into dim 0 of tensor<4xf32>}}
  %0 = rlx.dynamic_slice %x starts(%i) lengths [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @dynamic_start_missing(%x: tensor<4x4xf32>, %i: tensor<i32>) {
  // expected-error @below {{rlx.dynamic_slice: needs one start for each dim of tensor<4x4xf32>, 2, got 1}}
  %0 = rlx.dynamic_slice %x starts(%i) lengths [1, 1] : (tensor<4x4xf32>, tensor<i32>) -> tensor<1x1xf32>
  func.return
}

// -----

func.func @dynamic_start_is_no_scalar(%x: tensor<4xf32>, %i: tensor<1xi32>) {
  // expected-error @below {{rlx.dynamic_slice: start 0 must have rank 0, got tensor<1xi32>}}
  %0 = rlx.dynamic_slice %x starts(%i) lengths [1] : (tensor<4xf32>, tensor<1xi32>) -> tensor<1xf32>
  func.return
}

// -----

func.func @dynamic_start_is_no_integer(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @below {{rlx.dynamic_slice: start 0 must be integers, got tensor<f32>}}
  %0 = rlx.dynamic_slice %x starts(%i) lengths [1] : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  func.return
}

// -----

func.func @update_too_large(%x: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error @below {{rlx.dynamic_update_slice: dim 0 of update tensor<5xf32> does not fit into tensor<4xf32>}}
  %0 = rlx.dynamic_update_slice %x, %u starts(%i) : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @reverse_twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.reverse: axes of input must not repeat, got [1, 1]}}
  %0 = rlx.reverse %x axes [1, -1] : tensor<2x3xf32>
  func.return
}

// -----

func.func @pad_below_nothing(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.pad: dim 1 of tensor<2x3xf32> would get the size -1}}
  %0 = rlx.pad constant %x low [0, -2] high [0, -2] value(0.0) : tensor<2x3xf32> -> tensor<2x0xf32>
  func.return
}

// -----

func.func @pad_beyond_all_sizes(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.pad: dim 1 of tensor<2x3xf32> would get the size 9223372036854775810}}
  %0 = rlx.pad constant %x low [0, 0] high [0, 9223372036854775807] value(0.0) : tensor<2x3xf32> -> tensor<2x?xf32>
  func.return
}

// -----

func.func @pad_mirrors_too_much(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.pad: dim 1 of tensor<2x3xf32> has 2 entries to mirror, not 3}}
  %0 = rlx.pad reflect %x low [0, 3] high [0, 0] : tensor<2x3xf32> -> tensor<2x6xf32>
  func.return
}

// -----

func.func @pad_repeats_nothing(%x: tensor<0xf32>) {
  // expected-error @below {{rlx.pad: dim 0 of tensor<0xf32> has no entry to repeat}}
  %0 = rlx.pad circular %x low [1] high [0] : tensor<0xf32> -> tensor<1xf32>
  func.return
}

// -----

func.func @pad_takes_away(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.pad: replicate cannot take entries away, got -1 and 0 for dim 0}}
  %0 = rlx.pad replicate %x low [-1] high [0] : tensor<3xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @pad_with_a_useless_value(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.pad: constant needs a value and other modes have none, got replicate}}
  %0 = rlx.pad replicate %x low [1] high [0] value(0.0) : tensor<3xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @pad_with_the_wrong_number(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.pad: value must be a real number for tensor<3xf32>, got 0; write 0.0}}
  %0 = rlx.pad constant %x low [1] high [0] value(0) : tensor<3xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @tile_negatively(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.tile: repeats must not be negative, got [-1]}}
  %0 = rlx.tile %x repeats [-1] : tensor<3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @tile_beyond_all_sizes(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.tile: tensor<4xf32> repeated [4611686018427387904] times has a dim beyond 9223372036854775807}}
  %0 = rlx.tile %x repeats [4611686018427387904] : tensor<4xf32> -> tensor<?xf32>
  func.return
}

// -----

func.func @roll_without_an_axis(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.roll: needs one shift for each axis, got [1, 2] and [0]}}
  %0 = rlx.roll %x shifts [1, 2] axes [0] : tensor<3xf32>
  func.return
}

// -----

func.func @no_matrix(%x: tensor<3xf32>) {
  // expected-error @below {{rlx.trilu: input must have rank 2 or more, got tensor<3xf32>}}
  %0 = rlx.trilu upper %x diagonal(0) : tensor<3xf32>
  func.return
}

// -----

func.func @dynamic_starts_of_two_types(%x: tensor<4x4xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  %0 = rlx.dynamic_slice %x starts(%i, %j) lengths [1, 1] : (tensor<4x4xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>
  // Found where the op has been read.
  // expected-error @below {{attribute tensor<i32> expected from variable 'S', but got tensor<i64>}}
  func.return
}

// -----

func.func @reverse_axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.reverse: axes 2 is out of range for input of rank 2}}
  %0 = rlx.reverse %x axes [2] : tensor<2x3xf32>
  func.return
}

// -----

func.func @roll_axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.roll: axes 2 is out of range for input of rank 2}}
  %0 = rlx.roll %x shifts [1] axes [2] : tensor<2x3xf32>
  func.return
}

// -----

func.func @slice_steps(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.slice: steps needs an entry for each dim of tensor<2x3xf32>, got [1]}}
  %0 = rlx.slice %x starts [0, 0] steps [1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @dynamic_lengths(%x: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @below {{rlx.dynamic_slice: lengths needs an entry for each dim of tensor<2x3xf32>, got [2]}}
  %0 = rlx.dynamic_slice %x starts(%i, %i) lengths [2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @update_element(%x: tensor<4xf32>, %u: tensor<2xf16>, %i: tensor<i64>) {
  // expected-error @below {{rlx.dynamic_update_slice: update must have element type f32, got f16}}
  %0 = rlx.dynamic_update_slice %x, %u starts(%i) : (tensor<4xf32>, tensor<2xf16>, tensor<i64>) -> tensor<4xf32>
  func.return
}

// -----

func.func @update_rank(%x: tensor<4xf32>, %u: tensor<2x1xf32>, %i: tensor<i64>) {
  // expected-error @below {{rlx.dynamic_update_slice: update must have rank 1, got tensor<2x1xf32>}}
  %0 = rlx.dynamic_update_slice %x, %u starts(%i) : (tensor<4xf32>, tensor<2x1xf32>, tensor<i64>) -> tensor<4xf32>
  func.return
}

// -----

func.func @update_starts(%x: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i64>) {
  // expected-error @below {{rlx.dynamic_update_slice: needs one start for each dim of tensor<4xf32>, 1, got 2}}
  %0 = rlx.dynamic_update_slice %x, %u starts(%i, %i) : (tensor<4xf32>, tensor<2xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  func.return
}

// -----

func.func @pad_high(%x: tensor<2x4xf32>) {
  // expected-error @below {{rlx.pad: high needs an entry for each dim of tensor<2x4xf32>, got [0]}}
  %0 = rlx.pad constant %x low [1, 0] high [0] value(0.5) : tensor<2x4xf32> -> tensor<3x4xf32>
  func.return
}

// -----

func.func @pad_low(%x: tensor<2x4xf32>) {
  // expected-error @below {{rlx.pad: low needs an entry for each dim of tensor<2x4xf32>, got [1]}}
  %0 = rlx.pad constant %x low [1] high [0, 0] value(0.5) : tensor<2x4xf32> -> tensor<3x4xf32>
  func.return
}

// -----

func.func @tile_repeats(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.tile: repeats needs an entry for each dim of tensor<2x3xf32>, got [2]}}
  %0 = rlx.tile %x repeats [2] : tensor<2x3xf32> -> tensor<4x3xf32>
  func.return
}
