// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @quantize
// CHECK:       %0 = rlx.quantize %x, %s : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xui8>
// CHECK-NEXT:  %1 = rlx.quantize %x, %t zero_point(%z : tensor<4xi8>) axis(-1) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi8>
// CHECK-NEXT:  %2 = rlx.quantize %x, %b axis(1) block(3) : (tensor<?x4xf32>, tensor<?x2xf32>) -> tensor<?x4xi16>
// CHECK-NEXT:  %3 = rlx.quantize %x, %s : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf8E4M3FN>
// CHECK-NEXT:  %4 = rlx.quantize %x, %s : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf8E5M2>
// GENERIC:     "rlx.quantize"(%x, %s)
func.func @quantize(%x: tensor<?x4xf32>, %s: tensor<f32>, %t: tensor<4xf32>, %z: tensor<4xi8>, %b: tensor<?x2xf32>) {
  %0 = rlx.quantize %x, %s : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xui8>
  %1 = rlx.quantize %x, %t zero_point(%z : tensor<4xi8>) axis(-1) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi8>
  %2 = rlx.quantize %x, %b axis(1) block(3) : (tensor<?x4xf32>, tensor<?x2xf32>) -> tensor<?x4xi16>
  %3 = rlx.quantize %x, %s : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf8E4M3FN>
  %4 = rlx.quantize %x, %s : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf8E5M2>
  func.return
}

// CHECK-LABEL: @dequantize
// CHECK:       %0 = rlx.dequantize %x, %s : (tensor<?x4xi8>, tensor<1xf16>) -> tensor<?x4xf16>
// CHECK-NEXT:  %1 = rlx.dequantize %x, %t zero_point(%z : tensor<4xi8>) axis(1) : (tensor<?x4xi8>, tensor<4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT:  %2 = rlx.dequantize %x, %b axis(1) block(2) : (tensor<?x4xi8>, tensor<?x2xf32>) -> tensor<?x4xf32>
// CHECK-NEXT:  %3 = rlx.dequantize %f, %s : (tensor<3xf8E5M2>, tensor<1xf16>) -> tensor<3xf16>
// GENERIC:     "rlx.dequantize"(%x, %s)
func.func @dequantize(%x: tensor<?x4xi8>, %s: tensor<1xf16>, %t: tensor<4xf32>, %z: tensor<4xi8>, %b: tensor<?x2xf32>, %f: tensor<3xf8E5M2>) {
  %0 = rlx.dequantize %x, %s : (tensor<?x4xi8>, tensor<1xf16>) -> tensor<?x4xf16>
  %1 = rlx.dequantize %x, %t zero_point(%z : tensor<4xi8>) axis(1) : (tensor<?x4xi8>, tensor<4xf32>) -> tensor<?x4xf32>
  %2 = rlx.dequantize %x, %b axis(1) block(2) : (tensor<?x4xi8>, tensor<?x2xf32>) -> tensor<?x4xf32>
  %3 = rlx.dequantize %f, %s : (tensor<3xf8E5M2>, tensor<1xf16>) -> tensor<3xf16>
  func.return
}

// CHECK-LABEL: @fake_quantize
// CHECK:       %0 = rlx.fake_quantize %x bits(8) : tensor<?x4xf32>
// CHECK-NEXT:  %1 = rlx.fake_quantize %x scale(%s : tensor<4xf32>) bits(4) axis(1) : tensor<?x4xf32>
// CHECK-NEXT:  %2 = rlx.fake_quantize_backward %x, %1 bits(2) axis(0) : tensor<?x4xf32>
// CHECK-NEXT:  %3 = rlx.fake_quantize_backward %x, %1 scale(%s : tensor<4xf32>) bits(4) axis(1) : tensor<?x4xf32>
// GENERIC:     "rlx.fake_quantize"(%x) <{bits = 8 : i64}>
// GENERIC:     "rlx.fake_quantize_backward"(%x, %1) <{bits = 2 : i64, axis = 0 : i64}>
func.func @fake_quantize(%x: tensor<?x4xf32>, %s: tensor<4xf32>) {
  %0 = rlx.fake_quantize %x bits(8) : tensor<?x4xf32>
  %1 = rlx.fake_quantize %x scale(%s : tensor<4xf32>) bits(4) axis(1) : tensor<?x4xf32>
  %2 = rlx.fake_quantize_backward %x, %1 bits(2) axis(0) : tensor<?x4xf32>
  %3 = rlx.fake_quantize_backward %x, %1 scale(%s : tensor<4xf32>) bits(4) axis(1) : tensor<?x4xf32>
  func.return
}

// CHECK-LABEL: @fake_quantize_lsq
// CHECK:       %0 = rlx.fake_quantize_lsq %x, %s bits(4) axis(1) : tensor<?x4xf32>, tensor<4xf32>
// CHECK-NEXT:  %1 = rlx.fake_quantize_lsq_backward_x %x, %s, %0 bits(4) axis(1) : (tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT:  %2 = rlx.fake_quantize_lsq_backward_scale %x, %t, %0 bits(8) : (tensor<?x4xf32>, tensor<f32>, tensor<?x4xf32>) -> tensor<f32>
// GENERIC:     "rlx.fake_quantize_lsq"(%x, %s) <{bits = 4 : i64, axis = 1 : i64}>
// GENERIC:     "rlx.fake_quantize_lsq_backward_x"(%x, %s, %0) <{bits = 4 : i64, axis = 1 : i64}>
// GENERIC:     "rlx.fake_quantize_lsq_backward_scale"(%x, %t, %0) <{bits = 8 : i64}>
func.func @fake_quantize_lsq(%x: tensor<?x4xf32>, %s: tensor<4xf32>, %t: tensor<f32>) {
  %0 = rlx.fake_quantize_lsq %x, %s bits(4) axis(1) : tensor<?x4xf32>, tensor<4xf32>
  %1 = rlx.fake_quantize_lsq_backward_x %x, %s, %0 bits(4) axis(1) : (tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = rlx.fake_quantize_lsq_backward_scale %x, %t, %0 bits(8) : (tensor<?x4xf32>, tensor<f32>, tensor<?x4xf32>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: @qmatmul
// CHECK:       %0 = rlx.qmatmul %a, %b : (tensor<?x2x3xi8>, tensor<3x4xui8>) -> tensor<?x2x4xi32>
// CHECK-NEXT:  %1 = rlx.qmatmul %a, %b lhs_zero_point(%y : tensor<2xi8>) : (tensor<?x2x3xi8>, tensor<3x4xui8>) -> tensor<?x2x4xi32>
// CHECK-NEXT:  %2 = rlx.qmatmul %a, %b rhs_zero_point(%z : tensor<ui8>) : (tensor<?x2x3xi8>, tensor<3x4xui8>) -> tensor<?x2x4xi32>
// CHECK-NEXT:  %3 = rlx.qmatmul %a, %b lhs_zero_point(%y : tensor<2xi8>) rhs_zero_point(%z : tensor<ui8>) : (tensor<?x2x3xi8>, tensor<3x4xui8>) -> tensor<?x2x4xi32>
// GENERIC:     "rlx.qmatmul"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
func.func @qmatmul(%a: tensor<?x2x3xi8>, %b: tensor<3x4xui8>, %y: tensor<2xi8>, %z: tensor<ui8>) {
  %0 = rlx.qmatmul %a, %b : (tensor<?x2x3xi8>, tensor<3x4xui8>) -> tensor<?x2x4xi32>
  %1 = rlx.qmatmul %a, %b lhs_zero_point(%y : tensor<2xi8>) : (tensor<?x2x3xi8>, tensor<3x4xui8>) -> tensor<?x2x4xi32>
  %2 = rlx.qmatmul %a, %b rhs_zero_point(%z : tensor<ui8>) : (tensor<?x2x3xi8>, tensor<3x4xui8>) -> tensor<?x2x4xi32>
  %3 = rlx.qmatmul %a, %b lhs_zero_point(%y : tensor<2xi8>) rhs_zero_point(%z : tensor<ui8>) : (tensor<?x2x3xi8>, tensor<3x4xui8>) -> tensor<?x2x4xi32>
  func.return
}

// CHECK-LABEL: @qconv2d
// CHECK:       %0 = rlx.qconv2d %x, %w : (tensor<?x4x?x8xi8>, tensor<6x4x3x3xui8>) -> tensor<?x6x?x6xi32>
// CHECK-NEXT:  %1 = rlx.qconv2d %x, %w input_zero_point(%y : tensor<1xi8>) : (tensor<?x4x?x8xi8>, tensor<6x4x3x3xui8>) -> tensor<?x6x?x6xi32>
// CHECK-NEXT:  %2 = rlx.qconv2d %x, %w weight_zero_point(%z : tensor<6xui8>) : (tensor<?x4x?x8xi8>, tensor<6x4x3x3xui8>) -> tensor<?x6x?x6xi32>
// CHECK-NEXT:  %3 = rlx.qconv2d %u, %v input_zero_point(%s : tensor<ui8>) weight_zero_point(%i : tensor<i8>) stride [2, 2] pad([1, 1], [1, 1]) groups(2) layout(channels_last) : (tensor<2x8x8x4xui8>, tensor<6x2x3x3xi8>) -> tensor<2x4x4x6xi32>
// GENERIC:     "rlx.qconv2d"(%x, %w) <{
func.func @qconv2d(%x: tensor<?x4x?x8xi8>, %w: tensor<6x4x3x3xui8>, %y: tensor<1xi8>, %z: tensor<6xui8>, %u: tensor<2x8x8x4xui8>, %v: tensor<6x2x3x3xi8>, %s: tensor<ui8>, %i: tensor<i8>) {
  %0 = rlx.qconv2d %x, %w : (tensor<?x4x?x8xi8>, tensor<6x4x3x3xui8>) -> tensor<?x6x?x6xi32>
  %1 = rlx.qconv2d %x, %w input_zero_point(%y : tensor<1xi8>) : (tensor<?x4x?x8xi8>, tensor<6x4x3x3xui8>) -> tensor<?x6x?x6xi32>
  %2 = rlx.qconv2d %x, %w weight_zero_point(%z : tensor<6xui8>) : (tensor<?x4x?x8xi8>, tensor<6x4x3x3xui8>) -> tensor<?x6x?x6xi32>
  %3 = rlx.qconv2d %u, %v input_zero_point(%s : tensor<ui8>) weight_zero_point(%i : tensor<i8>) stride [2, 2] pad([1, 1], [1, 1]) groups(2) layout(channels_last) : (tensor<2x8x8x4xui8>, tensor<6x2x3x3xi8>) -> tensor<2x4x4x6xi32>
  func.return
}

// CHECK-LABEL: @dequant_matmul
// CHECK:       %0 = rlx.dequant_matmul plain %x, %w, %s : (tensor<?x6xf16>, tensor<6x4xi8>, tensor<4xf16>) -> tensor<?x4xf16>
// CHECK-NEXT:  %1 = rlx.dequant_matmul int4 %x, %p, %b zero_point(%z : tensor<2x4xi8>) block(4) : (tensor<?x6xf16>, tensor<3x4xui8>, tensor<2x4xf8E4M3FN>) -> tensor<?x4xf16>
// CHECK-NEXT:  %2 = rlx.dequant_matmul fp4 %x, %p, %b block(4) : (tensor<?x6xf16>, tensor<3x4xui8>, tensor<2x4xf8E4M3FN>) -> tensor<?x4xf16>
// GENERIC:     "rlx.dequant_matmul"(%x, %w, %s) <{scheme = "plain"}>
func.func @dequant_matmul(%x: tensor<?x6xf16>, %w: tensor<6x4xi8>, %p: tensor<3x4xui8>, %s: tensor<4xf16>, %b: tensor<2x4xf8E4M3FN>, %z: tensor<2x4xi8>) {
  %0 = rlx.dequant_matmul plain %x, %w, %s : (tensor<?x6xf16>, tensor<6x4xi8>, tensor<4xf16>) -> tensor<?x4xf16>
  %1 = rlx.dequant_matmul int4 %x, %p, %b zero_point(%z : tensor<2x4xi8>) block(4) : (tensor<?x6xf16>, tensor<3x4xui8>, tensor<2x4xf8E4M3FN>) -> tensor<?x4xf16>
  %2 = rlx.dequant_matmul fp4 %x, %p, %b block(4) : (tensor<?x6xf16>, tensor<3x4xui8>, tensor<2x4xf8E4M3FN>) -> tensor<?x4xf16>
  func.return
}

// CHECK-LABEL: @scaled_matmul
// CHECK:       %0 = rlx.scaled_quant_scale %x to(f8E4M3FN) : tensor<?x6xf32> -> tensor<f32>
// CHECK-NEXT:  %1 = rlx.quantize %x, %0 : (tensor<?x6xf32>, tensor<f32>) -> tensor<?x6xf8E4M3FN>
// CHECK-NEXT:  %2 = rlx.scaled_matmul %1, %b, %0, %t : (tensor<?x6xf8E4M3FN>, tensor<4x6xf8E5M2>, tensor<f32>, tensor<1xf32>) -> tensor<?x4xbf16>
// GENERIC:     "rlx.scaled_quant_scale"(%x) <{to = f8E4M3FN}>
// GENERIC:     "rlx.quantize"(%x, %0)
// GENERIC:     "rlx.scaled_matmul"(%1, %b, %0, %t)
func.func @scaled_matmul(%x: tensor<?x6xf32>, %b: tensor<4x6xf8E5M2>, %t: tensor<1xf32>) {
  %0 = rlx.scaled_quant_scale %x to(f8E4M3FN) : tensor<?x6xf32> -> tensor<f32>
  %1 = rlx.quantize %x, %0 : (tensor<?x6xf32>, tensor<f32>) -> tensor<?x6xf8E4M3FN>
  %2 = rlx.scaled_matmul %1, %b, %0, %t : (tensor<?x6xf8E4M3FN>, tensor<4x6xf8E5M2>, tensor<f32>, tensor<1xf32>) -> tensor<?x4xbf16>
  func.return
}
