// RUN: rlx-opt --rlx-fuse-swiglu %s | filecheck %s

// What must fuse.

// The gate is where silu is, in all four orders.
// CHECK-LABEL: @up_first
// CHECK:       %0 = rlx.fused_swiglu %c : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @up_first(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @up_first_silu_left
// CHECK:       %0 = rlx.fused_swiglu %c : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @up_first_silu_left(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %0, %u : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @gate_first
// CHECK:       %0 = rlx.fused_swiglu %c gate_first : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @gate_first(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @gate_first_silu_left
// CHECK:       %0 = rlx.fused_swiglu %c gate_first : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @gate_first_silu_left(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %0, %u : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// Gates of other activations.
// CHECK-LABEL: @f27_geglu
// CHECK:       %0 = rlx.fused_swiglu %c act(gelu) : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @f27_geglu(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation gelu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @f27_glu
// CHECK:       %0 = rlx.fused_swiglu %c act(sigmoid) : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @f27_glu(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation sigmoid %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @f27_reglu
// CHECK:       %0 = rlx.fused_swiglu %c act(relu) gate_first : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @f27_reglu(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation relu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @packed_is_read_elsewhere
// CHECK:       %0 = rlx.fused_swiglu %c : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-NEXT:  %e = rlx.activation exp %c
func.func @packed_is_read_elsewhere(%c: tensor<4x16xf32>) -> (tensor<4x8xf32>, tensor<4x16xf32>) {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = rlx.activation exp %c : tensor<4x16xf32>
  func.return %1, %e : tensor<4x8xf32>, tensor<4x16xf32>
}

// CHECK-LABEL: @dynamic_rows
// CHECK:       rlx.fused_swiglu %c : tensor<?x16xf32> -> tensor<?x8xf32>
func.func @dynamic_rows(%c: tensor<?x16xf32>) -> tensor<?x8xf32> {
  %u = rlx.narrow %c axis(-1) start(0) length(8) : tensor<?x16xf32> -> tensor<?x8xf32>
  %g = rlx.narrow %c axis(-1) start(8) length(8) : tensor<?x16xf32> -> tensor<?x8xf32>
  %0 = rlx.activation silu %g : tensor<?x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  func.return %1 : tensor<?x8xf32>
}

// CHECK-LABEL: @half_precision
// CHECK:       rlx.fused_swiglu %c : tensor<4x16xf16> -> tensor<4x8xf16>
func.func @half_precision(%c: tensor<4x16xf16>) -> tensor<4x8xf16> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf16> -> tensor<4x8xf16>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf16> -> tensor<4x8xf16>
  %0 = rlx.activation silu %g : tensor<4x8xf16>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
  func.return %1 : tensor<4x8xf16>
}

// What must not fuse, one function per guard.

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.fused_swiglu
func.func @double_precision(%c: tensor<4x16xf64>) -> tensor<4x8xf64> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf64> -> tensor<4x8xf64>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf64> -> tensor<4x8xf64>
  %0 = rlx.activation silu %g : tensor<4x8xf64>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  func.return %1 : tensor<4x8xf64>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @gate_is_no_slice
// CHECK-NOT:   rlx.fused_swiglu
func.func @gate_is_no_slice(%c: tensor<4x16xf32>, %g: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @up_is_no_slice
// CHECK-NOT:   rlx.fused_swiglu
func.func @up_is_no_slice(%c: tensor<4x16xf32>, %u: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @slices_of_different_values
// CHECK-NOT:   rlx.fused_swiglu
func.func @slices_of_different_values(%c: tensor<4x16xf32>, %d: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %d axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @a_part_is_left_out
// CHECK-NOT:   rlx.fused_swiglu
func.func @a_part_is_left_out(%c: tensor<4x24xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x24xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x24xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @slices_overlap
// CHECK-NOT:   rlx.fused_swiglu
func.func @slices_overlap(%c: tensor<4x12xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x12xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(4) length(8) : tensor<4x12xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @both_are_the_first_half
// CHECK-NOT:   rlx.fused_swiglu
func.func @both_are_the_first_half(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @length_is_unknown
// CHECK-NOT:   rlx.fused_swiglu
func.func @length_is_unknown(%c: tensor<4x?xf32>) -> tensor<4x2xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(2) : tensor<4x?xf32> -> tensor<4x2xf32>
  %g = rlx.narrow %c axis(1) start(2) length(2) : tensor<4x?xf32> -> tensor<4x2xf32>
  %0 = rlx.activation silu %g : tensor<4x2xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return %1 : tensor<4x2xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @one_slice_is_wider
// CHECK-NOT:   rlx.fused_swiglu
func.func @one_slice_is_wider(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(1) : tensor<4x16xf32> -> tensor<4x1xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @other_axis
// CHECK-NOT:   rlx.fused_swiglu
func.func @other_axis(%c: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %u = rlx.narrow %c axis(0) start(0) length(8) : tensor<16x4xf32> -> tensor<8x4xf32>
  %g = rlx.narrow %c axis(0) start(8) length(8) : tensor<16x4xf32> -> tensor<8x4xf32>
  %0 = rlx.activation silu %g : tensor<8x4xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  func.return %1 : tensor<8x4xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @slice_is_read_twice
// CHECK-NOT:   rlx.fused_swiglu
func.func @slice_is_read_twice(%c: tensor<4x16xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = rlx.activation relu %u : tensor<4x8xf32>
  func.return %1, %r : tensor<4x8xf32>, tensor<4x8xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @gate_is_read_twice
// CHECK-NOT:   rlx.fused_swiglu
func.func @gate_is_read_twice(%c: tensor<4x16xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = rlx.activation relu %g : tensor<4x8xf32>
  func.return %1, %r : tensor<4x8xf32>, tensor<4x8xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @silu_is_returned
// CHECK-NOT:   rlx.fused_swiglu
func.func @silu_is_returned(%c: tensor<4x16xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1, %0 : tensor<4x8xf32>, tensor<4x8xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @gate_times_its_silu
// CHECK-NOT:   rlx.fused_swiglu
func.func @gate_times_its_silu(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary mul %g, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @sum
// CHECK-NOT:   rlx.fused_swiglu
func.func @sum(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g : tensor<4x8xf32>
  %1 = rlx.binary add %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.fused_swiglu
func.func @fenced_off(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation silu %g {rlx.no_fuse} : tensor<4x8xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// Nobody would look for it here, so nothing is said.
// MISS: none
// CHECK-LABEL: @other_activation_of_no_product
// CHECK-NOT:   rlx.fused_swiglu
func.func @other_activation_of_no_product(%c: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %g = rlx.narrow %c axis(1) start(8) length(8) : tensor<4x16xf32> -> tensor<4x8xf32>
  %0 = rlx.activation gelu %g : tensor<4x8xf32>
  %1 = rlx.binary sub %u, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// Here one would.
// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @other_activation_of_other_slices
// CHECK-NOT:   rlx.fused_swiglu
func.func @other_activation_of_other_slices(%c: tensor<4x16xf32>) -> tensor<4x7xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(7) : tensor<4x16xf32> -> tensor<4x7xf32>
  %g = rlx.narrow %c axis(1) start(9) length(7) : tensor<4x16xf32> -> tensor<4x7xf32>
  %0 = rlx.activation gelu %g : tensor<4x7xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x7xf32>, tensor<4x7xf32>) -> tensor<4x7xf32>
  func.return %1 : tensor<4x7xf32>
}
