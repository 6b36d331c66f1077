// RUN: rlx-opt --rlx-parallelize --split-input-file %s | filecheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// What goes over the same rows is one loop over blocks of rows. Little memory that only these read is that of a round.

// CHECK-LABEL: @softmax(
// CHECK-NOT:   memref.alloc() : memref<512x
// CHECK:       %[[rounds:[0-9]+]] = arith.constant 64 : index
// CHECK:       "scf.parallel"(%{{[0-9]+}}, %[[rounds]], %{{[0-9]+}})
// CHECK-NEXT:  ^{{.*}}(%[[round:[0-9]+]]: index):
// CHECK:         %[[at:[0-9]+]] = arith.muli %[[round]], %{{[0-9]+}} : index
// CHECK-NEXT:    %[[m:[0-9]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT:    memref.alloc() : memref<8x256xf32>
// CHECK-NEXT:    %[[s:[0-9]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT:    linalg.fill ins(%low : f32) outs(%[[m]]
// CHECK-NEXT:    %[[x:[0-9]+]] = memref.subview %x[%[[at]], 0] [8, 256]
// CHECK:         ins(%[[x]] : {{.*}}) outs(%[[m]] :
// CHECK:         math.exp
// CHECK:         linalg.fill ins(%zero : f32) outs(%[[s]]
// CHECK:         arith.divf
// CHECK:         scf.reduce
// CHECK-NEXT:  {grain = 2 : i64}
// CHECK-NOT:   linalg
func.func @softmax(%x: memref<512x256xf32>, %y: memref<512x256xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<512xf32>
  linalg.fill ins(%low : f32) outs(%m : memref<512xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<512x256xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  }
  %e = memref.alloc() : memref<512x256xf32>
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : memref<512x256xf32>, memref<512xf32>) outs(%e : memref<512x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.subf %a, %b : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  }
  %s = memref.alloc() : memref<512xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<512xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
    ins(%e : memref<512x256xf32>) outs(%s : memref<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.addf %o, %a : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%e, %s : memref<512x256xf32>, memref<512xf32>) outs(%y : memref<512x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %4 = arith.divf %a, %b : f32
    linalg.yield %4 : f32
  }
  func.return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Little work stays where it is; a copy is an op like others.

// CHECK-LABEL: @little(
// CHECK-NOT:   scf.parallel
// CHECK:       linalg.generic
func.func @little(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  "memref.copy"(%x, %y) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  func.return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// A reader of turned axes goes along the rows that were written.

// CHECK-LABEL: @turned(
// CHECK:       "scf.parallel"
// CHECK:         %[[at:[0-9]+]] = arith.muli
// CHECK:         memref.subview %y[%[[at]], 0] [16, 512]
// CHECK:         arith.negf
// CHECK:         %[[to:[0-9]+]] = memref.subview %z[0, %[[at]]] [512, 16]
// CHECK-NEXT:    %[[from:[0-9]+]] = memref.subview %y[%[[at]], 0] [16, 512]
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[from]] : {{.*}}) outs(%[[to]] :
// CHECK-NOT:   scf.parallel
func.func @turned(%x: memref<512x512xf32>, %y: memref<512x512xf32>, %z: memref<512x512xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<512x512xf32>) outs(%y : memref<512x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
    ins(%y : memref<512x512xf32>) outs(%z : memref<512x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  func.return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// What is read at places of the reader's choice is written before the first round; indices count from the first row.

// CHECK-LABEL: @all_rows_first(
// CHECK:       "scf.parallel"
// CHECK:         arith.addf
// CHECK:       "scf.parallel"
// CHECK:         %[[at:[0-9]+]] = arith.muli
// CHECK:         %i = linalg.index 0 : index
// CHECK-NEXT:    %[[i:[0-9]+]] = arith.addi %i, %[[at]] : index
// CHECK-NEXT:    memref.load %s[%[[i]]]
func.func @all_rows_first(%x: memref<512x512xf32>, %s: memref<512xf32>, %y: memref<512x512xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<512xf32>)
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
    ins(%x : memref<512x512xf32>) outs(%s : memref<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
    outs(%y : memref<512x512xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = memref.load %s[%i] : memref<512xf32>
    linalg.yield %v : f32
  }
  func.return
}

// -----

#id = affine_map<(i) -> (i)>

// The last block is as long as what is left.

// CHECK-LABEL: @rest(
// CHECK:       %[[at:[0-9]+]] = arith.muli %{{[0-9]+}}, %[[block:[0-9]+]] : index
// CHECK:       %[[left:[0-9]+]] = arith.subi %{{[0-9]+}}, %[[at]] : index
// CHECK:       %[[size:[0-9]+]] = arith.minui %[[left]], %{{[0-9]+}} : index
// CHECK-NEXT:  memref.subview %y[%[[at]]] [%[[size]]] [1]
func.func @rest(%x: memref<100003xf32>, %y: memref<100003xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : memref<100003xf32>) outs(%y : memref<100003xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %0 = arith.addf %a, %f : f32
    linalg.yield %0 : f32
  }
  func.return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// A size that only a run knows tells the number of rounds.

// CHECK-LABEL: @sizes_of_a_run(
// CHECK:       %[[rows:[0-9]+]] = memref.dim %{{[xy]}}, %{{[0-9]+}}
// CHECK:       %[[more:[0-9]+]] = arith.addi %[[rows]], %{{[0-9]+}} : index
// CHECK:       %[[rounds:[0-9]+]] = arith.divui %[[more]], %{{[0-9]+}} : index
// CHECK:       "scf.parallel"(%{{[0-9]+}}, %[[rounds]], %{{[0-9]+}})
func.func @sizes_of_a_run(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<?x1024xf32>) outs(%y : memref<?x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  func.return
}
