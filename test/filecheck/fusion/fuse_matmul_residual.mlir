// RUN: rlx-opt --rlx-fuse-matmul-residual %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @residual
// CHECK:       %0 = rlx.fused_matmul_residual %x, %w, %r : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:  func.return %0
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: @residual_on_the_left
// CHECK:       %0 = rlx.fused_matmul_residual %x, %w, %r : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:  func.return %0
func.func @residual_on_the_left(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %r, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: @sum_is_read_twice
// CHECK:       %0 = rlx.fused_matmul_residual %x, %w, %r : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
func.func @sum_is_read_twice(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %e = rlx.activation exp %1 : tensor<4x6xf32>
  func.return %1, %e : tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: @accumulates
// CHECK:       rlx.fused_matmul_residual %x, %w, %r accumulate(f32)
func.func @accumulates(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>, %r: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %0 = rlx.matmul %x, %w accumulate(f32) : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf16>, tensor<4x6xf16>) -> tensor<4x6xf16>
  func.return %1 : tensor<4x6xf16>
}

// CHECK-LABEL: @dynamic
// CHECK:       rlx.fused_matmul_residual %x, %w, %r : (tensor<?x8xf32>, tensor<8x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
func.func @dynamic(%x: tensor<?x8xf32>, %w: tensor<8x6xf32>, %r: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
  %1 = rlx.binary add %0, %r : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  func.return %1 : tensor<?x6xf32>
}

// The left product is fused, the other is its residual.
// MISS: RLX-F031 other-chain
// CHECK-LABEL: @two_products
// CHECK:       %0 = rlx.matmul %x, %w
// CHECK-NEXT:  %1 = rlx.fused_matmul_residual %x, %v, %0
// CHECK-NEXT:  func.return %1
func.func @two_products(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %v: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %2, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// A left product that something else reads takes no sum, so the right one does.
// CHECK-LABEL: @left_product_is_read_elsewhere
// CHECK:       %0 = rlx.matmul %x, %w
// CHECK-NEXT:  rlx.fused_matmul_residual %x, %v, %0
func.func @left_product_is_read_elsewhere(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %v: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = rlx.binary add %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = rlx.activation exp %0 : tensor<4x6xf32>
  func.return %2, %3 : tensor<4x6xf32>, tensor<4x6xf32>
}

// What must not fuse, one function per guard.

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.fused_matmul_residual
func.func @double_precision(%x: tensor<4x8xf64>, %w: tensor<8x6xf64>, %r: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
  func.return %1 : tensor<4x6xf64>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @product_is_returned
// CHECK-NOT:   rlx.fused_matmul_residual
func.func @product_is_returned(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @product_added_to_itself
// CHECK-NOT:   rlx.fused_matmul_residual
func.func @product_added_to_itself(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %0, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @difference
// CHECK-NOT:   rlx.fused_matmul_residual
func.func @difference(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary sub %0, %r : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// A bias is for another fusion.
// MISS: RLX-F017 residual-broadcasts
// CHECK-LABEL: @row
// CHECK-NOT:   rlx.fused_matmul_residual
func.func @row(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F017 residual-broadcasts
// CHECK-LABEL: @one_row
// CHECK-NOT:   rlx.fused_matmul_residual
func.func @one_row(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<1x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F017 residual-broadcasts
// CHECK-LABEL: @higher_rank
// CHECK-NOT:   rlx.fused_matmul_residual
func.func @higher_rank(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %0, %r : (tensor<4x6xf32>, tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  func.return %1 : tensor<1x4x6xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.fused_matmul_residual
func.func @fenced_off(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.binary add %0, %r {rlx.no_fuse} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}
