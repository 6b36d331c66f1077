// An input returned as it is, one value returned twice, a constant, infinities among its values, and an input that is not read.
#i = affine_map<(i) -> (i)>
func.func @main(%x: tensor<4xf32> {rlx.input = "x"}, %unread: tensor<2xf32> {rlx.input = "unread"})
    -> (tensor<4xf32> {rlx.output = "same"}, tensor<4xf32> {rlx.output = "twice"}, tensor<4xf32> {rlx.output = "again"},
        tensor<4xf32> {rlx.output = "constant"}, tensor<3xi32> {rlx.output = "sevens"}) {
  %c = arith.constant dense<[0xFF800000, 1.5, 0x7F800000, -0.0]> : tensor<4xf32>
  %sevens = arith.constant dense<7> : tensor<3xi32>
  %e = tensor.empty() : tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  func.return %x, %d, %d, %c, %sevens : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xi32>
}
