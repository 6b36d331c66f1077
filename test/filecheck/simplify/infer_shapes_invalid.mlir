// RUN: rlx-opt --rlx-infer-shapes --split-input-file --verify-diagnostics %s

// expected-error @+1 {{'func.func': dim 'a' is 2 and 3 (dim 1 of tensor<2x3xf32>)}}
func.func @names(%x: tensor<2x3xf32> {rlx.dims = ["a", "a"]}) {
  func.return
}

// -----

func.func @sizes(%b: tensor<8xf32>, %x: tensor<5x8xf32>) {
  %c4 = arith.constant 4 : index
  %0 = rlx.expand %b sizes(%c4) : tensor<8xf32> -> tensor<?x8xf32>
  // expected-error @+1 {{'rlx.binary': lhs [4, 8] and rhs [5, 8] do not broadcast: 4 and 5 meet in dim 0}}
  %1 = rlx.binary add %0, %x : (tensor<?x8xf32>, tensor<5x8xf32>) -> tensor<?x8xf32>
  func.return
}

// -----

// expected-error @+1 {{rlx.dims of argument #0 must have a name or a size for each dim of tensor<2x3xf32>, got ["a"]}}
func.func @rank(%x: tensor<2x3xf32> {rlx.dims = ["a"]}) {
  func.return
}

// -----

// expected-error @+1 {{'func.func': dim 1 of tensor<2x3xf32> must be equal, got 3 and 4}}
func.func @number(%x: tensor<2x3xf32> {rlx.dims = [2, 4]}) {
  func.return
}
