// relu(x @ w + b), large enough that a thread computes several elements.
func.func @main(%x: tensor<128x24xf32> {rlx.input = "x"}, %w: tensor<24x192xf32> {rlx.param = "w"},
                %b: tensor<192xf32> {rlx.param = "b"}) -> (tensor<128x192xf32> {rlx.output = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x192xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<128x192xf32>) -> tensor<128x192xf32>
  %mm = linalg.matmul ins(%x, %w : tensor<128x24xf32>, tensor<24x192xf32>) outs(%init : tensor<128x192xf32>) -> tensor<128x192xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%mm, %b : tensor<128x192xf32>, tensor<192xf32>) outs(%e : tensor<128x192xf32>) {
  ^bb0(%m: f32, %c: f32, %o: f32):
    %s = arith.addf %m, %c : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<128x192xf32>
  func.return %y : tensor<128x192xf32>
}
