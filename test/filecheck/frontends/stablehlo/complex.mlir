// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// The magnitude by the larger part, so that no square overflows.
// CHECK-LABEL: @abs(
// CHECK-NEXT:   rlx.real %{{.*}} : tensor<4xcomplex<f32>> -> tensor<4xf32>
// CHECK-NEXT:   rlx.activation abs %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.imag %{{.*}} : tensor<4xcomplex<f32>> -> tensor<4xf32>
// CHECK-NEXT:   rlx.activation abs %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   rlx.binary max %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.binary min %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.binary div %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.binary add %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.activation sqrt %{{.*}} : tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.compare eq %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT:   rlx.binary mul %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   arith.constant dense<0x7f800000> : tensor<f32>
// CHECK-NEXT:   rlx.compare eq %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT:   arith.constant dense<0x7f800000> : tensor<f32>
// CHECK-NEXT:   rlx.compare eq %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT:   rlx.binary bit_or %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
// CHECK-NEXT:   arith.constant dense<0x7f800000> : tensor<f32>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @abs(%z: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = stablehlo.abs %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Where only the square of a magnitude is read, it is the norm.
// CHECK-LABEL: @power(
// CHECK-NEXT:   rlx.complex_norm_sq %{{.*}} : tensor<4xcomplex<f32>> -> tensor<4xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4xf32>
func.func @power(%z: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = stablehlo.abs %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Parts, and numbers made of them.
// CHECK-LABEL: @parts(
// CHECK-NEXT:   rlx.real %{{.*}} : tensor<4xcomplex<f32>> -> tensor<4xf32>
// CHECK-NEXT:   rlx.imag %{{.*}} : tensor<4xcomplex<f32>> -> tensor<4xf32>
// CHECK-NEXT:   rlx.complex %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
// CHECK-NEXT:   rlx.conjugate %{{.*}} : tensor<4xcomplex<f32>>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
func.func @parts(%z: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) {
  %0 = stablehlo.real %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.imag %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.complex %0, %1 : tensor<4xcomplex<f32>>
  %3 = chlo.conj %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %2, %3 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
}

// One dim after the other; that of the real signal first on the way there and last on the way back.
// CHECK-LABEL: @transforms(
// CHECK-NEXT:   rlx.rfft %{{.*}} norm(by_n_on_inverse) : tensor<3x4x8xf32> -> tensor<3x4x5xcomplex<f32>>
// CHECK-NEXT:   rlx.transpose %{{.*}} [0, 2, 1] : tensor<3x4x5xcomplex<f32>> -> tensor<3x5x4xcomplex<f32>>
// CHECK-NEXT:   rlx.fft %{{.*}} norm(by_n_on_inverse) : tensor<3x5x4xcomplex<f32>>
// CHECK-NEXT:   rlx.transpose %{{.*}} [0, 2, 1] : tensor<3x5x4xcomplex<f32>> -> tensor<3x4x5xcomplex<f32>>
// CHECK-NEXT:   rlx.transpose %{{.*}} [0, 2, 1] : tensor<3x4x5xcomplex<f32>> -> tensor<3x5x4xcomplex<f32>>
// CHECK-NEXT:   rlx.fft %{{.*}} inverse norm(by_n_on_inverse) : tensor<3x5x4xcomplex<f32>>
// CHECK-NEXT:   rlx.transpose %{{.*}} [0, 2, 1] : tensor<3x5x4xcomplex<f32>> -> tensor<3x4x5xcomplex<f32>>
// CHECK-NEXT:   rlx.irfft %{{.*}} length(8) norm(by_n_on_inverse) : tensor<3x4x5xcomplex<f32>> -> tensor<3x4x8xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<3x4x8xf32>
func.func @transforms(%x: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %0 = stablehlo.fft %x, type = RFFT, length = [4, 8] : (tensor<3x4x8xf32>) -> tensor<3x4x5xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [4, 8] : (tensor<3x4x5xcomplex<f32>>) -> tensor<3x4x8xf32>
  return %1 : tensor<3x4x8xf32>
}
