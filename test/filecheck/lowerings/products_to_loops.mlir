// RUN: rlx-opt -p 'rlx-linalg-to-loops{chip=x86-64-v3}' --split-input-file %s | filecheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// rhs fits the first cache: tiles of 6 rows by 2 vectors, read where it lies, all sums in registers.
// CHECK-LABEL: @tiles
// CHECK-NOT:   memref.alloc
// CHECK-DAG:   %[[six:[0-9]+]] = arith.constant 6 : index
// CHECK-DAG:   %[[tiles:[0-9]+]] = arith.constant 8 : index
// CHECK:       scf.for %[[tile:[0-9]+]] = %{{.*}} to %[[tiles]] step %{{.*}} {
// CHECK:         %[[i:[0-9]+]] = arith.muli %[[tile]], %[[six]] : index
// CHECK:         %{{.*}}, %{{.*}} = scf.for %[[k:[0-9]+]] = {{.*}} -> (vector<8xf32>, vector<8xf32>
// CHECK-NEXT:      vector.load %b[%[[k]], %[[j:[0-9]+]]] : memref<64x32xf32>, vector<8xf32>
// CHECK:           vector.load %b[%[[k]], %{{.*}}] : memref<64x32xf32>, vector<8xf32>
// CHECK-NEXT:      memref.load %a[%[[i]], %[[k]]] : memref<48x64xf32>
// CHECK-NEXT:      vector.broadcast %{{.*}} : f32 to vector<8xf32>
// CHECK-NEXT:      vector.fma
// CHECK-NEXT:      vector.fma
// CHECK-NEXT:      memref.load %a
// CHECK:         vector.store %{{.*}}, %c[%[[i]], %[[j]]] : memref<48x32xf32>, vector<8xf32>
// CHECK-NOT:   linalg
func.func @tiles(%a: memref<48x64xf32>, %b: memref<64x32xf32>, %c: memref<48x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<48x32xf32>)
  linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<48x64xf32>, memref<64x32xf32>) outs(%c : memref<48x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// rhs lies along the sums, and is laid out anew in panels of 16 columns; what is in out is added to.
// CHECK-LABEL: @panels
// CHECK:       %[[panels:[0-9]+]] = memref.alloc() {{.*}}: memref<{{[0-9]+}}x512x16xf32>
// CHECK:       vector.load %b[{{.*}}] : memref<512x512xf16>, vector<8xf16>
// CHECK-NEXT:  arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK:       vector.shuffle
// CHECK:       vector.store %{{.*}}, %[[panels]]
// CHECK:       vector.load %[[panels]]
// CHECK:       vector.load %c
// CHECK-NEXT:  arith.addf
// CHECK-NEXT:  vector.store %{{.*}}, %c
// CHECK:       memref.dealloc %[[panels]]
func.func @panels(%a: memref<48x512xf32>, %b: memref<512x512xf16>, %c: memref<48x512xf32>) {
  linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<48x512xf32>, memref<512x512xf16>) outs(%c : memref<48x512xf32>) {
  ^bb0(%x: f32, %y: f16, %z: f32):
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

#k = affine_map<(n, k) -> (k)>
#nk = affine_map<(n, k) -> (n, k)>
#n = affine_map<(n, k) -> (n)>

// One row: 8 dot products at a time.
// CHECK-LABEL: @dots
// CHECK:       scf.for %[[n:[0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:         scf.for %[[k:[0-9]+]] = {{.*}} iter_args
// CHECK-NEXT:      vector.load %a[%[[k]]] : memref<64xf32>, vector<8xf32>
// CHECK-NEXT:      vector.load %b[%[[n]], %[[k]]] : memref<32x64xf32>, vector<8xf32>
// CHECK:         vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<8xf32> into f32
// CHECK:         memref.store %{{.*}}, %c[%[[n]]] : memref<32xf32>
func.func @dots(%a: memref<64xf32>, %b: memref<32x64xf32>, %c: memref<32xf32>) {
  linalg.generic {indexing_maps = [#k, #nk, #n], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b : memref<64xf32>, memref<32x64xf32>) outs(%c : memref<32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
