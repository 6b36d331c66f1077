// RUN: rlx-opt --rlx-select-peaks-only-outputs='enabled=true min-gain-ns=1000' %s | filecheck %s

// What drops the spectrum.

// CHECK-LABEL: @peaks_returned
// CHECK-SAME:  -> (tensor<2x4xf32> {rlx.output = "peaks"}) {
// CHECK-NEXT:  %[[S:.*]] = rlx.fft %x
// CHECK-NEXT:  %[[P:.*]] = rlx.welch_peaks %[[S]]
// CHECK-NEXT:  func.return %[[P]] : tensor<2x4xf32>
func.func @peaks_returned(%x: tensor<4x16xf32>) -> (tensor<4x16xf32> {rlx.output = "spectrum", rlx.optional}, tensor<2x4xf32> {rlx.output = "peaks"}) {
  %0 = rlx.fft %x norm(none) : tensor<4x16xf32>
  %1 = rlx.welch_peaks %0 k(2) n_segments(2) : tensor<4x16xf32> -> tensor<2x4xf32>
  func.return %0, %1 : tensor<4x16xf32>, tensor<2x4xf32>
}

// The peaks become the last result; every result keeps its name.
// CHECK-LABEL: @peaks_not_returned
// CHECK-SAME:  -> (tensor<64x256xf32> {rlx.output = "out1"}, tensor<32x4xf32> {rlx.output = "out2"}) {
// CHECK:       func.return %x, %{{.*}} :
func.func @peaks_not_returned(%x: tensor<64x256xf32>) -> (tensor<64x256xf32> {rlx.optional}, tensor<64x256xf32>) {
  %0 = rlx.fft %x norm(none) : tensor<64x256xf32>
  %1 = rlx.welch_peaks %0 k(2) n_segments(2) : tensor<64x256xf32> -> tensor<32x4xf32>
  func.return %0, %x : tensor<64x256xf32>, tensor<64x256xf32>
}

// A private function, whose caller reads the peaks only.
// CHECK-LABEL: @private
// CHECK-SAME:  -> (tensor<2x4xf32> {rlx.output = "out1"}) {
// CHECK-LABEL: @caller
// CHECK-NEXT:  %[[P:.*]] = func.call @private(%x) : (tensor<4x16xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:  func.return %[[P]]
func.func private @private(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<2x4xf32>) {
  %0 = rlx.fft %x norm(none) : tensor<4x16xf32>
  %1 = rlx.welch_peaks %0 k(2) n_segments(2) : tensor<4x16xf32> -> tensor<2x4xf32>
  func.return %0, %1 : tensor<4x16xf32>, tensor<2x4xf32>
}
func.func @caller(%x: tensor<4x16xf32>) -> tensor<2x4xf32> {
  %0, %1 = func.call @private(%x) : (tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<2x4xf32>)
  func.return %1 : tensor<2x4xf32>
}

// What must not.

// CHECK-LABEL: @public
// CHECK-SAME:  -> (tensor<4x16xf32>, tensor<2x4xf32>) {
// MISS: RLX-F036 not-optional
func.func @public(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<2x4xf32>) {
  %0 = rlx.fft %x norm(none) : tensor<4x16xf32>
  %1 = rlx.welch_peaks %0 k(2) n_segments(2) : tensor<4x16xf32> -> tensor<2x4xf32>
  func.return %0, %1 : tensor<4x16xf32>, tensor<2x4xf32>
}

// 256 bytes are not worth it.
// CHECK-LABEL: @small
// CHECK-SAME:  -> (tensor<4x16xf32> {rlx.optional}) {
// MISS: RLX-F037 no-gain
func.func @small(%x: tensor<4x16xf32>) -> (tensor<4x16xf32> {rlx.optional}) {
  %0 = rlx.fft %x norm(none) : tensor<4x16xf32>
  %1 = rlx.welch_peaks %0 k(2) n_segments(2) : tensor<4x16xf32> -> tensor<2x4xf32>
  %2 = func.call @take(%1) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %0 : tensor<4x16xf32>
}
func.func private @take(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  func.return %x : tensor<2x4xf32>
}

// The caller reads the spectrum.
// CHECK-LABEL: @spectrum_read
// CHECK-SAME:  -> (tensor<4x16xf32>, tensor<2x4xf32>) {
// MISS: RLX-F002 multi-use
func.func private @spectrum_read(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<2x4xf32>) {
  %0 = rlx.fft %x norm(none) : tensor<4x16xf32>
  %1 = rlx.welch_peaks %0 k(2) n_segments(2) : tensor<4x16xf32> -> tensor<2x4xf32>
  func.return %0, %1 : tensor<4x16xf32>, tensor<2x4xf32>
}
func.func @reads(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0, %1 = func.call @spectrum_read(%x) : (tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<2x4xf32>)
  func.return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: @fenced_off
// CHECK-SAME:  -> (tensor<4x16xf32> {rlx.optional}, tensor<2x4xf32>) {
// MISS: RLX-F009 no-fuse
func.func @fenced_off(%x: tensor<4x16xf32>) -> (tensor<4x16xf32> {rlx.optional}, tensor<2x4xf32>) {
  %0 = rlx.fft %x norm(none) : tensor<4x16xf32>
  %1 = rlx.welch_peaks %0 k(2) n_segments(2) {rlx.no_fuse} : tensor<4x16xf32> -> tensor<2x4xf32>
  func.return %0, %1 : tensor<4x16xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: @peaks_of_an_argument
// CHECK-SAME:  -> (tensor<4x16xf32> {rlx.optional}, tensor<2x4xf32>) {
func.func @peaks_of_an_argument(%x: tensor<4x16xf32>) -> (tensor<4x16xf32> {rlx.optional}, tensor<2x4xf32>) {
  %0 = rlx.welch_peaks %x k(2) n_segments(2) : tensor<4x16xf32> -> tensor<2x4xf32>
  func.return %x, %0 : tensor<4x16xf32>, tensor<2x4xf32>
}
