// RUN: rlx-opt --rlx-convert-to-llvm --split-input-file %s | filecheck %s

// Views are numbers: nothing but the address of the element is computed.

// CHECK-LABEL: llvm.func internal @views.body(
// CHECK-SAME:    [[X:%[0-9]+]]: !llvm.ptr
// CHECK:         [[P:%[0-9]+]] = llvm.getelementptr inbounds [[X]][35] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.load [[P]]
func.func @views(%x: memref<6x8xf32>, %y: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.subview %x[2, 1] [4, 6] [1, 1] : memref<6x8xf32> to memref<4x6xf32, strided<[8, 1], offset: 17>>
  %b = memref.subview %a[0, 0] [2, 3] [2, 2]
    : memref<4x6xf32, strided<[8, 1], offset: 17>> to memref<2x3xf32, strided<[16, 2], offset: 17>>
  %v = memref.load %b[%c1, %c1] : memref<2x3xf32, strided<[16, 2], offset: 17>>
  memref.store %v, %y[%c0] : memref<1xf32>
  func.return
}

// -----

// Open sizes are factors of addresses; the outermost one is not.

// CHECK-LABEL: llvm.func internal @open.body(
// CHECK-SAME:    [[X:%[0-9]+]]: !llvm.ptr {llvm.noalias}, [[N:%[0-9]+]]: i64, [[M:%[0-9]+]]: i64, [[I:%[0-9]+]]: !llvm.ptr
// CHECK:         [[AT:%[0-9]+]] = llvm.load [[I]] {{.*}} -> i64
// CHECK-NEXT:    [[ROW:%[0-9]+]] = llvm.mul [[AT]], [[M]] overflow<nsw> : i64
// CHECK-NEXT:    [[AT2:%[0-9]+]] = llvm.add [[ROW]], %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    llvm.getelementptr inbounds [[X]][[[AT2]]] : (!llvm.ptr, i64) -> !llvm.ptr, i16
func.func @open(%x: memref<?x?xbf16>, %i: memref<i64>) {
  %c3 = arith.constant 3 : index
  %k = memref.load %i[] : memref<i64>
  %j = arith.index_cast %k : i64 to index
  %v = memref.load %x[%j, %c3] : memref<?x?xbf16>
  memref.store %v, %x[%c3, %j] : memref<?x?xbf16>
  func.return
}

// -----

// Truth values are bytes, complex numbers two floats.

// CHECK-LABEL: llvm.func internal @elements.body(
// CHECK:         [[B:%[0-9]+]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK-NEXT:    [[T:%[0-9]+]] = llvm.icmp "ne" [[B]], %{{.*}} : i8
// CHECK-NEXT:    [[P:%[0-9]+]] = llvm.getelementptr inbounds %{{.*}}[1] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:    [[C:%[0-9]+]] = llvm.zext [[T]] : i1 to i8
// CHECK-NEXT:    llvm.store [[C]], [[P]] {alignment = 1 : i64} : i8, !llvm.ptr
// CHECK-NEXT:    [[Q:%[0-9]+]] = llvm.getelementptr inbounds %{{.*}}[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<2 x f32>
// CHECK-NEXT:    [[Q2:%[0-9]+]] = llvm.getelementptr inbounds [[Q]][1] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.load [[Q]] {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:    llvm.load [[Q2]] {alignment = 4 : i64} : !llvm.ptr -> f32
func.func @elements(%x: memref<2xi1>, %z: memref<2xcomplex<f32>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.load %x[%c0] : memref<2xi1>
  memref.store %t, %x[%c1] : memref<2xi1>
  %c = memref.load %z[%c1] : memref<2xcomplex<f32>>
  memref.store %c, %z[%c0] : memref<2xcomplex<f32>>
  func.return
}

// -----

// Copies of whole buffers are one call, others are loops. A view of an arena is an address in it.

// CHECK:       llvm.mlir.global internal constant @table(dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>) {{.*}}alignment = 64 : i64} : !llvm.array<2 x f32>
// CHECK-LABEL: llvm.func internal @copies.body(
// CHECK-SAME:    [[X:%[0-9]+]]: !llvm.ptr {llvm.noalias}, [[A:%[0-9]+]]: !llvm.ptr
// CHECK-DAG:     [[TABLE:%[0-9]+]] = llvm.mlir.addressof @table : !llvm.ptr
// CHECK-DAG:     [[BYTES:%[0-9]+]] = llvm.mlir.constant(8) : i64
// CHECK:         [[V:%[0-9]+]] = llvm.getelementptr inbounds [[A]][64] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:    llvm.call_intrinsic "llvm.memcpy"([[V]], [[TABLE]], [[BYTES]], %{{.*}})
// CHECK:         llvm.cond_br
// CHECK:         llvm.load
// CHECK:         llvm.store
"memref.global"() <{sym_name = "table", sym_visibility = "private", type = memref<2xf32>, constant,
  initial_value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> ()
func.func @copies(%x: memref<2x2xf32>, %arena: memref<128xi8> {rlx.arena}) {
  %c64 = arith.constant 64 : index
  %table = memref.get_global @table : memref<2xf32>
  %v = memref.view %arena[%c64][] : memref<128xi8> to memref<2xf32>
  "memref.copy"(%table, %v) : (memref<2xf32>, memref<2xf32>) -> ()
  %column = memref.subview %x[0, 1] [2, 1] [1, 1] : memref<2x2xf32> to memref<2xf32, strided<[2], offset: 1>>
  "memref.copy"(%v, %column) : (memref<2xf32>, memref<2xf32, strided<[2], offset: 1>>) -> ()
  func.return
}
