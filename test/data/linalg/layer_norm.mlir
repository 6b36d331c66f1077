// Layer norm over the last axis, variance in two passes.
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<6x50xf32> {rlx.input = "x"}, %g: tensor<50xf32> {rlx.param = "gamma"},
                %b: tensor<50xf32> {rlx.param = "beta"}) -> (tensor<6x50xf32> {rlx.output = "y"}) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 50.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %er = tensor.empty() : tensor<6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x50xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %c, %a : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %squares = linalg.generic {indexing_maps = [#ij, #i, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<6x50xf32>, tensor<6xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%a: f32, %t: f32, %c: f32):
    %mu = arith.divf %t, %n : f32
    %d = arith.subf %a, %mu : f32
    %d2 = arith.mulf %d, %d : f32
    %r = arith.addf %c, %d2 : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %e = tensor.empty() : tensor<6x50xf32>
  %y = linalg.generic {indexing_maps = [#ij, #i, #i, #j, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares, %g, %b : tensor<6x50xf32>, tensor<6xf32>, tensor<6xf32>, tensor<50xf32>, tensor<50xf32>)
      outs(%e : tensor<6x50xf32>) {
  ^bb0(%a: f32, %t: f32, %u: f32, %gg: f32, %bb: f32, %o: f32):
    %mu = arith.divf %t, %n : f32
    %var = arith.divf %u, %n : f32
    %ve = arith.addf %var, %eps : f32
    %rs = math.rsqrt %ve : f32
    %d = arith.subf %a, %mu : f32
    %h = arith.mulf %d, %rs : f32
    %h1 = arith.mulf %h, %gg : f32
    %r = arith.addf %h1, %bb : f32
    linalg.yield %r : f32
  } -> tensor<6x50xf32>
  func.return %y : tensor<6x50xf32>
}
