// Reductions over everything, over the first axis, and a maximum that starts at -inf.
func.func @main(%x: tensor<5x7xf32> {rlx.input = "x"})
    -> (tensor<f32> {rlx.output = "total"}, tensor<7xf32> {rlx.output = "columns"}, tensor<5xf32> {rlx.output = "highest"}) {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<f32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %total = linalg.reduce ins(%x : tensor<5x7xf32>) outs(%i0 : tensor<f32>) dimensions = [0, 1]
    (%a: f32, %b: f32) {
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    }
  %e1 = tensor.empty() : tensor<7xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<7xf32>) -> tensor<7xf32>
  %columns = linalg.reduce ins(%x : tensor<5x7xf32>) outs(%i1 : tensor<7xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    }
  %e2 = tensor.empty() : tensor<5xf32>
  %i2 = linalg.fill ins(%ninf : f32) outs(%e2 : tensor<5xf32>) -> tensor<5xf32>
  %highest = linalg.reduce ins(%x : tensor<5x7xf32>) outs(%i2 : tensor<5xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %r = arith.maximumf %a, %b : f32
      linalg.yield %r : f32
    }
  func.return %total, %columns, %highest : tensor<f32>, tensor<7xf32>, tensor<5xf32>
}
