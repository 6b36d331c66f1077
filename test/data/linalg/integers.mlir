// Whole numbers and truth values, as inputs, constants and results.
#i = affine_map<(i) -> (i)>
func.func @main(%a: tensor<9xi32> {rlx.input = "a"}, %m: tensor<9xi1> {rlx.input = "m"}, %l: tensor<9xi64> {rlx.input = "l"})
    -> (tensor<9xi32> {rlx.output = "n"}, tensor<9xi1> {rlx.output = "even"}, tensor<9xi64> {rlx.output = "long"},
        tensor<9xf32> {rlx.output = "f"}) {
  %table = arith.constant dense<[3, -1, 4, 1, -5, 9, 2, -6, 5]> : tensor<9xi32>
  %flags = arith.constant dense<[true, false, true, true, false, true, false, false, true]> : tensor<9xi1>
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : i32
  %big = arith.constant 5000000000 : i64
  %ei = tensor.empty() : tensor<9xi32>
  %eb = tensor.empty() : tensor<9xi1>
  %el = tensor.empty() : tensor<9xi64>
  %ef = tensor.empty() : tensor<9xf32>
  %n = linalg.generic {indexing_maps = [#i, #i, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%a, %table, %m, %flags : tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi1>) outs(%ei : tensor<9xi32>) {
  ^bb0(%x: i32, %y: i32, %p: i1, %q: i1, %o: i32):
    %sum = arith.addi %x, %y : i32
    %product = arith.muli %x, %y : i32
    %which = arith.xori %p, %q : i1
    %r = arith.select %which, %sum, %product : i32
    linalg.yield %r : i32
  } -> tensor<9xi32>
  %even = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%n : tensor<9xi32>) outs(%eb : tensor<9xi1>) {
  ^bb0(%x: i32, %o: i1):
    %rest = arith.remsi %x, %c2 : i32
    %is_even = arith.cmpi eq, %rest, %c0 : i32
    linalg.yield %is_even : i1
  } -> tensor<9xi1>
  %long = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%l, %a : tensor<9xi64>, tensor<9xi32>) outs(%el : tensor<9xi64>) {
  ^bb0(%x: i64, %y: i32, %o: i64):
    %wide = arith.extsi %y : i32 to i64
    %s = arith.addi %x, %wide : i64
    %r = arith.addi %s, %big : i64
    linalg.yield %r : i64
  } -> tensor<9xi64>
  %f = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%even : tensor<9xi1>) outs(%ef : tensor<9xf32>) {
  ^bb0(%x: i1, %o: f32):
    %r = arith.uitofp %x : i1 to f32
    linalg.yield %r : f32
  } -> tensor<9xf32>
  func.return %n, %even, %long, %f : tensor<9xi32>, tensor<9xi1>, tensor<9xi64>, tensor<9xf32>
}
