// RUN: rlx-opt --convert-rlx-to-mlx %s | filecheck %s

// Loops stay, around calls; a scatter says its numbers.

// CHECK-LABEL: @rounds
// CHECK:       %0 = rlx.while(%a = %x) captures(%l = %limit) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
// CHECK-NEXT:    %1 = mlx.call "mx.max"(%a) with {axis = array<i64: 0>, keepdims = false} : (tensor<4xf32>) -> tensor<f32>
// CHECK-NEXT:    %2 = mlx.call "mx.less"(%1, %l) : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:    rlx.yield %2 : tensor<i1>
// CHECK-NEXT:  } do(%b, %k) {
// CHECK-NEXT:    %3 = mlx.call "mx.add"(%b, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    rlx.yield %3 : tensor<4xf32>
// CHECK-NEXT:  }
func.func @rounds(%x: tensor<4xf32>, %limit: tensor<f32>) -> tensor<4xf32> {
  %0 = rlx.while(%a = %x) captures(%l = %limit) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
    %1 = rlx.reduce max %a axes [0] : tensor<4xf32> -> tensor<f32>
    %2 = rlx.compare lt %1, %l : (tensor<f32>, tensor<f32>) -> tensor<i1>
    rlx.yield %2 : tensor<i1>
  } do(%b, %k) {
    %3 = rlx.binary add %b, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    rlx.yield %3 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @added
// CHECK:       mlx.call "lib.general_scatter"(%x, %i, %u) with {{.*}}reduction = "add"{{.*}} : (tensor<6x3xf32>, tensor<8xi64>, tensor<8x3xf32>) -> tensor<6x3xf32>
func.func @added(%x: tensor<6x3xf32>, %i: tensor<8xi64>, %u: tensor<8x3xf32>) -> tensor<6x3xf32> {
  %0 = rlx.scatter_add %x, %i, %u axis(0) : (tensor<6x3xf32>, tensor<8xi64>, tensor<8x3xf32>) -> tensor<6x3xf32>
  func.return %0 : tensor<6x3xf32>
}
