// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @result_element(%w: tensor<2x6x4xi8>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_moe_weights: result must have one of the element types f32, f16, bf16, f64, got tensor<2x6x4xi8>}}
  %0 = rlx.dequant_moe_weights plain %w, %s : (tensor<2x6x4xi8>, tensor<f32>) -> tensor<2x6x4xi8>
  func.return
}

// -----

func.func @weights_rank(%w: tensor<6x4xi8>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_moe_weights: weights must have rank 3, got tensor<6x4xi8>}}
  %0 = rlx.dequant_moe_weights plain %w, %s : (tensor<6x4xi8>, tensor<f32>) -> tensor<6x4xf32>
  func.return
}

// -----

func.func @weights_element(%w: tensor<2x6x4xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_moe_weights: weights must have one of the element types i8, ui8, f8E4M3FN, f8E5M2, got tensor<2x6x4xi32>}}
  %0 = rlx.dequant_moe_weights plain %w, %s : (tensor<2x6x4xi32>, tensor<f32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @packed_element(%w: tensor<2x3x4xi8>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_moe_weights: weights must have element type ui8, got i8}}
  %0 = rlx.dequant_moe_weights int4 %w, %s : (tensor<2x3x4xi8>, tensor<f32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @packed_rows(%w: tensor<2x3x4xui8>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_moe_weights: result #0 must be tensor<2x6x4xf32>, got tensor<2x3x4xf32>}}
  %0 = rlx.dequant_moe_weights fp4 %w, %s : (tensor<2x3x4xui8>, tensor<f32>) -> tensor<2x3x4xf32>
  func.return
}

// -----

func.func @too_many_rows(%w: tensor<1x9223372036854775807x1xui8>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_moe_weights: the result would have a dim of 18446744073709551614, more than the 9223372036854775807 that fit}}
  %0 = rlx.dequant_moe_weights int4 %w, %s : (tensor<1x9223372036854775807x1xui8>, tensor<f32>) -> tensor<1x1x1xf32>
  func.return
}

// -----

func.func @scale_element(%w: tensor<2x6x4xi8>, %s: tensor<f16>) {
  // expected-error @below {{rlx.dequant_moe_weights: scale must have element type f32, got f16}}
  %0 = rlx.dequant_moe_weights plain %w, %s : (tensor<2x6x4xi8>, tensor<f16>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @scale_rank(%w: tensor<2x6x4xi8>, %s: tensor<4xf32>) {
  // expected-error @below {{rlx.dequant_moe_weights: scale must have rank 2, got tensor<4xf32>}}
  %0 = rlx.dequant_moe_weights plain %w, %s : (tensor<2x6x4xi8>, tensor<4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @scale_experts(%w: tensor<2x6x4xi8>, %s: tensor<3x4xf32>) {
  // expected-error @below {{rlx.dequant_moe_weights: dim 0 of scale tensor<3x4xf32> and dim 0 of tensor<2x6x4xf32> must be equal, got 3 and 2}}
  %0 = rlx.dequant_moe_weights plain %w, %s : (tensor<2x6x4xi8>, tensor<3x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @scale_columns(%w: tensor<2x6x4xi8>, %s: tensor<2x6xf32>) {
  // expected-error @below {{rlx.dequant_moe_weights: dim 1 of scale tensor<2x6xf32> and dim 2 of tensor<2x6x4xf32> must be equal, got 6 and 4}}
  %0 = rlx.dequant_moe_weights plain %w, %s : (tensor<2x6x4xi8>, tensor<2x6xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @block(%w: tensor<2x6x4xi8>, %s: tensor<2x6x4xf32>) {
  // expected-error @below {{rlx.dequant_moe_weights: block must be 1 or more and needs an axis, got 0}}
  %0 = rlx.dequant_moe_weights plain %w, %s block(0) : (tensor<2x6x4xi8>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @blocks(%w: tensor<2x3x4xui8>, %s: tensor<2x3x4xf32>) {
  // expected-error @below {{rlx.dequant_moe_weights: dim 1 of scale tensor<2x3x4xf32> and what blocks of 4 of tensor<2x6x4xf32> need must be equal, got 3 and 2}}
  %0 = rlx.dequant_moe_weights int4 %w, %s block(4) : (tensor<2x3x4xui8>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @blocks_rank(%w: tensor<2x6x4xi8>, %s: tensor<2x2xf32>) {
  // expected-error @below {{rlx.dequant_moe_weights: scale must have rank 3, got tensor<2x2xf32>}}
  %0 = rlx.dequant_moe_weights plain %w, %s block(4) : (tensor<2x6x4xi8>, tensor<2x2xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @zero_point_element(%w: tensor<2x6x4xui8>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @below {{rlx.dequant_moe_weights: zero_point must have element type ui8, got i8}}
  %0 = rlx.dequant_moe_weights plain %w, %s zero_point(%z : tensor<i8>) : (tensor<2x6x4xui8>, tensor<f32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @zero_point_rank(%w: tensor<2x6x4xi8>, %s: tensor<2x4xf32>, %z: tensor<2xi8>) {
  // expected-error @below {{rlx.dequant_moe_weights: zero_point must have rank 2, got tensor<2xi8>}}
  %0 = rlx.dequant_moe_weights plain %w, %s zero_point(%z : tensor<2xi8>) : (tensor<2x6x4xi8>, tensor<2x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @zero_point_dims(%w: tensor<2x6x4xi8>, %s: tensor<2x4xf32>, %z: tensor<2x6xi8>) {
  // expected-error @below {{rlx.dequant_moe_weights: dim 1 of zero_point tensor<2x6xi8> and scale tensor<2x4xf32> must be equal, got 6 and 4}}
  %0 = rlx.dequant_moe_weights plain %w, %s zero_point(%z : tensor<2x6xi8>) : (tensor<2x6x4xi8>, tensor<2x4xf32>) -> tensor<2x6x4xf32>
  func.return
}

// -----

func.func @fp4_zero_point(%w: tensor<2x3x4xui8>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @below {{rlx.dequant_moe_weights: fp4 takes no zero_point}}
  %0 = rlx.dequant_moe_weights fp4 %w, %s zero_point(%z : tensor<i8>) : (tensor<2x3x4xui8>, tensor<f32>) -> tensor<2x6x4xf32>
  func.return
}
