// RUN: rlx-opt '--rlx-pack-products=chip=x86-64-v3' --split-input-file %s | filecheck %s

// 48 rows a round: panels of 16 columns are laid out before all rounds, and read by each.

// CHECK-LABEL: @once(
// CHECK:       %[[panels:[0-9]+]] = memref.alloc() : memref<32x256x16xf32>
// CHECK:       vector.load %w[
// CHECK:       vector.store %{{.*}}, %[[panels]][
// CHECK:       "scf.parallel"(%zero
// CHECK:       linalg.generic
// CHECK-SAME:  affine_map<(d0, d1, d2) -> ((d1 floordiv 16), d2, (d1 mod 16))>
// CHECK-SAME:  ins(%{{[a-z0-9]+}}, %[[panels]] :
func.func @once(%x: memref<192x256xf32>, %w: memref<256x512xf32>, %y: memref<192x512xf32>) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %four, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %rows = arith.constant 48 : index
    %at = arith.muli %i, %rows : index
    %a = memref.subview %x[%at, 0] [48, 256] [1, 1] : memref<192x256xf32> to memref<48x256xf32, strided<[256, 1], offset: ?>>
    %c = memref.subview %y[%at, 0] [48, 512] [1, 1] : memref<192x512xf32> to memref<48x512xf32, strided<[512, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : memref<48x256xf32, strided<[256, 1], offset: ?>>, memref<256x512xf32>) outs(%c : memref<48x512xf32, strided<[512, 1], offset: ?>>) {
    ^bb1(%l: f32, %r: f32, %s: f32):
      %p = arith.mulf %l, %r : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    }
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// The weights are the first input, their rows are columns of the product, and elements are widened before all rounds.

// CHECK-LABEL: @turned(
// CHECK:       %[[panels:[0-9]+]] = memref.alloc() : memref<25x256x16xf32>
// CHECK:       arith.extf
// CHECK:       "scf.parallel"(%zero
// CHECK:       linalg.generic
// CHECK-SAME:  affine_map<(d0, d1, d2) -> ((d1 floordiv 16), d2, (d1 mod 16))>
// CHECK-SAME:  ins(%[[panels]], %{{[a-z0-9]+}} :
// CHECK-NEXT:  ^bb{{[0-9]+}}(%[[r:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: f32, %{{[a-z0-9]+}}: f32):
// CHECK-NEXT:    arith.mulf %[[r]]
func.func @turned(%x: memref<192x256xf32>, %w: memref<400x256xbf16>, %y: memref<192x400xf32>) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %four, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %rows = arith.constant 48 : index
    %at = arith.muli %i, %rows : index
    %a = memref.subview %x[%at, 0] [48, 256] [1, 1] : memref<192x256xf32> to memref<48x256xf32, strided<[256, 1], offset: ?>>
    %c = memref.subview %y[%at, 0] [48, 400] [1, 1] : memref<192x400xf32> to memref<48x400xf32, strided<[400, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %a : memref<400x256xbf16>, memref<48x256xf32, strided<[256, 1], offset: ?>>) outs(%c : memref<48x400xf32, strided<[400, 1], offset: ?>>) {
    ^bb1(%r: bf16, %l: f32, %s: f32):
      %f = arith.extf %r : bf16 to f32
      %p = arith.mulf %f, %l : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    }
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// Rounds of columns each read their own part, and a few rows read the matrix as it lies.

// CHECK-LABEL: @as_it_is(
// CHECK-NOT:   memref.alloc
// CHECK-NOT:   floordiv
// CHECK:       func.return
func.func @as_it_is(%x: memref<24x256xf32>, %w: memref<256x512xf32>, %y: memref<24x512xf32>, %z: memref<12x512xf32>) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %four, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %columns = arith.constant 128 : index
    %at = arith.muli %i, %columns : index
    %b = memref.subview %w[0, %at] [256, 128] [1, 1] : memref<256x512xf32> to memref<256x128xf32, strided<[512, 1], offset: ?>>
    %c = memref.subview %y[0, %at] [24, 128] [1, 1] : memref<24x512xf32> to memref<24x128xf32, strided<[512, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %b : memref<24x256xf32>, memref<256x128xf32, strided<[512, 1], offset: ?>>) outs(%c : memref<24x128xf32, strided<[512, 1], offset: ?>>) {
    ^bb1(%l: f32, %r: f32, %s: f32):
      %p = arith.mulf %l, %r : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    }
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%zero, %four, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %rows = arith.constant 3 : index
    %at = arith.muli %i, %rows : index
    %a = memref.subview %x[%at, 0] [3, 256] [1, 1] : memref<24x256xf32> to memref<3x256xf32, strided<[256, 1], offset: ?>>
    %c = memref.subview %z[%at, 0] [3, 512] [1, 1] : memref<12x512xf32> to memref<3x512xf32, strided<[512, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : memref<3x256xf32, strided<[256, 1], offset: ?>>, memref<256x512xf32>) outs(%c : memref<3x512xf32, strided<[512, 1], offset: ?>>) {
    ^bb1(%l: f32, %r: f32, %s: f32):
      %p = arith.mulf %l, %r : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    }
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// A param is laid out by the function that prepares values, which is made, and is no argument any more.

// CHECK-LABEL: @param_prepare(
// CHECK-SAME:  %[[w:[0-9]+]]: memref<256x512xf32> {rlx.param = "w"}
// CHECK-SAME:  %[[panels:[0-9]+]]: memref<32x256x16xf32> {rlx.prepared = "w.panels", rlx.result = 0 : i64}
// CHECK:       vector.load %[[w]][
// CHECK:       vector.store %{{.*}}, %[[panels]][
// CHECK-LABEL: @param(
// CHECK-SAME:  %{{[a-z0-9]+}}: memref<?x256xf32>, %[[panels:[a-z0-9]+]]: memref<32x256x16xf32> {rlx.prepared = "w.panels"}
// CHECK-SAME:  %{{[a-z0-9]+}}: memref<?x512xf32> {rlx.result = 0 : i64})
// CHECK-SAME:  rlx.prepare = @param_prepare
// CHECK-NOT:   memref.alloc
// CHECK:       linalg.generic
// CHECK-SAME:  ins(%{{[a-z0-9]+}}, %[[panels]] :
func.func @param(%x: memref<?x256xf32>, %w: memref<256x512xf32> {rlx.param = "w"}, %y: memref<?x512xf32> {rlx.result = 0 : i64}) {
  %zero = arith.constant 0 : index
  %n = memref.dim %x, %zero : memref<?x256xf32>
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.subview %x[0, 0] [%n, 256] [1, 1] : memref<?x256xf32> to memref<?x256xf32, strided<[256, 1]>>
    %c = memref.subview %y[0, 0] [%n, 512] [1, 1] : memref<?x512xf32> to memref<?x512xf32, strided<[512, 1]>>
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : memref<?x256xf32, strided<[256, 1]>>, memref<256x512xf32>) outs(%c : memref<?x512xf32, strided<[512, 1]>>) {
    ^bb1(%l: f32, %r: f32, %s: f32):
      %p = arith.mulf %l, %r : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    }
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// Rounds of columns read their panels of what is laid out once. A prepared value that is not read any more is memory of
// the function that makes it, and the results behind it move up.

// CHECK-LABEL: @columns_prepare(
// CHECK-SAME:  %[[kept:[a-z0-9]+]]: memref<4xf32> {rlx.prepared = "p1", rlx.result = 0 : i64}
// CHECK-SAME:  %[[panels:[0-9]+]]: memref<32x256x16xf32> {rlx.prepared = "p0.panels", rlx.result = 1 : i64}
// CHECK-NEXT:  %[[inside:[a-z0-9]+]] = memref.alloc() : memref<256x512xf32>
// CHECK-NEXT:  "memref.copy"(%{{[a-z0-9]+}}, %[[inside]])
// CHECK:       vector.load %[[inside]][
// CHECK-LABEL: @columns(
// CHECK-SAME:  %{{[a-z0-9]+}}: memref<24x256xf32> {rlx.input = "arg0"}, %{{[a-z0-9]+}}: memref<4xf32> {rlx.prepared = "p1"}
// CHECK-SAME:  %{{[a-z0-9]+}}: memref<3xf32> {rlx.input = "arg3"}
// CHECK-SAME:  %[[whole:[a-z0-9]+]]: memref<32x256x16xf32> {rlx.prepared = "p0.panels"}
// CHECK:       %[[at:[a-z0-9]+]] = arith.muli
// CHECK:       %[[first:[0-9]+]] = arith.divui %[[at]],
// CHECK:       %[[part:[0-9]+]] = memref.subview %[[whole]][%[[first]], 0, 0] [8, 256, 16] [1, 1, 1]
// CHECK:       ins(%{{[a-z0-9]+}}, %[[part]] :
func.func @columns_prepare(%w: memref<256x512xf32> {rlx.param = "w"}, %p0: memref<256x512xf32> {rlx.prepared = "p0", rlx.result = 0 : i64}, %p1: memref<4xf32> {rlx.prepared = "p1", rlx.result = 1 : i64}) {
  "memref.copy"(%w, %p0) : (memref<256x512xf32>, memref<256x512xf32>) -> ()
  func.return
}
func.func @columns(%x: memref<24x256xf32> {rlx.input = "arg0"}, %w: memref<256x512xf32> {rlx.prepared = "p0"}, %p1: memref<4xf32> {rlx.prepared = "p1"}, %z: memref<3xf32>, %y: memref<24x512xf32> {rlx.result = 0 : i64}) attributes {rlx.prepare = @columns_prepare} {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %four, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %columns = arith.constant 128 : index
    %at = arith.muli %i, %columns : index
    %b = memref.subview %w[0, %at] [256, 128] [1, 1] : memref<256x512xf32> to memref<256x128xf32, strided<[512, 1], offset: ?>>
    %c = memref.subview %y[0, %at] [24, 128] [1, 1] : memref<24x512xf32> to memref<24x128xf32, strided<[512, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %b : memref<24x256xf32>, memref<256x128xf32, strided<[512, 1], offset: ?>>) outs(%c : memref<24x128xf32, strided<[512, 1], offset: ?>>) {
    ^bb1(%l: f32, %r: f32, %s: f32):
      %p = arith.mulf %l, %r : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    }
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
