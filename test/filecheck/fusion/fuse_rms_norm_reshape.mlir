// RUN: rlx-opt --rlx-fuse-rms-norm-reshape %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @rows
// CHECK:       %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-06) flatten : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:  rlx.activation exp %0
func.func @rows(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.reshape %0 : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %2 = rlx.activation exp %1 : tensor<8x8xf32>
  func.return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: @attributes_stay
// CHECK:       rlx.rms_norm %x, %g, %b epsilon(1.0e-06) axis(2) accumulate(f64) flatten : (tensor<2x4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<8x8xf16>
func.func @attributes_stay(%x: tensor<2x4x8xf16>, %g: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<8x8xf16> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) axis(2) accumulate(f64) : (tensor<2x4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x4x8xf16>
  %1 = rlx.reshape %0 : tensor<2x4x8xf16> -> tensor<8x8xf16>
  %2 = rlx.activation exp %1 : tensor<8x8xf16>
  func.return %2 : tensor<8x8xf16>
}

// CHECK-LABEL: @dynamic_rows
// CHECK:       %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-06) flatten : (tensor<?x1x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
func.func @dynamic_rows(%x: tensor<?x1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>, %m: index) -> tensor<?x8xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<?x1x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x1x8xf32>
  %1 = rlx.reshape %0 sizes(%m) : tensor<?x1x8xf32> -> tensor<?x8xf32>
  %2 = rlx.activation exp %1 : tensor<?x8xf32>
  func.return %2 : tensor<?x8xf32>
}

// CHECK-LABEL: @one_row
// CHECK:       rlx.rms_norm %x, %g, %b epsilon(1.0e-06) flatten : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8xf32>
func.func @one_row(%x: tensor<8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<1x8xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = rlx.reshape %0 : tensor<8xf32> -> tensor<1x8xf32>
  %2 = rlx.activation exp %1 : tensor<1x8xf32>
  func.return %2 : tensor<1x8xf32>
}

// CHECK-LABEL: @rows_are_read_twice
// CHECK:       flatten
func.func @rows_are_read_twice(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.reshape %0 : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %2 = rlx.activation exp %1 : tensor<8x8xf32>
  %3 = rlx.activation neg %1 : tensor<8x8xf32>
  func.return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}

// What must not fuse, one function per guard.

// MISS: RLX-F003 returned
// CHECK-LABEL: @rows_are_returned
// CHECK-NOT:   flatten
func.func @rows_are_returned(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.reshape %0 : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %2 = rlx.activation exp %1 : tensor<8x8xf32>
  func.return %1 : tensor<8x8xf32>
}

// MISS: none
// CHECK-LABEL: @norm_is_read_twice
// CHECK-NOT:   flatten
func.func @norm_is_read_twice(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<8x8xf32>) {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.reshape %0 : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %2 = rlx.activation exp %1 : tensor<8x8xf32>
  func.return %0, %2 : tensor<2x4x8xf32>, tensor<8x8xf32>
}

// MISS: RLX-F024 rank
// CHECK-LABEL: @other_rows
// CHECK-NOT:   flatten
func.func @other_rows(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x32xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.reshape %0 : tensor<2x4x8xf32> -> tensor<2x32xf32>
  %2 = rlx.activation exp %1 : tensor<2x32xf32>
  func.return %2 : tensor<2x32xf32>
}

// MISS: RLX-F024 rank
// CHECK-LABEL: @other_rank
// CHECK-NOT:   flatten
func.func @other_rank(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x2x8xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.reshape %0 : tensor<2x4x8xf32> -> tensor<4x2x8xf32>
  %2 = rlx.activation exp %1 : tensor<4x2x8xf32>
  func.return %2 : tensor<4x2x8xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @other_axis
// CHECK-NOT:   flatten
func.func @other_axis(%x: tensor<4x4x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<16x4xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) axis(1) : (tensor<4x4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4x4xf32>
  %1 = rlx.reshape %0 : tensor<4x4x4xf32> -> tensor<16x4xf32>
  %2 = rlx.activation exp %1 : tensor<16x4xf32>
  func.return %2 : tensor<16x4xf32>
}

// Nothing tells how many empty rows there are.
// MISS: RLX-F014 dynamic
// CHECK-LABEL: @width_is_zero
// CHECK-NOT:   flatten
func.func @width_is_zero(%x: tensor<2x4x0xf32>, %g: tensor<0xf32>, %b: tensor<0xf32>) -> tensor<8x0xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<2x4x0xf32>, tensor<0xf32>, tensor<0xf32>) -> tensor<2x4x0xf32>
  %1 = rlx.reshape %0 : tensor<2x4x0xf32> -> tensor<8x0xf32>
  %2 = rlx.activation exp %1 : tensor<8x0xf32>
  func.return %2 : tensor<8x0xf32>
}

// CHECK-LABEL: @layer_norm
// CHECK-NOT:   flatten
func.func @layer_norm(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %0 = rlx.layer_norm %x, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.reshape %0 : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %2 = rlx.activation exp %1 : tensor<8x8xf32>
  func.return %2 : tensor<8x8xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   flatten
func.func @fenced_off(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6) : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.reshape %0 {rlx.no_fuse} : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %2 = rlx.activation exp %1 : tensor<8x8xf32>
  func.return %2 : tensor<8x8xf32>
}
