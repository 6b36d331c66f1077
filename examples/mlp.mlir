func.func @mlp(%x: tensor<4x8xf32> {rlx.input = "x"}, %w: tensor<8x16xf32> {rlx.param = "w"}, %b: tensor<16xf32> {rlx.param = "b"}) -> (tensor<4x16xf32> {rlx.output = "y"}) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation gelu %1 : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}
