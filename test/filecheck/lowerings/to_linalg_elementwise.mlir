// RUN: rlx-opt --convert-rlx-to-linalg --split-input-file %s | filecheck %s
// RUN: rlx-opt --convert-rlx-to-linalg=bool-storage=i32 --split-input-file %s | filecheck %s --check-prefix=WIDE

// A stretched operand is read at 0, a lower rank is aligned at the right.

// CHECK-LABEL: func.func @broadcast(
// CHECK:         tensor.empty() : tensor<2x3xf32>
// CHECK-NEXT:    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
// CHECK:         arith.maximumf
func.func @broadcast(%a: tensor<2x1xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = rlx.binary max %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// -----

// Narrow floats are computed in f32 and rounded once.

// CHECK-LABEL: func.func @narrow(
// CHECK:         arith.extf {{.*}} : bf16 to f32
// CHECK:         arith.divf {{.*}} : f32
// CHECK:         arith.truncf {{.*}} : f32 to bf16
func.func @narrow(%x: tensor<3xbf16>) -> tensor<3xbf16> {
  %0 = rlx.activation tanh %x : tensor<3xbf16>
  func.return %0 : tensor<3xbf16>
}

// -----

// Types lose their sign and the ops keep it.

// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME:    %a: tensor<4xi8> {rlx.dtype = "ui8"}
// CHECK:         arith.divui
// CHECK:         arith.uitofp
func.func @unsigned(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xf32> {
  %0 = rlx.binary div %a, %b : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = rlx.cast %0 : tensor<4xui8> -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// -----

// Truth values are i1 in tensors, or i32 that the bodies compare.

// CHECK-LABEL: func.func @truth(
// CHECK-SAME:    %c: tensor<4xi1>
// CHECK:         arith.cmpf une
// CHECK:         arith.andi {{.*}} : i1
// CHECK:       return {{.*}} : tensor<4xi1>
// WIDE-LABEL:  func.func @truth(
// WIDE-SAME:     %c: tensor<4xi32> {rlx.dtype = "i1"}
// WIDE:          arith.cmpf une
// WIDE:          arith.extui {{.*}} : i1 to i32
// WIDE:          arith.cmpi ne
// WIDE:          arith.andi {{.*}} : i1
// WIDE:          arith.extui {{.*}} : i1 to i32
// WIDE:        return {{.*}} : tensor<4xi32>
func.func @truth(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xi1>) -> tensor<4xi1> {
  %0 = rlx.compare ne %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = rlx.binary bit_and %0, %c : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  func.return %1 : tensor<4xi1>
}

// -----

// gelu has no math.erf: 0.5 x erfc(-x / sqrt 2), whose tail is a product and does not cancel. One factor is a power of 2.

// CHECK-LABEL: func.func @gelu(
// CHECK-NOT:     math.erf
// CHECK:         arith.shli
// CHECK-NEXT:    arith.bitcast
// CHECK-NEXT:    arith.mulf
// CHECK:       return
func.func @gelu(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = rlx.activation gelu %x : tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// -----

// A size that is only known when the program runs.

// CHECK-LABEL: func.func @dynamic(
// CHECK:         [[D:%.*]] = tensor.dim %x
// CHECK-NEXT:    tensor.empty([[D]]) : tensor<?x4xf32>
// CHECK:         tensor.empty([[D]]) : tensor<?x4xf32>
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.activation neg %x : tensor<?x4xf32>
  %1 = rlx.activation exp %0 : tensor<?x4xf32>
  func.return %1 : tensor<?x4xf32>
}
