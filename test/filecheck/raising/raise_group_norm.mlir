// RUN: rlx-opt --rlx-raise-group-norm %s | filecheck %s

// As PyTorch's exporter writes it: instance norms of groups, then gain and shift.
// CHECK-LABEL: @instances_of_groups
// CHECK:       %[[N:.*]] = rlx.group_norm %x, %w, %b num_groups(4) epsilon(1.0e-05) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
// CHECK-NEXT:  func.return %[[N]]
func.func @instances_of_groups(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<2x4x32xf32>
  %o = arith.constant dense<1.0> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %i = rlx.group_norm %r, %o, %z num_groups(4) epsilon(1.0e-05) : (tensor<2x4x32xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x32xf32>
  %n = rlx.reshape %i : tensor<2x4x32xf32> -> tensor<2x8x4x4xf32>
  %g = rlx.reshape %w : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %n, %g : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %q = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %q : tensor<2x8x4x4xf32>
}

// Groups as rows, which a layer norm has found before.
// CHECK-LABEL: @rows_of_groups
// CHECK:       %[[N:.*]] = rlx.group_norm %x, %w, %b num_groups(4) epsilon(1.0e-05) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
// CHECK-NEXT:  func.return %[[N]]
func.func @rows_of_groups(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<2x4x32xf32>
  %o = arith.constant dense<1.0> : tensor<32xf32>
  %z = arith.constant dense<0.0> : tensor<32xf32>
  %i = rlx.layer_norm %r, %o, %z epsilon(1.0e-05) : (tensor<2x4x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<2x4x32xf32>
  %n = rlx.reshape %i : tensor<2x4x32xf32> -> tensor<2x8x4x4xf32>
  %g = rlx.reshape %w : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %n, %g : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %q = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %q : tensor<2x8x4x4xf32>
}

// As PyTorch's decompositions write it.
// CHECK-LABEL: @written_out
// CHECK:       %[[N:.*]] = rlx.group_norm %x, %w, %b num_groups(4) epsilon(1.0e-05) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
// CHECK-NEXT:  func.return %[[N]]
func.func @written_out(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<2x4x2x16xf32>
  %m = rlx.reduce mean %r axes [2, 3] keep_dims : tensor<2x4x2x16xf32> -> tensor<2x4x1x1xf32>
  %c = rlx.binary sub %r, %m : (tensor<2x4x2x16xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x2x16xf32>
  %cc = rlx.binary mul %c, %c : (tensor<2x4x2x16xf32>, tensor<2x4x2x16xf32>) -> tensor<2x4x2x16xf32>
  %v = rlx.reduce mean %cc axes [2, 3] keep_dims : tensor<2x4x2x16xf32> -> tensor<2x4x1x1xf32>
  %e = arith.constant dense<1.0e-05> : tensor<f32>
  %ve = rlx.binary add %v, %e : (tensor<2x4x1x1xf32>, tensor<f32>) -> tensor<2x4x1x1xf32>
  %sd = rlx.activation sqrt %ve : tensor<2x4x1x1xf32>
  %i = rlx.binary div %c, %sd : (tensor<2x4x2x16xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x2x16xf32>
  %n = rlx.reshape %i : tensor<2x4x2x16xf32> -> tensor<2x8x4x4xf32>
  %g = rlx.reshape %w : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %n, %g : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %q = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %q : tensor<2x8x4x4xf32>
}

// Sums over the count, the reciprocal root multiplied, the square as a power.
// CHECK-LABEL: @sums_and_rsqrt
// CHECK:       %[[N:.*]] = rlx.group_norm %x, %w, %b num_groups(4) epsilon(1.0e-05) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
// CHECK-NEXT:  func.return %[[N]]
func.func @sums_and_rsqrt(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<2x4x2x16xf32>
  %k = arith.constant dense<32.0> : tensor<f32>
  %s0 = rlx.reduce sum %r axes [2, 3] : tensor<2x4x2x16xf32> -> tensor<2x4xf32>
  %s1 = rlx.reshape %s0 : tensor<2x4xf32> -> tensor<2x4x1x1xf32>
  %m = rlx.binary div %s1, %k : (tensor<2x4x1x1xf32>, tensor<f32>) -> tensor<2x4x1x1xf32>
  %c = rlx.binary sub %r, %m : (tensor<2x4x2x16xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x2x16xf32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %cc = rlx.binary pow %c, %two : (tensor<2x4x2x16xf32>, tensor<f32>) -> tensor<2x4x2x16xf32>
  %t0 = rlx.reduce sum %cc axes [2, 3] : tensor<2x4x2x16xf32> -> tensor<2x4xf32>
  %t1 = rlx.reshape %t0 : tensor<2x4xf32> -> tensor<2x4x1x1xf32>
  %v = rlx.binary div %t1, %k : (tensor<2x4x1x1xf32>, tensor<f32>) -> tensor<2x4x1x1xf32>
  %e = arith.constant dense<1.0e-05> : tensor<f32>
  %ve = rlx.binary add %v, %e : (tensor<2x4x1x1xf32>, tensor<f32>) -> tensor<2x4x1x1xf32>
  %sd = rlx.activation rsqrt %ve : tensor<2x4x1x1xf32>
  %i = rlx.binary mul %c, %sd : (tensor<2x4x2x16xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x2x16xf32>
  %n = rlx.reshape %i : tensor<2x4x2x16xf32> -> tensor<2x8x4x4xf32>
  %g = rlx.reshape %w : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %n, %g : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %q = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %q : tensor<2x8x4x4xf32>
}

// An instance norm: each channel is a group.
// CHECK-LABEL: @instance_norm
// CHECK:       %[[N:.*]] = rlx.group_norm %x, %w, %b num_groups(8) epsilon(1.0e-05) : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
// CHECK-NEXT:  func.return %[[N]]
func.func @instance_norm(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %m = rlx.reduce mean %x axes [2, 3] keep_dims : tensor<2x8x4x4xf32> -> tensor<2x8x1x1xf32>
  %c = rlx.binary sub %x, %m : (tensor<2x8x4x4xf32>, tensor<2x8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %cc = rlx.binary mul %c, %c : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %v = rlx.reduce mean %cc axes [2, 3] keep_dims : tensor<2x8x4x4xf32> -> tensor<2x8x1x1xf32>
  %e = arith.constant dense<1.0e-05> : tensor<f32>
  %ve = rlx.binary add %v, %e : (tensor<2x8x1x1xf32>, tensor<f32>) -> tensor<2x8x1x1xf32>
  %sd = rlx.activation sqrt %ve : tensor<2x8x1x1xf32>
  %n = rlx.binary div %c, %sd : (tensor<2x8x4x4xf32>, tensor<2x8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %g = rlx.reshape %w : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %n, %g : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %q = rlx.binary add %p, %h : (tensor<2x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %q : tensor<2x8x4x4xf32>
}

// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @no_affine
// CHECK:       rlx.group_norm %x, %{{.*}}, %{{.*}} num_groups(4) epsilon(1.0e-05)
// CHECK-NEXT:  func.return
func.func @no_affine(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<2x4x2x16xf32>
  %m = rlx.reduce mean %r axes [2, 3] keep_dims : tensor<2x4x2x16xf32> -> tensor<2x4x1x1xf32>
  %c = rlx.binary sub %r, %m : (tensor<2x4x2x16xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x2x16xf32>
  %cc = rlx.binary mul %c, %c : (tensor<2x4x2x16xf32>, tensor<2x4x2x16xf32>) -> tensor<2x4x2x16xf32>
  %v = rlx.reduce mean %cc axes [2, 3] keep_dims : tensor<2x4x2x16xf32> -> tensor<2x4x1x1xf32>
  %e = arith.constant dense<1.0e-05> : tensor<f32>
  %ve = rlx.binary add %v, %e : (tensor<2x4x1x1xf32>, tensor<f32>) -> tensor<2x4x1x1xf32>
  %sd = rlx.activation sqrt %ve : tensor<2x4x1x1xf32>
  %i = rlx.binary div %c, %sd : (tensor<2x4x2x16xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x2x16xf32>
  %n = rlx.reshape %i : tensor<2x4x2x16xf32> -> tensor<2x8x4x4xf32>
  func.return %n : tensor<2x8x4x4xf32>
}

// CHECK-LABEL: @batch_unknown
// CHECK:       %[[N:.*]] = rlx.group_norm %x, %w, %b num_groups(4) epsilon(1.0e-05) : (tensor<?x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8x4x4xf32>
// CHECK-NEXT:  func.return %[[N]]
func.func @batch_unknown(%x: tensor<?x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8x4x4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x8x4x4xf32>
  %r = rlx.reshape %x sizes(%d) : tensor<?x8x4x4xf32> -> tensor<?x4x32xf32>
  %o = arith.constant dense<1.0> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %i = rlx.group_norm %r, %o, %z num_groups(4) epsilon(1.0e-05) : (tensor<?x4x32xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4x32xf32>
  %n = rlx.reshape %i sizes(%d) : tensor<?x4x32xf32> -> tensor<?x8x4x4xf32>
  %g = rlx.reshape %w : tensor<8xf32> -> tensor<8x1x1xf32>
  %p = rlx.binary mul %n, %g : (tensor<?x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<?x8x4x4xf32>
  %h = rlx.reshape %b : tensor<8xf32> -> tensor<8x1x1xf32>
  %q = rlx.binary add %p, %h : (tensor<?x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<?x8x4x4xf32>
  func.return %q : tensor<?x8x4x4xf32>
}

// The gain stays outside; it does not lie along the channels.
// MISS: RLX-F005 not-consumed-by
// CHECK-LABEL: @gain_along_the_width
// CHECK:       %[[N:.*]] = rlx.group_norm %x, %{{.*}}, %{{.*}} num_groups(4)
// CHECK-NEXT:  rlx.binary mul %[[N]], %w
func.func @gain_along_the_width(%x: tensor<2x8x4x4xf32>, %w: tensor<4xf32>) -> tensor<2x8x4x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<2x4x32xf32>
  %o = arith.constant dense<1.0> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %i = rlx.group_norm %r, %o, %z num_groups(4) epsilon(1.0e-05) : (tensor<2x4x32xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x32xf32>
  %n = rlx.reshape %i : tensor<2x4x32xf32> -> tensor<2x8x4x4xf32>
  %p = rlx.binary mul %n, %w : (tensor<2x8x4x4xf32>, tensor<4xf32>) -> tensor<2x8x4x4xf32>
  func.return %p : tensor<2x8x4x4xf32>
}

// The batch is split as well.
// MISS: RLX-F015 dims-not-known-equal
// CHECK-LABEL: @batch_split
// CHECK:       rlx.group_norm %{{.*}}, %{{.*}}, %{{.*}} num_groups(4) epsilon(1.0e-05) : (tensor<4x4x16xf32>
func.func @batch_split(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<4x4x16xf32>
  %o = arith.constant dense<1.0> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %i = rlx.group_norm %r, %o, %z num_groups(4) epsilon(1.0e-05) : (tensor<4x4x16xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4x16xf32>
  %n = rlx.reshape %i : tensor<4x4x16xf32> -> tensor<2x8x4x4xf32>
  func.return %n : tensor<2x8x4x4xf32>
}

// Three groups of eight channels cut through channels.
// MISS: RLX-F016 axis
// CHECK-LABEL: @groups_across_channels
// CHECK:       rlx.group_norm %{{.*}} num_groups(3) epsilon(1.0e-05) : (tensor<2x3x32xf32>
func.func @groups_across_channels(%x: tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x3x4xf32> -> tensor<2x3x32xf32>
  %o = arith.constant dense<1.0> : tensor<3xf32>
  %z = arith.constant dense<0.0> : tensor<3xf32>
  %i = rlx.group_norm %r, %o, %z num_groups(3) epsilon(1.0e-05) : (tensor<2x3x32xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x32xf32>
  %n = rlx.reshape %i : tensor<2x3x32xf32> -> tensor<2x8x3x4xf32>
  func.return %n : tensor<2x8x3x4xf32>
}

// MISS: RLX-F011 type-changes
// CHECK-LABEL: @other_dims_behind
// CHECK:       rlx.group_norm %{{.*}} num_groups(4) epsilon(1.0e-05) : (tensor<2x4x32xf32>
func.func @other_dims_behind(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<2x4x32xf32>
  %o = arith.constant dense<1.0> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %i = rlx.group_norm %r, %o, %z num_groups(4) epsilon(1.0e-05) : (tensor<2x4x32xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x32xf32>
  %n = rlx.reshape %i : tensor<2x4x32xf32> -> tensor<2x4x8x4xf32>
  func.return %n : tensor<2x4x8x4xf32>
}

// Two groups of four: each is two of the reshaped ones.
// MISS: RLX-F016 axis
// CHECK-LABEL: @pairs_of_groups
// CHECK:       rlx.group_norm %{{.*}} num_groups(2) epsilon(1.0e-05) : (tensor<2x4x32xf32>
func.func @pairs_of_groups(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<2x4x32xf32>
  %o = arith.constant dense<1.0> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %i = rlx.group_norm %r, %o, %z num_groups(2) epsilon(1.0e-05) : (tensor<2x4x32xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x32xf32>
  %n = rlx.reshape %i : tensor<2x4x32xf32> -> tensor<2x8x4x4xf32>
  func.return %n : tensor<2x8x4x4xf32>
}

// MISS: RLX-F016 axis
// CHECK-LABEL: @over_the_channels_too
// CHECK-NOT:   rlx.group_norm
// CHECK:       func.return
func.func @over_the_channels_too(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %m = rlx.reduce mean %x axes [1, 2, 3] keep_dims : tensor<2x8x4x4xf32> -> tensor<2x1x1x1xf32>
  %c = rlx.binary sub %x, %m : (tensor<2x8x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<2x8x4x4xf32>
  %cc = rlx.binary mul %c, %c : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %v = rlx.reduce mean %cc axes [1, 2, 3] keep_dims : tensor<2x8x4x4xf32> -> tensor<2x1x1x1xf32>
  %e = arith.constant dense<1.0e-05> : tensor<f32>
  %ve = rlx.binary add %v, %e : (tensor<2x1x1x1xf32>, tensor<f32>) -> tensor<2x1x1x1xf32>
  %sd = rlx.activation sqrt %ve : tensor<2x1x1x1xf32>
  %n = rlx.binary div %c, %sd : (tensor<2x8x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<2x8x4x4xf32>
  func.return %n : tensor<2x8x4x4xf32>
}

// MISS: RLX-F003 returned
// CHECK-LABEL: @normalised_read_before_the_join
// CHECK:       rlx.group_norm %{{.*}} num_groups(4) epsilon(1.0e-05) : (tensor<2x4x32xf32>
func.func @normalised_read_before_the_join(%x: tensor<2x8x4x4xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<2x8x4x4xf32>, tensor<2x4x32xf32>) {
  %r = rlx.reshape %x : tensor<2x8x4x4xf32> -> tensor<2x4x32xf32>
  %o = arith.constant dense<1.0> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %i = rlx.group_norm %r, %o, %z num_groups(4) epsilon(1.0e-05) : (tensor<2x4x32xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x32xf32>
  %n = rlx.reshape %i : tensor<2x4x32xf32> -> tensor<2x8x4x4xf32>
  func.return %n, %i : tensor<2x8x4x4xf32>, tensor<2x4x32xf32>
}
