// RUN: rlx-opt --convert-rlx-to-stablehlo --split-input-file --verify-diagnostics --allow-unregistered-dialect %s

func.func @formula(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{'rlx.activation' in @formula needs static dims, and tensor<?x4xf32> is only known at run time}}
  %0 = rlx.activation gelu %x : tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}

// -----

func.func @broadcast(%x: tensor<?x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{'rlx.binary' in @broadcast stretches tensor<4xf32> to tensor<?x4xf32>, a size that is only known at run time}}
  %0 = rlx.binary add %x, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}

// -----

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

func.func @stage_of_unknown_length(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  // expected-error @below {{'rlx.fft_butterfly_stage' in @stage_of_unknown_length has a size that is only known at run time, so it cannot be written in plain ops; make its sizes static}}
  %0 = rlx.fft_butterfly_stage %x stage(1) : tensor<2x?xf32>
  func.return %0 : tensor<2x?xf32>
}

// -----

// Its matrix would be too large, and it does not fall into stages.
func.func @long_transform(%x: tensor<6000xf32>) -> tensor<6000xf32> {
  // expected-error @below {{'rlx.fft' in @long_transform has no form in StableHLO with these types and sizes}}
  %0 = rlx.fft %x norm(none) : tensor<6000xf32>
  func.return %0 : tensor<6000xf32>
}

// -----

func.func @places_of_unknown_length(%x: tensor<?x2xf32>, %i: tensor<3x1xi64>) -> tensor<3x2xf32> {
  // expected-error @below {{'rlx.gather_nd' in @places_of_unknown_length becomes 'arith.constant', which is part of a size that is only known at run time; make its sizes static}}
  %0 = rlx.gather_nd %x, %i batch_dims(0) : (tensor<?x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  func.return %0 : tensor<3x2xf32>
}
