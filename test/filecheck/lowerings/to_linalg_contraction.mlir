// RUN: rlx-opt --convert-rlx-to-linalg --split-input-file %s | filecheck %s

// Leading dims of the left side become rows of one matrix.

// CHECK-LABEL: func.func @rows(
// CHECK:         [[X:%.*]] = tensor.collapse_shape %x {{.*}} : tensor<2x4x8xf32> into tensor<8x8xf32>
// CHECK:         [[Y:%.*]] = linalg.matmul ins([[X]], %w : tensor<8x8xf32>, tensor<8x5xf32>)
// CHECK-NEXT:    tensor.expand_shape [[Y]] {{.*}} : tensor<8x5xf32> into tensor<2x4x5xf32>
func.func @rows(%x: tensor<2x4x8xf32>, %w: tensor<8x5xf32>) -> tensor<2x4x5xf32> {
  %0 = rlx.matmul %x, %w : (tensor<2x4x8xf32>, tensor<8x5xf32>) -> tensor<2x4x5xf32>
  func.return %0 : tensor<2x4x5xf32>
}

// -----

// Products of narrow floats are summed in f32.

// CHECK-LABEL: func.func @narrow(
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: f16, %{{.*}}: f16, %{{.*}}: f32):
// CHECK:         linalg.yield %{{.*}} : f32
// CHECK:         arith.truncf {{.*}} : f32 to f16
func.func @narrow(%x: tensor<4x8xf16>, %w: tensor<8x5xf16>) -> tensor<4x5xf16> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf16>, tensor<8x5xf16>) -> tensor<4x5xf16>
  func.return %0 : tensor<4x5xf16>
}

// -----

// A batch dim that stretches is taken out of its side, so that the maps are projections.

// CHECK-LABEL: func.func @stretched(
// CHECK:         tensor.collapse_shape %x {{.*}} : tensor<1x4x8xf32> into tensor<4x8xf32>
// CHECK:         affine_map<(d0, d1, d2, d3) -> (d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
func.func @stretched(%x: tensor<1x4x8xf32>, %w: tensor<3x8x5xf32>) -> tensor<3x4x5xf32> {
  %0 = rlx.matmul %x, %w : (tensor<1x4x8xf32>, tensor<3x8x5xf32>) -> tensor<3x4x5xf32>
  func.return %0 : tensor<3x4x5xf32>
}

// -----

// The sum over nothing is 0, without an op that would sum.

// CHECK-LABEL: func.func @nothing(
// CHECK-NOT:     linalg.matmul
// CHECK:         linalg.fill
// CHECK:       return
func.func @nothing(%x: tensor<4x0xf32>, %w: tensor<0x5xf32>) -> tensor<4x5xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x0xf32>, tensor<0x5xf32>) -> tensor<4x5xf32>
  func.return %0 : tensor<4x5xf32>
}
