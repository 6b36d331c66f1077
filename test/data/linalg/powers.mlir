// Powers and magnitudes of integers as upstream's math dialect has them.
#i = affine_map<(i) -> (i)>
func.func @main(%a: tensor<12xi32> {rlx.input = "a"}, %b: tensor<12xi32> {rlx.input = "b"})
    -> (tensor<12xi32> {rlx.output = "power"}, tensor<12xi32> {rlx.output = "size"}) {
  %e = tensor.empty() : tensor<12xi32>
  %power = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<12xi32>, tensor<12xi32>) outs(%e : tensor<12xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %r = "math.ipowi"(%x, %y) : (i32, i32) -> i32
    linalg.yield %r : i32
  } -> tensor<12xi32>
  %size = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%a : tensor<12xi32>) outs(%e : tensor<12xi32>) {
  ^bb0(%x: i32, %o: i32):
    %r = "math.absi"(%x) : (i32) -> i32
    linalg.yield %r : i32
  } -> tensor<12xi32>
  func.return %power, %size : tensor<12xi32>, tensor<12xi32>
}
