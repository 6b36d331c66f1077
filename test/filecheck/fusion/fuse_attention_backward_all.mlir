// RUN: rlx-opt --rlx-fuse-attention-backward-all --allow-unregistered-dialect %s | filecheck %s

// What must be joined.

// CHECK-LABEL: @three
// CHECK:       %[[ALL:.*]] = rlx.attention_backward_all %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<6x4x8xf32>
// CHECK-NEXT:  %[[Q:.*]] = rlx.narrow %[[ALL]] axis(0) start(0) length(2) : tensor<6x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:  %[[K:.*]] = rlx.narrow %[[ALL]] axis(0) start(2) length(2) : tensor<6x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:  %[[V:.*]] = rlx.narrow %[[ALL]] axis(0) start(4) length(2) : tensor<6x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %[[Q]], %[[K]], %[[V]]
func.func @three(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// CHECK-LABEL: @in_another_order
// CHECK:       %[[ALL:.*]] = rlx.attention_backward_all %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<6x4x8xf32>
// CHECK-NEXT:  %[[Q:.*]] = rlx.narrow %[[ALL]] axis(0) start(0) length(2) : tensor<6x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:  %[[K:.*]] = rlx.narrow %[[ALL]] axis(0) start(2) length(2) : tensor<6x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:  %[[V:.*]] = rlx.narrow %[[ALL]] axis(0) start(4) length(2) : tensor<6x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:  func.return %[[Q]], %[[K]], %[[V]]
func.func @in_another_order(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// CHECK-LABEL: @attributes_stay
// CHECK:       rlx.attention_backward_all %q, %k, %v, %g layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.25) softcap(2.0) causal_offset(end) masked_rows(zero) :
func.func @attributes_stay(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.25) softcap(2.0) causal_offset(end) masked_rows(zero) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.25) softcap(2.0) causal_offset(end) masked_rows(zero) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.25) softcap(2.0) causal_offset(end) masked_rows(zero) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// Without a batch the gradients lie one after the other on the axis of positions.
// CHECK-LABEL: @one_row
// CHECK:       rlx.attention_backward_all
// CHECK-NEXT:  rlx.narrow {{.*}} axis(0) start(0) length(4)
// CHECK-NEXT:  rlx.narrow {{.*}} start(4)
// CHECK-NEXT:  rlx.narrow {{.*}} start(8)
func.func @one_row(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: @heads_apart
// CHECK:       rlx.attention_backward_all %q, %k, %v, %g mask keys(%m) layout(bhsd)
func.func @heads_apart(%q: tensor<2x2x4x4xf32>, %k: tensor<2x2x4x4xf32>, %v: tensor<2x2x4x4xf32>, %g: tensor<2x2x4x4xf32>, %m: tensor<2x4xi1>) -> (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bhsd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x4xi1>) -> tensor<2x2x4x4xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bhsd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x4xi1>) -> tensor<2x2x4x4xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bhsd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x4xi1>) -> tensor<2x2x4x4xf32>
  func.return %0, %1, %2 : tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>
}

// CHECK-LABEL: @two_attentions
// CHECK:       rlx.attention_backward_all %q, %k, %v, %g
// CHECK-NEXT:  rlx.narrow
// CHECK-NEXT:  rlx.narrow
// CHECK-NEXT:  rlx.narrow
// CHECK-NEXT:  rlx.attention_backward_all %q, %k, %v, %h
func.func @two_attentions(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>, %h: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %3 = rlx.attention_backward query %q, %k, %v, %h mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %4 = rlx.attention_backward key %q, %k, %v, %h mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %5 = rlx.attention_backward value %q, %k, %v, %h mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2, %3, %4, %5 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// What must not be joined, one function per guard.

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @two
// CHECK-NOT:   rlx.attention_backward_all
func.func @two(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1 : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @one_twice
// CHECK-NOT:   rlx.attention_backward_all
func.func @one_twice(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @four
// CHECK-NOT:   rlx.attention_backward_all
func.func @four(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %3 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2, %3 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F020 not-a-partition
// CHECK-LABEL: @another_key
// CHECK-NOT:   rlx.attention_backward_all
func.func @another_key(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %v, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @another_mask
// CHECK-NOT:   rlx.attention_backward_all
func.func @another_mask(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>, %n: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%n) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @one_without_mask
// CHECK-NOT:   rlx.attention_backward_all
func.func @one_without_mask(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @another_scale
// CHECK-NOT:   rlx.attention_backward_all
func.func @another_scale(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.25) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// MISS: RLX-F015 dims-not-known-equal
// CHECK-LABEL: @more_keys
// CHECK-NOT:   rlx.attention_backward_all
func.func @more_keys(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x6xi1>) -> (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x4x8xf32>, tensor<2x6xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x4x8xf32>, tensor<2x6xi1>) -> tensor<2x6x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x4x8xf32>, tensor<2x6xi1>) -> tensor<2x6x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>
}

// MISS: RLX-F015 dims-not-known-equal
// CHECK-LABEL: @narrower_value
// CHECK-NOT:   rlx.attention_backward_all
func.func @narrower_value(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x4xf32>, %g: tensor<2x4x4xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x4xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(2) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(2) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(2) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4xi1>) -> tensor<2x4x4xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x4xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @batch_is_unknown
// CHECK-NOT:   rlx.attention_backward_all
func.func @batch_is_unknown(%q: tensor<?x4x8xf32>, %k: tensor<?x4x8xf32>, %v: tensor<?x4x8xf32>, %g: tensor<?x4x8xf32>, %m: tensor<?x4xi1>) -> (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4xi1>) -> tensor<?x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4xi1>) -> tensor<?x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4xi1>) -> tensor<?x4x8xf32>
  func.return %0, %1, %2 : tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4x8xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.attention_backward_all
func.func @fenced_off(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) {rlx.no_fuse} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}
