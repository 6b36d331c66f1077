// RUN: rlx-opt --rlx-fuse-swiglu-dual-matmul %s | filecheck %s

// What must fuse: up comes first, whatever the order in the program.

// CHECK-LABEL: @up_first
// CHECK:       %[[W:.*]] = rlx.concat %wu, %wg axis(1) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x12xf32>
// CHECK-NEXT:  %[[C:.*]] = rlx.matmul %x, %[[W]] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
// CHECK-NEXT:  %[[Y:.*]] = rlx.fused_swiglu %[[C]] : tensor<4x12xf32> -> tensor<4x6xf32>
// CHECK-NEXT:  func.return %[[Y]]
func.func @up_first(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: @up_first_silu_left
// CHECK:       %[[W:.*]] = rlx.concat %wu, %wg axis(1) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x12xf32>
// CHECK-NEXT:  %[[C:.*]] = rlx.matmul %x, %[[W]] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
// CHECK-NEXT:  %[[Y:.*]] = rlx.fused_swiglu %[[C]] : tensor<4x12xf32> -> tensor<4x6xf32>
// CHECK-NEXT:  func.return %[[Y]]
func.func @up_first_silu_left(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %0, %u : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: @f27_geglu
// CHECK:       %[[W:.*]] = rlx.concat %wu, %wg axis(1) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x12xf32>
// CHECK-NEXT:  %[[C:.*]] = rlx.matmul %x, %[[W]] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
// CHECK-NEXT:  %[[Y:.*]] = rlx.fused_swiglu %[[C]] act(gelu_approx) : tensor<4x12xf32> -> tensor<4x6xf32>
// CHECK-NEXT:  func.return %[[Y]]
func.func @f27_geglu(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation gelu_approx %g : tensor<4x6xf32>
  %1 = rlx.binary mul %0, %u : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: @gate_first
// CHECK:       %[[W:.*]] = rlx.concat %wu, %wg axis(1) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x12xf32>
// CHECK-NEXT:  %[[C:.*]] = rlx.matmul %x, %[[W]] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
// CHECK-NEXT:  %[[Y:.*]] = rlx.fused_swiglu %[[C]] : tensor<4x12xf32> -> tensor<4x6xf32>
// CHECK-NEXT:  func.return %[[Y]]
func.func @gate_first(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: @gate_first_silu_left
// CHECK:       %[[W:.*]] = rlx.concat %wu, %wg axis(1) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x12xf32>
// CHECK-NEXT:  %[[C:.*]] = rlx.matmul %x, %[[W]] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
// CHECK-NEXT:  %[[Y:.*]] = rlx.fused_swiglu %[[C]] : tensor<4x12xf32> -> tensor<4x6xf32>
// CHECK-NEXT:  func.return %[[Y]]
func.func @gate_first_silu_left(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %0, %u : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: @batches
// CHECK:       rlx.concat
// CHECK-NEXT:  rlx.matmul {{.*}} accumulate(f64)
// CHECK-NEXT:  rlx.fused_swiglu
func.func @batches(%x: tensor<2x4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<2x4x6xf32> {
  %u = rlx.matmul %x, %wu accumulate(f64) : (tensor<2x4x8xf32>, tensor<8x6xf32>) -> tensor<2x4x6xf32>
  %g = rlx.matmul %x, %wg accumulate(f64) : (tensor<2x4x8xf32>, tensor<8x6xf32>) -> tensor<2x4x6xf32>
  %0 = rlx.activation silu %g : tensor<2x4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  func.return %1 : tensor<2x4x6xf32>
}

// CHECK-LABEL: @half_precision
// CHECK:       rlx.concat
// CHECK-NEXT:  rlx.matmul
// CHECK-NEXT:  rlx.fused_swiglu
func.func @half_precision(%x: tensor<4x8xf16>, %wu: tensor<8x6xf16>, %wg: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  %0 = rlx.activation silu %g : tensor<4x6xf16>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf16>, tensor<4x6xf16>) -> tensor<4x6xf16>
  func.return %1 : tensor<4x6xf16>
}

// CHECK-LABEL: @one_weight_twice
// CHECK:       rlx.concat %wu, %wu
// CHECK-NEXT:  rlx.matmul
// CHECK-NEXT:  rlx.fused_swiglu
func.func @one_weight_twice(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// The new ops stand where the product of both stood.
// CHECK-LABEL: @weight_is_computed_late
// CHECK:       %w = rlx.activation exp %v
// CHECK-NEXT:  rlx.concat %w, %wu
// CHECK-NEXT:  rlx.matmul
// CHECK-NEXT:  rlx.fused_swiglu
func.func @weight_is_computed_late(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %v: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %g = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %w = rlx.activation exp %v : tensor<8x6xf32>
  %u = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// What must not fuse, one function per guard.

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @different_values
// CHECK-NOT:   rlx.fused_swiglu
func.func @different_values(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>, %y: tensor<4x8xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %y, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @gate_is_no_product
// CHECK-NOT:   rlx.fused_swiglu
func.func @gate_is_no_product(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %g: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @up_is_no_product
// CHECK-NOT:   rlx.fused_swiglu
func.func @up_is_no_product(%x: tensor<4x8xf32>, %wg: tensor<8x6xf32>, %u: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @up_is_returned
// CHECK-NOT:   rlx.fused_swiglu
func.func @up_is_returned(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %u, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// MISS: RLX-F002 multi-use
// CHECK-LABEL: @gate_is_read_twice
// CHECK-NOT:   rlx.fused_swiglu
func.func @gate_is_read_twice(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %e = rlx.activation exp %g : tensor<4x6xf32>
  func.return %e, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @silu_is_returned
// CHECK-NOT:   rlx.fused_swiglu
func.func @silu_is_returned(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @sum
// CHECK-NOT:   rlx.fused_swiglu
func.func @sum(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary add %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.fused_swiglu
func.func @double_precision(%x: tensor<4x8xf64>, %wu: tensor<8x6xf64>, %wg: tensor<8x6xf64>) -> tensor<4x6xf64> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  %0 = rlx.activation silu %g : tensor<4x6xf64>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
  func.return %1 : tensor<4x6xf64>
}

// MISS: RLX-F015 dims-not-known-equal
// CHECK-LABEL: @one_column_stretches
// CHECK-NOT:   rlx.fused_swiglu
func.func @one_column_stretches(%x: tensor<4x8xf32>, %wu: tensor<8x1xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x1xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F024 rank
// CHECK-LABEL: @weights_of_batches
// CHECK-NOT:   rlx.fused_swiglu
func.func @weights_of_batches(%x: tensor<2x4x8xf32>, %wu: tensor<2x8x6xf32>, %wg: tensor<2x8x6xf32>) -> tensor<2x4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<2x4x8xf32>, tensor<2x8x6xf32>) -> tensor<2x4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<2x4x8xf32>, tensor<2x8x6xf32>) -> tensor<2x4x6xf32>
  %0 = rlx.activation silu %g : tensor<2x4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  func.return %1 : tensor<2x4x6xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @rows_are_unknown
// CHECK-NOT:   rlx.fused_swiglu
func.func @rows_are_unknown(%x: tensor<4x8xf32>, %wu: tensor<?x6xf32>, %wg: tensor<?x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<?x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<?x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @columns_are_unknown
// CHECK-NOT:   rlx.fused_swiglu
func.func @columns_are_unknown(%x: tensor<4x8xf32>, %wu: tensor<8x?xf32>, %wg: tensor<8x?xf32>) -> tensor<4x?xf32> {
  %u = rlx.matmul %x, %wu : (tensor<4x8xf32>, tensor<8x?xf32>) -> tensor<4x?xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x?xf32>) -> tensor<4x?xf32>
  %0 = rlx.activation silu %g : tensor<4x?xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
  func.return %1 : tensor<4x?xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @accumulate_types_differ
// CHECK-NOT:   rlx.fused_swiglu
func.func @accumulate_types_differ(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu accumulate(f64) : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.fused_swiglu
func.func @fenced_off(%x: tensor<4x8xf32>, %wu: tensor<8x6xf32>, %wg: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %u = rlx.matmul %x, %wu {rlx.no_fuse} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %g = rlx.matmul %x, %wg : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = rlx.activation silu %g : tensor<4x6xf32>
  %1 = rlx.binary mul %u, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}
