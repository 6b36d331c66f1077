// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @element(%x: tensor<4xi32>, %s: tensor<i32>) {
  // expected-error @below {{rlx.quantize: input must have one of the element types f32, f16, bf16, f64, got tensor<4xi32>}}
  %0 = rlx.quantize %x, %s : (tensor<4xi32>, tensor<i32>) -> tensor<4xi8>
  func.return
}

// -----

func.func @scale_element(%x: tensor<4xf32>, %s: tensor<f16>) {
  // expected-error @below {{rlx.quantize: scale must have element type f32, got f16}}
  %0 = rlx.quantize %x, %s : (tensor<4xf32>, tensor<f16>) -> tensor<4xi8>
  func.return
}

// -----

func.func @result_element(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.quantize: result must have one of the element types i8, ui8, i16, i32, f8E4M3FN, f8E5M2, got tensor<4xi64>}}
  %0 = rlx.quantize %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xi64>
  func.return
}

// -----

func.func @no_axis(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{rlx.quantize: scale must hold one element where no axis is given, got tensor<4xf32>}}
  %0 = rlx.quantize %x, %s : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @axis(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{rlx.quantize: axis 2 is out of range for input of rank 2}}
  %0 = rlx.quantize %x, %s axis(2) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @scale_size(%x: tensor<2x4xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{rlx.quantize: the size of scale tensor<3xf32> and dim 1 of tensor<2x4xf32> must be equal, got 3 and 4}}
  %0 = rlx.quantize %x, %s axis(1) : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @scale_rank(%x: tensor<2x4xf32>, %s: tensor<1x4xf32>) {
  // expected-error @below {{rlx.quantize: scale must have rank 1, got tensor<1x4xf32>}}
  %0 = rlx.quantize %x, %s axis(1) : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @block_without_axis(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>) {
  // expected-error @below {{rlx.quantize: block must be 1 or more and needs an axis, got 2}}
  %0 = rlx.quantize %x, %s block(2) : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @block_of_nothing(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>) {
  // expected-error @below {{rlx.quantize: block must be 1 or more and needs an axis, got 0}}
  %0 = rlx.quantize %x, %s axis(1) block(0) : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @block_rank(%x: tensor<2x4xf32>, %s: tensor<2xf32>) {
  // expected-error @below {{rlx.quantize: scale must have rank 2, got tensor<2xf32>}}
  %0 = rlx.quantize %x, %s axis(1) block(2) : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @blocks(%x: tensor<2x4xf32>, %s: tensor<2x1xf32>) {
  // expected-error @below {{rlx.quantize: dim 1 of scale tensor<2x1xf32> and what blocks of 3 of tensor<2x4xf32> need must be equal, got 1 and 2}}
  %0 = rlx.quantize %x, %s axis(1) block(3) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @zero_point_element(%x: tensor<2x4xf32>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @below {{rlx.quantize: zero_point must have element type i8, got ui8}}
  %0 = rlx.quantize %x, %s zero_point(%z : tensor<ui8>) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @zero_point_rank(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %z: tensor<i8>) {
  // expected-error @below {{rlx.quantize: zero_point must have rank 1, got tensor<i8>}}
  %0 = rlx.quantize %x, %s zero_point(%z : tensor<i8>) axis(1) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi8>
  func.return
}

// -----

func.func @zero_point_size(%x: tensor<2x4xi8>, %s: tensor<4xf32>, %z: tensor<3xi8>) {
  // expected-error @below {{rlx.dequantize: dim 0 of zero_point tensor<3xi8> and scale tensor<4xf32> must be equal, got 3 and 4}}
  %0 = rlx.dequantize %x, %s zero_point(%z : tensor<3xi8>) axis(1) : (tensor<2x4xi8>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @dequantize_floats(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @below {{rlx.dequantize: input must have one of the element types i8, ui8, i16, i32, f8E4M3FN, f8E5M2, got tensor<4xf32>}}
  %0 = rlx.dequantize %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @dequantize_scale(%x: tensor<4xi8>, %s: tensor<i32>) {
  // expected-error @below {{rlx.dequantize: scale must have one of the element types f32, f16, bf16, f64, got tensor<i32>}}
  %0 = rlx.dequantize %x, %s : (tensor<4xi8>, tensor<i32>) -> tensor<4xi32>
  func.return
}

// -----

func.func @quant_scale(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.scaled_quant_scale: to must be one of f8E4M3FN, f8E5M2, got i8}}
  %0 = rlx.scaled_quant_scale %x to(i8) : tensor<4xf32> -> tensor<f32>
  func.return
}

// -----

func.func @quant_scale_element(%x: tensor<4xi32>) {
  // expected-error @below {{rlx.scaled_quant_scale: input must have one of the element types f32, f16, bf16, f64, got tensor<4xi32>}}
  %0 = rlx.scaled_quant_scale %x to(f8E5M2) : tensor<4xi32> -> tensor<f32>
  func.return
}

// -----

func.func @bits(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.fake_quantize: bits must be one of 8, 4, 2, got 3}}
  %0 = rlx.fake_quantize %x bits(3) : tensor<4xf32>
  func.return
}

// -----

func.func @fake_element(%x: tensor<4xi32>) {
  // expected-error @below {{rlx.fake_quantize: input must have a float element type, got tensor<4xi32>}}
  %0 = rlx.fake_quantize %x bits(8) : tensor<4xi32>
  func.return
}

// -----

func.func @fake_axis(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.fake_quantize: axis 1 is out of range for input of rank 1}}
  %0 = rlx.fake_quantize %x bits(8) axis(1) : tensor<4xf32>
  func.return
}

// -----

func.func @fake_scale(%x: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error @below {{rlx.fake_quantize_backward: scale must have element type f32, got f64}}
  %0 = rlx.fake_quantize_backward %x, %x scale(%s : tensor<f64>) bits(8) : tensor<4xf32>
  func.return
}

// -----

func.func @lsq_gradient(%x: tensor<4xf32>, %s: tensor<f32>, %g: tensor<5xf32>) {
  // expected-error @below {{rlx.fake_quantize_lsq_backward_scale: dim 0 of input tensor<4xf32> and gradient tensor<5xf32> must be equal, got 4 and 5}}
  %0 = rlx.fake_quantize_lsq_backward_scale %x, %s, %g bits(8) : (tensor<4xf32>, tensor<f32>, tensor<5xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @bytes(%x: tensor<4x4xi16>, %y: tensor<4x4xi8>) {
  // expected-error @below {{rlx.qmatmul: lhs must have one of the element types i8, ui8, got tensor<4x4xi16>}}
  %0 = rlx.qmatmul %x, %y : (tensor<4x4xi16>, tensor<4x4xi8>) -> tensor<4x4xi32>
  func.return
}
