// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @fft
// CHECK:       %0 = rlx.fft %x norm(none) : tensor<?x6xf32>
// CHECK-NEXT:  %1 = rlx.fft %0 inverse norm(by_n_on_inverse) : tensor<?x6xf32>
// CHECK-NEXT:  %2 = rlx.fft %y norm(ortho) : tensor<4xcomplex<f32>>
// CHECK-NEXT:  %3 = rlx.fft %z inverse norm(none) : tensor<2x?xf64>
// GENERIC:     "rlx.fft"(%x) <{norm = "none"}>
func.func @fft(%x: tensor<?x6xf32>, %y: tensor<4xcomplex<f32>>, %z: tensor<2x?xf64>) {
  %0 = rlx.fft %x norm(none) : tensor<?x6xf32>
  %1 = rlx.fft %0 inverse norm(by_n_on_inverse) : tensor<?x6xf32>
  %2 = rlx.fft %y norm(ortho) : tensor<4xcomplex<f32>>
  %3 = rlx.fft %z inverse norm(none) : tensor<2x?xf64>
  func.return
}

// CHECK-LABEL: @real_fft
// CHECK:       %0 = rlx.rfft %x norm(by_n_on_inverse) : tensor<?x7xf32> -> tensor<?x4xcomplex<f32>>
// CHECK-NEXT:  %1 = rlx.irfft %0 length(7) norm(by_n_on_inverse) : tensor<?x4xcomplex<f32>> -> tensor<?x7xf32>
// CHECK-NEXT:  %2 = rlx.rfft %y norm(ortho) : tensor<8xf32> -> tensor<5xcomplex<f32>>
// CHECK-NEXT:  %3 = rlx.rfft %z norm(none) : tensor<2x?xf32> -> tensor<2x?xcomplex<f32>>
// CHECK-NEXT:  %4 = rlx.irfft %3 length(9) norm(none) : tensor<2x?xcomplex<f32>> -> tensor<2x9xf32>
// GENERIC:     "rlx.rfft"(%x) <{norm = "by_n_on_inverse"}>
// GENERIC:     "rlx.irfft"(%0) <{length = 7 : i64, norm = "by_n_on_inverse"}>
func.func @real_fft(%x: tensor<?x7xf32>, %y: tensor<8xf32>, %z: tensor<2x?xf32>) {
  %0 = rlx.rfft %x norm(by_n_on_inverse) : tensor<?x7xf32> -> tensor<?x4xcomplex<f32>>
  %1 = rlx.irfft %0 length(7) norm(by_n_on_inverse) : tensor<?x4xcomplex<f32>> -> tensor<?x7xf32>
  %2 = rlx.rfft %y norm(ortho) : tensor<8xf32> -> tensor<5xcomplex<f32>>
  %3 = rlx.rfft %z norm(none) : tensor<2x?xf32> -> tensor<2x?xcomplex<f32>>
  %4 = rlx.irfft %3 length(9) norm(none) : tensor<2x?xcomplex<f32>> -> tensor<2x9xf32>
  func.return
}

// CHECK-LABEL: @welch_peaks
// CHECK:       %0 = rlx.welch_peaks %x k(2) n_segments(3) : tensor<12x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT:  %1 = rlx.welch_peaks %y k(9) n_segments(1) : tensor<?x8xf32> -> tensor<?x18xf32>
// GENERIC:     "rlx.welch_peaks"(%x) <{k = 2 : i64, n_segments = 3 : i64}>
func.func @welch_peaks(%x: tensor<12x8xf32>, %y: tensor<?x8xf32>) {
  %0 = rlx.welch_peaks %x k(2) n_segments(3) : tensor<12x8xf32> -> tensor<4x4xf32>
  %1 = rlx.welch_peaks %y k(9) n_segments(1) : tensor<?x8xf32> -> tensor<?x18xf32>
  func.return
}

// CHECK-LABEL: @log_mel
// CHECK:       %0 = rlx.log_mel %x, %f : (tensor<?x10x8xf32>, tensor<4x3xf32>) -> tensor<?x4x10xf32>
// CHECK-NEXT:  %1 = rlx.log_mel_backward %x, %f, %0 : (tensor<?x10x8xf32>, tensor<4x3xf32>, tensor<?x4x10xf32>) -> tensor<?x10x8xf32>
// GENERIC:     "rlx.log_mel"(%x, %f)
// GENERIC:     "rlx.log_mel_backward"(%x, %f, %0)
func.func @log_mel(%x: tensor<?x10x8xf32>, %f: tensor<4x3xf32>) {
  %0 = rlx.log_mel %x, %f : (tensor<?x10x8xf32>, tensor<4x3xf32>) -> tensor<?x4x10xf32>
  %1 = rlx.log_mel_backward %x, %f, %0 : (tensor<?x10x8xf32>, tensor<4x3xf32>, tensor<?x4x10xf32>) -> tensor<?x10x8xf32>
  func.return
}
