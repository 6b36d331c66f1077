// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @rope
// CHECK:       %0 = rlx.rope %x, %c, %c style(neox) table(half) n_rot(8) axis(1) : (tensor<?x5x2x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<?x5x2x8xf32>
// CHECK-NEXT:  %1 = rlx.rope %0, %d, %d style(gptj) table(full) n_rot(6) axis(1) : (tensor<?x5x2x8xf32>, tensor<?x5x6xf32>, tensor<?x5x6xf32>) -> tensor<?x5x2x8xf32>
// CHECK-NEXT:  %2 = rlx.rope %1, %d, %d style(neox) table(full) n_rot(6) axis(-3) : (tensor<?x5x2x8xf32>, tensor<?x5x6xf32>, tensor<?x5x6xf32>) -> tensor<?x5x2x8xf32>
// GENERIC:     "rlx.rope"(%x, %c, %c) <{style = "neox", table = "half", n_rot = 8 : i64, axis = 1 : i64}>
func.func @rope(%x: tensor<?x5x2x8xf32>, %c: tensor<5x4xf32>, %d: tensor<?x5x6xf32>) -> tensor<?x5x2x8xf32> {
  %0 = rlx.rope %x, %c, %c style(neox) table(half) n_rot(8) axis(1) : (tensor<?x5x2x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<?x5x2x8xf32>
  %1 = rlx.rope %0, %d, %d style(gptj) table(full) n_rot(6) axis(1) : (tensor<?x5x2x8xf32>, tensor<?x5x6xf32>, tensor<?x5x6xf32>) -> tensor<?x5x2x8xf32>
  %2 = rlx.rope %1, %d, %d style(neox) table(full) n_rot(6) axis(-3) : (tensor<?x5x2x8xf32>, tensor<?x5x6xf32>, tensor<?x5x6xf32>) -> tensor<?x5x2x8xf32>
  func.return %2 : tensor<?x5x2x8xf32>
}

// Positions before the heads, and a number of them known at run time only.
// CHECK-LABEL: @rope_bhsd
// CHECK:       %0 = rlx.rope %x, %c, %c style(gptj) table(half) n_rot(4) axis(2) : (tensor<2x3x?x4xbf16>, tensor<?x2xbf16>, tensor<?x2xbf16>) -> tensor<2x3x?x4xbf16>
func.func @rope_bhsd(%x: tensor<2x3x?x4xbf16>, %c: tensor<?x2xbf16>) -> tensor<2x3x?x4xbf16> {
  %0 = rlx.rope %x, %c, %c style(gptj) table(half) n_rot(4) axis(2) : (tensor<2x3x?x4xbf16>, tensor<?x2xbf16>, tensor<?x2xbf16>) -> tensor<2x3x?x4xbf16>
  func.return %0 : tensor<2x3x?x4xbf16>
}

// CHECK-LABEL: @rope_backward
// CHECK:       %0 = rlx.rope_backward %x, %c, %c style(gptj) table(half) n_rot(8) axis(1) : (tensor<?x5x2x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<?x5x2x8xf32>
// CHECK-NEXT:  %1 = rlx.rope_backward %0, %d, %d style(neox) table(full) n_rot(6) axis(1) : (tensor<?x5x2x8xf32>, tensor<?x5x6xf32>, tensor<?x5x6xf32>) -> tensor<?x5x2x8xf32>
// GENERIC:     "rlx.rope_backward"(%x, %c, %c) <{style = "gptj", table = "half", n_rot = 8 : i64, axis = 1 : i64}>
func.func @rope_backward(%x: tensor<?x5x2x8xf32>, %c: tensor<5x4xf32>, %d: tensor<?x5x6xf32>) -> tensor<?x5x2x8xf32> {
  %0 = rlx.rope_backward %x, %c, %c style(gptj) table(half) n_rot(8) axis(1) : (tensor<?x5x2x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<?x5x2x8xf32>
  %1 = rlx.rope_backward %0, %d, %d style(neox) table(full) n_rot(6) axis(1) : (tensor<?x5x2x8xf32>, tensor<?x5x6xf32>, tensor<?x5x6xf32>) -> tensor<?x5x2x8xf32>
  func.return %1 : tensor<?x5x2x8xf32>
}

// CHECK-LABEL: @axial
// CHECK:       %0 = rlx.axial_rope2d %x axis(2) grid [2, 3] theta(10000.0) : tensor<?x2x12x8xf32>
// GENERIC:     "rlx.axial_rope2d"(%x) <{axis = 2 : i64, grid = array<i64: 2, 3>, theta = 1.000000e+04 : f64}>
func.func @axial(%x: tensor<?x2x12x8xf32>) -> tensor<?x2x12x8xf32> {
  %0 = rlx.axial_rope2d %x axis(2) grid [2, 3] theta(10000) : tensor<?x2x12x8xf32>
  func.return %0 : tensor<?x2x12x8xf32>
}

// CHECK-LABEL: @kv_append
// CHECK:       %0 = rlx.kv_append %k, %r axis(1) position(3) : (tensor<2x16x?xf16>, tensor<2x1x8xf16>) -> tensor<2x4x8xf16>
// CHECK-NEXT:  %1 = rlx.kv_append %k, %s axis(-2) position(0) : (tensor<2x16x?xf16>, tensor<2x?x8xf16>) -> tensor<2x?x8xf16>
// GENERIC:     "rlx.kv_append"(%k, %r) <{axis = 1 : i64, position = 3 : i64}>
func.func @kv_append(%k: tensor<2x16x?xf16>, %r: tensor<2x1x8xf16>, %s: tensor<2x?x8xf16>) -> (tensor<2x4x8xf16>, tensor<2x?x8xf16>) {
  %0 = rlx.kv_append %k, %r axis(1) position(3) : (tensor<2x16x?xf16>, tensor<2x1x8xf16>) -> tensor<2x4x8xf16>
  %1 = rlx.kv_append %k, %s axis(-2) position(0) : (tensor<2x16x?xf16>, tensor<2x?x8xf16>) -> tensor<2x?x8xf16>
  func.return %0, %1 : tensor<2x4x8xf16>, tensor<2x?x8xf16>
}
