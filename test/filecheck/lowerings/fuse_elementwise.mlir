// RUN: rlx-opt --rlx-fuse-elementwise --split-input-file %s | filecheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#ij = affine_map<(i) -> (i)>

// What is read element by element is computed where it is read; a few cheap ops for every column too.

// CHECK-LABEL: @chain(
// CHECK-NEXT:  tensor.empty
// CHECK-NEXT:  linalg.generic
// CHECK-SAME:    ins(%r, %x :
// CHECK-NEXT:  ^{{.*}}(%[[r:[0-9]+]]: f32, %[[x:[0-9]+]]: f32, %{{[0-9]+}}: f32):
// CHECK-NEXT:    %[[square:[0-9]+]] = arith.mulf %[[r]], %[[r]] : f32
// CHECK-NEXT:    arith.addf %[[x]], %[[square]] : f32
// CHECK-NOT:   linalg.generic
func.func @chain(%x: tensor<4x8xf32>, %r: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel"]}
    ins(%r : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %0 : tensor<4x8xf32>, tensor<4xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %3 = arith.addf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<4x8xf32>
  func.return %2 : tensor<4x8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Of two readers each computes what is cheap; what takes long is computed once.

// CHECK-LABEL: @two_readers(
// CHECK:       %long = linalg.generic {{.*}} ins(%x :
// CHECK:         arith.mulf
// CHECK-NEXT:    math.exp
// CHECK:       linalg.generic {{.*}} ins(%x, %long :
// CHECK:         arith.mulf
// CHECK-NOT:     math.exp
// CHECK:       func.return
func.func @two_readers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %cheap = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  %long = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%cheap : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
    ins(%cheap, %long : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  func.return %0, %long : tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (j)>
#v = affine_map<(j) -> (j)>

// Nor is what takes long computed again for every row.

// CHECK-LABEL: @once_a_row(
// CHECK:       ins(%r :
// CHECK:       math.exp
// CHECK:       ins(%x, %{{[0-9]+}} :
// CHECK-NOT:   math.exp
// CHECK:       func.return
func.func @once_a_row(%x: tensor<4x8xf32>, %r: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
    ins(%r : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %0 : tensor<4x8xf32>, tensor<8xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %3 = arith.addf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<4x8xf32>
  func.return %2 : tensor<4x8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// Constants and fills of one number are written into the body.

// CHECK-LABEL: @numbers(
// CHECK:       ins(%x :
// CHECK-NEXT:  ^{{.*}}(%a: f32, %o: f32):
// CHECK-NEXT:    %[[two:[a-z0-9_]+]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    %[[product:[0-9]+]] = arith.mulf %a, %[[two]] : f32
// CHECK-NEXT:    arith.addf %[[product]], %s : f32
func.func @numbers(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %b = tensor.empty() : tensor<f32>
  %n = linalg.fill ins(%s : f32) outs(%b : tensor<f32>) -> tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #none, #id], iterator_types = ["parallel"]}
    ins(%x, %two, %n : tensor<4xf32>, tensor<4xf32>, tensor<f32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32, %o: f32):
    %1 = arith.mulf %a, %c : f32
    %2 = arith.addf %1, %d : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

#v = affine_map<(i) -> (i)>
#in = affine_map<(i, w) -> (i + w)>
#window = affine_map<(i, w) -> (w)>
#out = affine_map<(i, w) -> (i)>

// A constant that alone tells how long a loop is stays.

// CHECK-LABEL: @window(
// CHECK:       ins(%x, %w :
func.func @window(%x: tensor<6xf32>) -> tensor<4xf32> {
  %w = arith.constant dense<1.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#in, #window, #out], iterator_types = ["parallel", "reduction"]}
    ins(%x, %w : tensor<6xf32>, tensor<3xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.maximumf %a, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

#v = affine_map<(i, j) -> (i, j)>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// A product reads what it read.

// CHECK-LABEL: @product(
// CHECK:       %[[negative:[0-9]+]] = linalg.generic {{.*}} ins(%x :
// CHECK:       linalg.generic {{.*}} ins(%[[negative]], %w :
func.func @product(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%0, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %3 = arith.mulf %a, %b : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x4xf32>
  func.return %2 : tensor<4x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// Indices are those of the reader.

// CHECK-LABEL: @counted(
// CHECK:       ins(%x :
// CHECK-NEXT:  ^
// CHECK-NEXT:    linalg.index 1 : index
// CHECK-NOT:   linalg.generic
func.func @counted(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
    outs(%e : tensor<4x4xf32>) {
  ^bb0(%o: f32):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    linalg.yield %3 : f32
  } -> tensor<4x4xf32>
  %4 = linalg.generic {indexing_maps = [#turned, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %5 = arith.addf %a, %b : f32
    linalg.yield %5 : f32
  } -> tensor<4x4xf32>
  func.return %4 : tensor<4x4xf32>
}
