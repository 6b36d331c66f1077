// RUN: rlx-opt --rlx-convert-to-llvm --split-input-file %s | filecheck %s

// Rounds become a function with separate pointers, called by a kernel that reads them from a struct. What is known
// outside is known inside.

// CHECK-LABEL: llvm.func @rlx_parallel(!llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-LABEL: llvm.func internal @f_kernel_0.body(
// CHECK-SAME:    [[FROM:%[0-9]+]]: i64, [[TO:%[0-9]+]]: i64, [[X:%[0-9]+]]: !llvm.ptr {llvm.noalias}, [[Y:%[0-9]+]]: !llvm.ptr {llvm.noalias}, [[N:%[0-9]+]]: i64{{.*}}) attributes {no_inline
// CHECK-DAG:     [[TWO:%[0-9]+]] = llvm.mlir.constant(2.000000e+00 : f32) : f32
// CHECK:         llvm.br [[HEAD:\^.*]]([[FROM]] : i64)
// CHECK-NEXT:  [[HEAD]]([[I:%[0-9]+]]: i64):
// CHECK-NEXT:    llvm.icmp "slt" [[I]], [[TO]] : i64
// CHECK:         llvm.fmul %{{.*}}, [[TWO]] : f32
// CHECK-LABEL: llvm.func internal @f_kernel_0(
// CHECK-SAME:    [[ENV:%[0-9]+]]: !llvm.ptr, [[FROM:%[0-9]+]]: i64, [[TO:%[0-9]+]]: i64)
// CHECK:         [[P:%[0-9]+]] = llvm.getelementptr inbounds [[ENV]][0, 0] : {{.*}}!llvm.struct<(!llvm.ptr, !llvm.ptr, i64, i64)>
// CHECK-NEXT:    [[X:%[0-9]+]] = llvm.load [[P]]
// CHECK:         llvm.call @f_kernel_0.body([[FROM]], [[TO]], [[X]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-LABEL: llvm.func internal @f.body(
// CHECK-DAG:     [[GRAIN:%[0-9]+]] = llvm.mlir.constant(16) : i64
// CHECK-DAG:     [[KERNEL:%[0-9]+]] = llvm.mlir.addressof @f_kernel_0 : !llvm.ptr
// CHECK-DAG:     [[ENV:%[0-9]+]] = llvm.alloca
// CHECK:         llvm.call @rlx_parallel([[KERNEL]], [[ENV]], %{{.*}}, [[GRAIN]])
func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.load %x[%i] : memref<?xf32>
    %b = arith.mulf %a, %two : f32
    memref.store %b, %y[%i] : memref<?xf32>
    scf.reduce
  }) {grain = 16 : i64} : (index, index, index) -> ()
  func.return
}

// -----

// Equal rounds are one kernel, wherever in an arena their buffers lie.

// CHECK-LABEL: llvm.func internal @g_kernel_0.body(
// CHECK-NOT:   @g_kernel_1
// CHECK-LABEL: llvm.func internal @g.body(
// CHECK:         llvm.call @rlx_parallel([[KERNEL:%[0-9]+]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK:         llvm.call @rlx_parallel([[KERNEL]], %{{.*}}, %{{.*}}, %{{.*}})
func.func @g(%arena: memref<256xi8> {rlx.arena}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %x = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
  %y = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
  %z = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %y[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.load %y[%i] : memref<8xf32>
    memref.store %a, %z[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// Two memrefs that a loop exchanges may be one another's memory; so may the arguments of a function that is called.

// CHECK-LABEL: llvm.func internal @exchanged_kernel_0.body(
// CHECK-SAME:    %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-LABEL: llvm.func internal @inner_kernel_1.body(
// CHECK-SAME:    %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-LABEL: llvm.func internal @inner.body(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
func.func @exchanged(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %p, %q = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %x, %b = %y) -> (memref<8xf32>, memref<8xf32>) {
    "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %v = memref.load %a[%i] : memref<8xf32>
      memref.store %v, %b[%i] : memref<8xf32>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.yield %b, %a : memref<8xf32>, memref<8xf32>
  }
  func.call @inner(%x, %x) : (memref<8xf32>, memref<8xf32>) -> ()
  func.return
}
func.func private @inner(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<8xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %y[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// The memory that all calls of a function give it is apart.

// CHECK-LABEL: llvm.func internal @apart_kernel_0.body(
// CHECK-SAME:    %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK-LABEL: llvm.func internal @apart.body(
// CHECK-SAME:    %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias})
func.func @caller(%x: memref<8xf32>, %arena: memref<256xi8> {rlx.arena}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %y = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
  %z = memref.view %arena[%c32][] : memref<256xi8> to memref<8xf32>
  func.call @apart(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @apart(%y, %z) : (memref<8xf32>, memref<8xf32>) -> ()
  func.return
}
func.func private @apart(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// Two views of one place go to a kernel as one pointer. A small buffer of a round is on the stack, a large one is not.

// CHECK-LABEL: llvm.func internal @h_kernel_0.body(
// CHECK-SAME:    %{{.*}}: i64, %{{.*}}: i64, [[X:%[0-9]+]]: !llvm.ptr {llvm.noalias})
// CHECK:         llvm.alloca %{{.*}} x !llvm.array<64 x i8> {alignment = 64 : i64}
// CHECK:         [[LARGE:%[0-9]+]] = llvm.call @rlx_alloc
// CHECK:         llvm.getelementptr inbounds [[X]][%{{.*}}]
// CHECK:         llvm.getelementptr inbounds [[X]][%{{.*}}]
// CHECK:         llvm.call @rlx_free([[LARGE]])
func.func @h(%arena: memref<256xi8> {rlx.arena}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %x = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
  %y = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %small = memref.alloc() : memref<16xf32>
    %large = memref.alloc() : memref<65536xf32>
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %small[%i] : memref<16xf32>
    memref.store %a, %large[%i] : memref<65536xf32>
    memref.store %a, %y[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
