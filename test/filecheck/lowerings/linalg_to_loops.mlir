// RUN: rlx-opt -p 'rlx-linalg-to-loops{chip=x86-64-v3}' --split-input-file %s | filecheck %s

#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (0, j)>

// A loop for each axis; an axis of one element is read at 0.

// CHECK-LABEL: @elements(
// CHECK:       scf.for %[[i:[0-9]+]] =
// CHECK:         scf.for %[[j:[0-9]+]] =
// CHECK-NEXT:      memref.load %x[%[[i]], %[[j]]]
// CHECK-NEXT:      %[[zero:[0-9]+]] = arith.constant 0 : index
// CHECK-NEXT:      memref.load %r[%[[zero]], %[[j]]]
// CHECK-NEXT:      %[[sum:[0-9]+]] = arith.addf
// CHECK-NEXT:      memref.store %[[sum]], %y[%[[i]], %[[j]]]
func.func @elements(%x: memref<4x8xf32>, %r: memref<1x8xf32>, %y: memref<4x8xf32>) {
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %r : memref<4x8xf32>, memref<1x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  func.return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A sum along the innermost loop is a value, added to what was there in any order.

// CHECK-LABEL: @sum(
// CHECK:       scf.for %[[i:[0-9]+]] =
// CHECK-NEXT:    %[[start:[0-9]+]] = memref.load %y[%[[i]]]
// CHECK:         %[[sum:[0-9]+]] = scf.for {{.*}} iter_args(%[[so_far:[0-9]+]] = %[[start]]) -> (f32) {
// CHECK-NEXT:      memref.load %x
// CHECK-NEXT:      arith.addf %[[so_far]], %{{[0-9]+}} fastmath<reassoc> : f32
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %[[sum]], %y[%[[i]]]
func.func @sum(%x: memref<4x8xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  func.return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Sums of columns go along rows, each in its order.

// CHECK-LABEL: @columns(
// CHECK:       %[[four:[0-9]+]] = arith.constant 4 : index
// CHECK:       scf.for %[[i:[0-9]+]] = %{{[0-9]+}} to %[[four]]
// CHECK:         scf.for %[[j:[0-9]+]] =
// CHECK-NEXT:      memref.load %y[%[[j]]]
// CHECK-NEXT:      memref.load %x[%[[i]], %[[j]]]
// CHECK-NEXT:      arith.addf %{{[0-9]+}}, %{{[0-9]+}} : f32
// CHECK-NEXT:      memref.store %{{[0-9]+}}, %y[%[[j]]]
func.func @columns(%x: memref<4x8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
    ins(%x : memref<4x8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  func.return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// The innermost loop runs along what most operands have side by side; an index is the counter of its loop.

// CHECK-LABEL: @turned(
// CHECK:       scf.for %[[j:[0-9]+]] =
// CHECK:         scf.for %[[i:[0-9]+]] =
// CHECK-NEXT:      memref.load %x[%[[j]], %[[i]]]
// CHECK:           arith.index_cast %[[j]] : index to i32
// CHECK:           memref.store %{{[0-9]+}}, %y[%[[i]], %[[j]]]
func.func @turned(%x: memref<8x4xf32>, %z: memref<8x4xf32>, %w: memref<8x4xf32>, %y: memref<4x8xf32>) {
  linalg.generic {indexing_maps = [#turned, #turned, #turned, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %z, %w : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %1 = arith.addf %0, %f : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  }
  func.return
}

// -----

// One element needs no loop; a size of a run is read off.

// CHECK-LABEL: @fills_and_copies(
// CHECK:       memref.store %v, %s[]
// CHECK:       %[[n:[0-9]+]] = memref.dim %y
// CHECK:       scf.for %[[i:[0-9]+]] = %{{[0-9]+}} to %[[n]]
// CHECK-NEXT:    %[[element:[0-9]+]] = memref.load %x[%[[i]]]
// CHECK-NEXT:    memref.store %[[element]], %y[%[[i]]]
func.func @fills_and_copies(%x: memref<?xf32>, %y: memref<?xf32>, %s: memref<f32>) {
  %v = arith.constant 1.0 : f32
  linalg.fill ins(%v : f32) outs(%s : memref<f32>)
  "memref.copy"(%x, %y) : (memref<?xf32>, memref<?xf32>) -> ()
  func.return
}
