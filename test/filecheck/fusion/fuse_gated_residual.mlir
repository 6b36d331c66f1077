// RUN: rlx-opt --rlx-fuse-gated-residual %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @gated
// CHECK:       %s = rlx.gated_residual %x, %y, %gate : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %s
func.func @gated(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// CHECK-LABEL: @the_other_way_round
// CHECK:       %s = rlx.gated_residual %x, %y, %gate : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %s
func.func @the_other_way_round(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %y, %gate : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %p, %x : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// CHECK-LABEL: @through_an_expand
// CHECK:       %s = rlx.gated_residual %x, %y, %gate : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %s
func.func @through_an_expand(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %e = rlx.expand %gate : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %p = rlx.binary mul %e, %y : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// CHECK-LABEL: @expand_is_read_elsewhere
// CHECK:       %e = rlx.expand
// CHECK-NEXT:  %s = rlx.gated_residual %x, %y, %gate : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %s, %e
func.func @expand_is_read_elsewhere(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %e = rlx.expand %gate : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %p = rlx.binary mul %e, %y : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s, %e : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// CHECK-LABEL: @half
// CHECK:       rlx.gated_residual
func.func @half(%x: tensor<2x4x8xf16>, %y: tensor<2x4x8xf16>, %gate: tensor<2x1x8xf16>) -> tensor<2x4x8xf16> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf16>, tensor<2x4x8xf16>) -> tensor<2x4x8xf16>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf16>, tensor<2x4x8xf16>) -> tensor<2x4x8xf16>
  func.return %s : tensor<2x4x8xf16>
}

// CHECK-LABEL: @brain_float
// CHECK:       rlx.gated_residual
func.func @brain_float(%x: tensor<2x4x8xbf16>, %y: tensor<2x4x8xbf16>, %gate: tensor<2x1x8xbf16>) -> tensor<2x4x8xbf16> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  func.return %s : tensor<2x4x8xbf16>
}

// CHECK-LABEL: @row
// CHECK:       rlx.gated_residual %x, %y, %gate : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
func.func @row(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// CHECK-LABEL: @one_column
// CHECK:       rlx.gated_residual %x, %y, %gate : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<1xf32>) -> tensor<2x1xf32>
func.func @one_column(%x: tensor<2x1xf32>, %y: tensor<2x1xf32>, %gate: tensor<1xf32>) -> tensor<2x1xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %s = rlx.binary add %x, %p : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  func.return %s : tensor<2x1xf32>
}

// CHECK-LABEL: @dynamic
// CHECK:       rlx.gated_residual %x, %y, %gate : (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x1x8xf32>) -> tensor<?x4x8xf32>
func.func @dynamic(%x: tensor<?x4x8xf32>, %y: tensor<?x4x8xf32>, %gate: tensor<?x1x8xf32>) -> tensor<?x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<?x1x8xf32>, tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<?x4x8xf32>, tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  func.return %s : tensor<?x4x8xf32>
}

// CHECK-LABEL: @sum_is_returned_and_read
// CHECK:       %s = rlx.gated_residual %x, %y, %gate : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:  %e = rlx.activation exp %s
func.func @sum_is_returned_and_read(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %e = rlx.activation exp %s : tensor<2x4x8xf32>
  func.return %s, %e : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// Of two gated products the right one is fused, and the other is what it is added to.
// CHECK-LABEL: @two_gated_products
// CHECK:       %p = rlx.binary mul %gate, %y
// CHECK-NEXT:  %s = rlx.gated_residual %p, %x, %h
// CHECK-NEXT:  func.return %s
func.func @two_gated_products(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %h: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %q = rlx.binary mul %h, %x : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %p, %q : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// The right product has no gate; the left one has.
// CHECK-LABEL: @left_product_only
// CHECK:       %p = rlx.binary mul %x, %z
// CHECK-NEXT:  %s = rlx.gated_residual %p, %y, %gate
func.func @left_product_only(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>, %z: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %x, %z : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %q = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %q, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// What must not fuse, one function per guard.

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.gated_residual
func.func @double_precision(%x: tensor<2x4x8xf64>, %y: tensor<2x4x8xf64>, %gate: tensor<2x1x8xf64>) -> tensor<2x4x8xf64> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf64>, tensor<2x4x8xf64>) -> tensor<2x4x8xf64>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf64>, tensor<2x4x8xf64>) -> tensor<2x4x8xf64>
  func.return %s : tensor<2x4x8xf64>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @integers
// CHECK-NOT:   rlx.gated_residual
func.func @integers(%x: tensor<2x4x8xi32>, %y: tensor<2x4x8xi32>, %gate: tensor<2x1x8xi32>) -> tensor<2x4x8xi32> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xi32>, tensor<2x4x8xi32>) -> tensor<2x4x8xi32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xi32>, tensor<2x4x8xi32>) -> tensor<2x4x8xi32>
  func.return %s : tensor<2x4x8xi32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @product_is_returned
// CHECK-NOT:   rlx.gated_residual
func.func @product_is_returned(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %p, %s : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @product_is_read_twice
// CHECK-NOT:   rlx.gated_residual
func.func @product_is_read_twice(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %e = rlx.activation exp %p : tensor<2x4x8xf32>
  func.return %e, %s : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @product_added_to_itself
// CHECK-NOT:   rlx.gated_residual
func.func @product_added_to_itself(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %p, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// `x + gate * x` is the inside of an adaptive norm.
// MISS: RLX-F026 not-a-gate
// CHECK-LABEL: @product_of_what_it_is_added_to
// CHECK-NOT:   rlx.gated_residual
func.func @product_of_what_it_is_added_to(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %x : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// MISS: RLX-F026 not-a-gate
// CHECK-LABEL: @gate_is_full
// CHECK-NOT:   rlx.gated_residual
func.func @gate_is_full(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// Half of what turns two elements by a table: the other half would stay three ops.
// MISS: RLX-F026 not-a-gate
// CHECK-LABEL: @f28_half_of_a_rotation
// CHECK-NOT:   rlx.gated_residual
// CHECK:       func.return
func.func @f28_half_of_a_rotation(%a: tensor<2x4x8xf32>, %b: tensor<2x4x8xf32>, %c: tensor<4x8xf32>, %n: tensor<4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.binary mul %a, %c : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.binary mul %b, %n : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
  %2 = rlx.binary sub %0, %1 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %3 = rlx.binary mul %b, %c : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
  %4 = rlx.binary mul %a, %n : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
  %5 = rlx.binary add %3, %4 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %2, %5 : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F026 not-a-gate
// CHECK-LABEL: @gate_is_one_number
// CHECK-NOT:   rlx.gated_residual
func.func @gate_is_one_number(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<f32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<f32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// MISS: RLX-F026 not-a-gate
// CHECK-LABEL: @gate_is_a_column
// CHECK-NOT:   rlx.gated_residual
func.func @gate_is_a_column(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x4x1xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<2x4x1xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// MISS: RLX-F026 not-a-gate
// CHECK-LABEL: @width_is_unknown
// CHECK-NOT:   rlx.gated_residual
func.func @width_is_unknown(%x: tensor<2x4x?xf32>, %y: tensor<2x4x?xf32>, %gate: tensor<2x1x?xf32>) -> tensor<2x4x?xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x?xf32>, tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x?xf32>, tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
  func.return %s : tensor<2x4x?xf32>
}

// MISS: RLX-F026 not-a-gate
// CHECK-LABEL: @update_stretches
// CHECK-NOT:   rlx.gated_residual
func.func @update_stretches(%x: tensor<2x4x8xf32>, %y: tensor<1x4x8xf32>, %gate: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<1x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// MISS: RLX-F013 broadcasts-up
// CHECK-LABEL: @product_stretches_the_sum
// CHECK-NOT:   rlx.gated_residual
func.func @product_stretches_the_sum(%x: tensor<1x4x8xf32>, %y: tensor<1x4x8xf32>, %gate: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<3x4x8xf32>, tensor<1x4x8xf32>) -> tensor<3x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<1x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %s : tensor<3x4x8xf32>
}

// MISS: RLX-F017 residual-broadcasts
// CHECK-LABEL: @x_is_a_broadcast
// CHECK-NOT:   rlx.gated_residual
func.func @x_is_a_broadcast(%x: tensor<2x1x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %e = rlx.expand %x : tensor<2x1x8xf32> -> tensor<2x4x8xf32>
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %e, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}

// MISS: RLX-F004 other-block
// CHECK-LABEL: @sum_in_a_region
// CHECK-NOT:   rlx.gated_residual
func.func @sum_in_a_region(%c: i1, %x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %t = scf.if %c -> (tensor<2x4x8xf32>) {
    %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    scf.yield %s : tensor<2x4x8xf32>
  } else {
    scf.yield %x : tensor<2x4x8xf32>
  }
  func.return %t : tensor<2x4x8xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.gated_residual
func.func @fenced_off(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %gate: tensor<2x1x8xf32>) -> tensor<2x4x8xf32> {
  %p = rlx.binary mul %gate, %y {rlx.no_fuse} : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %s = rlx.binary add %x, %p : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %s : tensor<2x4x8xf32>
}
