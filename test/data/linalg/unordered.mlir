// Comparisons that NaN decides, and quotients of negative numbers: what shader compilers get wrong first.
#i = affine_map<(i) -> (i)>
func.func @main(%x: tensor<8xf32> {rlx.input = "x"}, %a: tensor<8xi32> {rlx.input = "a"}, %b: tensor<8xi32> {rlx.input = "b"})
    -> (tensor<8xi1> {rlx.output = "differs"}, tensor<8xi1> {rlx.output = "not_below"}, tensor<8xi1> {rlx.output = "nan"},
        tensor<8xi32> {rlx.output = "quotient"}, tensor<8xi32> {rlx.output = "rest"}) {
  %one = arith.constant 1.0 : f32
  %et = tensor.empty() : tensor<8xi1>
  %ei = tensor.empty() : tensor<8xi32>
  %differs = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%et : tensor<8xi1>) {
  ^bb0(%v: f32, %o: i1):
    %r = arith.cmpf une, %v, %one : f32
    linalg.yield %r : i1
  } -> tensor<8xi1>
  %not_below = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%et : tensor<8xi1>) {
  ^bb0(%v: f32, %o: i1):
    %r = arith.cmpf uge, %v, %one : f32
    linalg.yield %r : i1
  } -> tensor<8xi1>
  %nan = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%et : tensor<8xi1>) {
  ^bb0(%v: f32, %o: i1):
    %r = arith.cmpf uno, %v, %v : f32
    linalg.yield %r : i1
  } -> tensor<8xi1>
  %quotient = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xi32>, tensor<8xi32>) outs(%ei : tensor<8xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %r = arith.divsi %p, %q : i32
    linalg.yield %r : i32
  } -> tensor<8xi32>
  %rest = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xi32>, tensor<8xi32>) outs(%ei : tensor<8xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %r = arith.remsi %p, %q : i32
    linalg.yield %r : i32
  } -> tensor<8xi32>
  func.return %differs, %not_below, %nan, %quotient, %rest : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi32>, tensor<8xi32>
}
