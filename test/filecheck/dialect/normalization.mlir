// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @layer_norm
// CHECK:       rlx.layer_norm %x, %g, %b epsilon(1.0e-12) : (tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
// CHECK-NEXT:  rlx.layer_norm %x, %h, %h epsilon(0.001) axis(0) accumulate(f64)
// GENERIC:     "rlx.layer_norm"(%x, %g, %b) <{epsilon = {{.*}} : f64, axis = -1 : i64}>
func.func @layer_norm(%x: tensor<2x?x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>, %h: tensor<2xf32>) -> tensor<2x?x8xf32> {
  %0 = rlx.layer_norm %x, %g, %b epsilon(1.0e-12) : (tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
  %1 = rlx.layer_norm %x, %h, %h epsilon(1.0e-3) axis(0) accumulate(f64) : (tensor<2x?x8xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x?x8xf32>
  func.return %1 : tensor<2x?x8xf32>
}

// An epsilon without digits is a word.
// CHECK-LABEL: @rms_norm
// CHECK:       rlx.rms_norm %x, %g, %g epsilon(inf)
func.func @rms_norm(%x: tensor<3x8xf16>, %g: tensor<8xf16>) -> tensor<3x8xf16> {
  %0 = rlx.rms_norm %x, %g, %g epsilon(inf) : (tensor<3x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<3x8xf16>
  func.return %0 : tensor<3x8xf16>
}

// CHECK-LABEL: @softmax
// CHECK:       rlx.softmax %x : tensor<2x4xf32>
// CHECK-NEXT:  rlx.softmax %x axis(0) : tensor<2x4xf32>
func.func @softmax(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = rlx.softmax %x : tensor<2x4xf32>
  %1 = rlx.softmax %x axis(0) : tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}

// The rows one under the other.
// CHECK-LABEL: @rms_norm_of_rows
// CHECK:       %0 = rlx.rms_norm %x, %g, %g epsilon(1.0e-05) flatten : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT:  %1 = rlx.rms_norm %g, %g, %g epsilon(1.0e-05) axis(0) accumulate(f64) flatten : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8xf32>
func.func @rms_norm_of_rows(%x: tensor<2x3x8xf32>, %g: tensor<8xf32>) -> (tensor<6x8xf32>, tensor<1x8xf32>) {
  %0 = rlx.rms_norm %x, %g, %g epsilon(1.0e-5) flatten : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %1 = rlx.rms_norm %g, %g, %g epsilon(1.0e-5) axis(0) accumulate(f64) flatten : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8xf32>
  func.return %0, %1 : tensor<6x8xf32>, tensor<1x8xf32>
}
