// RUN: rlx-opt --rlx-fuse-attention-backward-all %s | filecheck %s --check-prefixes=ALL,DEFAULT
// RUN: rlx-opt --rlx-fuse-attention-backward-all=enabled=false %s | filecheck %s --check-prefixes=ALL,OFF

// ALL-LABEL: @three
// DEFAULT:   rlx.attention_backward_all
// OFF-NOT:   rlx.attention_backward_all
func.func @three(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %g: tensor<2x4x8xf32>, %m: tensor<2x4xi1>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = rlx.attention_backward query %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %1 = rlx.attention_backward key %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  %2 = rlx.attention_backward value %q, %k, %v, %g mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xi1>) -> tensor<2x4x8xf32>
  func.return %0, %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}
