// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @fft_butterfly_stage
// CHECK:       %0 = rlx.fft_butterfly_stage %x stage(0) pruned(1) : tensor<?x16xf32>
// CHECK-NEXT:  %1 = rlx.fft_butterfly_stage %0 stage(1) : tensor<?x16xf32>
// CHECK-NEXT:  %2 = rlx.fft_butterfly_stage %1 stage(2) inverse : tensor<?x16xf32>
// CHECK-NEXT:  %3 = rlx.fft_butterfly_stage %y stage(1) inverse pruned(1) : tensor<12xcomplex<f32>>
// CHECK-NEXT:  %4 = rlx.fft_butterfly_stage %z stage(0) pruned(2) : tensor<2x12xf64>
// CHECK-NEXT:  %5 = rlx.fft_butterfly_stage %o stage(1) : tensor<2x?xf64>
// GENERIC:     "rlx.fft_butterfly_stage"(%x) <{stage = 0 : i64, pruned = 1 : i64}>
func.func @fft_butterfly_stage(%x: tensor<?x16xf32>, %y: tensor<12xcomplex<f32>>, %z: tensor<2x12xf64>, %o: tensor<2x?xf64>) {
  %0 = rlx.fft_butterfly_stage %x stage(0) pruned(1) : tensor<?x16xf32>
  %1 = rlx.fft_butterfly_stage %0 stage(1) : tensor<?x16xf32>
  %2 = rlx.fft_butterfly_stage %1 stage(2) inverse : tensor<?x16xf32>
  %3 = rlx.fft_butterfly_stage %y stage(1) inverse pruned(1) : tensor<12xcomplex<f32>>
  %4 = rlx.fft_butterfly_stage %z stage(0) pruned(2) : tensor<2x12xf64>
  %5 = rlx.fft_butterfly_stage %o stage(1) : tensor<2x?xf64>
  func.return
}

// CHECK-LABEL: @fft_q
// CHECK:       %0 = rlx.fft_q %x norm(none) scale(3) : tensor<?x16xi16>
// CHECK-NEXT:  %1 = rlx.fft_q %0 inverse norm(by_n_on_inverse) scale(0) : tensor<?x16xi16>
// CHECK-NEXT:  %2 = rlx.fft_q %y inverse norm(ortho) scale(1) : tensor<32xi32>
// CHECK-NEXT:  %3 = rlx.fft_q %z norm(none) scale(0) : tensor<2x?xi32>
// GENERIC:     "rlx.fft_q"(%x) <{norm = "none", scale = 3 : i64}>
func.func @fft_q(%x: tensor<?x16xi16>, %y: tensor<32xi32>, %z: tensor<2x?xi32>) {
  %0 = rlx.fft_q %x norm(none) scale(3) : tensor<?x16xi16>
  %1 = rlx.fft_q %0 inverse norm(by_n_on_inverse) scale(0) : tensor<?x16xi16>
  %2 = rlx.fft_q %y inverse norm(ortho) scale(1) : tensor<32xi32>
  %3 = rlx.fft_q %z norm(none) scale(0) : tensor<2x?xi32>
  func.return
}
