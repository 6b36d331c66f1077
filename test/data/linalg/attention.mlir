// softmax(q @ k^T * scale, keys masked) @ v, by batch and head; the running maximum starts at -inf.
#bhqk = affine_map<(b, h, q, k) -> (b, h, q, k)>
#row = affine_map<(b, h, q, k) -> (b, h, q)>
#keys = affine_map<(b, h, q, k) -> (b, k)>
func.func @main(%q: tensor<2x3x7x8xf32> {rlx.input = "q"}, %k: tensor<2x3x9x8xf32> {rlx.input = "k"},
                %v: tensor<2x3x9x8xf32> {rlx.input = "v"}, %keys: tensor<2x9xi1> {rlx.input = "keys"})
    -> (tensor<2x3x7x8xf32> {rlx.output = "y"}) {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %lowest = arith.constant -3.40282347E+38 : f32
  %scale = arith.constant 0.35355339 : f32
  %es = tensor.empty() : tensor<2x3x7x9xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x3x7x9xf32>) -> tensor<2x3x7x9xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, q, k, d) -> (b, h, q, d)>, affine_map<(b, h, q, k, d) -> (b, h, k, d)>,
                                        affine_map<(b, h, q, k, d) -> (b, h, q, k)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x3x7x8xf32>, tensor<2x3x9x8xf32>) outs(%zs : tensor<2x3x7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %c, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7x9xf32>
  %masked = linalg.generic {indexing_maps = [#bhqk, #keys, #bhqk], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %keys : tensor<2x3x7x9xf32>, tensor<2x9xi1>) outs(%es : tensor<2x3x7x9xf32>) {
  ^bb0(%a: f32, %m: i1, %o: f32):
    %t = arith.mulf %a, %scale : f32
    %r = arith.select %m, %t, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7x9xf32>
  %er = tensor.empty() : tensor<2x3x7xf32>
  %mi = linalg.fill ins(%ninf : f32) outs(%er : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %max = linalg.generic {indexing_maps = [#bhqk, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%masked : tensor<2x3x7x9xf32>) outs(%mi : tensor<2x3x7xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %c, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %ex = linalg.generic {indexing_maps = [#bhqk, #row, #bhqk], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%masked, %max : tensor<2x3x7x9xf32>, tensor<2x3x7xf32>) outs(%es : tensor<2x3x7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7x9xf32>
  %si = linalg.fill ins(%zero : f32) outs(%er : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %sum = linalg.generic {indexing_maps = [#bhqk, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%ex : tensor<2x3x7x9xf32>) outs(%si : tensor<2x3x7xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %c, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %p = linalg.generic {indexing_maps = [#bhqk, #row, #bhqk], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%ex, %sum : tensor<2x3x7x9xf32>, tensor<2x3x7xf32>) outs(%es : tensor<2x3x7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7x9xf32>
  %eo = tensor.empty() : tensor<2x3x7x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, h, q, d, k) -> (b, h, q, k)>, affine_map<(b, h, q, d, k) -> (b, h, k, d)>,
                                        affine_map<(b, h, q, d, k) -> (b, h, q, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x3x7x9xf32>, tensor<2x3x9x8xf32>) outs(%zo : tensor<2x3x7x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %c, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7x8xf32>
  func.return %y : tensor<2x3x7x8xf32>
}
