// RUN: rlx-opt --rlx-unswitch-loops --split-input-file %s | filecheck %s

// A first loop asks about 512 rounds; the others do them without asking.

// CHECK-LABEL: @split(
// CHECK:       %[[size:[0-9]+]] = arith.constant 512 : index
// CHECK-NEXT:  scf.for %[[start:[0-9]+]] = %{{.*}} to %{{.*}} step %[[size]] {
// CHECK:         %[[end:[0-9]+]] = arith.addi %[[start]]
// CHECK:         %[[all:[0-9]+]] = scf.for %[[i:[0-9]+]] = %[[start]] to %[[end]] step %{{.*}} iter_args(%[[held:[0-9]+]] = %{{.*}}) -> (i1) {
// CHECK-NEXT:      %[[x:[0-9]+]] = memref.load %x[%[[i]]]
// CHECK-NEXT:      %[[small:[0-9]+]] = arith.cmpf olt, %[[x]]
// CHECK-NEXT:      %[[both:[0-9]+]] = arith.andi %[[held]], %[[small]] : i1
// CHECK-NEXT:      scf.yield %[[both]] : i1
// CHECK:         scf.if %[[all]] {
// CHECK-NEXT:      scf.for %{{.*}} = %[[start]] to %[[end]]
// CHECK-NOT:         scf.if
// CHECK:             arith.addf
// CHECK-NOT:         arith.mulf
// CHECK:         } else {
// CHECK-NEXT:      scf.for %{{.*}} = %[[start]] to %[[end]]
// CHECK-NOT:         arith.addf
// CHECK:             arith.mulf
// CHECK-NOT:   rlx.independent
// CHECK:       func.return
func.func @split(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %limit: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %0 = memref.load %x[%i] : memref<?xf32>
    %1 = arith.cmpf olt, %0, %limit : f32
    %2 = scf.if %1 -> (f32) {
      %3 = arith.addf %0, %0 : f32
      scf.yield %3 : f32
    } else {
      %4 = arith.mulf %0, %0 : f32
      scf.yield %4 : f32
    } {rlx.usual}
    memref.store %2, %y[%i] : memref<?xf32>
  } {rlx.independent}
  func.return
}

// -----

// A condition that depends on what an `scf.if` gives is not asked twice: the other branch is right too.

// CHECK-LABEL: @chained(
// CHECK:         scf.if %{{.*}} {
// CHECK:           arith.addf
// CHECK:           arith.divf
// CHECK:         } else {
// CHECK:           arith.mulf
// CHECK:           arith.divf
// CHECK-NOT:     arith.subf
// CHECK:       func.return
func.func @chained(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %limit: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %0 = memref.load %x[%i] : memref<?xf32>
    %1 = arith.cmpf olt, %0, %limit : f32
    %2 = scf.if %1 -> (f32) {
      %3 = arith.addf %0, %0 : f32
      scf.yield %3 : f32
    } else {
      %4 = arith.mulf %0, %0 : f32
      scf.yield %4 : f32
    } {rlx.usual}
    %5 = arith.cmpf olt, %2, %limit : f32
    %6 = scf.if %5 -> (f32) {
      %7 = arith.subf %2, %0 : f32
      scf.yield %7 : f32
    } else {
      %8 = arith.divf %2, %0 : f32
      scf.yield %8 : f32
    } {rlx.usual}
    memref.store %6, %y[%i] : memref<?xf32>
  } {rlx.independent}
  func.return
}

// -----

// Rounds that may depend on each other, by a value or in memory, and code outside of loops, take the other branch; an `scf.if` without the mark stays.

// CHECK-LABEL: @not_split(
// CHECK-NEXT:    arith.cmpf
// CHECK-NEXT:    arith.mulf
// CHECK:         scf.for
// CHECK-NEXT:      arith.cmpf
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      scf.yield
// CHECK:         scf.for
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      arith.cmpf
// CHECK-NEXT:      arith.mulf
// CHECK:         scf.if
// CHECK:       func.return
func.func @not_split(%x: f32, %n: index, %limit: f32, %y: memref<?xf32>) -> f32 {
  %c = arith.cmpf olt, %x, %limit : f32
  %0 = scf.if %c -> (f32) {
    %1 = arith.addf %x, %x : f32
    scf.yield %1 : f32
  } else {
    %2 = arith.mulf %x, %x : f32
    scf.yield %2 : f32
  } {rlx.usual}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %3 = scf.for %i = %zero to %n step %one iter_args(%s = %0) -> (f32) {
    %4 = arith.cmpf olt, %s, %limit : f32
    %5 = scf.if %4 -> (f32) {
      %6 = arith.addf %s, %x : f32
      scf.yield %6 : f32
    } else {
      %7 = arith.mulf %s, %x : f32
      scf.yield %7 : f32
    } {rlx.usual}
    scf.yield %5 : f32
  }
  scf.for %i = %zero to %n step %one {
    %9 = memref.load %y[%i] : memref<?xf32>
    %10 = arith.cmpf olt, %9, %limit : f32
    %11 = scf.if %10 -> (f32) {
      %12 = arith.addf %9, %x : f32
      scf.yield %12 : f32
    } else {
      %13 = arith.mulf %9, %x : f32
      scf.yield %13 : f32
    } {rlx.usual}
    %14 = arith.addi %i, %one : index
    memref.store %11, %y[%14] : memref<?xf32>
  }
  %8 = scf.if %c -> (f32) {
    scf.yield %3 : f32
  } else {
    scf.yield %x : f32
  }
  func.return %8 : f32
}
