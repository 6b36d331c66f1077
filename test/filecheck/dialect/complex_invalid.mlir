// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @parts_of_doubles(%x: tensor<2xf64>) {
  // expected-error @below {{rlx.complex: real must have element type f32, got f64}}
  %0 = rlx.complex %x, %x : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @parts_of_other_dims(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{rlx.complex: dim 0 of real tensor<2xf32> and imag tensor<3xf32> must be equal, got 2 and 3}}
  %0 = rlx.complex %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @real_part_of_a_float(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.real: input must have element type complex<f32>, got f32}}
  %0 = rlx.real %x : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @conjugate_of_a_float(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.conjugate: input must have element type complex<f32>, got f32}}
  %0 = rlx.conjugate %x : tensor<2xf32>
  func.return
}

// -----

func.func @complex_gradient(%z: tensor<2xcomplex<f32>>) {
  // expected-error @below {{rlx.complex_norm_sq_backward: gradient must have element type f32, got complex<f32>}}
  %0 = rlx.complex_norm_sq_backward %z, %z : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @no_order(%z: tensor<2xcomplex<f32>>) {
  // expected-error @below {{rlx.compare: lt needs elements with an order, got tensor<2xcomplex<f32>>}}
  %0 = rlx.compare lt %z, %z : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  func.return
}

// -----

func.func @no_maximum(%z: tensor<2xcomplex<f32>>) {
  // expected-error @below {{rlx.binary: max needs real numbers, got tensor<2xcomplex<f32>>}}
  %0 = rlx.binary max %z, %z : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @no_relu(%z: tensor<2xcomplex<f32>>) {
  // expected-error @below {{rlx.activation: relu needs real numbers, got tensor<2xcomplex<f32>>}}
  %0 = rlx.activation relu %z : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @no_greatest_element(%z: tensor<2xcomplex<f32>>) {
  // expected-error @below {{rlx.reduce: input must have elements with an order, got tensor<2xcomplex<f32>>}}
  %0 = rlx.reduce max %z axes [0] : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  func.return
}

// -----

func.func @no_cast_to_reals(%z: tensor<2xcomplex<f32>>) {
  // expected-error @below {{rlx.cast: tensor<2xcomplex<f32>> does not become f32 by a cast; take its real part by rlx.real}}
  %0 = rlx.cast %z : tensor<2xcomplex<f32>> -> tensor<2xf32>
  func.return
}

// -----

func.func @norm_of_reals(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.complex_norm_sq_backward: input must have element type complex<f32>, got f32}}
  %0 = rlx.complex_norm_sq_backward %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @gradient_dims(%z: tensor<2xcomplex<f32>>, %g: tensor<3xf32>) {
  // expected-error @below {{rlx.complex_norm_sq_backward: dim 0 of input tensor<2xcomplex<f32>> and gradient tensor<3xf32> must be equal, got 2 and 3}}
  %0 = rlx.complex_norm_sq_backward %z, %g : (tensor<2xcomplex<f32>>, tensor<3xf32>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @imaginary_part_of_reals(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.imag: input must have element type complex<f32>, got f32}}
  %0 = rlx.imag %x : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @norm_of_one_real(%x: tensor<2xf32>) {
  // expected-error @below {{rlx.complex_norm_sq: input must have element type complex<f32>, got f32}}
  %0 = rlx.complex_norm_sq %x : tensor<2xf32> -> tensor<2xf32>
  func.return
}
