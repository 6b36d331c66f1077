// RUN: rlx-opt --rlx-fuse-matmul-bias-act %s | filecheck %s --check-prefixes=ALL,CHECK
// RUN: rlx-opt --rlx-fuse-matmul-bias-act=compat-epilogues=true %s | filecheck %s --check-prefixes=ALL,COMPAT

// Views between the ops, and products without bias; the original wants the ops next to each other, and a bias.

// As GPT2 has it: rows of all batches in one matrix.
// ALL-LABEL:  @f27_view_before_activation
// CHECK:      %[[F:.*]] = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : (tensor<8x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %[[V:.*]] = rlx.reshape %[[F]] : tensor<8x16xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT: func.return %[[V]]
// COMPAT:     rlx.fused_matmul_bias_act %x, %w, %b :
// COMPAT:     rlx.activation gelu
func.func @f27_view_before_activation(%x: tensor<8x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<2x4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = rlx.reshape %1 : tensor<8x16xf32> -> tensor<2x4x16xf32>
  %3 = rlx.activation gelu %2 : tensor<2x4x16xf32>
  func.return %3 : tensor<2x4x16xf32>
}

// ALL-LABEL:  @f27_view_before_bias
// CHECK:      %[[F:.*]] = rlx.fused_matmul_bias_act %x, %w, %b activation(relu) : (tensor<8x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %[[V:.*]] = rlx.reshape %[[F]] : tensor<8x16xf32> -> tensor<2x64xf32>
// CHECK-NEXT: func.return %[[V]]
// COMPAT-NOT: rlx.fused_matmul_bias_act
func.func @f27_view_before_bias(%x: tensor<8x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<2x64xf32> {
  %0 = rlx.matmul %x, %w : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = rlx.reshape %0 : tensor<8x16xf32> -> tensor<2x4x16xf32>
  %2 = rlx.binary add %1, %b : (tensor<2x4x16xf32>, tensor<16xf32>) -> tensor<2x4x16xf32>
  %3 = rlx.reshape %2 : tensor<2x4x16xf32> -> tensor<2x64xf32>
  %4 = rlx.activation relu %3 : tensor<2x64xf32>
  func.return %4 : tensor<2x64xf32>
}

// The sizes of the last view are those of the new one.
// ALL-LABEL:  @view_of_sizes
// CHECK:      %[[F:.*]] = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : (tensor<?x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
// CHECK-NEXT: rlx.reshape %[[F]] sizes(%n) : tensor<?x16xf32> -> tensor<?x1x16xf32>
// COMPAT:     rlx.activation gelu
func.func @view_of_sizes(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<?x1x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %i = arith.constant 0 : index
  %n = tensor.dim %x, %i : tensor<?x8xf32>
  %2 = rlx.reshape %1 sizes(%n) : tensor<?x16xf32> -> tensor<?x1x16xf32>
  %3 = rlx.activation gelu %2 : tensor<?x1x16xf32>
  func.return %3 : tensor<?x1x16xf32>
}

// As T5 has it.
// ALL-LABEL:  @f27_activation_without_bias
// CHECK:      %[[F:.*]] = rlx.fused_matmul_bias_act %x, %w activation(relu) : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
// CHECK-NEXT: func.return %[[F]]
// COMPAT-NOT: rlx.fused_matmul_bias_act
func.func @f27_activation_without_bias(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>) -> tensor<4x16xbf16> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  %1 = rlx.activation relu %0 : tensor<4x16xbf16>
  func.return %1 : tensor<4x16xbf16>
}

// ALL-LABEL:  @view_and_no_bias
// CHECK:      %[[F:.*]] = rlx.fused_matmul_bias_act %x, %w activation(tanh)
// CHECK-NEXT: rlx.reshape %[[F]] : tensor<4x16xf32> -> tensor<64xf32>
// CHECK-NEXT: func.return
// COMPAT-NOT: rlx.fused_matmul_bias_act
func.func @view_and_no_bias(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<64xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.reshape %0 : tensor<4x16xf32> -> tensor<2x32xf32>
  %2 = rlx.reshape %1 : tensor<2x32xf32> -> tensor<64xf32>
  %3 = rlx.activation tanh %2 : tensor<64xf32>
  func.return %3 : tensor<64xf32>
}

// What is not taken through a view.

// The bias is fused, the view is read twice.
// ALL-LABEL: @view_read_twice
// ALL:       rlx.fused_matmul_bias_act %x, %w, %b : {{.*}} -> tensor<8x16xf32>
// ALL:       rlx.activation gelu
func.func @view_read_twice(%x: tensor<8x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x16xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = rlx.reshape %1 : tensor<8x16xf32> -> tensor<2x4x16xf32>
  %3 = rlx.activation gelu %2 : tensor<2x4x16xf32>
  func.return %3, %2 : tensor<2x4x16xf32>, tensor<2x4x16xf32>
}

// ALL-LABEL: @pinned_view
// ALL:       rlx.fused_matmul_bias_act %x, %w, %b : {{.*}} -> tensor<8x16xf32>
// ALL:       rlx.activation gelu
func.func @pinned_view(%x: tensor<8x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<2x4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = rlx.reshape %1 {rlx.no_fuse} : tensor<8x16xf32> -> tensor<2x4x16xf32>
  %3 = rlx.activation gelu %2 : tensor<2x4x16xf32>
  func.return %3 : tensor<2x4x16xf32>
}

// The addend lies along another axis than the columns.
// MISS: RLX-F012 not-a-row-vector
// ALL-LABEL: @bias_of_another_axis
// ALL-NOT:   rlx.fused_matmul_bias_act
func.func @bias_of_another_axis(%x: tensor<8x8xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>) -> tensor<16x8xf32> {
  %0 = rlx.matmul %x, %w : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = rlx.reshape %0 : tensor<8x16xf32> -> tensor<16x8xf32>
  %2 = rlx.binary add %1, %b : (tensor<16x8xf32>, tensor<8xf32>) -> tensor<16x8xf32>
  func.return %2 : tensor<16x8xf32>
}

// MISS: RLX-F023 epilogue
// ALL-LABEL: @other_activation_without_bias
// ALL-NOT:   rlx.fused_matmul_bias_act
func.func @other_activation_without_bias(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.activation exp %0 : tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}

// MISS: RLX-F007 dtype
// ALL-LABEL: @other_type_without_bias
// ALL-NOT:   rlx.fused_matmul_bias_act
func.func @other_type_without_bias(%x: tensor<4x8xf64>, %w: tensor<8x16xf64>) -> tensor<4x16xf64> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf64>, tensor<8x16xf64>) -> tensor<4x16xf64>
  %1 = rlx.activation relu %0 : tensor<4x16xf64>
  func.return %1 : tensor<4x16xf64>
}

// Both products of a gated unit become one.
// MISS: RLX-F018 later-fusion
// ALL-LABEL: @gated_unit
// ALL-NOT:   rlx.fused_matmul_bias_act
func.func @gated_unit(%x: tensor<4x8xf32>, %u: tensor<8x16xf32>, %g: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %u : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.matmul %x, %g : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation silu %1 : tensor<4x16xf32>
  %3 = rlx.binary mul %2, %0 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %3 : tensor<4x16xf32>
}
