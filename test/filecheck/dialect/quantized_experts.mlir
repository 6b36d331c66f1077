// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @dequant_moe_weights
// CHECK:       %0 = rlx.dequant_moe_weights plain %w, %s : (tensor<2x6x4xi8>, tensor<2x4xf16>) -> tensor<2x6x4xf16>
// CHECK-NEXT:  %1 = rlx.dequant_moe_weights plain %w, %t zero_point(%y : tensor<i8>) : (tensor<2x6x4xi8>, tensor<f32>) -> tensor<2x6x4xf32>
// CHECK-NEXT:  %2 = rlx.dequant_moe_weights int4 %p, %b zero_point(%z : tensor<2x2x4xi8>) block(4) : (tensor<2x3x4xui8>, tensor<2x2x4xf8E4M3FN>) -> tensor<2x6x4xbf16>
// CHECK-NEXT:  %3 = rlx.dequant_moe_weights fp4 %p, %b block(4) : (tensor<2x3x4xui8>, tensor<2x2x4xf8E4M3FN>) -> tensor<2x6x4xf64>
// CHECK-NEXT:  %4 = rlx.dequant_moe_weights plain %o, %c : (tensor<?x?x4xf8E5M2>, tensor<?x4xf16>) -> tensor<?x?x4xf16>
// GENERIC:     "rlx.dequant_moe_weights"(%w, %s) <{scheme = "plain"}>
func.func @dequant_moe_weights(%w: tensor<2x6x4xi8>, %p: tensor<2x3x4xui8>, %o: tensor<?x?x4xf8E5M2>, %s: tensor<2x4xf16>, %c: tensor<?x4xf16>, %t: tensor<f32>, %b: tensor<2x2x4xf8E4M3FN>, %y: tensor<i8>, %z: tensor<2x2x4xi8>) {
  %0 = rlx.dequant_moe_weights plain %w, %s : (tensor<2x6x4xi8>, tensor<2x4xf16>) -> tensor<2x6x4xf16>
  %1 = rlx.dequant_moe_weights plain %w, %t zero_point(%y : tensor<i8>) : (tensor<2x6x4xi8>, tensor<f32>) -> tensor<2x6x4xf32>
  %2 = rlx.dequant_moe_weights int4 %p, %b zero_point(%z : tensor<2x2x4xi8>) block(4) : (tensor<2x3x4xui8>, tensor<2x2x4xf8E4M3FN>) -> tensor<2x6x4xbf16>
  %3 = rlx.dequant_moe_weights fp4 %p, %b block(4) : (tensor<2x3x4xui8>, tensor<2x2x4xf8E4M3FN>) -> tensor<2x6x4xf64>
  %4 = rlx.dequant_moe_weights plain %o, %c : (tensor<?x?x4xf8E5M2>, tensor<?x4xf16>) -> tensor<?x?x4xf16>
  func.return
}

// CHECK-LABEL: @dequant_grouped_matmul
// CHECK:       %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf16>, tensor<2x6x4xi8>, tensor<5xi32>, tensor<2x4xf16>) -> tensor<5x4xf16>
// CHECK-NEXT:  %1 = rlx.dequant_grouped_matmul int4 %x, %p, %i, %b zero_point(%z : tensor<2x2x4xi8>) block(4) : (tensor<5x6xf16>, tensor<2x3x4xui8>, tensor<5xi32>, tensor<2x2x4xf8E4M3FN>) -> tensor<5x4xf16>
// CHECK-NEXT:  %2 = rlx.dequant_grouped_matmul fp4 %y, %p, %j, %b block(4) : (tensor<2x?x6xf32>, tensor<2x3x4xui8>, tensor<2x?xindex>, tensor<2x2x4xf8E4M3FN>) -> tensor<2x?x4xf32>
// GENERIC:     "rlx.dequant_grouped_matmul"(%x, %w, %i, %s) <{scheme = "plain"}>
func.func @dequant_grouped_matmul(%x: tensor<5x6xf16>, %y: tensor<2x?x6xf32>, %w: tensor<2x6x4xi8>, %p: tensor<2x3x4xui8>, %i: tensor<5xi32>, %j: tensor<2x?xindex>, %s: tensor<2x4xf16>, %b: tensor<2x2x4xf8E4M3FN>, %z: tensor<2x2x4xi8>) {
  %0 = rlx.dequant_grouped_matmul plain %x, %w, %i, %s : (tensor<5x6xf16>, tensor<2x6x4xi8>, tensor<5xi32>, tensor<2x4xf16>) -> tensor<5x4xf16>
  %1 = rlx.dequant_grouped_matmul int4 %x, %p, %i, %b zero_point(%z : tensor<2x2x4xi8>) block(4) : (tensor<5x6xf16>, tensor<2x3x4xui8>, tensor<5xi32>, tensor<2x2x4xf8E4M3FN>) -> tensor<5x4xf16>
  %2 = rlx.dequant_grouped_matmul fp4 %y, %p, %j, %b block(4) : (tensor<2x?x6xf32>, tensor<2x3x4xui8>, tensor<2x?xindex>, tensor<2x2x4xf8E4M3FN>) -> tensor<2x?x4xf32>
  func.return
}

// CHECK-LABEL: @dequant_grouped_matmul_mlx
// CHECK:       %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %s bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:  %1 = rlx.dequant_grouped_matmul_mlx %y, %v, %j, %t, %t bits(3) group_size(64) : (tensor<2x?x64xbf16>, tensor<?x5x6xui32>, tensor<2x?xi64>, tensor<?x5x1xbf16>, tensor<?x5x1xbf16>) -> tensor<2x?x5xbf16>
// GENERIC:     "rlx.dequant_grouped_matmul_mlx"(%x, %w, %i, %s, %s) <{bits = 4 : i64, group_size = 32 : i64}>
func.func @dequant_grouped_matmul_mlx(%x: tensor<3x64xf32>, %w: tensor<2x5x8xui32>, %i: tensor<3xi32>, %s: tensor<2x5x2xf32>, %y: tensor<2x?x64xbf16>, %v: tensor<?x5x6xui32>, %j: tensor<2x?xi64>, %t: tensor<?x5x1xbf16>) {
  %0 = rlx.dequant_grouped_matmul_mlx %x, %w, %i, %s, %s bits(4) group_size(32) : (tensor<3x64xf32>, tensor<2x5x8xui32>, tensor<3xi32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<3x5xf32>
  %1 = rlx.dequant_grouped_matmul_mlx %y, %v, %j, %t, %t bits(3) group_size(64) : (tensor<2x?x64xbf16>, tensor<?x5x6xui32>, tensor<2x?xi64>, tensor<?x5x1xbf16>, tensor<?x5x1xbf16>) -> tensor<2x?x5xbf16>
  func.return
}

// CHECK-LABEL: @scaled_grouped_matmul
// CHECK:       %0 = rlx.scaled_grouped_matmul %x, %w, %i, %r, %e : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:  %1 = rlx.scaled_grouped_matmul %y, %w, %j, %s, %s : (tensor<2x?x6xf8E5M2>, tensor<2x4x6xf8E5M2>, tensor<2x?xi64>, tensor<f32>, tensor<f32>) -> tensor<2x?x4xbf16>
// CHECK-NEXT:  %2 = rlx.scaled_grouped_matmul %y, %w, %j, %q, %e : (tensor<2x?x6xf8E5M2>, tensor<2x4x6xf8E5M2>, tensor<2x?xi64>, tensor<2x?xf32>, tensor<2xf32>) -> tensor<2x?x4xf32>
// GENERIC:     "rlx.scaled_grouped_matmul"(%x, %w, %i, %r, %e)
func.func @scaled_grouped_matmul(%x: tensor<5x6xf8E4M3FN>, %y: tensor<2x?x6xf8E5M2>, %w: tensor<2x4x6xf8E5M2>, %i: tensor<5xi32>, %j: tensor<2x?xi64>, %r: tensor<5xf32>, %q: tensor<2x?xf32>, %e: tensor<2xf32>, %s: tensor<f32>) {
  %0 = rlx.scaled_grouped_matmul %x, %w, %i, %r, %e : (tensor<5x6xf8E4M3FN>, tensor<2x4x6xf8E5M2>, tensor<5xi32>, tensor<5xf32>, tensor<2xf32>) -> tensor<5x4xf32>
  %1 = rlx.scaled_grouped_matmul %y, %w, %j, %s, %s : (tensor<2x?x6xf8E5M2>, tensor<2x4x6xf8E5M2>, tensor<2x?xi64>, tensor<f32>, tensor<f32>) -> tensor<2x?x4xbf16>
  %2 = rlx.scaled_grouped_matmul %y, %w, %j, %q, %e : (tensor<2x?x6xf8E5M2>, tensor<2x4x6xf8E5M2>, tensor<2x?xi64>, tensor<2x?xf32>, tensor<2xf32>) -> tensor<2x?x4xf32>
  func.return
}
