// RUN: rlx-opt --rlx-raise %s | filecheck %s --check-prefixes=ALL,FREE
// RUN: rlx-opt --rlx-raise=exact-rounding=true %s | filecheck %s --check-prefixes=ALL,EXACT
// RUN: rlx-opt --rlx-raise --report %s -o /dev/null 2>&1 | filecheck %s --check-prefix=REPORT
// RUN: rlx-opt --rlx-raise=exact-rounding=true --print-pass-pipeline %s | filecheck %s --check-prefix=LIST

// LIST: rlx-share-sizes,rlx-raise-transpose,rlx-canonicalize-broadcasts,rlx-raise-dot-general,rlx-fold-ranges,rlx-raise-grouped-matmul,rlx-raise-softmax{exact-rounding=true},rlx-raise-layer-norm{exact-rounding=true}

// REPORT:      rounded less often than written (exact-rounding=true of rlx-raise keeps it):
// REPORT-NEXT:   softmax at {{.*}}raise_exact_rounding.mlir:{{.*}}: rlx.activation, rlx.binary, rlx.reduce to f16
// REPORT-NEXT:   attention at {{.*}}raise_exact_rounding.mlir:{{.*}}: rlx.cast, rlx.matmul to bf16

// Scores are rounded to bf16 before they become f32, and so are the weights.
// ALL-LABEL:  @f10_attention_between_casts
// FREE:       rlx.attention
// EXACT-NOT:  rlx.attention
// ALL:        func.return
func.func @f10_attention_between_casts(%q: tensor<2x4x3x8xbf16>, %k: tensor<2x4x5x8xbf16>, %v: tensor<2x4x5x8xbf16>) -> tensor<2x4x3x8xbf16> {
  %0 = rlx.transpose %k [0, 1, 3, 2] : tensor<2x4x5x8xbf16> -> tensor<2x4x8x5xbf16>
  %1 = rlx.matmul %q, %0 : (tensor<2x4x3x8xbf16>, tensor<2x4x8x5xbf16>) -> tensor<2x4x3x5xbf16>
  %2 = rlx.cast %1 : tensor<2x4x3x5xbf16> -> tensor<2x4x3x5xf32>
  %3 = rlx.softmax %2 : tensor<2x4x3x5xf32>
  %4 = rlx.cast %3 : tensor<2x4x3x5xf32> -> tensor<2x4x3x5xbf16>
  %5 = rlx.matmul %4, %v : (tensor<2x4x3x5xbf16>, tensor<2x4x5x8xbf16>) -> tensor<2x4x3x8xbf16>
  func.return %5 : tensor<2x4x3x8xbf16>
}

// ALL-LABEL:  @f10_softmax_of_halves
// FREE:       rlx.softmax
// EXACT-NOT:  rlx.softmax
// ALL:        func.return
func.func @f10_softmax_of_halves(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = rlx.reduce max %x axes [1] keep_dims : tensor<4x8xf16> -> tensor<4x1xf16>
  %1 = rlx.binary sub %x, %0 : (tensor<4x8xf16>, tensor<4x1xf16>) -> tensor<4x8xf16>
  %2 = rlx.activation exp %1 : tensor<4x8xf16>
  %3 = rlx.reduce sum %2 axes [1] keep_dims : tensor<4x8xf16> -> tensor<4x1xf16>
  %4 = rlx.binary div %2, %3 : (tensor<4x8xf16>, tensor<4x1xf16>) -> tensor<4x8xf16>
  func.return %4 : tensor<4x8xf16>
}

// What is computed in f32 and rounded at the end is found either way.
// ALL-LABEL:  @wide_up_to_the_end
// ALL:        rlx.softmax
// ALL:        func.return
func.func @wide_up_to_the_end(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %w = rlx.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %0 = rlx.reduce max %w axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = rlx.binary sub %w, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = rlx.activation exp %1 : tensor<4x8xf32>
  %3 = rlx.reduce sum %2 axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %4 = rlx.binary div %2, %3 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %5 = rlx.cast %4 : tensor<4x8xf32> -> tensor<4x8xf16>
  func.return %5 : tensor<4x8xf16>
}

// A scale by a power of two rounds nothing; any other does.
// ALL-LABEL:  @f10_scales
// ALL:        rlx.attention %x, %x, %x layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(0.25)
// FREE-NOT:   rlx.binary
// FREE:       rlx.attention %x, %x, %x
// EXACT:      %[[Y:.*]] = rlx.binary mul %x
// EXACT:      rlx.attention %[[Y]], %x, %x
// ALL:        func.return
func.func @f10_scales(%x: tensor<2x3x8xbf16>) -> (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>) {
  %0 = arith.constant dense<0.25> : tensor<bf16>
  %1 = rlx.binary mul %x, %0 : (tensor<2x3x8xbf16>, tensor<bf16>) -> tensor<2x3x8xbf16>
  %2 = rlx.attention %1, %x, %x layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(1.0) : (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>, tensor<2x3x8xbf16>) -> tensor<2x3x8xbf16>
  %3 = arith.constant dense<0.3535> : tensor<bf16>
  %4 = rlx.binary mul %x, %3 : (tensor<2x3x8xbf16>, tensor<bf16>) -> tensor<2x3x8xbf16>
  %5 = rlx.attention %4, %x, %x layout(bsm) heads(1) kv_heads(1) head_dim(8) v_head_dim(8) scale(1.0) : (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>, tensor<2x3x8xbf16>) -> tensor<2x3x8xbf16>
  func.return %2, %5 : tensor<2x3x8xbf16>, tensor<2x3x8xbf16>
}
