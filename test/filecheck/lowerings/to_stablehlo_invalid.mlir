// RUN: rlx-opt --convert-rlx-to-stablehlo --split-input-file --verify-diagnostics --allow-unregistered-dialect %s

func.func @index(%x: index) -> index {
  // expected-error @below {{'arith.addi' in @index has no form in StableHLO}}
  %0 = arith.addi %x, %x : index
  func.return %0 : index
}

// -----

func.func @scalar() -> i32 {
  // expected-error @below {{'arith.constant' in @scalar is no dense tensor, but i32}}
  %0 = arith.constant 1 : i32
  func.return %0 : i32
}

// -----

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'nowhere.op' in @unknown has no form in StableHLO}}
  %0 = "nowhere.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// Its matrix would be too large, and it does not fall into stages.
func.func @long_transform(%x: tensor<6000xf32>) -> tensor<6000xf32> {
  // expected-error @below {{'rlx.fft' in @long_transform has no form in StableHLO with these types and sizes}}
  %0 = rlx.fft %x norm(none) : tensor<6000xf32>
  func.return %0 : tensor<6000xf32>
}

