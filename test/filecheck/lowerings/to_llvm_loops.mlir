// RUN: rlx-opt --rlx-convert-to-llvm --split-input-file %s | filecheck %s

// A loop is blocks; memory is addressed by what its type says, and constants stand once.

// CHECK-LABEL: llvm.func internal @row.body(
// CHECK-SAME:    [[X:%[0-9]+]]: !llvm.ptr {llvm.noalias}, [[Y:%[0-9]+]]: !llvm.ptr {llvm.noalias}) attributes {no_inline, no_unwind}
// CHECK-DAG:     [[ZERO:%[0-9]+]] = llvm.mlir.constant(0) : i64
// CHECK-DAG:     [[EIGHT:%[0-9]+]] = llvm.mlir.constant(8) : i64
// CHECK-DAG:     [[ONE:%[0-9]+]] = llvm.mlir.constant(1) : i64
// CHECK:         llvm.br [[HEAD:\^.*]]([[ZERO]] : i64)
// CHECK-NEXT:  [[HEAD]]([[I:%[0-9]+]]: i64):
// CHECK-NEXT:    [[MORE:%[0-9]+]] = llvm.icmp "slt" [[I]], [[EIGHT]] : i64
// CHECK-NEXT:    llvm.cond_br [[MORE]], [[BODY:\^.*]], [[AFTER:\^.*]]
// CHECK-NEXT:  [[BODY]]:
// CHECK-NEXT:    [[AT:%[0-9]+]] = llvm.add [[EIGHT]], [[I]] overflow<nsw> : i64
// CHECK-NEXT:    [[P:%[0-9]+]] = llvm.getelementptr inbounds [[X]][[[AT]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    [[A:%[0-9]+]] = llvm.load [[P]] {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:    [[B:%[0-9]+]] = llvm.fadd [[A]], [[A]] : f32
// CHECK-NEXT:    [[Q:%[0-9]+]] = llvm.getelementptr inbounds [[Y]][[[I]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.store [[B]], [[Q]] {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:    [[NEXT:%[0-9]+]] = llvm.add [[I]], [[ONE]] overflow<nsw,nuw> : i64
// CHECK-NEXT:    llvm.br [[HEAD]]([[NEXT]] : i64)
// CHECK-NEXT:  [[AFTER]]:
// CHECK-NEXT:    llvm.return

// What is called from outside takes words: an address for each memref, and its open sizes.

// CHECK-LABEL: llvm.func @row(
// CHECK-SAME:    [[WORDS:%[0-9]+]]: !llvm.ptr) -> i32
// CHECK:         [[X:%[0-9]+]] = llvm.load [[WORDS]] {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:    [[P:%[0-9]+]] = llvm.getelementptr inbounds [[WORDS]][1]
// CHECK-NEXT:    [[Y:%[0-9]+]] = llvm.load [[P]]
// CHECK-NEXT:    llvm.call @row.body([[X]], [[Y]])
// CHECK-NEXT:    llvm.return
func.func @row(%x: memref<2x8xf32>, %y: memref<8xf32> {rlx.result = 0 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%c1, %i] : memref<2x8xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %y[%i] : memref<8xf32>
  }
  func.return
}

// -----

// A loop of one round is its round. Flags of arithmetic stay.

// CHECK-LABEL: llvm.func internal @once.body(
// CHECK-NOT:     llvm.cond_br
// CHECK:         llvm.fmul %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<reassoc>} : f32
// CHECK:         llvm.return
func.func @once(%x: memref<4xf32>) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c2 to %c3 step %c3 {
    %a = memref.load %x[%i] : memref<4xf32>
    %b = arith.mulf %a, %a fastmath<reassoc> : f32
    memref.store %b, %x[%i] : memref<4xf32>
  }
  func.return
}

// -----

// What a loop carries are arguments of its head: of a memref the address and the open sizes.

// CHECK-LABEL: llvm.func internal @carried.body(
// CHECK:         llvm.br [[HEAD:\^.*]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i64, f32, f32, !llvm.ptr, i64)
// CHECK-NEXT:  [[HEAD]](%{{.*}}: i64, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: !llvm.ptr, %{{.*}}: i64):
func.func @carried(%x: memref<?xf32>, %n: memref<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = memref.load %n[] : memref<i64>
  %rounds = arith.index_cast %count : i64 to index
  %z = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
  %s, %y = scf.for %i = %c0 to %rounds step %c1 iter_args(%a = %z, %b = %x) -> (complex<f32>, memref<?xf32>) {
    %c = complex.add %a, %a : complex<f32>
    scf.yield %c, %b : complex<f32>, memref<?xf32>
  }
  func.return
}

// -----

// A loop with a condition, a branch with a result.

// CHECK-LABEL: llvm.func internal @until.body(
// CHECK:         llvm.br [[HEAD:\^.*]](%{{.*}} : i64)
// CHECK-NEXT:  [[HEAD]]([[V:%[0-9]+]]: i64):
// CHECK-NEXT:    [[MORE:%[0-9]+]] = llvm.icmp "sgt" [[V]], %{{.*}} : i64
// CHECK-NEXT:    llvm.cond_br [[MORE]], [[ROUND:\^.*]], [[AFTER:\^.*]]
// CHECK-NEXT:  [[ROUND]]:
// CHECK:         llvm.cond_br %{{.*}}, [[YES:\^.*]], [[NO:\^.*]]
// CHECK-NEXT:  [[YES]]:
// CHECK-NEXT:    [[HALF:%[0-9]+]] = llvm.sdiv
// CHECK-NEXT:    llvm.br [[BOTH:\^.*]]([[HALF]] : i64)
// CHECK-NEXT:  [[NO]]:
// CHECK-NEXT:    [[LESS:%[0-9]+]] = llvm.sub
// CHECK-NEXT:    llvm.br [[BOTH]]([[LESS]] : i64)
// CHECK-NEXT:  [[BOTH]]([[W:%[0-9]+]]: i64):
// CHECK-NEXT:    llvm.br [[HEAD]]([[W]] : i64)
// CHECK-NEXT:  [[AFTER]]:
// CHECK-NEXT:    llvm.store [[V]]
func.func @until(%x: memref<i64>) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %start = memref.load %x[] : memref<i64>
  %end = scf.while (%v = %start) : (i64) -> i64 {
    %more = arith.cmpi sgt, %v, %one : i64
    scf.condition(%more) %v : i64
  } do {
  ^bb0(%v: i64):
    %large = arith.cmpi sgt, %v, %two : i64
    %w = scf.if %large -> (i64) {
      %h = arith.divsi %v, %two : i64
      scf.yield %h : i64
    } else {
      %l = arith.subi %v, %one : i64
      scf.yield %l : i64
    }
    scf.yield %w : i64
  }
  memref.store %end, %x[] : memref<i64>
  func.return
}

// -----

// An assertion returns its number, after buffers are freed; the module has the texts. Memory that is not there is one.

// CHECK:       builtin.module attributes {rlx.assertions = ["there is not as much memory as this needs", "too many"]} {
// CHECK-LABEL: llvm.func internal @checked.body(
// CHECK-SAME:    -> i32
// CHECK:         [[ALLOC:%[0-9]+]] = llvm.call @rlx_alloc
// CHECK-NEXT:    [[PLACE:%[0-9]+]] = llvm.ptrtoint [[ALLOC]] : !llvm.ptr to i64
// CHECK-NEXT:    [[THERE:%[0-9]+]] = llvm.icmp "ne" [[PLACE]], %{{.*}} : i64
// CHECK-NEXT:    llvm.cond_br [[THERE]], [[ON:\^.*]], [[NONE:\^.*]]
// CHECK-NEXT:  [[NONE]]:
// CHECK-NEXT:    llvm.return %{{.*}} : i32
// CHECK-NEXT:  [[ON]]:
// CHECK:         llvm.cond_br %{{.*}}, [[GOOD:\^.*]], [[BAD:\^.*]]
// CHECK-NEXT:  [[BAD]]:
// CHECK-NEXT:    llvm.call @rlx_free([[ALLOC]])
// CHECK-NEXT:    llvm.return [[NUMBER:%[0-9]+]] : i32
// CHECK-NEXT:  [[GOOD]]:
// CHECK-NEXT:    llvm.call @rlx_free([[ALLOC]])
// CHECK-NEXT:    llvm.return [[ZERO:%[0-9]+]] : i32
// CHECK-LABEL: llvm.func @checked(
// CHECK:         [[STATUS:%[0-9]+]] = llvm.call @checked.body
// CHECK-NEXT:    llvm.return [[STATUS]] : i32
func.func @checked(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %kept = memref.alloc(%n) : memref<?xf32>
  %few = arith.cmpi sle, %n, %c9 : index
  cf.assert %few, "too many"
  memref.dealloc %kept : memref<?xf32>
  func.return
}

// -----

// Results of functions of the module; memory that is returned is an address and open sizes among the words.

// CHECK-LABEL: llvm.func internal @double.body(
// CHECK-SAME:    -> !llvm.struct<(i32, !llvm.ptr, i64)>
// CHECK-NOT:   llvm.func @double(
// CHECK-LABEL: llvm.func internal @made.body(
// CHECK:         [[R:%[0-9]+]] = llvm.call @double.body
// CHECK-NEXT:    [[S:%[0-9]+]] = llvm.extractvalue [[R]][0]
// CHECK-NEXT:    llvm.extractvalue [[R]][1]
// CHECK-NEXT:    llvm.extractvalue [[R]][2]
// CHECK-NEXT:    llvm.icmp "eq" [[S]]
// CHECK-LABEL: llvm.func @made(
// CHECK:         [[R:%[0-9]+]] = llvm.call @made.body
// CHECK-NEXT:    [[S:%[0-9]+]] = llvm.extractvalue [[R]][0]
// CHECK-NEXT:    [[P:%[0-9]+]] = llvm.extractvalue [[R]][1]
// CHECK-NEXT:    [[N:%[0-9]+]] = llvm.extractvalue [[R]][2]
// CHECK-NEXT:    [[A:%[0-9]+]] = llvm.getelementptr inbounds %{{.*}}[2]
// CHECK-NEXT:    llvm.store [[P]], [[A]]
// CHECK-NEXT:    [[B:%[0-9]+]] = llvm.getelementptr inbounds %{{.*}}[3]
// CHECK-NEXT:    llvm.store [[N]], [[B]]
// CHECK-NEXT:    llvm.return [[S]] : i32
func.func private @double(%n: index) -> memref<?xf32> {
  %m = arith.addi %n, %n : index
  %y = memref.alloc(%m) : memref<?xf32>
  func.return %y : memref<?xf32>
}
func.func @made(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %y = func.call @double(%n) : (index) -> memref<?xf32>
  func.return %y : memref<?xf32>
}
