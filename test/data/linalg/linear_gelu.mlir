// gelu(x @ w + b), the product over a batch of rows that no block size divides.
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<5x24xf32> {rlx.input = "x"}, %w: tensor<24x37xf32> {rlx.param = "w"},
                %b: tensor<37xf32> {rlx.param = "b"}) -> (tensor<5x37xf32> {rlx.output = "y"}) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.70710678 : f32
  %e = tensor.empty() : tensor<5x37xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<5x37xf32>) -> tensor<5x37xf32>
  %mm = linalg.matmul ins(%x, %w : tensor<5x24xf32>, tensor<24x37xf32>) outs(%init : tensor<5x37xf32>) -> tensor<5x37xf32>
  %y = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mm, %b : tensor<5x37xf32>, tensor<37xf32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%m: f32, %c: f32, %o: f32):
    %s = arith.addf %m, %c : f32
    %t = arith.mulf %s, %rsqrt2 : f32
    %f = math.erf %t : f32
    %g = arith.addf %f, %one : f32
    %h = arith.mulf %s, %half : f32
    %r = arith.mulf %h, %g : f32
    linalg.yield %r : f32
  } -> tensor<5x37xf32>
  func.return %y : tensor<5x37xf32>
}
