// RUN: rlx-opt --rlx-bufferize --split-input-file %s | filecheck %s

// An op writes where nobody reads again, and the last memory is that of the result.

// CHECK-LABEL: @in_place(
// CHECK-SAME:    %x: memref<4xf32>, %y: memref<2xf32>, %[[r:[0-9]+]]: memref<4xf32> {rlx.result = 0 : i64}) {
// CHECK-NOT:   memref.alloc
// CHECK:       ins(%x : memref<4xf32>) outs(%[[r]] : memref<4xf32>)
// CHECK:       %[[low:[0-9]+]] = memref.subview %[[r]][0] [2] [1]
// CHECK-NEXT:  "memref.copy"(%y, %[[low]])
// CHECK-NEXT:  %[[high:[0-9]+]] = memref.subview %[[r]][2] [2] [1]
// CHECK-NEXT:  "memref.copy"(%y, %[[high]])
// CHECK-NEXT:  func.return
func.func @in_place(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  %1 = tensor.insert_slice %y into %0[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %2 = tensor.insert_slice %y into %1[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// -----

// What somebody reads later is copied before it is written over.

// CHECK-LABEL: @read_later(
// CHECK-SAME:    %[[a:[0-9]+]]: memref<4xf32> {rlx.result = 0 : i64}, %[[b:[0-9]+]]: memref<4xf32> {rlx.result = 1 : i64})
// CHECK:       linalg.fill {{.*}} outs(%[[a]]
// CHECK-NEXT:  "memref.copy"(%[[a]], %[[b]])
// CHECK-NEXT:  %[[part:[0-9]+]] = memref.subview %[[b]]
// CHECK-NEXT:  "memref.copy"(%y, %[[part]])
// CHECK-NEXT:  func.return
func.func @read_later(%y: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.insert_slice %y into %0[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// An argument is never written.

// CHECK-LABEL: @argument(
// CHECK-SAME:    %[[r:[0-9]+]]: memref<4xf32> {rlx.result
// CHECK-NEXT:  "memref.copy"(%x, %[[r]])
// CHECK-NEXT:  %[[part:[0-9]+]] = memref.subview %[[r]]
// CHECK-NEXT:  "memref.copy"(%y, %[[part]])
func.func @argument(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %0 = tensor.insert_slice %y into %x[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// Nor is memory that the same op reads another part of.

// CHECK-LABEL: @own_part(
// CHECK-SAME:    %[[r:[0-9]+]]: memref<4xf32> {rlx.result
// CHECK:       %[[m:[0-9]+]] = memref.alloc()
// CHECK:       %[[from:[0-9]+]] = memref.subview %[[m]][0] [3] [1]
// CHECK-NEXT:  "memref.copy"(%[[m]], %[[r]])
// CHECK-NEXT:  %[[to:[0-9]+]] = memref.subview %[[r]][1] [3] [1]
// CHECK-NEXT:  "memref.copy"(%[[from]], %[[to]])
func.func @own_part(%c: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.extract_slice %0[0] [3] [1] : tensor<4xf32> to tensor<3xf32>
  %2 = tensor.insert_slice %1 into %0[1] [3] [1] : tensor<3xf32> into tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// -----

// Results of known sizes go to arguments, the same value to two of them; others are memory of their own.

// CHECK-LABEL: @results(
// CHECK-SAME:    %[[a:[0-9]+]]: memref<2xf32> {rlx.result = 0 : i64}, %[[b:[0-9]+]]: memref<2xf32> {rlx.result = 2 : i64})
// CHECK-SAME:    -> memref<?xf32>
// CHECK:       linalg.fill {{.*}} outs(%[[a]]
// CHECK:       %[[own:[0-9]+]] = memref.alloc(%{{[0-9]+}}) : memref<?xf32>
// CHECK-NEXT:  "memref.copy"(%y, %[[own]])
// CHECK-NEXT:  "memref.copy"(%[[a]], %[[b]])
// CHECK-NEXT:  func.return %[[own]]
func.func @results(%x: tensor<2xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<2xf32>, tensor<?xf32>, tensor<2xf32>) {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.fill ins(%c : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  func.return %0, %y, %0 : tensor<2xf32>, tensor<?xf32>, tensor<2xf32>
}

// -----

// Equal constants are one global.

// CHECK:       "memref.global"() <{sym_name = "constant_0", {{.*}} sym_visibility = "private", constant}>
// CHECK-NOT:   memref.global
// CHECK-LABEL: @constants(
// CHECK-COUNT-2: memref.get_global @constant_0
func.func @constants() -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  func.return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Both branches write a result of known sizes into one memory; of other results each gives memory of its own.

// CHECK-LABEL: @branch(
// CHECK-SAME:    %[[r:[0-9]+]]: memref<2xf32> {rlx.result
// CHECK:       %[[open:[0-9]+]] = scf.if %p -> (memref<?xf32>) {
// CHECK-NEXT:    "memref.copy"(%x, %[[r]])
// CHECK:         %[[copy:[0-9]+]] = memref.alloc
// CHECK-NEXT:    "memref.copy"(%y, %[[copy]])
// CHECK-NEXT:    scf.yield %[[copy]]
// CHECK-NEXT:  } else {
// CHECK:         %[[new:[0-9]+]] = memref.alloc
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[new]]
// CHECK-NEXT:    "memref.copy"(%x, %[[r]])
// CHECK-NEXT:    scf.yield %[[new]]
// CHECK:       func.return %[[open]]
func.func @branch(%p: i1, %x: tensor<2xf32>, %y: tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  %0, %1 = scf.if %p -> (tensor<2xf32>, tensor<?xf32>) {
    scf.yield %x, %y : tensor<2xf32>, tensor<?xf32>
  } else {
    %c = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : index
    %n = tensor.dim %y, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %2 = linalg.fill ins(%c : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %x, %2 : tensor<2xf32>, tensor<?xf32>
  }
  func.return %0, %1 : tensor<2xf32>, tensor<?xf32>
}

// -----

// Values that a round swaps are both saved before one is written.

// CHECK-LABEL: @swap(
// CHECK:       %[[a:[0-9]+]] = memref.alloc
// CHECK-NEXT:  "memref.copy"(%x, %[[a]])
// CHECK-NEXT:  %[[b:[0-9]+]] = memref.alloc
// CHECK-NEXT:  "memref.copy"(%y, %[[b]])
// CHECK-NEXT:  scf.for %{{[0-9]+}} = %c0 to %n step %c1 {
// CHECK-NEXT:    %[[s:[0-9]+]] = memref.alloc
// CHECK-NEXT:    "memref.copy"(%[[b]], %[[s]])
// CHECK-NEXT:    %[[t:[0-9]+]] = memref.alloc
// CHECK-NEXT:    "memref.copy"(%[[a]], %[[t]])
// CHECK-NEXT:    "memref.copy"(%[[s]], %[[a]])
// CHECK-NEXT:    "memref.copy"(%[[t]], %[[b]])
// CHECK-NEXT:  }
func.func @swap(%x: tensor<2xf32>, %y: tensor<2xf32>, %n: index) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0, %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2xf32>, tensor<2xf32>) {
    scf.yield %b, %a : tensor<2xf32>, tensor<2xf32>
  }
  func.return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// What a loop only writes parts of stays in one memory, without a copy.

// CHECK-LABEL: @written_in_rounds(
// CHECK:       %[[m:[0-9]+]] = memref.alloc
// CHECK-NEXT:  scf.for %[[i:[0-9]+]] =
// CHECK-NEXT:    %[[part:[0-9]+]] = memref.subview %[[m]][%[[i]]] [2] [1]
// CHECK-NEXT:    "memref.copy"(%x, %[[part]])
// CHECK-NEXT:  }
func.func @written_in_rounds(%x: tensor<2xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> (tensor<8xf32>) {
    %1 = tensor.insert_slice %x into %a[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  func.return %0 : tensor<8xf32>
}

// -----

// A value of a size that only a run knows is handed from round to round; the one before ends.

// CHECK-LABEL: @handed_on(
// CHECK:       %[[start:[0-9]+]] = memref.alloc
// CHECK-NEXT:  "memref.copy"(%x, %[[start]])
// CHECK-NEXT:  %[[end:[0-9]+]] = scf.while (%{{[0-9]+}} = %[[start]])
// CHECK:       } do {
// CHECK-NEXT:  ^{{.*}}(%[[old:[0-9]+]]: memref<?xf32>):
// CHECK-NEXT:    %[[new:[0-9]+]] = memref.alloc
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[new]]
// CHECK-NEXT:    memref.dealloc %[[old]]
// CHECK-NEXT:    scf.yield %[[new]]
// CHECK:       func.return %[[end]]
func.func @handed_on(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %c = arith.constant 1.0 : f32
  %0 = scf.while (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %1 = tensor.extract %a[%c0] : tensor<?xf32>
    %2 = arith.cmpf olt, %1, %c : f32
    scf.condition(%2) %a : tensor<?xf32>
  } do {
  ^bb0(%b: tensor<?xf32>):
    %e = tensor.empty(%n) : tensor<?xf32>
    %3 = linalg.fill ins(%c : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %3 : tensor<?xf32>
  }
  func.return %0 : tensor<?xf32>
}

// -----

func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}

// A callee gets memory without a layout, and the memory of its result.

// CHECK-LABEL: @outer(
// CHECK-SAME:    %[[r:[0-9]+]]: memref<2xf32> {rlx.result
// CHECK-NEXT:  %[[part:[0-9]+]] = memref.subview %x[1] [2] [2]
// CHECK-NEXT:  %[[copy:[0-9]+]] = memref.alloc() : memref<2xf32>
// CHECK:       "memref.copy"(%[[part]], %[[copy]])
// CHECK-NEXT:  func.call @inner(%[[copy]], %[[r]])
func.func @outer(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = tensor.extract_slice %x[1] [2] [2] : tensor<4xf32> to tensor<2xf32>
  %1 = func.call @inner(%0) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}

// -----

// An input that is given up is written over, by a row here; its result is copied only where the caller wants it elsewhere.

// CHECK-LABEL: @cache(
// CHECK-SAME:  %c: memref<8x4xf32> {rlx.input = "c", rlx.donate = 0 : i64, rlx.written = 0 : i64}
// CHECK-SAME:  %[[result:[0-9]+]]: memref<8x4xf32> {rlx.result = 0 : i64}
// CHECK-NEXT:  %[[row:[0-9]+]] = memref.subview %c[2, 0] [1, 4] [1, 1]
// CHECK-NEXT:  "memref.copy"(%x, %[[row]])
// CHECK-NEXT:  %[[from:[0-9]+]] = "memref.extract_aligned_pointer_as_index"(%c)
// CHECK-NEXT:  %[[to:[0-9]+]] = "memref.extract_aligned_pointer_as_index"(%[[result]])
// CHECK-NEXT:  %[[apart:[0-9]+]] = arith.cmpi ne, %[[from]], %[[to]] : index
// CHECK-NEXT:  scf.if %[[apart]] {
// CHECK-NEXT:    "memref.copy"(%c, %[[result]])
func.func @cache(%x: tensor<1x4xf32>, %c: tensor<8x4xf32> {rlx.input = "c", rlx.donate = 0 : i64}) -> tensor<8x4xf32> {
  %0 = "tensor.insert_slice"(%x, %c) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 2, 0>, static_sizes = array<i64: 1, 4>, static_strides = array<i64: 1, 1>}> : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}

// -----

// Where it is read after it would be written over, or its result is another value, it stays.

// CHECK-LABEL: @read_later(
// CHECK-SAME:  %c: memref<4xf32> {rlx.donate = 0 : i64}, %[[y:[0-9]+]]: memref<4xf32>
// CHECK-NOT:   extract_aligned_pointer
// CHECK:       ins(%c : memref<4xf32>) outs(%[[y]] : memref<4xf32>)
// CHECK:       func.return
func.func @read_later(%c: tensor<4xf32> {rlx.donate = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%c : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  func.return %0, %c : tensor<4xf32>, tensor<4xf32>
}
