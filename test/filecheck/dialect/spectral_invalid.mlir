// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @fft_of_halves(%x: tensor<4xf16>) {
  // expected-error @below {{rlx.fft: input must have element type f32, f64 or complex<f32>, got tensor<4xf16>}}
  %0 = rlx.fft %x norm(none) : tensor<4xf16>
  func.return
}

// -----

func.func @fft_of_a_scalar(%x: tensor<f32>) {
  // expected-error @below {{rlx.fft: input must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.fft %x norm(none) : tensor<f32>
  func.return
}

// -----

func.func @odd_block(%x: tensor<5xf32>) {
  // expected-error @below {{rlx.fft: the last dim of input, real parts and imaginary parts, must be even, got tensor<5xf32>}}
  %0 = rlx.fft %x norm(none) : tensor<5xf32>
  func.return
}

// -----

func.func @norm(%x: tensor<4xf32>) {
  %0 = rlx.fft %x norm(forward) : tensor<4xf32>
  // expected-error @below {{expected one of none, by_n_on_inverse, ortho, got "forward"}}
  func.return
}

// -----

func.func @rfft_of_doubles(%x: tensor<4xf64>) {
  // expected-error @below {{rlx.rfft: input must have element type f32, got f64}}
  %0 = rlx.rfft %x norm(none) : tensor<4xf64> -> tensor<3xcomplex<f32>>
  func.return
}

// -----

func.func @rfft_of_a_scalar(%x: tensor<f32>) {
  // expected-error @below {{rlx.rfft: input must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.rfft %x norm(none) : tensor<f32> -> tensor<complex<f32>>
  func.return
}

// -----

func.func @rfft_of_nothing(%x: tensor<2x0xf32>) {
  // expected-error @below {{rlx.rfft: the last dim of input must not be empty, got tensor<2x0xf32>}}
  %0 = rlx.rfft %x norm(none) : tensor<2x0xf32> -> tensor<2x1xcomplex<f32>>
  func.return
}

// -----

func.func @rfft_bins(%x: tensor<6xf32>) {
  // expected-error @below {{rlx.rfft: result #0 must be tensor<4xcomplex<f32>>, got tensor<3xcomplex<f32>>}}
  %0 = rlx.rfft %x norm(none) : tensor<6xf32> -> tensor<3xcomplex<f32>>
  func.return
}

// -----

func.func @irfft_of_reals(%x: tensor<4xf32>) {
  // expected-error @below {{rlx.irfft: input must have element type complex<f32>, got f32}}
  %0 = rlx.irfft %x length(6) norm(none) : tensor<4xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @irfft_of_a_scalar(%x: tensor<complex<f32>>) {
  // expected-error @below {{rlx.irfft: input must have rank 1 or more, got tensor<complex<f32>>}}
  %0 = rlx.irfft %x length(1) norm(none) : tensor<complex<f32>> -> tensor<1xf32>
  func.return
}

// -----

func.func @irfft_length(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{rlx.irfft: length must be 1 or more, got 0}}
  %0 = rlx.irfft %x length(0) norm(none) : tensor<4xcomplex<f32>> -> tensor<0xf32>
  func.return
}

// -----

func.func @irfft_bins(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{rlx.irfft: the last dim of input tensor<4xcomplex<f32>> and the bins of 8 points must be equal, got 4 and 5}}
  %0 = rlx.irfft %x length(8) norm(none) : tensor<4xcomplex<f32>> -> tensor<8xf32>
  func.return
}

// -----

func.func @peaks_rank(%x: tensor<2x3x8xf32>) {
  // expected-error @below {{rlx.welch_peaks: input must have rank 2, got tensor<2x3x8xf32>}}
  %0 = rlx.welch_peaks %x k(1) n_segments(1) : tensor<2x3x8xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @peaks_element(%x: tensor<3x8xf64>) {
  // expected-error @below {{rlx.welch_peaks: input must have element type f32, got f64}}
  %0 = rlx.welch_peaks %x k(1) n_segments(1) : tensor<3x8xf64> -> tensor<3x2xf64>
  func.return
}

// -----

func.func @no_peaks(%x: tensor<3x8xf32>) {
  // expected-error @below {{rlx.welch_peaks: k and n_segments must be 1 or more, got 0 and 1}}
  %0 = rlx.welch_peaks %x k(0) n_segments(1) : tensor<3x8xf32> -> tensor<3x0xf32>
  func.return
}

// -----

func.func @peaks_of_nothing(%x: tensor<3x0xf32>) {
  // expected-error @below {{rlx.welch_peaks: the last dim of input must not be empty, got tensor<3x0xf32>}}
  %0 = rlx.welch_peaks %x k(1) n_segments(1) : tensor<3x0xf32> -> tensor<3x2xf32>
  func.return
}

// -----

func.func @segments(%x: tensor<3x8xf32>) {
  // expected-error @below {{rlx.welch_peaks: dim 0 of input tensor<3x8xf32> must be a multiple of n_segments 2}}
  %0 = rlx.welch_peaks %x k(1) n_segments(2) : tensor<3x8xf32> -> tensor<1x2xf32>
  func.return
}

// -----

func.func @mel_of_integers(%x: tensor<3x8xi32>, %f: tensor<4x3xi32>) {
  // expected-error @below {{rlx.log_mel: spectrum must have a float element type, got tensor<3x8xi32>}}
  %0 = rlx.log_mel %x, %f : (tensor<3x8xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  func.return
}

// -----

func.func @mel_elements(%x: tensor<3x8xf32>, %f: tensor<4x3xf16>) {
  // expected-error @below {{rlx.log_mel: filters must have element type f32, got f16}}
  %0 = rlx.log_mel %x, %f : (tensor<3x8xf32>, tensor<4x3xf16>) -> tensor<4x3xf32>
  func.return
}

// -----

func.func @mel_rank(%x: tensor<8xf32>, %f: tensor<4x3xf32>) {
  // expected-error @below {{rlx.log_mel: spectrum must have rank 2 or more, got tensor<8xf32>}}
  %0 = rlx.log_mel %x, %f : (tensor<8xf32>, tensor<4x3xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @mel_filters(%x: tensor<3x8xf32>, %f: tensor<4xf32>) {
  // expected-error @below {{rlx.log_mel: filters must have rank 2, got tensor<4xf32>}}
  %0 = rlx.log_mel %x, %f : (tensor<3x8xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

func.func @mel_bins(%x: tensor<3x8xf32>, %f: tensor<4x4xf32>) {
  // expected-error @below {{rlx.log_mel: dim 1 of filters tensor<4x4xf32> and the bins of spectrum tensor<3x8xf32> must be equal, got 4 and 3}}
  %0 = rlx.log_mel %x, %f : (tensor<3x8xf32>, tensor<4x4xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

func.func @mel_gradient(%x: tensor<3x8xf32>, %f: tensor<4x3xf32>, %g: tensor<3x4xf32>) {
  // expected-error @below {{rlx.log_mel_backward: dim 0 of the features tensor<4x3xf32> and gradient tensor<3x4xf32> must be equal, got 4 and 3}}
  %0 = rlx.log_mel_backward %x, %f, %g : (tensor<3x8xf32>, tensor<4x3xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  func.return
}

// -----

func.func @too_many_peaks(%x: tensor<3x8xf32>) {
  // expected-error @below {{rlx.welch_peaks: the result would have a dim of 18446744073709551614, more than the 9223372036854775807 that fit}}
  %0 = rlx.welch_peaks %x k(9223372036854775807) n_segments(1) : tensor<3x8xf32> -> tensor<3x?xf32>
  func.return
}
