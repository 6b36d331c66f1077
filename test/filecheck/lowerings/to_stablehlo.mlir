// RUN: rlx-opt --convert-rlx-to-stablehlo %s | filecheck %s

// Broadcasts are written out; names and roles stay.
// CHECK-LABEL: @binary(%x: tensor<2x4xf32> {rlx.input = "x"}, %b: tensor<4xf32> {rlx.param = "b"})
// CHECK-NEXT:  %[[B:.*]] = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:  stablehlo.add %x, %[[B]] : tensor<2x4xf32>
func.func @binary(%x: tensor<2x4xf32> {rlx.input = "x"}, %b: tensor<4xf32> {rlx.param = "b"}) -> tensor<2x4xf32> {
  %0 = rlx.binary add %x, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @rms_norm_of_rows
// CHECK:       stablehlo.reshape %{{.*}} : (tensor<2x3x8xf32>) -> tensor<6x8xf32>
func.func @rms_norm_of_rows(%x: tensor<2x3x8xf32>, %g: tensor<8xf32>) -> tensor<6x8xf32> {
  %0 = rlx.rms_norm %x, %g, %g epsilon(1.0e-5) flatten : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  func.return %0 : tensor<6x8xf32>
}

// f32 is multiplied as f32; bf16 is summed in f32 and rounded once.
// CHECK-LABEL: @products
// CHECK-NEXT:  stablehlo.dot_general %x, %x, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
// CHECK-NEXT:  %[[P:.*]] = stablehlo.dot_general %h, %h, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
// CHECK-NEXT:  stablehlo.convert %[[P]] : (tensor<4x4xf32>) -> tensor<4x4xbf16>
func.func @products(%x: tensor<4x4xf32>, %h: tensor<4x4xbf16>) -> (tensor<4x4xf32>, tensor<4x4xbf16>) {
  %0 = rlx.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = rlx.matmul %h, %h : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  func.return %0, %1 : tensor<4x4xf32>, tensor<4x4xbf16>
}

// CHECK-LABEL: @reduction
// CHECK:       %[[M:.*]] = stablehlo.reduce(%x init: %{{.*}}) applies stablehlo.maximum across dimensions = [1]
// CHECK-NEXT:  stablehlo.reshape %[[M]] : (tensor<2xf32>) -> tensor<2x1xf32>
func.func @reduction(%x: tensor<2x4xf32>) -> tensor<2x1xf32> {
  %0 = rlx.reduce max %x axes [1] keep_dims : tensor<2x4xf32> -> tensor<2x1xf32>
  func.return %0 : tensor<2x1xf32>
}

// Two fused ops of one form share one decomposition, another form has its own.
// CHECK-LABEL: @fused
// CHECK-NEXT:  stablehlo.composite "rlx.fused_matmul_bias_act" %x, %w, %b {composite_attributes = {activation = "gelu"}, decomposition = @rlx.fused_matmul_bias_act.decomposition, version = 0 : i32}
// CHECK-NEXT:  stablehlo.composite "rlx.fused_matmul_bias_act" %y, %w, %b
// CHECK-SAME:  @rlx.fused_matmul_bias_act.decomposition,
// CHECK-NEXT:  stablehlo.composite "rlx.fused_matmul_bias_act" %x, %w, %b
// CHECK-SAME:  composite_attributes = {}
// CHECK-SAME:  @rlx.fused_matmul_bias_act.decomposition_1,
func.func @fused(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : (tensor<2x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %1 = rlx.fused_matmul_bias_act %y, %w, %b activation(gelu) : (tensor<2x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %2 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<2x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  func.return %0, %1, %2 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

// CHECK:      func.func private @rlx.fused_matmul_bias_act.decomposition(
// CHECK-NEXT:   stablehlo.dot_general
// CHECK:        stablehlo.add
// CHECK:        stablehlo.exponential
// CHECK:        func.return
// CHECK:      func.func private @rlx.fused_matmul_bias_act.decomposition_1(
// CHECK-NOT:    stablehlo.exponential
