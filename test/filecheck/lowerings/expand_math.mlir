// RUN: rlx-opt --rlx-expand-math --split-input-file %s | filecheck %s

// What a processor does stays.

// CHECK-LABEL: @instructions(
// CHECK-NEXT:  math.sqrt
// CHECK-NEXT:  math.absf
// CHECK-NEXT:  math.floor
// CHECK-NEXT:  math.fma
// CHECK-NEXT:  math.copysign
// CHECK-NEXT:  func.return
func.func @instructions(%x: f32, %y: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.absf %0 : f32
  %2 = math.floor %1 : f32
  %3 = math.fma %2, %x, %y : f32
  %4 = math.copysign %3, %x : f32
  func.return %4 : f32
}

// -----

// Other functions are their formulas.

// CHECK-LABEL: @exp(
// CHECK-NOT:   math.exp
// CHECK:       math.fma
// CHECK:       arith.bitcast %{{[0-9]+}} : i32 to f32
// CHECK:       func.return
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  func.return %0 : f32
}

// -----

// What hardly ever happens is a branch of its own; there any float is right.

// CHECK-LABEL: @sin(
// CHECK:       scf.if %{{[0-9]+}} -> (i32, f32) {
// CHECK-NOT:   arith.ori
// CHECK:       } else {
// CHECK:         arith.ori
// CHECK:       {rlx.usual}
// CHECK:       func.return
func.func @sin(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  func.return %0 : f32
}

// -----

// f16 and bf16 are computed in f32, and rounded once.

// CHECK-LABEL: @narrow(
// CHECK-NEXT:  arith.extf %x : f16 to f32
// CHECK-NOT:   math.tanh
// CHECK-NOT:   : f16
// CHECK:       %[[result:[0-9]+]] = arith.truncf %{{[0-9]+}} : f32 to f16
// CHECK-NEXT:  func.return %[[result]]
func.func @narrow(%x: f16) -> f16 {
  %0 = math.tanh %x : f16
  func.return %0 : f16
}

// -----

// Complex numbers are multiplied by parts.

// CHECK-LABEL: @product(
// CHECK-COUNT-2: complex.re
// CHECK-NOT:   complex.mul
// CHECK:       arith.subf
// CHECK:       arith.addf
// CHECK-NEXT:  complex.create
func.func @product(%x: complex<f32>, %y: complex<f32>) -> complex<f32> {
  %0 = complex.mul %x, %y : complex<f32>
  func.return %0 : complex<f32>
}
