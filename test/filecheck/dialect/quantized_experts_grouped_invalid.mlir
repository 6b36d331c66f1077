// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @grouped_input(%x: tensor<5x6xi8>, %w: tensor<2x6x4xi8>, %i: tensor<5xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: input must have one of the element types f32, f16, bf16, f64, got tensor<5x6xi8>}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xi8>, tensor<2x6x4xi8>, tensor<5xi32>, tensor<f32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @grouped_weights_rank(%x: tensor<5x6xf32>, %w: tensor<6x4xi8>, %i: tensor<5xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: weights must have rank 3, got tensor<6x4xi8>}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf32>, tensor<6x4xi8>, tensor<5xi32>, tensor<f32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @grouped_weights_element(%x: tensor<5x6xf32>, %w: tensor<2x6x4xf32>, %i: tensor<5xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: weights must have one of the element types i8, ui8, f8E4M3FN, f8E5M2, got tensor<2x6x4xf32>}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf32>, tensor<2x6x4xf32>, tensor<5xi32>, tensor<f32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @grouped_scale(%x: tensor<5x6xf16>, %w: tensor<2x6x4xi8>, %i: tensor<5xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: scale must have element type f16, got f32}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf16>, tensor<2x6x4xi8>, tensor<5xi32>, tensor<f32>) -> tensor<5x4xf16>
  func.return
}

// -----

func.func @grouped_scale_columns(%x: tensor<5x6xf16>, %w: tensor<2x6x4xi8>, %i: tensor<5xi32>, %s: tensor<2x3xf16>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: dim 1 of scale tensor<2x3xf16> and dim 2 of tensor<2x6x4xf16> must be equal, got 3 and 4}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf16>, tensor<2x6x4xi8>, tensor<5xi32>, tensor<2x3xf16>) -> tensor<5x4xf16>
  func.return
}

// -----

func.func @grouped_blocks(%x: tensor<5x6xf32>, %w: tensor<2x6x4xi8>, %i: tensor<5xi32>, %s: tensor<2x3x4xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: dim 1 of scale tensor<2x3x4xf32> and what blocks of 4 of tensor<2x6x4xf32> need must be equal, got 3 and 2}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s block(4) : (tensor<5x6xf32>, tensor<2x6x4xi8>, tensor<5xi32>, tensor<2x3x4xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @grouped_fp4_zero_point(%x: tensor<5x6xf32>, %w: tensor<2x3x4xui8>, %i: tensor<5xi32>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: fp4 takes no zero_point}}
  %0 = rlx.dequant_grouped_matmul fp4 %x, %w, %i, %s zero_point(%z : tensor<i8>) : (tensor<5x6xf32>, tensor<2x3x4xui8>, tensor<5xi32>, tensor<f32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @grouped_indices(%x: tensor<5x6xf32>, %w: tensor<2x6x4xi8>, %i: tensor<5xf32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: indices must be integers, got tensor<5xf32>}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf32>, tensor<2x6x4xi8>, tensor<5xf32>, tensor<f32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @grouped_rank(%x: tensor<5x6xf32>, %w: tensor<2x6x4xi8>, %i: tensor<5x1xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: input must have rank 3, got tensor<5x6xf32>}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf32>, tensor<2x6x4xi8>, tensor<5x1xi32>, tensor<f32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @grouped_sum(%x: tensor<5x3xf32>, %w: tensor<2x3x4xui8>, %i: tensor<5xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: the last dim of input tensor<5x3xf32> and dim 1 of weights tensor<2x6x4xf32> must be equal, got 3 and 6}}
  %0 = rlx.dequant_grouped_matmul int4 %x, %w, %i, %s : (tensor<5x3xf32>, tensor<2x3x4xui8>, tensor<5xi32>, tensor<f32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @grouped_rows(%x: tensor<5x6xf32>, %w: tensor<2x6x4xi8>, %i: tensor<4xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: dim 0 of the rows of input tensor<5xf32> and indices tensor<4xi32> must be equal, got 5 and 4}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf32>, tensor<2x6x4xi8>, tensor<4xi32>, tensor<f32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @grouped_result(%x: tensor<5x6xf32>, %w: tensor<2x6x4xi8>, %i: tensor<5xi32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul: result #0 must be tensor<5x4xf32>, got tensor<5x6xf32>}}
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf32>, tensor<2x6x4xi8>, tensor<5xi32>, tensor<f32>) -> tensor<5x6xf32>
  func.return
}

// -----

func.func @mlx_input(%x: tensor<3x64xi32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: input must have one of the element types f32, f16, bf16, f64, got tensor<3x64xi32>}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xi32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_bits(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: bits must be one of 1, 2, 3, 4, 5, 6, 8, got 7}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(7) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_group_size(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: group_size must be one of 32, 64, 128, got 16}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(16) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_weights_element(%x: tensor<3x64xf32>, %w: tensor<2x5x8xi32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: weights must have element type ui32, got i32}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xi32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_weights_rank(%x: tensor<3x64xf32>, %w: tensor<5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: weights must have rank 3, got tensor<5x8xui32>}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_words(%x: tensor<3x64xf32>, %w: tensor<2x5x7xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: the words of weights tensor<2x5x7xui32> must hold the codes of whole groups, got 7 words for groups of 32 codes of 3 bits}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(3) group_size(32) : (tensor<3x64xf32>, tensor<2x5x7xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_groups(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: the words of weights tensor<2x5x8xui32> must hold the codes of whole groups, got 8 words for groups of 128 codes of 4 bits}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(128) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_width(%x: tensor<3x64xf32>, %w: tensor<1x1x9223372036854775807xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: the result would have a dim of 295147905179352825824, more than the 9223372036854775807 that fit}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(1) group_size(32) : (tensor<3x64xf32>, tensor<1x1x9223372036854775807xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_scales_element(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf16>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: scales must have element type f32, got f16}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf16>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_scales(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x4xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: dim 2 of the groups of weights tensor<2x5x2xui32> and scales tensor<2x5x4xf32> must be equal, got 2 and 4}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x4xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_biases_element(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf64>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: biases must have element type f32, got f64}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf64>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_biases_rank(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: biases must have rank 3, got tensor<2x5xf32>}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_biases(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x6x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: dim 1 of the groups of weights tensor<2x5x2xui32> and biases tensor<2x6x2xf32> must be equal, got 5 and 6}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x6x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_indices(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi1>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: indices must be integers, got tensor<3xi1>}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi1>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_rank(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<i32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: input must have rank 1, got tensor<3x64xf32>}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<i32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_sum(%x: tensor<3x32xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: the last dim of input tensor<3x32xf32> and dim 2 of weights tensor<2x5x64xui32> must be equal, got 32 and 64}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x32xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_rows(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<4xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: dim 0 of the rows of input tensor<3xf32> and indices tensor<4xi32> must be equal, got 3 and 4}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<4xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @mlx_result(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %b: tensor<2x5x2xf32>) {
  // expected-error @below {{rlx.dequant_grouped_matmul_mlx: result #0 must be tensor<3x5xf32>, got tensor<3x64xf32>}}
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %b bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x64xf32>
  func.return
}

// -----

func.func @scaled_input(%x: tensor<5x6xf32>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: input must have one of the element types f8E4M3FN, f8E5M2, got tensor<5x6xf32>}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf32>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_weights(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xi8>, %i: tensor<5xi32>, %s: tensor<5xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: weights must have one of the element types f8E4M3FN, f8E5M2, got tensor<2x4x6xi8>}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xi8>, tensor<5xi32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_weights_rank(%x: tensor<5x6xf8E4M3FN>, %w: tensor<4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: weights must have rank 3, got tensor<4x6xf8E5M2>}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_indices(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xf32>, %s: tensor<5xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: indices must be integers, got tensor<5xf32>}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xf32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_rank(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<i32>, %s: tensor<5xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: input must have rank 1, got tensor<5x6xf8E4M3FN>}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<i32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_sum(%x: tensor<5x4xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: the last dim of input tensor<5x4xf8E4M3FN> and dim 2 of weights tensor<2x4x6xf8E5M2> must be equal, got 4 and 6}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x4xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_rows(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<4xi32>, %s: tensor<5xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: dim 0 of the rows of input tensor<5xf8E4M3FN> and indices tensor<4xi32> must be equal, got 5 and 4}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<4xi32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_input_scale_element(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5xf16>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: input_scale must have element type f32, got f16}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf16>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_input_scale(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<4xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: dim 0 of the rows of input tensor<5xf8E4M3FN> and input_scale tensor<4xf32> must be equal, got 5 and 4}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<4xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_input_scale_rank(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5x1xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: input_scale must have rank 1, got tensor<5x1xf32>}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5x1xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_weights_scale_element(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5xf32>, %t: tensor<2xf64>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: weights_scale must have element type f32, got f64}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<2xf64>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_weights_scale(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5xf32>, %t: tensor<4xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: dim 0 of the experts of weights tensor<2xf8E5M2> and weights_scale tensor<4xf32> must be equal, got 2 and 4}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_weights_scale_rank(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5xf32>, %t: tensor<2x4xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: weights_scale must have rank 1, got tensor<2x4xf32>}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<2x4xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

func.func @scaled_result_element(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: result must have one of the element types f32, f16, bf16, f64, got tensor<5x4xf8E5M2>}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf8E5M2>
  func.return
}

// -----

func.func @scaled_result(%x: tensor<5x6xf8E4M3FN>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %s: tensor<5xf32>, %t: tensor<2xf32>) {
  // expected-error @below {{rlx.scaled_grouped_matmul: result #0 must be tensor<5x4xf32>, got tensor<5x6xf32>}}
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %s, %t : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x6xf32>
  func.return
}
