// A weight transposed once, by the function that prepares.
#ij = affine_map<(i, j) -> (i, j)>
func.func @main_prepare(%w: tensor<6x4xf32> {rlx.param = "w"}) -> (tensor<4x6xf32> {rlx.prepared = "wt"}) {
  %e = tensor.empty() : tensor<4x6xf32>
  %t = linalg.transpose ins(%w : tensor<6x4xf32>) outs(%e : tensor<4x6xf32>) permutation = [1, 0]
  func.return %t : tensor<4x6xf32>
}
func.func @main(%x: tensor<3x4xf32> {rlx.input = "x"}, %wt: tensor<4x6xf32> {rlx.prepared = "wt"}, %b: tensor<6xf32> {rlx.param = "b"})
    -> (tensor<3x6xf32> {rlx.output = "y"}) attributes {rlx.prepare = @main_prepare} {
  %e = tensor.empty() : tensor<3x6xf32>
  %init = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<3x6xf32>) dimensions = [0]
  %y = linalg.matmul ins(%x, %wt : tensor<3x4xf32>, tensor<4x6xf32>) outs(%init : tensor<3x6xf32>) -> tensor<3x6xf32>
  func.return %y : tensor<3x6xf32>
}
