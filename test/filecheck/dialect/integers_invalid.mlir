// RUN: rlx-opt %s --split-input-file --verify-diagnostics

// Integers that i64 holds as other ones are refused where they are read.
func.func @last_axis(%x: tensor<2x4xf32>) {
  // expected-error @below {{18446744073709551615 does not fit into a signed integer of 64 bits}}
  %0 = rlx.softmax %x axis(18446744073709551615) : tensor<2x4xf32>
  func.return
}

// -----

func.func @generic(%x: tensor<2x4xf32>) {
  // expected-error @below {{9223372036854775808 does not fit into a signed integer of 64 bits}}
  %0 = "rlx.softmax"(%x) <{axis = 9223372036854775808 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @without_type(%x: tensor<2x4xf32>) {
  // expected-error @below {{9223372036854775808 does not fit into a signed integer of 64 bits}}
  %0 = "rlx.softmax"(%x) <{axis = 9223372036854775808}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @list(%x: tensor<2x4xf32>) {
  // expected-error @below {{18446744073709551615 does not fit into a signed integer of 64 bits}}
  %0 = rlx.reduce sum %x axes [0, 18446744073709551615] : tensor<2x4xf32> -> tensor<f32>
  func.return
}

// -----

func.func @too_small(%x: tensor<2x4xf32>) {
  // expected-error @below {{-9223372036854775809 does not fit into a signed integer of 64 bits}}
  %0 = rlx.reduce sum %x axes [-9223372036854775809] : tensor<2x4xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @generic_list(%x: tensor<2x4xf32>) {
  // expected-error @below {{9223372036854775808 does not fit into a signed integer of 64 bits}}
  %0 = "rlx.transpose"(%x) <{permutation = array<i64: 0, 9223372036854775808>}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @integer_or_word(%x: tensor<12x8xf32>) {
  // expected-error @below {{18446744073709551615 does not fit into a signed integer of 64 bits}}
  %0 = rlx.welch_peaks %x k(18446744073709551615) n_segments(3) : tensor<12x8xf32> -> tensor<4x4xf32>
  func.return
}

// -----

func.func @in_a_group(%x: tensor<4xf32>) {
  // expected-error @below {{18446744073709551615 does not fit into a signed integer of 64 bits}}
  %0 = rlx.scan(%a = %x) length(18446744073709551615) : (tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  }
  func.return
}
