// RUN: rlx-opt --rlx-raise-attention %s | filecheck %s

// An attention that is there already: its mask, where that follows a rule, and scales around it.

// CHECK-LABEL: @f26_triangle_and_keys
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v mask keys(%m) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(0) masked_rows(zero) : 
// CHECK-NEXT:  func.return %0
func.func @f26_triangle_and_keys(%m: tensor<2x3xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<[[[[true, false, false], [true, true, false], [true, true, true]]], [[[true, false, false], [true, true, false], [true, true, true]]]]> : tensor<2x1x3x3xi1>
  %1 = rlx.reshape %m : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
  %2 = rlx.expand %1 : tensor<2x1x1x3xi1> -> tensor<2x1x3x3xi1>
  %3 = rlx.binary bit_and %0, %2 : (tensor<2x1x3x3xi1>, tensor<2x1x3x3xi1>) -> tensor<2x1x3x3xi1>
  %4 = arith.constant dense<0.000000e+00> : tensor<f32>
  %5 = arith.constant dense<0xff800000> : tensor<f32>
  %6 = rlx.where %3, %4, %5 : (tensor<2x1x3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x3x3xf32>
  %7 = rlx.attention %q, %k, %v mask bias(%6) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) masked_rows(zero) : (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x1x3x3xf32>) -> tensor<2x4x3x8xf32>
  func.return %7 : tensor<2x4x3x8xf32>
}

// The window that is there and the one of the mask: what both show.
// CHECK-LABEL: @f26_two_windows
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bshd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(0) window_left(1) : 
// CHECK-NEXT:  func.return %0
func.func @f26_two_windows(%q: tensor<2x4x4x8xf32>, %k: tensor<2x4x4x8xf32>, %v: tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = arith.constant dense<[[true, true, true, true], [true, true, true, true], [false, true, true, true], [false, false, true, true]]> : tensor<4x4xi1>
  %1 = arith.constant dense<0.000000e+00> : tensor<f32>
  %2 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %3 = rlx.where %0, %1, %2 : (tensor<4x4xi1>, tensor<f32>, tensor<f32>) -> tensor<4x4xf32>
  %4 = rlx.attention %q, %k, %v mask bias(%3) layout(bshd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(0) window_left(2) : (tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>, tensor<4x4xf32>) -> tensor<2x4x4x8xf32>
  func.return %4 : tensor<2x4x4x8xf32>
}

// No key is left: rows without one.
// CHECK-LABEL: @f26_windows_apart
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(-2) masked_rows(zero) : 
func.func @f26_windows_apart(%q: tensor<2x4x2x8xf32>, %k: tensor<2x4x4x8xf32>, %v: tensor<2x4x4x8xf32>) -> tensor<2x4x2x8xf32> {
  %0 = arith.constant dense<[[0xff800000, 0xff800000, 0.0, 0.0], [0xff800000, 0xff800000, 0xff800000, 0.0]]> : tensor<2x4xf32>
  %1 = rlx.attention %q, %k, %v mask bias(%0) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(1) masked_rows(zero) : (tensor<2x4x2x8xf32>, tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>, tensor<2x4xf32>) -> tensor<2x4x2x8xf32>
  func.return %1 : tensor<2x4x2x8xf32>
}

// CHECK-LABEL: @f26_all_keys
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bhsd) 
// CHECK-NEXT:  func.return %0
func.func @f26_all_keys(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = arith.constant dense<true> : tensor<2x3xi1>
  %1 = rlx.attention %q, %k, %v mask keys(%0) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x3xi1>) -> tensor<2x4x3x8xf32>
  func.return %1 : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: @f26_scale_of_packed_heads
// CHECK-NEXT:  %0 = rlx.attention %x, %x, %x layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) : 
// CHECK-NEXT:  func.return %0
func.func @f26_scale_of_packed_heads(%x: tensor<2x3x32xf32>) -> tensor<2x3x32xf32> {
  %0 = arith.constant dense<2.000000e+00> : tensor<f32>
  %1 = rlx.binary mul %x, %0 : (tensor<2x3x32xf32>, tensor<f32>) -> tensor<2x3x32xf32>
  %2 = rlx.binary div %x, %0 : (tensor<2x3x32xf32>, tensor<f32>) -> tensor<2x3x32xf32>
  %3 = rlx.attention %1, %2, %x layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<2x3x32xf32>, tensor<2x3x32xf32>, tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  func.return %3 : tensor<2x3x32xf32>
}

// A finite number hides keys beside a triangle: rows without a key would be the mean of others.
// MISS: RLX-F019 attributes
// CHECK-LABEL: @finite_number_beside_a_triangle
// CHECK:       mask bias(%{{.*}}) {{.*}} causal_offset(0)
func.func @finite_number_beside_a_triangle(%m: tensor<2x3xi1>, %q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.reshape %m : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
  %1 = arith.constant dense<0.000000e+00> : tensor<f32>
  %2 = arith.constant dense<-3.40282347e+38> : tensor<f32>
  %3 = rlx.where %0, %1, %2 : (tensor<2x1x1x3xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x3xf32>
  %4 = arith.constant dense<[[0.0, -3.40282347e+38, -3.40282347e+38], [0.0, 0.0, -3.40282347e+38], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %5 = rlx.where %0, %4, %2 : (tensor<2x1x1x3xi1>, tensor<3x3xf32>, tensor<f32>) -> tensor<2x1x3x3xf32>
  %6 = rlx.attention %q, %k, %v mask bias(%5) layout(bhsd) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) scale(0.5) causal_offset(0) : (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x1x3x3xf32>) -> tensor<2x4x3x8xf32>
  func.return %6 : tensor<2x4x3x8xf32>
}

// Heads that see different triangles have no rule in common.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @triangles_of_heads
// CHECK:       mask bias(%{{.*}})
// CHECK-NOT:   causal_offset
func.func @triangles_of_heads(%q: tensor<1x2x2x8xf32>, %k: tensor<1x2x2x8xf32>, %v: tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32> {
  %0 = arith.constant dense<[[[[0.0, 0xff800000], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]> : tensor<1x2x2x2xf32>
  %1 = rlx.attention %q, %k, %v mask bias(%0) layout(bhsd) heads(2) kv_heads(2) head_dim(8) v_head_dim(8) scale(0.5) : (tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x8xf32>
  func.return %1 : tensor<1x2x2x8xf32>
}
