// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @element(%x: tensor<8xf16>) {
  // expected-error @below {{rlx.fft_butterfly_stage: input must have one of the element types f32, f64, complex<f32>, got tensor<8xf16>}}
  %0 = rlx.fft_butterfly_stage %x stage(0) : tensor<8xf16>
  func.return
}

// -----

func.func @rank(%x: tensor<f32>) {
  // expected-error @below {{rlx.fft_butterfly_stage: input must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.fft_butterfly_stage %x stage(0) : tensor<f32>
  func.return
}

// -----

func.func @odd(%x: tensor<7xf32>) {
  // expected-error @below {{rlx.fft_butterfly_stage: the last dim of input, real parts and imaginary parts, must be even, got tensor<7xf32>}}
  %0 = rlx.fft_butterfly_stage %x stage(0) : tensor<7xf32>
  func.return
}

// -----

func.func @negative_stage(%x: tensor<8xf32>) {
  // expected-error @below {{rlx.fft_butterfly_stage: stage must be 0 to 61, got -1}}
  %0 = rlx.fft_butterfly_stage %x stage(-1) : tensor<8xf32>
  func.return
}

// -----

func.func @late_stage(%x: tensor<?xf32>) {
  // expected-error @below {{rlx.fft_butterfly_stage: stage must be 0 to 61, got 62}}
  %0 = rlx.fft_butterfly_stage %x stage(62) : tensor<?xf32>
  func.return
}

// -----

func.func @groups(%x: tensor<12xf32>) {
  // expected-error @below {{rlx.fft_butterfly_stage: the points of input must be a multiple of 4 in stage 1, got 6 in tensor<12xf32>}}
  %0 = rlx.fft_butterfly_stage %x stage(1) : tensor<12xf32>
  func.return
}

// -----

func.func @complex_groups(%x: tensor<6xcomplex<f32>>) {
  // expected-error @below {{rlx.fft_butterfly_stage: the points of input must be a multiple of 4 in stage 1, got 6 in tensor<6xcomplex<f32>>}}
  %0 = rlx.fft_butterfly_stage %x stage(1) : tensor<6xcomplex<f32>>
  func.return
}

// -----

func.func @none_pruned(%x: tensor<8xf32>) {
  // expected-error @below {{rlx.fft_butterfly_stage: pruned must be 1 to 4 in stage 1, got 0}}
  %0 = rlx.fft_butterfly_stage %x stage(1) pruned(0) : tensor<8xf32>
  func.return
}

// -----

func.func @too_many_pruned(%x: tensor<8xf32>) {
  // expected-error @below {{rlx.fft_butterfly_stage: pruned must be 1 to 4 in stage 1, got 5}}
  %0 = rlx.fft_butterfly_stage %x stage(1) inverse pruned(5) : tensor<8xf32>
  func.return
}

// -----

func.func @q_element(%x: tensor<8xi8>) {
  // expected-error @below {{rlx.fft_q: input must have one of the element types i16, i32, got tensor<8xi8>}}
  %0 = rlx.fft_q %x norm(none) scale(0) : tensor<8xi8>
  func.return
}

// -----

func.func @q_rank(%x: tensor<i16>) {
  // expected-error @below {{rlx.fft_q: input must have rank 1 or more, got tensor<i16>}}
  %0 = rlx.fft_q %x norm(none) scale(0) : tensor<i16>
  func.return
}

// -----

func.func @q_odd(%x: tensor<7xi16>) {
  // expected-error @below {{rlx.fft_q: the last dim of input, real parts and imaginary parts, must be even, got tensor<7xi16>}}
  %0 = rlx.fft_q %x norm(none) scale(0) : tensor<7xi16>
  func.return
}

// -----

func.func @q_points(%x: tensor<12xi16>) {
  // expected-error @below {{rlx.fft_q: the points of input must be a power of 2, got 6}}
  %0 = rlx.fft_q %x norm(none) scale(0) : tensor<12xi16>
  func.return
}

// -----

func.func @q_nothing(%x: tensor<2x0xi16>) {
  // expected-error @below {{rlx.fft_q: the points of input must be a power of 2, got 0}}
  %0 = rlx.fft_q %x norm(none) scale(0) : tensor<2x0xi16>
  func.return
}

// -----

func.func @q_scale(%x: tensor<?xi32>) {
  // expected-error @below {{rlx.fft_q: scale must not be negative, got -1}}
  %0 = rlx.fft_q %x norm(none) scale(-1) : tensor<?xi32>
  func.return
}

// -----

func.func @q_ortho(%x: tensor<16xi32>) {
  // expected-error @below {{rlx.fft_q: norm ortho needs an even power of 2 of points, got 8}}
  %0 = rlx.fft_q %x norm(ortho) scale(0) : tensor<16xi32>
  func.return
}

// -----

func.func @q_halvings(%x: tensor<16xi16>) {
  // expected-error @below {{rlx.fft_q: scale and norm must halve in at most the 3 stages of 8 points, got scale 4 and 0 for norm none}}
  %0 = rlx.fft_q %x norm(none) scale(4) : tensor<16xi16>
  func.return
}

// -----

func.func @q_halvings_of_norm(%x: tensor<16xi16>) {
  // expected-error @below {{rlx.fft_q: scale and norm must halve in at most the 3 stages of 8 points, got scale 1 and 3 for norm by_n_on_inverse}}
  %0 = rlx.fft_q %x inverse norm(by_n_on_inverse) scale(1) : tensor<16xi16>
  func.return
}

// -----

func.func @q_halvings_of_a_run(%x: tensor<?xi16>) {
  // expected-error @below {{rlx.fft_q: scale must be 0 where norm by_n_on_inverse halves in all stages, got 1}}
  %0 = rlx.fft_q %x inverse norm(by_n_on_inverse) scale(1) : tensor<?xi16>
  func.return
}
