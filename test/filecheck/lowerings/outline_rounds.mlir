// RUN: rlx-opt --rlx-outline-rounds --split-input-file %s | filecheck %s

// Loops of one text are one function, which takes whole memories; another one is another.

// CHECK-LABEL: @layers(
// CHECK-NOT:   memref.subview
// CHECK:       func.call @rlx_rounds_0(%x, %m)
// CHECK-NEXT:  func.call @rlx_rounds_0(%y, %z)
// CHECK-NEXT:  func.call @rlx_rounds_1(%m, %z)
// CHECK-NEXT:  func.return
// CHECK:       func.func private @rlx_rounds_0(%[[x:[0-9]+]]: memref<16x4xf32>, %[[y:[0-9]+]]: memref<16x4xf32>) {
// CHECK:         %[[part:[0-9]+]] = memref.subview %[[x]][8, 0] [8, 4]
// CHECK-NEXT:    "scf.parallel"
// CHECK:           memref.load %[[part]]
// CHECK:           memref.store %{{[0-9]+}}, %[[y]]
// CHECK:         {grain = 4 : i64}
// CHECK:       func.func private @rlx_rounds_1
// CHECK-NOT:   rlx_rounds_2
func.func @layers(%x: memref<16x4xf32>, %y: memref<16x4xf32>, %z: memref<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %m = memref.alloc() : memref<16x4xf32>
  %a = memref.subview %x[8, 0] [8, 4] [1, 1] : memref<16x4xf32> to memref<8x4xf32, strided<[4, 1], offset: 32>>
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %a[%i, %c1] : memref<8x4xf32, strided<[4, 1], offset: 32>>
    memref.store %v, %m[%i, %c1] : memref<16x4xf32>
    scf.reduce
  }) {grain = 4 : i64} : (index, index, index) -> ()
  %b = memref.subview %y[8, 0] [8, 4] [1, 1] : memref<16x4xf32> to memref<8x4xf32, strided<[4, 1], offset: 32>>
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %b[%i, %c1] : memref<8x4xf32, strided<[4, 1], offset: 32>>
    memref.store %v, %z[%i, %c1] : memref<16x4xf32>
    scf.reduce
  }) {grain = 4 : i64} : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %m[%i, %c0] : memref<16x4xf32>
    memref.store %v, %z[%i, %c0] : memref<16x4xf32>
    scf.reduce
  }) {grain = 4 : i64} : (index, index, index) -> ()
  func.return
}

// -----

func.func private @rlx_rounds_0()

// Numbers that were loaded are arguments, sizes are read inside. A name that is taken stays.

// CHECK-LABEL: @scalars(
// CHECK-NEXT:  %v = memref.load %s[]
// CHECK-NEXT:  func.call @rlx_rounds_0_(%x, %v, %y) : (memref<?xf32>, f32, memref<?xf32>) -> ()
// CHECK:       func.func private @rlx_rounds_0_(%[[x:[0-9]+]]: memref<?xf32>, %{{[0-9]+}}: f32, %{{[0-9]+}}: memref<?xf32>)
// CHECK:         %[[n:[0-9]+]] = memref.dim %[[x]]
// CHECK:         "scf.parallel"(%{{[0-9]+}}, %[[n]], %{{[0-9]+}})
func.func @scalars(%x: memref<?xf32>, %s: memref<f32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %v = memref.load %s[] : memref<f32>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %v, %y[%i] : memref<?xf32>
    scf.reduce
  }) {grain = 1 : i64} : (index, index, index) -> ()
  func.return
}

// -----

// Neither another sign of zero nor another type in between is the same loop.

// CHECK-LABEL: @hardly_different(
// CHECK:       func.call @rlx_rounds_0(%y)
// CHECK:       func.call @rlx_rounds_1(%y)
// CHECK:       func.call @rlx_rounds_2(%x, %y)
// CHECK:       func.call @rlx_rounds_3(%x, %y)
func.func @hardly_different(%x: memref<16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %y[%i] : memref<16xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %zero = arith.constant -0.0 : f32
    memref.store %zero, %y[%i] : memref<16xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<16xf32>
    %narrow = arith.truncf %v : f32 to f16
    %wide = arith.extf %narrow : f16 to f32
    memref.store %wide, %y[%i] : memref<16xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<16xf32>
    %narrow = arith.truncf %v : f32 to bf16
    %wide = arith.extf %narrow : bf16 to f32
    memref.store %wide, %y[%i] : memref<16xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
