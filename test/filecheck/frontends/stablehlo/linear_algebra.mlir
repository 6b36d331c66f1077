// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// A system from the right is one from the left, transposed; a diagonal of ones is put in.
// CHECK-LABEL: @triangular_solve(
// CHECK-NEXT:   arith.constant dense<{{\[\[}}true, false, false, false], [false, true, false, false], [false, false, true, false], [false, false, false, true]]> : tensor<4x4xi1>
// CHECK-NEXT:   arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   rlx.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:   rlx.transpose %{{.*}} [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
// CHECK-NEXT:   rlx.triangular_solve lower %{{.*}}, %{{.*}} transpose : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT:   rlx.transpose %{{.*}} [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<2x4xf32>
func.func @triangular_solve(%a: tensor<4x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Both factors.
// CHECK-LABEL: @cholesky(
// CHECK-NEXT:   rlx.cholesky %{{.*}} : tensor<4x4xf32>
// CHECK-NEXT:   rlx.transpose %{{.*}} [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT:   rlx.cholesky %{{.*}} : tensor<4x4xf32>
// CHECK-NEXT:   rlx.transpose %{{.*}} [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>
func.func @cholesky(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  %1 = stablehlo.cholesky %a, lower = false : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
