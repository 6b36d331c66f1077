// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @sum_of_truth_values(%x: tensor<2xi1>) {
  // expected-error @below {{rlx.cumsum: input must hold ordered numbers, got tensor<2xi1>}}
  %0 = rlx.cumsum %x axis(0) : tensor<2xi1>
  func.return
}

// -----

func.func @product_along_no_axis(%x: tensor<f32>) {
  // expected-error @below {{rlx.cumprod: axis 0 is out of range for input of rank 0}}
  %0 = rlx.cumprod %x axis(0) : tensor<f32>
  func.return
}

// -----

func.func @maximum_of_complex_numbers(%x: tensor<2xcomplex<f32>>) {
  // expected-error @below {{rlx.cummax: input must hold ordered numbers, got tensor<2xcomplex<f32>>}}
  %0 = rlx.cummax %x axis(0) : tensor<2xcomplex<f32>>
  func.return
}
