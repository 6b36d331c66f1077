// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @parts
// CHECK:       %0 = rlx.complex %re, %im : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xcomplex<f32>>
// CHECK-NEXT:  %1 = rlx.conjugate %0 : tensor<2x?xcomplex<f32>>
// CHECK-NEXT:  %2 = rlx.real %1 : tensor<2x?xcomplex<f32>> -> tensor<2x?xf32>
// CHECK-NEXT:  %3 = rlx.imag %1 : tensor<2x?xcomplex<f32>> -> tensor<2x?xf32>
// GENERIC:     "rlx.conjugate"(%0) : (tensor<2x?xcomplex<f32>>) -> tensor<2x?xcomplex<f32>>
func.func @parts(%re: tensor<2x?xf32>, %im: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = rlx.complex %re, %im : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xcomplex<f32>>
  %1 = rlx.conjugate %0 : tensor<2x?xcomplex<f32>>
  %2 = rlx.real %1 : tensor<2x?xcomplex<f32>> -> tensor<2x?xf32>
  %3 = rlx.imag %1 : tensor<2x?xcomplex<f32>> -> tensor<2x?xf32>
  func.return %3 : tensor<2x?xf32>
}

// CHECK-LABEL: @arithmetic
// CHECK:       %0 = rlx.binary mul %a, %b : (tensor<3x1xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
// CHECK-NEXT:  %1 = rlx.activation exp %0 : tensor<3x4xcomplex<f32>>
// CHECK-NEXT:  %2 = rlx.compare ne %1, %a : (tensor<3x4xcomplex<f32>>, tensor<3x1xcomplex<f32>>) -> tensor<3x4xi1>
func.func @arithmetic(%a: tensor<3x1xcomplex<f32>>, %b: tensor<4xcomplex<f32>>) -> tensor<3x4xi1> {
  %0 = rlx.binary mul %a, %b : (tensor<3x1xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  %1 = rlx.activation exp %0 : tensor<3x4xcomplex<f32>>
  %2 = rlx.compare ne %1, %a : (tensor<3x4xcomplex<f32>>, tensor<3x1xcomplex<f32>>) -> tensor<3x4xi1>
  func.return %2 : tensor<3x4xi1>
}

// CHECK-LABEL: @conjugate
// CHECK:       %0 = rlx.conjugate %z : tensor<2x3xcomplex<f32>>
func.func @conjugate(%z: tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>> {
  %0 = rlx.conjugate %z : tensor<2x3xcomplex<f32>>
  func.return %0 : tensor<2x3xcomplex<f32>>
}

// CHECK-LABEL: @squares
// CHECK:       %0 = rlx.complex_norm_sq %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xf32>
// CHECK-NEXT:  %1 = rlx.complex_norm_sq_backward %z, %g : (tensor<2x3xcomplex<f32>>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
func.func @squares(%z: tensor<2x3xcomplex<f32>>, %g: tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>> {
  %0 = rlx.complex_norm_sq %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xf32>
  %1 = rlx.complex_norm_sq_backward %z, %g : (tensor<2x3xcomplex<f32>>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  func.return %1 : tensor<2x3xcomplex<f32>>
}

// CHECK-LABEL: @differs_from_zero
// CHECK:       %0 = rlx.cast %z : tensor<2xcomplex<f32>> -> tensor<2xi1>
func.func @differs_from_zero(%z: tensor<2xcomplex<f32>>) -> tensor<2xi1> {
  %0 = rlx.cast %z : tensor<2xcomplex<f32>> -> tensor<2xi1>
  func.return %0 : tensor<2xi1>
}
