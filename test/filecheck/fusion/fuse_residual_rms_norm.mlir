// RUN: rlx-opt --rlx-fuse-residual-rms-norm --allow-unregistered-dialect %s | filecheck %s

// What must fuse.

// CHECK-LABEL: @sum_read_once
// CHECK:       %0 = rlx.fused_residual_rms_norm %x, %r, %g, %b epsilon(1.0e-12) : (tensor<4x15x8xf32>, tensor<4x15x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x15x8xf32>
// CHECK-NEXT:  func.return %0
func.func @sum_read_once(%x: tensor<4x15x8xf32>, %r: tensor<4x15x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x15x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<4x15x8xf32>, tensor<4x15x8xf32>) -> tensor<4x15x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-12) : (tensor<4x15x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x15x8xf32>
  func.return %1 : tensor<4x15x8xf32>
}

// A gain that only f32 holds, as Gemma's `1 + w`, is no hindrance.
// CHECK-LABEL: @f31_gain_of_f32
// CHECK:       %{{.*}}, %{{.*}} = rlx.fused_residual_rms_norm %x, %r, %g, %b epsilon(1.0e-06) : (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<8xf32>, tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>)
// CHECK-NEXT:  func.return
func.func @f31_gain_of_f32(%x: tensor<4x8xbf16>, %r: tensor<4x8xbf16>, %g: tensor<8xf32>, %b: tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
  %0 = rlx.binary add %x, %r : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-6) : (tensor<4x8xbf16>, tensor<8xf32>, tensor<8xbf16>) -> tensor<4x8xbf16>
  func.return %1, %0 : tensor<4x8xbf16>, tensor<4x8xbf16>
}

// The last axis by its number, an accumulate type.
// CHECK-LABEL: @axis_by_number
// CHECK:       rlx.fused_residual_rms_norm %x, %r, %g, %b epsilon(1.0e-05) accumulate(f64) :
func.func @axis_by_number(%x: tensor<4x8xf16>, %r: tensor<4x8xf16>, %g: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<4x8xf16> {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) axis(1) accumulate(f64) : (tensor<4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<4x8xf16>
  func.return %1 : tensor<4x8xf16>
}

// CHECK-LABEL: @value_added_to_itself
// CHECK:       rlx.fused_residual_rms_norm %x, %x, %g, %b
func.func @value_added_to_itself(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary add %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// A `?` never stretches, so sizes that meet are equal.
// CHECK-LABEL: @dynamic
// CHECK:       rlx.fused_residual_rms_norm %x, %r, %g, %b epsilon(1.0e-05) : (tensor<?x?x8xf32>, tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
func.func @dynamic(%x: tensor<?x?x8xf32>, %r: tensor<2x?x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x?x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<?x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<2x?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?x8xf32>
  func.return %1 : tensor<2x?x8xf32>
}

// CHECK-LABEL: @sum_returned
// CHECK:       %0, %s = rlx.fused_residual_rms_norm %x, %r, %g, %b
// CHECK-NEXT:  func.return %s, %0
func.func @sum_returned(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %s = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.rms_norm %s, %g, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %s, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// The fused op takes the sum's place: gamma, computed later, moves up, and so does what it is computed from.
// CHECK-LABEL: @later_operands_move_up
// CHECK:       %[[E:.*]] = rlx.activation exp %g
// CHECK-NEXT:  %[[G:.*]] = rlx.activation neg %[[E]]
// CHECK-NEXT:  %[[Y:.*]], %[[S:.*]] = rlx.fused_residual_rms_norm %x, %r, %[[G]], %b
// CHECK-NEXT:  %[[T:.*]] = rlx.activation tanh %[[S]]
// CHECK-NEXT:  func.return %[[T]], %[[Y]]
func.func @later_operands_move_up(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.activation tanh %0 : tensor<4x8xf32>
  %2 = rlx.activation exp %g : tensor<8xf32>
  %3 = rlx.activation neg %2 : tensor<8xf32>
  %4 = rlx.rms_norm %0, %3, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %1, %4 : tensor<4x8xf32>, tensor<4x8xf32>
}

// A gain that moved up once, to the first sum, stays there for the second.
// CHECK-LABEL: @two_sums_with_one_late_gain
// CHECK-NEXT:  %[[G:.*]] = rlx.activation exp %g
// CHECK-NEXT:  rlx.fused_residual_rms_norm %x, %r, %[[G]], %g
// CHECK-NEXT:  rlx.fused_residual_rms_norm %r, %r, %[[G]], %g
func.func @two_sums_with_one_late_gain(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.binary add %r, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = rlx.activation exp %g : tensor<8xf32>
  %3 = rlx.rms_norm %0, %2, %g epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4 = rlx.rms_norm %1, %2, %g epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %0, %1, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Several norms on one sum: the first tees, the others read what it gives.
// CHECK-LABEL: @two_norms
// CHECK:       %[[A:.*]], %[[S:.*]] = rlx.fused_residual_rms_norm %x, %r, %g, %b
// CHECK-NEXT:  %[[B:.*]] = rlx.rms_norm %[[S]], %b, %g
// CHECK-NEXT:  func.return %[[A]], %[[B]]
func.func @two_norms(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = rlx.rms_norm %0, %b, %g epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// A reader of the sum in a nested region is served by the tee.
// CHECK-LABEL: @sum_read_in_a_region
// CHECK:       %{{.*}}, %[[S:.*]] = rlx.fused_residual_rms_norm
// CHECK:       rlx.activation exp %[[S]]
func.func @sum_read_in_a_region(%p: i1, %x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = scf.if %p -> (tensor<4x8xf32>) {
    %2 = rlx.activation exp %0 : tensor<4x8xf32>
    scf.yield %2 : tensor<4x8xf32>
  } else {
    scf.yield %x : tensor<4x8xf32>
  }
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %1, %t : tensor<4x8xf32>, tensor<4x8xf32>
}

// What must not fuse, one function per guard.

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @no_sum
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @no_sum(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %1 = rlx.rms_norm %x, %g, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @difference
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @difference(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary sub %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @other_axis
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @other_axis(%x: tensor<2x8x8xf32>, %r: tensor<2x8x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) axis(1) : (tensor<2x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x8xf32>
  func.return %1 : tensor<2x8x8xf32>
}

// MISS: RLX-F017 residual-broadcasts
// CHECK-LABEL: @position_table
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @position_table(%x: tensor<2x3x8xf32>, %r: tensor<3x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x3x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<2x3x8xf32>, tensor<3x8xf32>) -> tensor<2x3x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  func.return %1 : tensor<2x3x8xf32>
}

// A one that meets a `?` may stretch.
// MISS: RLX-F017 residual-broadcasts
// CHECK-LABEL: @maybe_a_broadcast
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @maybe_a_broadcast(%x: tensor<?x8xf32>, %r: tensor<1x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<?x8xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  func.return %1 : tensor<?x8xf32>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @double_precision(%x: tensor<4x8xf64>, %r: tensor<4x8xf64>, %g: tensor<8xf64>, %b: tensor<8xf64>) -> tensor<4x8xf64> {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<4x8xf64>, tensor<8xf64>, tensor<8xf64>) -> tensor<4x8xf64>
  func.return %1 : tensor<4x8xf64>
}

// MISS: RLX-F004 other-block
// CHECK-LABEL: @norm_in_a_region
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @norm_in_a_region(%p: i1, %x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = scf.if %p -> (tensor<4x8xf32>) {
    %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  } else {
    scf.yield %x : tensor<4x8xf32>
  }
  func.return %t : tensor<4x8xf32>
}

// MISS: RLX-F010 depends-on-result
// CHECK-LABEL: @gain_of_the_sum
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @gain_of_the_sum(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.reduce sum %0 axes [0] : tensor<4x8xf32> -> tensor<8xf32>
  %2 = rlx.activation tanh %1 : tensor<8xf32>
  %3 = rlx.rms_norm %0, %2, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %3 : tensor<4x8xf32>
}

// MISS: RLX-F008 effects
// CHECK-LABEL: @gain_with_effects
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @gain_with_effects(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "acme.next"() : () -> tensor<8xf32>
  %2 = rlx.rms_norm %0, %1, %b epsilon(1.0e-5) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %0, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @fenced_off(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) {rlx.no_fuse} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// A norm whose rows are laid one under the other already.
// MISS: RLX-F024 rank
// CHECK-LABEL: @flattened
// CHECK-NOT:   rlx.fused_residual_rms_norm
func.func @flattened(%x: tensor<2x4x8xf32>, %r: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  %0 = rlx.binary add %x, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-5) flatten : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  func.return %1 : tensor<8x8xf32>
}
