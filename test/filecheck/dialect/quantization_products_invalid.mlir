// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @contracted(%x: tensor<4x3xi8>, %y: tensor<4x4xi8>) {
  // expected-error @below {{rlx.qmatmul: the last dim of lhs and the last but one of rhs must be equal, got 3 and 4}}
  %0 = rlx.qmatmul %x, %y : (tensor<4x3xi8>, tensor<4x4xi8>) -> tensor<4x4xi32>
  func.return
}

// -----

func.func @zero_point_of_side(%x: tensor<4x4xi8>, %y: tensor<4x4xui8>, %z: tensor<i8>) {
  // expected-error @below {{rlx.qmatmul: rhs_zero_point must have element type ui8, got i8}}
  %0 = rlx.qmatmul %x, %y rhs_zero_point(%z : tensor<i8>) : (tensor<4x4xi8>, tensor<4x4xui8>) -> tensor<4x4xi32>
  func.return
}

// -----

func.func @zero_points_of_rows(%x: tensor<4x4xi8>, %y: tensor<4x4xui8>, %z: tensor<3xi8>) {
  // expected-error @below {{rlx.qmatmul: the size of lhs_zero_point tensor<3xi8> and dim 0 of tensor<4x4xi8> must be equal, got 3 and 4}}
  %0 = rlx.qmatmul %x, %y lhs_zero_point(%z : tensor<3xi8>) : (tensor<4x4xi8>, tensor<4x4xui8>) -> tensor<4x4xi32>
  func.return
}

// -----

func.func @zero_points_rank(%x: tensor<4x4xi8>, %y: tensor<4x4xui8>, %z: tensor<4x1xi8>) {
  // expected-error @below {{rlx.qmatmul: lhs_zero_point must have rank 1, got tensor<4x1xi8>}}
  %0 = rlx.qmatmul %x, %y lhs_zero_point(%z : tensor<4x1xi8>) : (tensor<4x4xi8>, tensor<4x4xui8>) -> tensor<4x4xi32>
  func.return
}

// -----

func.func @weight_rank(%x: tensor<2x6xf32>, %w: tensor<1x6x4xi8>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_matmul: weight must have rank 2, got tensor<1x6x4xi8>}}
  %0 = rlx.dequant_matmul plain %x, %w, %s : (tensor<2x6xf32>, tensor<1x6x4xi8>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @weight_element(%x: tensor<2x6xf32>, %w: tensor<6x4xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_matmul: weight must have one of the element types i8, ui8, f8E4M3FN, f8E5M2, got tensor<6x4xi32>}}
  %0 = rlx.dequant_matmul plain %x, %w, %s : (tensor<2x6xf32>, tensor<6x4xi32>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @codes(%x: tensor<2x6xf32>, %w: tensor<3x4xi8>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_matmul: weight must have element type ui8, got i8}}
  %0 = rlx.dequant_matmul int4 %x, %w, %s : (tensor<2x6xf32>, tensor<3x4xi8>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @zero_point_of_fp4(%x: tensor<2x6xf32>, %w: tensor<3x4xui8>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @below {{rlx.dequant_matmul: fp4 takes no zero_point}}
  %0 = rlx.dequant_matmul fp4 %x, %w, %s zero_point(%z : tensor<i8>) : (tensor<2x6xf32>, tensor<3x4xui8>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @dequant_contracted(%x: tensor<2x6xf32>, %w: tensor<6x4xui8>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_matmul: the last dim of input and the last but one of the whole weight must be equal, got 6 and 12}}
  %0 = rlx.dequant_matmul int4 %x, %w, %s : (tensor<2x6xf32>, tensor<6x4xui8>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @dequant_scale(%x: tensor<2x6xf32>, %w: tensor<6x4xi8>, %s: tensor<f16>) {
  // expected-error @below {{rlx.dequant_matmul: scale must have element type f32, got f16}}
  %0 = rlx.dequant_matmul plain %x, %w, %s : (tensor<2x6xf32>, tensor<6x4xi8>, tensor<f16>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @scaled_element(%x: tensor<2x6xi8>, %w: tensor<4x6xf8E5M2>, %s: tensor<f32>) {
  // expected-error @below {{rlx.scaled_matmul: lhs must have one of the element types f8E4M3FN, f8E5M2, got tensor<2x6xi8>}}
  %0 = rlx.scaled_matmul %x, %w, %s, %s : (tensor<2x6xi8>, tensor<4x6xf8E5M2>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @scaled_scale(%x: tensor<2x6xf8E5M2>, %w: tensor<4x6xf8E5M2>, %s: tensor<f16>) {
  // expected-error @below {{rlx.scaled_matmul: lhs_scale must have element type f32, got f16}}
  %0 = rlx.scaled_matmul %x, %w, %s, %s : (tensor<2x6xf8E5M2>, tensor<4x6xf8E5M2>, tensor<f16>, tensor<f16>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @scaled_scales(%x: tensor<2x6xf8E5M2>, %w: tensor<4x6xf8E5M2>, %s: tensor<f32>, %t: tensor<4xf32>) {
  // expected-error @below {{rlx.scaled_matmul: rhs_scale must hold one element, got tensor<4xf32>}}
  %0 = rlx.scaled_matmul %x, %w, %s, %t : (tensor<2x6xf8E5M2>, tensor<4x6xf8E5M2>, tensor<f32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @scaled_result(%x: tensor<2x6xf8E5M2>, %w: tensor<4x6xf8E5M2>, %s: tensor<f32>) {
  // expected-error @below {{rlx.scaled_matmul: result must have one of the element types f32, f16, bf16, f64, got tensor<2x4xi32>}}
  %0 = rlx.scaled_matmul %x, %w, %s, %s : (tensor<2x6xf8E5M2>, tensor<4x6xf8E5M2>, tensor<f32>, tensor<f32>) -> tensor<2x4xi32>
  func.return
}

// -----

func.func @scaled_rank(%x: tensor<2x6xf8E5M2>, %w: tensor<1x4x6xf8E5M2>, %s: tensor<f32>) {
  // expected-error @below {{rlx.scaled_matmul: rhs must have rank 2, got tensor<1x4x6xf8E5M2>}}
  %0 = rlx.scaled_matmul %x, %w, %s, %s : (tensor<2x6xf8E5M2>, tensor<1x4x6xf8E5M2>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @scaled_contracted(%x: tensor<2x6xf8E5M2>, %w: tensor<4x5xf8E5M2>, %s: tensor<f32>) {
  // expected-error @below {{rlx.scaled_matmul: the last dim of lhs and the last but one of the transposed rhs must be equal, got 6 and 5}}
  %0 = rlx.scaled_matmul %x, %w, %s, %s : (tensor<2x6xf8E5M2>, tensor<4x5xf8E5M2>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @lsq_steps(%x: tensor<2x4xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{rlx.fake_quantize_lsq: the size of scale tensor<3xf32> and dim 1 of tensor<2x4xf32> must be equal, got 3 and 4}}
  %0 = rlx.fake_quantize_lsq %x, %s bits(4) axis(1) : tensor<2x4xf32>, tensor<3xf32>
  func.return
}

// -----

func.func @lsq_gradient_dims(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.fake_quantize_lsq_backward_x: dim 1 of input tensor<2x4xf32> and gradient tensor<2x3xf32> must be equal, got 4 and 3}}
  %0 = rlx.fake_quantize_lsq_backward_x %x, %s, %g bits(4) axis(1) : (tensor<2x4xf32>, tensor<4xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @lsq_scale_gradient(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %g: tensor<2x3xf32>) {
  // expected-error @below {{rlx.fake_quantize_lsq_backward_scale: dim 1 of input tensor<2x4xf32> and gradient tensor<2x3xf32> must be equal, got 4 and 3}}
  %0 = rlx.fake_quantize_lsq_backward_scale %x, %s, %g bits(4) axis(1) : (tensor<2x4xf32>, tensor<4xf32>, tensor<2x3xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @real_rhs(%a: tensor<2x3xi8>, %b: tensor<3x4xf32>) {
  // expected-error @below {{rlx.qmatmul: rhs must have one of the element types i8, ui8, got tensor<3x4xf32>}}
  %0 = rlx.qmatmul %a, %b : (tensor<2x3xi8>, tensor<3x4xf32>) -> tensor<2x4xi32>
  func.return
}

// -----

func.func @dequantized_integers(%x: tensor<2x6xi32>, %w: tensor<6x4xi8>, %s: tensor<4xi32>) {
  // expected-error @below {{rlx.dequant_matmul: input must have one of the element types f32, f16, bf16, f64, got tensor<2x6xi32>}}
  %0 = rlx.dequant_matmul plain %x, %w, %s : (tensor<2x6xi32>, tensor<6x4xi8>, tensor<4xi32>) -> tensor<2x4xi32>
  func.return
}

// -----

func.func @columns_of_scale(%x: tensor<2x6xf16>, %w: tensor<6x4xi8>, %s: tensor<3xf16>) {
  // expected-error @below {{rlx.dequant_matmul: the size of scale tensor<3xf16> and dim 1 of tensor<6x4xf16> must be equal, got 3 and 4}}
  %0 = rlx.dequant_matmul plain %x, %w, %s : (tensor<2x6xf16>, tensor<6x4xi8>, tensor<3xf16>) -> tensor<2x4xf16>
  func.return
}

// -----

func.func @zero_point_of_weights(%x: tensor<2x6xf16>, %w: tensor<6x4xi8>, %s: tensor<4xf16>, %z: tensor<3xi8>) {
  // expected-error @below {{rlx.dequant_matmul: dim 0 of zero_point tensor<3xi8> and scale tensor<4xf16> must be equal, got 3 and 4}}
  %0 = rlx.dequant_matmul plain %x, %w, %s zero_point(%z : tensor<3xi8>) : (tensor<2x6xf16>, tensor<6x4xi8>, tensor<4xf16>) -> tensor<2x4xf16>
  func.return
}

// -----

func.func @qconv2d_input(%x: tensor<1x4x5x5xi16>, %w: tensor<2x4x3x3xi8>) {
  // expected-error @below {{rlx.qconv2d: input must have one of the element types i8, ui8, got tensor<1x4x5x5xi16>}}
  %0 = rlx.qconv2d %x, %w : (tensor<1x4x5x5xi16>, tensor<2x4x3x3xi8>) -> tensor<1x2x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_weight(%x: tensor<1x4x5x5xi8>, %w: tensor<2x4x3x3xf32>) {
  // expected-error @below {{rlx.qconv2d: weight must have one of the element types i8, ui8, got tensor<2x4x3x3xf32>}}
  %0 = rlx.qconv2d %x, %w : (tensor<1x4x5x5xi8>, tensor<2x4x3x3xf32>) -> tensor<1x2x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_input_rank(%x: tensor<1x4x5xi8>, %w: tensor<2x4x3xi8>) {
  // expected-error @below {{rlx.qconv2d: input must have rank 4, got tensor<1x4x5xi8>}}
  %0 = rlx.qconv2d %x, %w : (tensor<1x4x5xi8>, tensor<2x4x3xi8>) -> tensor<1x2x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_weight_rank(%x: tensor<1x4x5x5xi8>, %w: tensor<2x4x3xi8>) {
  // expected-error @below {{rlx.qconv2d: weight must have rank 4, got tensor<2x4x3xi8>}}
  %0 = rlx.qconv2d %x, %w : (tensor<1x4x5x5xi8>, tensor<2x4x3xi8>) -> tensor<1x2x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_input_zero_point(%x: tensor<1x4x5x5xui8>, %w: tensor<2x4x3x3xi8>, %z: tensor<i8>) {
  // expected-error @below {{rlx.qconv2d: input_zero_point must have element type ui8, got i8}}
  %0 = rlx.qconv2d %x, %w input_zero_point(%z : tensor<i8>) : (tensor<1x4x5x5xui8>, tensor<2x4x3x3xi8>) -> tensor<1x2x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_input_zero_points(%x: tensor<1x4x5x5xi8>, %w: tensor<2x4x3x3xi8>, %z: tensor<4xi8>) {
  // expected-error @below {{rlx.qconv2d: input_zero_point must hold one element, got tensor<4xi8>}}
  %0 = rlx.qconv2d %x, %w input_zero_point(%z : tensor<4xi8>) : (tensor<1x4x5x5xi8>, tensor<2x4x3x3xi8>) -> tensor<1x2x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_weight_zero_point(%x: tensor<1x4x5x5xui8>, %w: tensor<2x4x3x3xi8>, %z: tensor<ui8>) {
  // expected-error @below {{rlx.qconv2d: weight_zero_point must have element type i8, got ui8}}
  %0 = rlx.qconv2d %x, %w weight_zero_point(%z : tensor<ui8>) : (tensor<1x4x5x5xui8>, tensor<2x4x3x3xi8>) -> tensor<1x2x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_weight_zero_points(%x: tensor<1x4x5x5xi8>, %w: tensor<2x4x3x3xi8>, %z: tensor<4xi8>) {
  // expected-error @below {{rlx.qconv2d: the size of weight_zero_point tensor<4xi8> and dim 0 of tensor<2x4x3x3xi8> must be equal, got 4 and 2}}
  %0 = rlx.qconv2d %x, %w weight_zero_point(%z : tensor<4xi8>) : (tensor<1x4x5x5xi8>, tensor<2x4x3x3xi8>) -> tensor<1x2x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_weight_zero_points_rank(%x: tensor<1x4x5x5xi8>, %w: tensor<2x4x3x3xi8>, %z: tensor<2x1xi8>) {
  // expected-error @below {{rlx.qconv2d: weight_zero_point must have rank 1, got tensor<2x1xi8>}}
  %0 = rlx.qconv2d %x, %w weight_zero_point(%z : tensor<2x1xi8>) : (tensor<1x4x5x5xi8>, tensor<2x4x3x3xi8>) -> tensor<1x2x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_groups(%x: tensor<1x4x5x5xi8>, %w: tensor<3x2x3x3xi8>) {
  // expected-error @below {{rlx.qconv2d: dim 0 of weight must be a multiple of groups 2, got tensor<3x2x3x3xi8>}}
  %0 = rlx.qconv2d %x, %w groups(2) : (tensor<1x4x5x5xi8>, tensor<3x2x3x3xi8>) -> tensor<1x3x3x3xi32>
  func.return
}

// -----

func.func @qconv2d_result(%x: tensor<1x4x5x5xi8>, %w: tensor<2x4x3x3xi8>) {
  // expected-error @below {{rlx.qconv2d: result #0 must be tensor<1x2x3x3xi32>, got tensor<1x2x3x3xi8>}}
  %0 = rlx.qconv2d %x, %w : (tensor<1x4x5x5xi8>, tensor<2x4x3x3xi8>) -> tensor<1x2x3x3xi8>
  func.return
}
