// f16, bf16 and i8 arithmetic: every op rounds or wraps as the narrow type does.
#i = affine_map<(i) -> (i)>
func.func @main(%h: tensor<40xf16> {rlx.input = "h"}, %b: tensor<40xbf16> {rlx.input = "b"}, %q: tensor<40xi8> {rlx.input = "q"})
    -> (tensor<40xf16> {rlx.output = "half"}, tensor<40xbf16> {rlx.output = "brain"}, tensor<40xi8> {rlx.output = "byte"},
        tensor<40xf32> {rlx.output = "wide"}, tensor<40xf16> {rlx.output = "exp"}) {
  %third = arith.constant 3.333330e-01 : f16
  %c = arith.constant dense<[1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15, -16, 17, -18, 19, -20,
                             21, -22, 23, -24, 25, -26, 27, -28, 29, -30, 31, -32, 33, -34, 35, -36, 37, -38, 39, -40]> : tensor<40xi8>
  %eh = tensor.empty() : tensor<40xf16>
  %eb = tensor.empty() : tensor<40xbf16>
  %eq = tensor.empty() : tensor<40xi8>
  %ew = tensor.empty() : tensor<40xf32>
  %half = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%h : tensor<40xf16>) outs(%eh : tensor<40xf16>) {
  ^bb0(%x: f16, %o: f16):
    %m = arith.mulf %x, %third : f16
    %a = arith.addf %m, %x : f16
    %d = arith.divf %a, %third : f16
    %n = arith.maximumf %d, %x : f16
    linalg.yield %n : f16
  } -> tensor<40xf16>
  %brain = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%b, %h : tensor<40xbf16>, tensor<40xf16>) outs(%eb : tensor<40xbf16>) {
  ^bb0(%x: bf16, %y: f16, %o: bf16):
    %m = arith.mulf %x, %x : bf16
    %w = arith.extf %y : f16 to f32
    %t = arith.truncf %w : f32 to bf16
    %s = arith.subf %m, %t : bf16
    linalg.yield %s : bf16
  } -> tensor<40xbf16>
  %byte = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%q, %c : tensor<40xi8>, tensor<40xi8>) outs(%eq : tensor<40xi8>) {
  ^bb0(%x: i8, %y: i8, %o: i8):
    %p = arith.muli %x, %y : i8
    %s = arith.addi %p, %x : i8
    linalg.yield %s : i8
  } -> tensor<40xi8>
  %wide = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%q, %b : tensor<40xi8>, tensor<40xbf16>) outs(%ew : tensor<40xf32>) {
  ^bb0(%x: i8, %y: bf16, %o: f32):
    %s = arith.extsi %x : i8 to i32
    %u = arith.extui %x : i8 to i32
    %t = arith.addi %s, %u : i32
    %f = arith.sitofp %t : i32 to f32
    %g = arith.extf %y : bf16 to f32
    %r = arith.addf %f, %g : f32
    linalg.yield %r : f32
  } -> tensor<40xf32>
  %exp = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%h : tensor<40xf16>) outs(%eh : tensor<40xf16>) {
  ^bb0(%x: f16, %o: f16):
    %r = math.exp %x : f16
    linalg.yield %r : f16
  } -> tensor<40xf16>
  func.return %half, %brain, %byte, %wide, %exp : tensor<40xf16>, tensor<40xbf16>, tensor<40xi8>, tensor<40xf32>, tensor<40xf16>
}
