// RUN: rlx-opt --convert-rlx-to-mlx --split-input-file --verify-diagnostics %s

func.func @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{mlx.call: callee must be a function of mx, mx.fast or lib, got 'os.system'}}
  %0 = mlx.call "os.system"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @not_a_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{mlx.call: callee must be a function of mx, mx.fast or lib, got 'mx.exp(0) or '}}
  %0 = mlx.call "mx.exp(0) or "(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @keyword(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{mlx.call: keyword 'a b' is no name}}
  %0 = mlx.call "mx.exp"(%x) with {"a b" = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @slice(%x: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{mlx.slice: start 2 plus length 3 exceeds dim 0 of tensor<4xf32>}}
  %0 = mlx.slice %x axis(0) start(2) length(3) : tensor<4xf32> -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// -----

func.func @result(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{mlx.slice: the result must be tensor<3xf32>, got tensor<2xf32>}}
  %0 = mlx.slice %x axis(0) start(1) length(3) : tensor<4xf32> -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
