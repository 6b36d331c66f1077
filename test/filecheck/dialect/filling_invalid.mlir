// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @size_missing() {
  // expected-error @below {{rlx.full: needs one size operand for each ? of tensor<?xf32>, 1, got 0}}
  %0 = rlx.full 0.0 : tensor<?xf32>
  func.return
}

// -----

func.func @too_large_a_value() {
  // expected-error @below {{rlx.full: value must be an integer from -128 to 127 for tensor<2xi8>, got 128}}
  %0 = rlx.full 128 : tensor<2xi8>
  func.return
}

// -----

func.func @a_real_number_for_integers() {
  // expected-error @below {{rlx.full: value must be an integer from 0 to 1 for tensor<2xi1>, got 1.0}}
  %0 = rlx.full 1.0 : tensor<2xi1>
  func.return
}

// -----

func.func @iota_of_truth_values() {
  // expected-error @below {{rlx.iota: the result must hold numbers, got tensor<2xi1>}}
  %0 = rlx.iota axis(0) : tensor<2xi1>
  func.return
}

// -----

func.func @iota_beyond_its_type() {
  // expected-error @below {{rlx.iota: i8 does not hold 128, the last entry of tensor<129xi8>}}
  %0 = rlx.iota axis(0) : tensor<129xi8>
  func.return
}

// -----

func.func @iota_without_an_axis() {
  // expected-error @below {{rlx.iota: axis 0 is out of range for result of rank 0}}
  %0 = rlx.iota axis(0) : tensor<i32>
  func.return
}

// -----

func.func @no_number() {
  // expected-error @below {{expected a number or one of inf, neg_inf, nan, got much}}
  %0 = rlx.full much : tensor<2xf32>
  func.return
}

// -----

func.func @beyond_64_bits() {
  // expected-error @below {{18446744073709551616 does not fit into a signed integer of 64 bits}}
  %0 = rlx.full 18446744073709551616 : tensor<2xi64>
  func.return
}
