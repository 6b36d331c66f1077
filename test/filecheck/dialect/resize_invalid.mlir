// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @nearest2x_rank(%x: tensor<3x4x5xf32>) {
  // expected-error @below {{rlx.resize_nearest2x: input must have rank 4, got tensor<3x4x5xf32>}}
  %0 = rlx.resize_nearest2x %x : tensor<3x4x5xf32> -> tensor<3x8x10xf32>
  func.return
}

// -----

func.func @nearest2x_result(%x: tensor<1x3x4x5xf32>) {
  // expected-error @below {{rlx.resize_nearest2x: result #0 must be tensor<1x3x8x10xf32>, got tensor<1x3x8x5xf32>}}
  %0 = rlx.resize_nearest2x %x : tensor<1x3x4x5xf32> -> tensor<1x3x8x5xf32>
  func.return
}

// -----

func.func @nearest2x_size(%x: tensor<1x1x5000000000000000000x1xf32>) {
  // expected-error @below {{rlx.resize_nearest2x: the result would have a dim of 10000000000000000000, more than the 9223372036854775807 that fit}}
  %0 = rlx.resize_nearest2x %x : tensor<1x1x5000000000000000000x1xf32> -> tensor<1x1x?x2xf32>
  func.return
}

// -----

func.func @mode(%x: tensor<4xf32>) {
  %0 = rlx.resize area %x axes [0] size [2] : tensor<4xf32> -> tensor<2xf32>
  // expected-error @below {{expected one of nearest, linear, cubic, got "area"}}
  func.return
}

// -----

func.func @neither(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: needs either size or scales}}
  %0 = rlx.resize linear %x axes [0] : tensor<4xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @both(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: needs either size or scales}}
  %0 = rlx.resize linear %x axes [0] size [2] scales [0.5] : tensor<4xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @count(%x: tensor<4x4xf32>) {
  // expected-error @below {{rlx.resize: needs a size or a scale for each of the axes [0, 1], got [2]}}
  %0 = rlx.resize linear %x axes [0, 1] size [2] : tensor<4x4xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @axis(%x: tensor<4x4xf32>) {
  // expected-error @below {{rlx.resize: axes 2 is out of range for input of rank 2}}
  %0 = rlx.resize linear %x axes [2] size [2] : tensor<4x4xf32> -> tensor<4x4xf32>
  func.return
}

// -----

func.func @twice(%x: tensor<4x4xf32>) {
  // expected-error @below {{rlx.resize: axes of input must not repeat, got [1, 1]}}
  %0 = rlx.resize linear %x axes [1, -1] size [2, 2] : tensor<4x4xf32> -> tensor<4x2xf32>
  func.return
}

// -----

func.func @scale(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: scales must be positive and finite, got -1.0}}
  %0 = rlx.resize linear %x axes [0] scales [-1.0] : tensor<4xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @size(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: size must not be negative, got [-1]}}
  %0 = rlx.resize linear %x axes [0] size [-1] : tensor<4xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @from_nothing(%x: tensor<0xf32>) {
  // expected-error @below {{rlx.resize: dim 0 of [0] is empty and cannot become 3}}
  %0 = rlx.resize linear %x axes [0] size [3] : tensor<0xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @integers(%x: tensor<4xi32>) {
  // expected-error @below {{rlx.resize: input must have a float element type, got tensor<4xi32>}}
  %0 = rlx.resize linear %x axes [0] size [3] : tensor<4xi32> -> tensor<3xi32>
  func.return
}

// -----

func.func @outside(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: exclude_outside is for linear and cubic: nearest weighs nothing}}
  %0 = rlx.resize nearest %x axes [0] size [3] exclude_outside : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @rounding(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: rounding is for nearest, got floor with linear}}
  %0 = rlx.resize linear %x axes [0] size [3] rounding(floor) : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @scaled_beyond(%x: tensor<1x1x4x4xf32>) {
  // expected-error @below {{rlx.resize: the result would have a dim of 4e+30, more than the 9223372036854775807 that fit}}
  %0 = rlx.resize nearest %x axes [2, 3] scales [1.0e30, 1.0] coordinates(asymmetric) rounding(floor) : tensor<1x1x4x4xf32> -> tensor<1x1x?x4xf32>
  func.return
}

// -----

func.func @antialiased_nearest(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: antialias is for linear and cubic: nearest weighs nothing}}
  %0 = rlx.resize nearest %x axes [0] size [3] antialias : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @region_without_crop(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: region and coordinates(crop) must come together}}
  %0 = rlx.resize linear %x axes [0] size [3] region [0.0, 1.0] : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @crop_without_region(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: region and coordinates(crop) must come together}}
  %0 = rlx.resize linear %x axes [0] size [3] coordinates(crop) : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @cropped_nearest(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: crop is for linear and cubic: nearest weighs nothing}}
  %0 = rlx.resize nearest %x axes [0] size [3] coordinates(crop) region [0.0, 1.0] : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @ends_of_region(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.resize: region needs 2 finite numbers, a start and an end for each axis, got [0.0]}}
  %0 = rlx.resize linear %x axes [0] size [3] coordinates(crop) region [0.0] : tensor<4xf32> -> tensor<3xf32>
  func.return
}
