// A transpose, and reshapes that are views of one buffer, returned and computed with.
func.func @main(%x: tensor<4x6xf32> {rlx.input = "x"})
    -> (tensor<6x4xf32> {rlx.output = "t"}, tensor<24xf32> {rlx.output = "flat"}, tensor<2x2x6xf32> {rlx.output = "split"},
        tensor<6x2x2xf32> {rlx.output = "both"}) {
  %e = tensor.empty() : tensor<6x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x6xf32>) outs(%e : tensor<6x4xf32>) permutation = [1, 0]
  %flat = tensor.collapse_shape %t [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  %split = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 2, 6] : tensor<4x6xf32> into tensor<2x2x6xf32>
  %s = tensor.expand_shape %t [[0], [1, 2]] output_shape [6, 2, 2] : tensor<6x4xf32> into tensor<6x2x2xf32>
  %eb = tensor.empty() : tensor<6x2x2xf32>
  %both = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c, b, a)>,
                                           affine_map<(a, b, c) -> (a, b, c)>],
                          iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %split : tensor<6x2x2xf32>, tensor<2x2x6xf32>) outs(%eb : tensor<6x2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x2x2xf32>
  func.return %t, %flat, %split, %both : tensor<6x4xf32>, tensor<24xf32>, tensor<2x2x6xf32>, tensor<6x2x2xf32>
}
