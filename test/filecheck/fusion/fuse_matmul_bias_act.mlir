// RUN: rlx-opt --rlx-fuse-matmul-bias-act --allow-unregistered-dialect %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @bias_and_gelu
// CHECK:       %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT:  func.return %0
func.func @bias_and_gelu(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation gelu %1 : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}

// The bias on the left, the accumulate type, the name of the value, and an attribute of another tool.
// CHECK-LABEL: @bias_on_the_left
// CHECK:       %y = rlx.fused_matmul_bias_act %x, %w, %b accumulate(f64) {acme.shard = 1 : i64} :
// CHECK-NEXT:  func.return %y
func.func @bias_on_the_left(%x: tensor<2x3x8xf16>, %w: tensor<8x16xf16>, %b: tensor<16xf16>) -> tensor<2x3x16xf16> {
  %0 = rlx.matmul %x, %w accumulate(f64) : (tensor<2x3x8xf16>, tensor<8x16xf16>) -> tensor<2x3x16xf16>
  %y = rlx.binary add %b, %0 {acme.shard = 1 : i64} : (tensor<16xf16>, tensor<2x3x16xf16>) -> tensor<2x3x16xf16>
  func.return %y : tensor<2x3x16xf16>
}

// CHECK-LABEL: @row_bias
// CHECK:       %[[B:.*]] = rlx.reshape %b : tensor<1x1x5xf32> -> tensor<5xf32>
// CHECK-NEXT:  rlx.fused_matmul_bias_act %x, %w, %[[B]] :
func.func @row_bias(%x: tensor<2x3x8xf32>, %w: tensor<8x5xf32>, %b: tensor<1x1x5xf32>) -> tensor<2x3x5xf32> {
  %0 = rlx.matmul %x, %w : (tensor<2x3x8xf32>, tensor<8x5xf32>) -> tensor<2x3x5xf32>
  %1 = rlx.binary add %0, %b : (tensor<2x3x5xf32>, tensor<1x1x5xf32>) -> tensor<2x3x5xf32>
  func.return %1 : tensor<2x3x5xf32>
}

// CHECK-LABEL: @scalar_bias
// CHECK:       %[[B:.*]] = rlx.reshape %b : tensor<f32> -> tensor<1xf32>
// CHECK-NEXT:  %[[V:.*]] = rlx.expand %[[B]] : tensor<1xf32> -> tensor<5xf32>
// CHECK-NEXT:  rlx.fused_matmul_bias_act %x, %w, %[[V]] activation(relu)
func.func @scalar_bias(%x: tensor<3x8xf32>, %w: tensor<8x5xf32>, %b: tensor<f32>) -> tensor<3x5xf32> {
  %0 = rlx.matmul %x, %w : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  %1 = rlx.binary add %0, %b : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %2 = rlx.activation relu %1 : tensor<3x5xf32>
  func.return %2 : tensor<3x5xf32>
}

// A bias that was stretched before: the broadcast goes when nothing else reads it.
// CHECK-LABEL: @stretched_bias
// CHECK-NEXT:  rlx.fused_matmul_bias_act %x, %w, %b :
// CHECK-NEXT:  func.return
func.func @stretched_bias(%x: tensor<2x3x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %0 = rlx.reshape %b : tensor<5xf32> -> tensor<1x1x5xf32>
  %1 = rlx.expand %0 : tensor<1x1x5xf32> -> tensor<2x3x5xf32>
  %2 = rlx.matmul %x, %w : (tensor<2x3x8xf32>, tensor<8x5xf32>) -> tensor<2x3x5xf32>
  %3 = rlx.binary add %1, %2 : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  func.return %3 : tensor<2x3x5xf32>
}

// Sizes that are not known; the sum knows one that the product does not.
// CHECK-LABEL: @dynamic
// CHECK:       rlx.fused_matmul_bias_act %x, %w, %b : (tensor<?x8xbf16>, tensor<8x?xbf16>, tensor<16xbf16>) -> tensor<?x16xbf16>
func.func @dynamic(%x: tensor<?x8xbf16>, %w: tensor<8x?xbf16>, %b: tensor<16xbf16>) -> tensor<?x16xbf16> {
  %0 = rlx.matmul %x, %w : (tensor<?x8xbf16>, tensor<8x?xbf16>) -> tensor<?x?xbf16>
  %1 = rlx.binary add %0, %b : (tensor<?x?xbf16>, tensor<16xbf16>) -> tensor<?x16xbf16>
  func.return %1 : tensor<?x16xbf16>
}

// CHECK-LABEL: @dynamic_bias
// CHECK:       rlx.fused_matmul_bias_act %x, %w, %b activation(tanh)
func.func @dynamic_bias(%x: tensor<?x8xf32>, %w: tensor<8x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = rlx.matmul %x, %w : (tensor<?x8xf32>, tensor<8x?xf32>) -> tensor<?x?xf32>
  %1 = rlx.binary add %0, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %2 = rlx.activation tanh %1 : tensor<?x?xf32>
  func.return %2 : tensor<?x?xf32>
}

// The bias is computed after the product.
// CHECK-LABEL: @late_bias
// CHECK:       %[[B:.*]] = rlx.activation exp %b
// CHECK-NEXT:  rlx.fused_matmul_bias_act %x, %w, %[[B]] :
func.func @late_bias(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.activation exp %b : tensor<16xf32>
  %2 = rlx.binary add %0, %1 : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}

// A reader that is dead itself does not count, nor does what only it kept alive.
// CHECK-LABEL: @dead_readers
// CHECK-NEXT:  rlx.fused_matmul_bias_act %x, %w, %b :
// CHECK-NEXT:  func.return
func.func @dead_readers(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.activation exp %0 : tensor<4x16xf32>
  %2 = rlx.activation neg %1 : tensor<4x16xf32>
  %3 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %3 : tensor<4x16xf32>
}

// The whole of it in a nested region.
// CHECK-LABEL: @in_a_region
// CHECK:       scf.if
// CHECK-NEXT:    rlx.fused_matmul_bias_act %x, %w, %b :
func.func @in_a_region(%p: i1, %x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = scf.if %p -> (tensor<4x8xf32>) {
    %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = rlx.binary add %0, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  } else {
    scf.yield %x : tensor<4x8xf32>
  }
  func.return %r : tensor<4x8xf32>
}

// An op with effects between: nothing that has effects moves, and the op stays.
// CHECK-LABEL: @effects_between
// CHECK:       "acme.print"(%x)
// CHECK-NEXT:  rlx.fused_matmul_bias_act %x, %w, %b :
func.func @effects_between(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  "acme.print"(%x) : (tensor<4x8xf32>) -> ()
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}

// What must fuse in part: the activation stays outside.

// MISS: RLX-F023 epilogue
// CHECK-LABEL: @other_activation
// CHECK:       %0 = rlx.fused_matmul_bias_act %x, %w, %b :
// CHECK-NEXT:  rlx.activation exp %0
func.func @other_activation(%x: tensor<8x1024xf32>, %w: tensor<1024x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<8x1024xf32>, tensor<1024x16xf32>) -> tensor<8x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = rlx.activation exp %1 : tensor<8x16xf32>
  func.return %2 : tensor<8x16xf32>
}

// CHECK-LABEL: @sum_returned
// CHECK:       %0 = rlx.fused_matmul_bias_act %x, %w, %b :
// CHECK-NEXT:  %1 = rlx.activation relu %0
// CHECK-NEXT:  func.return %0, %1
func.func @sum_returned(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation relu %1 : tensor<4x16xf32>
  func.return %1, %2 : tensor<4x16xf32>, tensor<4x16xf32>
}

// CHECK-LABEL: @sum_read_twice
// CHECK:       %0 = rlx.fused_matmul_bias_act %x, %w, %b :
// CHECK-NEXT:  rlx.activation relu %0
// CHECK-NEXT:  rlx.activation tanh %0
func.func @sum_read_twice(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation relu %1 : tensor<4x16xf32>
  %3 = rlx.activation tanh %1 : tensor<4x16xf32>
  func.return %2, %3 : tensor<4x16xf32>, tensor<4x16xf32>
}

// CHECK-LABEL: @activation_fenced_off
// CHECK:       %0 = rlx.fused_matmul_bias_act %x, %w, %b :
// CHECK-NEXT:  rlx.activation relu %0 {rlx.no_fuse}
func.func @activation_fenced_off(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation relu %1 {rlx.no_fuse} : tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}

// What must not fuse, one function per guard.

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @product_has_two_readers
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @product_has_two_readers(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = rlx.activation tanh %0 : tensor<4x16xf32>
  func.return %1, %2 : tensor<4x16xf32>, tensor<4x16xf32>
}

// Two operands of one op are two uses.
// MISS: RLX-F002 multi-use
// CHECK-LABEL: @product_added_to_itself
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @product_added_to_itself(%x: tensor<1x8xf32>, %w: tensor<8x16xf32>) -> tensor<1x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
  %1 = rlx.binary add %0, %0 : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
  func.return %1 : tensor<1x16xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @bias_of_the_product
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @bias_of_the_product(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.reduce sum %0 axes [0] : tensor<4x16xf32> -> tensor<16xf32>
  %2 = rlx.binary add %0, %1 : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @product_returned
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @product_returned(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}

// MISS: RLX-F004 other-block
// CHECK-LABEL: @sum_in_a_region
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @sum_in_a_region(%p: i1, %x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %r = scf.if %p -> (tensor<4x8xf32>) {
    %1 = rlx.binary add %0, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  } else {
    scf.yield %x : tensor<4x8xf32>
  }
  func.return %r : tensor<4x8xf32>
}

// A reader in a nested region counts.
// MISS: RLX-F002 multi-use
// CHECK-LABEL: @also_read_in_a_region
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @also_read_in_a_region(%p: i1, %x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %r = scf.if %p -> (tensor<4x8xf32>) {
    %2 = rlx.activation exp %0 : tensor<4x8xf32>
    scf.yield %2 : tensor<4x8xf32>
  } else {
    scf.yield %x : tensor<4x8xf32>
  }
  func.return %1, %r : tensor<4x8xf32>, tensor<4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @another_binary
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @another_binary(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary mul %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @foreign_reader
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @foreign_reader(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = "acme.scale"(%0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @double_precision(%x: tensor<4x8xf64>, %w: tensor<8x16xf64>, %b: tensor<16xf64>) -> tensor<4x16xf64> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf64>, tensor<8x16xf64>) -> tensor<4x16xf64>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf64>, tensor<16xf64>) -> tensor<4x16xf64>
  func.return %1 : tensor<4x16xf64>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @integers
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @integers(%x: tensor<4x8xi32>, %w: tensor<8x16xi32>, %b: tensor<16xi32>) -> tensor<4x16xi32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xi32>, tensor<8x16xi32>) -> tensor<4x16xi32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xi32>, tensor<16xi32>) -> tensor<4x16xi32>
  func.return %1 : tensor<4x16xi32>
}

// A full addend is a residual, not a bias.
// MISS: RLX-F012 not-a-row-vector
// CHECK-LABEL: @residual
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %r: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %r : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}

// MISS: RLX-F012 not-a-row-vector
// CHECK-LABEL: @column_bias
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @column_bias(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4x1xf32>) -> tensor<4x4xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  func.return %1 : tensor<4x4xf32>
}

// A `?` where a row vector has a one may be more than one.
// MISS: RLX-F012 not-a-row-vector
// CHECK-LABEL: @maybe_a_row
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @maybe_a_row(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.matmul %x, %w : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %1 = rlx.binary add %0, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  func.return %1 : tensor<?x4xf32>
}

// MISS: RLX-F013 broadcasts-up
// CHECK-LABEL: @bias_stretches_the_product
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @bias_stretches_the_product(%x: tensor<4x8xf32>, %w: tensor<8x1xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x1xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  func.return %1 : tensor<4x5xf32>
}

// MISS: RLX-F013 broadcasts-up
// CHECK-LABEL: @bias_of_unknown_length_stretches_the_product
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @bias_of_unknown_length_stretches_the_product(%x: tensor<4x8xf32>, %w: tensor<8x1xf32>, %b: tensor<?xf32>) -> tensor<4x?xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  func.return %1 : tensor<4x?xf32>
}

// The reshape before the broadcast does more than to prepend ones: six elements are no row of three.
// MISS: RLX-F012 not-a-row-vector
// CHECK-LABEL: @reshaped_to_rows
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @reshaped_to_rows(%x: tensor<2x8xf32>, %w: tensor<8x3xf32>, %b: tensor<6xf32>) -> tensor<2x3xf32> {
  %0 = rlx.matmul %x, %w : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
  %1 = rlx.reshape %b : tensor<6xf32> -> tensor<2x3xf32>
  %2 = rlx.binary add %0, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %2 : tensor<2x3xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @row_of_unknown_length
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @row_of_unknown_length(%x: tensor<4x8xf32>, %w: tensor<8x?xf32>, %b: tensor<1x?xf32>) -> tensor<4x?xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x?xf32>) -> tensor<4x?xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x?xf32>, tensor<1x?xf32>) -> tensor<4x?xf32>
  func.return %1 : tensor<4x?xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @scalar_over_unknown_length
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @scalar_over_unknown_length(%x: tensor<4x8xf32>, %w: tensor<8x?xf32>, %b: tensor<1xf32>) -> tensor<4x?xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x?xf32>) -> tensor<4x?xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x?xf32>, tensor<1xf32>) -> tensor<4x?xf32>
  func.return %1 : tensor<4x?xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.fused_matmul_bias_act
func.func @fenced_off(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w {rlx.no_fuse} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}
