// RUN: rlx-opt --rlx-convert-to-llvm --split-input-file %s | filecheck %s
// RUN: rlx-opt --rlx-convert-to-llvm="half=false fma=false" --split-input-file %s | filecheck %s --check-prefix=SOFT

// NaN goes through maxima; what is out of range for an integer becomes some number.

// CHECK-LABEL: llvm.func internal @floats.body(
// CHECK:         llvm.call_intrinsic "llvm.maximum"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK:         llvm.intr.maxnum(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK:         llvm.call_intrinsic "llvm.rint"
// CHECK:         llvm.intr.fma(
// CHECK:         %[[WHOLE:.*]] = llvm.fptosi %{{.*}} : f32 to i8
// CHECK-NEXT:    llvm.freeze %[[WHOLE]] : i8
// SOFT-LABEL:  llvm.func internal @floats.body(
// SOFT-NOT:      llvm.intr.fma
// SOFT:          llvm.fmul %{{.*}}, %{{.*}} : f64
// SOFT:          llvm.fptrunc %{{.*}} : f64 to f32
func.func @floats(%x: memref<4xf32>, %y: memref<i8>) {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<4xf32>
  %b = arith.maximumf %a, %a : f32
  %c = arith.maxnumf %b, %a : f32
  %d = math.roundeven %c : f32
  %e = math.fma %d, %c, %b : f32
  %f = arith.fptosi %e : f32 to i8
  memref.store %f, %y[] : memref<i8>
  func.return
}

// -----

// f16 is bits, converted by instructions where the chip has them.

// CHECK-LABEL: llvm.func internal @half.body(
// CHECK:         [[B:%[0-9]+]] = llvm.load {{.*}} -> i16
// CHECK-NEXT:    [[H:%[0-9]+]] = llvm.bitcast [[B]] : i16 to f16
// CHECK-NEXT:    [[W:%[0-9]+]] = llvm.fpext [[H]] : f16 to f32
// CHECK-NEXT:    [[S:%[0-9]+]] = llvm.intr.sqrt([[W]]) : (f32) -> f32
// CHECK-NEXT:    [[N:%[0-9]+]] = llvm.fptrunc [[S]] : f32 to f16
// CHECK-NEXT:    [[R:%[0-9]+]] = llvm.bitcast [[N]] : f16 to i16
// SOFT-LABEL:  llvm.func internal @half.body(
// SOFT-NOT:      f16
// SOFT:          llvm.intr.sqrt
// SOFT-NOT:      f16
// SOFT:          llvm.store
func.func @half(%x: memref<f16>) {
  %a = memref.load %x[] : memref<f16>
  %b = math.sqrt %a : f16
  memref.store %b, %x[] : memref<f16>
  func.return
}

// -----

// bf16 is the upper half of an f32 on every chip.

// CHECK-LABEL: llvm.func internal @brain.body(
// CHECK:         [[B:%[0-9]+]] = llvm.load {{.*}} -> i16
// CHECK-NEXT:    [[Z:%[0-9]+]] = llvm.zext [[B]] : i16 to i32
// CHECK-NEXT:    [[L:%[0-9]+]] = llvm.shl [[Z]], %{{.*}} : i32
// CHECK-NEXT:    llvm.bitcast [[L]] : i32 to f32
// SOFT-LABEL:  llvm.func internal @brain.body(
func.func @brain(%x: memref<bf16>, %y: memref<f32>) {
  %a = memref.load %x[] : memref<bf16>
  %b = arith.extf %a : bf16 to f32
  memref.store %b, %y[] : memref<f32>
  func.return
}

// -----

// Arithmetic on indices that are known leaves no op.

// CHECK-LABEL: llvm.func internal @known.body(
// CHECK-SAME:    [[X:%[0-9]+]]: !llvm.ptr
// CHECK:         [[P:%[0-9]+]] = llvm.getelementptr inbounds [[X]][7]
// CHECK-NEXT:    [[V:%[0-9]+]] = llvm.load [[P]]
// SOFT-LABEL:  llvm.func internal @known.body(
func.func @known(%x: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %a = arith.muli %c3, %c5 : index
  %b = arith.divsi %a, %c3 : index
  %c = arith.addi %b, %c3 : index
  %c1 = arith.constant 1 : index
  %d = arith.subi %c, %c1 : index
  %v = memref.load %x[%d] : memref<9xf32>
  memref.store %v, %x[%c0] : memref<9xf32>
  func.return
}

// -----

// Vectors: a scalar in all places, a product and sum rounded once, a sum of all places.

// CHECK-LABEL: llvm.func internal @vectors.body(
// CHECK:         [[A:%[0-9]+]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT:    [[U:%[0-9]+]] = llvm.mlir.undef : vector<4xf32>
// CHECK-NEXT:    [[I:%[0-9]+]] = llvm.insertelement %{{.*}}, [[U]][%{{.*}} : i64] : vector<4xf32>
// CHECK-NEXT:    [[S:%[0-9]+]] = llvm.shufflevector [[I]], [[U]] [0, 0, 0, 0] : vector<4xf32>
// CHECK-NEXT:    [[F:%[0-9]+]] = llvm.intr.fma([[A]], [[S]], [[A]])
// CHECK-NEXT:    llvm.call_intrinsic "llvm.vector.reduce.fadd"(%{{.*}}, [[F]])
// SOFT-LABEL:  llvm.func internal @vectors.body(
func.func @vectors(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %a = vector.load %x[%c0] : memref<8xf32>, vector<4xf32>
  %s = vector.broadcast %two : f32 to vector<4xf32>
  %f = vector.fma %a, %s, %a : vector<4xf32>
  %t = vector.reduction <add>, %f : vector<4xf32> into f32
  memref.store %t, %x[%c0] : memref<8xf32>
  func.return
}
