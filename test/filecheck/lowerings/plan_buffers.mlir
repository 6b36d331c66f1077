// RUN: rlx-opt --rlx-plan-buffers --split-input-file %s | filecheck %s

// Memory that is no longer read gives its place to the next.

// CHECK-LABEL: @places(
// CHECK-SAME:    %[[arena:[0-9]+]]: memref<256xi8> {rlx.arena}) {
// CHECK-NEXT:  %[[first:[0-9]+]] = arith.constant 0 : index
// CHECK-NEXT:  %a = memref.view %[[arena]][%[[first]]][] : memref<256xi8> to memref<32xf32>
// CHECK:       %[[second:[0-9]+]] = arith.constant 128 : index
// CHECK-NEXT:  %b = memref.view %[[arena]][%[[second]]][]
// CHECK:       %[[again:[0-9]+]] = arith.constant 0 : index
// CHECK-NEXT:  %c = memref.view %[[arena]][%[[again]]][] : memref<256xi8> to memref<4x8xf32>
func.func @places(%x: memref<32xf32>, %y: memref<32xf32>) {
  %a = memref.alloc() : memref<32xf32>
  "memref.copy"(%x, %a) : (memref<32xf32>, memref<32xf32>) -> ()
  %b = memref.alloc() : memref<32xf32>
  "memref.copy"(%a, %b) : (memref<32xf32>, memref<32xf32>) -> ()
  %c = memref.alloc() : memref<4x8xf32>
  %d = memref.collapse_shape %c [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  "memref.copy"(%b, %d) : (memref<32xf32>, memref<32xf32>) -> ()
  "memref.copy"(%d, %y) : (memref<32xf32>, memref<32xf32>) -> ()
  func.return
}

// -----

// Memory of a round shares no place with what later rounds read, and starts on a line of its own.

// CHECK-LABEL: @loop(
// CHECK-SAME:    memref<128xi8> {rlx.arena}
// CHECK:       arith.constant 0 : index
// CHECK:       %a = memref.view
// CHECK:       scf.for
// CHECK-NEXT:    %[[at:[0-9]+]] = arith.constant 64 : index
// CHECK-NEXT:    %b = memref.view %{{[0-9]+}}[%[[at]]][]
func.func @loop(%x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  "memref.copy"(%x, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<4xf32>
    "memref.copy"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
    "memref.copy"(%b, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  }
  func.return
}

// -----

// A round of a parallel loop has memory of its own: little on the stack, much made and freed.

// CHECK-LABEL: @rounds(%x: memref<8x4xf32>) {
// CHECK:       %a = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
// CHECK-NEXT:  %b = memref.alloc() : memref<5000xf32>
// CHECK:       memref.store %v, %b
// CHECK-NEXT:  memref.dealloc %b
// CHECK-NOT:   memref.dealloc
// CHECK:       func.return
func.func @rounds(%x: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<5000xf32>
    %v = arith.constant 1.0 : f32
    memref.store %v, %a[%c0] : memref<4xf32>
    memref.store %v, %b[%c0] : memref<5000xf32>
    memref.store %v, %x[%i, %c0] : memref<8x4xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// Memory of a size that only a run knows ends after its last use, of a part and in a loop too; a result stays.

// CHECK-LABEL: @open(
// CHECK:       scf.for
// CHECK:         memref.load %c
// CHECK:       }
// CHECK-NEXT:  memref.dealloc %a
// CHECK-NOT:   memref.dealloc
// CHECK:       func.return %b
func.func @open(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = memref.subview %a[0] [2] [1] : memref<?xf32> to memref<2xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %c[%i] : memref<2xf32>
    memref.store %v, %b[%i] : memref<?xf32>
  }
  "memref.copy"(%b, %y) : (memref<?xf32>, memref<?xf32>) -> ()
  func.return %b : memref<?xf32>
}

// -----

// What a branch hands on is no memory of the arena, and ends where it was handed to.

// CHECK-LABEL: @handed_on(%p: i1) {
// CHECK-NEXT:  %r = scf.if
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
// CHECK-NOT:     memref.dealloc
// CHECK:       } else {
// CHECK-NEXT:    memref.alloc() : memref<2xf32>
// CHECK-NOT:     memref.dealloc
// CHECK:       }
// CHECK:       memref.store %v, %r
// CHECK-NEXT:  memref.dealloc %r
// CHECK-NEXT:  func.return
func.func @handed_on(%p: i1) {
  %r = scf.if %p -> (memref<?xf32>) {
    %a = memref.alloc() : memref<4xf32>
    %b = "memref.cast"(%a) : (memref<4xf32>) -> memref<?xf32>
    scf.yield %b : memref<?xf32>
  } else {
    %a = memref.alloc() : memref<2xf32>
    %b = "memref.cast"(%a) : (memref<2xf32>) -> memref<?xf32>
    scf.yield %b : memref<?xf32>
  }
  %c0 = arith.constant 0 : index
  %v = memref.load %r[%c0] : memref<?xf32>
  memref.store %v, %r[%c0] : memref<?xf32>
  func.return
}

// -----

func.func private @inner(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<100xi8>
  %c0 = arith.constant 0 : index
  %v = arith.constant 1 : i8
  memref.store %v, %a[%c0] : memref<100xi8>
  func.return
}

// A caller lends its callee an arena, out of its own.

// CHECK-LABEL: @outer(
// CHECK-SAME:    %[[arena:[0-9]+]]: memref<128xi8> {rlx.arena}
// CHECK:       %[[part:[0-9]+]] = memref.view %[[arena]]
// CHECK-NEXT:  func.call @inner(%x, %[[part]]) : (memref<4xf32>, memref<128xi8>)
func.func @outer(%x: memref<4xf32>) {
  func.call @inner(%x) : (memref<4xf32>) -> ()
  func.return
}
