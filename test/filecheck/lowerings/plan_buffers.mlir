// RUN: rlx-opt --rlx-plan-buffers --split-input-file %s | filecheck %s

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

func.func @rounds(%x: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<5000xf32>
    %v = arith.constant 1.0 : f32
    memref.store %v, %a[%c0] : memref<4xf32>
    memref.store %v, %b[%c0] : memref<5000xf32>
    memref.store %v, %x[%i, %c0] : memref<8x4xf32>
    scf.reduce
  }
  func.return
}

// -----

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

func.func @handed_on(%p: i1) {
  %r = scf.if %p -> (memref<?xf32>) {
    %a = memref.alloc() : memref<4xf32>
    %b = memref.cast %a : memref<4xf32> to memref<?xf32>
    scf.yield %b : memref<?xf32>
  } else {
    %a = memref.alloc() : memref<2xf32>
    %b = memref.cast %a : memref<2xf32> to memref<?xf32>
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

func.func @outer(%x: memref<4xf32>) {
  func.call @inner(%x) : (memref<4xf32>) -> ()
  func.return
}
