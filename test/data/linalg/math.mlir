// Every math function of one argument and of two, each a result of its own.
#i = affine_map<(i) -> (i)>
func.func @main(%x: tensor<64xf32> {rlx.input = "x"}, %y: tensor<64xf32> {rlx.input = "y"})
    -> (tensor<64xf32> {rlx.output = "acos"},
        tensor<64xf32> {rlx.output = "acosh"},
        tensor<64xf32> {rlx.output = "asin"},
        tensor<64xf32> {rlx.output = "asinh"},
        tensor<64xf32> {rlx.output = "atan"},
        tensor<64xf32> {rlx.output = "atanh"},
        tensor<64xf32> {rlx.output = "cbrt"},
        tensor<64xf32> {rlx.output = "ceil"},
        tensor<64xf32> {rlx.output = "cos"},
        tensor<64xf32> {rlx.output = "cosh"},
        tensor<64xf32> {rlx.output = "erf"},
        tensor<64xf32> {rlx.output = "erfc"},
        tensor<64xf32> {rlx.output = "exp"},
        tensor<64xf32> {rlx.output = "exp2"},
        tensor<64xf32> {rlx.output = "expm1"},
        tensor<64xf32> {rlx.output = "floor"},
        tensor<64xf32> {rlx.output = "log"},
        tensor<64xf32> {rlx.output = "log10"},
        tensor<64xf32> {rlx.output = "log1p"},
        tensor<64xf32> {rlx.output = "log2"},
        tensor<64xf32> {rlx.output = "round"},
        tensor<64xf32> {rlx.output = "roundeven"},
        tensor<64xf32> {rlx.output = "rsqrt"},
        tensor<64xf32> {rlx.output = "sin"},
        tensor<64xf32> {rlx.output = "sinh"},
        tensor<64xf32> {rlx.output = "sqrt"},
        tensor<64xf32> {rlx.output = "tan"},
        tensor<64xf32> {rlx.output = "tanh"},
        tensor<64xf32> {rlx.output = "trunc"},
        tensor<64xf32> {rlx.output = "absf"},
        tensor<64xf32> {rlx.output = "atan2"},
        tensor<64xf32> {rlx.output = "powf"},
        tensor<64xf32> {rlx.output = "copysign"},
        tensor<64xf32> {rlx.output = "remf"}) {
  %e = tensor.empty() : tensor<64xf32>
  %acos = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.acos"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %acosh = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.acosh"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %asin = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.asin"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %asinh = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.asinh"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %atan = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.atan"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %atanh = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.atanh"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %cbrt = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.cbrt"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %ceil = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.ceil"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %cos = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.cos"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %cosh = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.cosh"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %erf = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.erf"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %erfc = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.erfc"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %exp = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.exp"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %exp2 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.exp2"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %expm1 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.expm1"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %floor = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.floor"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %log = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.log"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %log10 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.log10"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %log1p = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.log1p"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %log2 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.log2"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %round = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.round"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %roundeven = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.roundeven"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %rsqrt = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.rsqrt"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %sin = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.sin"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %sinh = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.sinh"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %sqrt = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.sqrt"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %tan = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.tan"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %tanh = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.tanh"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %trunc = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.trunc"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %absf = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.absf"(%a) : (f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %atan2 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.atan2"(%a, %b) : (f32, f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %powf = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.powf"(%a, %b) : (f32, f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %copysign = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "math.copysign"(%a, %b) : (f32, f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %remf = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = "arith.remf"(%a, %b) : (f32, f32) -> f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  func.return %acos, %acosh, %asin, %asinh, %atan, %atanh, %cbrt, %ceil, %cos, %cosh, %erf, %erfc, %exp, %exp2, %expm1, %floor, %log, %log10, %log1p, %log2, %round, %roundeven, %rsqrt, %sin, %sinh, %sqrt, %tan, %tanh, %trunc, %absf, %atan2, %powf, %copysign, %remf :
    tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
