// RUN: rlx-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{@f22_no_such_result: rlx.donate of argument #1 must be the index of one of 1 results, got 1 : i64}}
func.func @f22_no_such_result(%x: tensor<4xf32>, %c: tensor<4xf32> {rlx.donate = 1 : i64}) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{rlx.donate of argument #0 must be the index of one of 1 results, got -1 : i64}}
func.func @f22_negative(%c: tensor<4xf32> {rlx.donate = -1 : i64}) -> tensor<4xf32> {
  func.return %c : tensor<4xf32>
}

// -----

// expected-error @+1 {{rlx.donate of argument #0 must be the index of one of 1 results, got "y"}}
func.func @f22_no_number(%c: tensor<4xf32> {rlx.donate = "y"}) -> tensor<4xf32> {
  func.return %c : tensor<4xf32>
}

// -----

// expected-error @+1 {{rlx.donate of argument #0: result #0 has type tensor<4xf16>, the argument tensor<4xf32>}}
func.func @f22_another_type(%c: tensor<4xf32> {rlx.donate = 0 : i64}) -> tensor<4xf16> {
  %0 = rlx.cast %c : tensor<4xf32> -> tensor<4xf16>
  func.return %0 : tensor<4xf16>
}

// -----

// expected-error @+1 {{rlx.donate of argument #0: result #0 has type tensor<?xf32>, the argument tensor<4xf32>}}
func.func @f22_another_size(%c: tensor<4xf32> {rlx.donate = 0 : i64}, %x: tensor<?xf32>) -> tensor<?xf32> {
  func.return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{rlx.donate of argument #1: another argument is given up for result #0}}
func.func @f22_two_donors(%a: tensor<4xf32> {rlx.donate = 0 : i64}, %b: tensor<4xf32> {rlx.donate = 0 : i64}) -> tensor<4xf32> {
  func.return %a : tensor<4xf32>
}

// -----

// expected-error @+1 {{rlx.donate of argument #0: only inputs are given up, not what rlx.param names}}
func.func @f22_param(%w: tensor<4xf32> {rlx.param = "w", rlx.donate = 0 : i64}) -> tensor<4xf32> {
  func.return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{@f22_on_a_result: rlx.donate is an attribute of arguments, not of functions or results}}
func.func @f22_on_a_result(%c: tensor<4xf32>) -> (tensor<4xf32> {rlx.donate = 0 : i64}) {
  func.return %c : tensor<4xf32>
}

// -----

// expected-error @+1 {{@f22_on_a_function: rlx.donate is an attribute of arguments, not of functions or results}}
func.func @f22_on_a_function(%c: tensor<4xf32>) -> tensor<4xf32> attributes {rlx.donate = 0 : i64} {
  func.return %c : tensor<4xf32>
}
