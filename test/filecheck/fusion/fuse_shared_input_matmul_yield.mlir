// RUN: rlx-opt --rlx-fuse-shared-input-matmul='yield-to=attention_block max-tokens=8' %s | filecheck %s
// RUN: rlx-opt --rlx-fusion=target=cpu --rlx-fusion=target=cpu %s | filecheck %s --check-prefix=CPU
// RUN: rlx-opt --rlx-fusion='target=cpu pack-attention=true' %s | filecheck %s --check-prefix=PACKED

// Joined, these would be an attention block for a second run: a pipeline changes nothing of what it made.
// CHECK-LABEL:  @projections
// CHECK-NOT:    rlx.narrow
// CPU-LABEL:    @projections
// CPU-COUNT-3:  rlx.matmul
// CPU-NEXT:     rlx.attention
// PACKED-LABEL: @projections
// PACKED:       rlx.fused_attention_block
// MISS: RLX-F018 later-fusion
func.func @projections(%h: tensor<1x4x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %0 = rlx.matmul %h, %q : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %1 = rlx.matmul %h, %k : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %2 = rlx.matmul %h, %v : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %3 = rlx.attention %0, %1, %2 layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %4 = rlx.matmul %3, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %4 : tensor<1x4x8xf32>
}

// More rows than a block takes.
// CHECK-LABEL:   @too_many_rows
// CHECK-COUNT-3: rlx.narrow
func.func @too_many_rows(%h: tensor<3x4x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<3x4x8xf32> {
  %0 = rlx.matmul %h, %q : (tensor<3x4x8xf32>, tensor<8x8xf32>) -> tensor<3x4x8xf32>
  %1 = rlx.matmul %h, %k : (tensor<3x4x8xf32>, tensor<8x8xf32>) -> tensor<3x4x8xf32>
  %2 = rlx.matmul %h, %v : (tensor<3x4x8xf32>, tensor<8x8xf32>) -> tensor<3x4x8xf32>
  %3 = rlx.attention %0, %1, %2 layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<3x4x8xf32>, tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %4 = rlx.matmul %3, %o : (tensor<3x4x8xf32>, tensor<8x8xf32>) -> tensor<3x4x8xf32>
  func.return %4 : tensor<3x4x8xf32>
}

// The query and the key the other way round: no block can be made of that.
// CHECK-LABEL:   @other_order
// CHECK-COUNT-3: rlx.narrow
func.func @other_order(%h: tensor<1x4x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %0 = rlx.matmul %h, %q : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %1 = rlx.matmul %h, %k : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %2 = rlx.matmul %h, %v : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %3 = rlx.attention %1, %0, %2 layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %4 = rlx.matmul %3, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %4 : tensor<1x4x8xf32>
}

// A block takes what nothing else reads.
// CHECK-LABEL:   @a_key_is_read_elsewhere
// CHECK-COUNT-3: rlx.narrow
func.func @a_key_is_read_elsewhere(%h: tensor<1x4x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %0 = rlx.matmul %h, %q : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %1 = rlx.matmul %h, %k : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %2 = rlx.matmul %h, %v : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %3 = rlx.attention %0, %1, %2 layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %5 = rlx.activation exp %1 : tensor<1x4x8xf32>
  %4 = rlx.matmul %3, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %4, %5 : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// Nor can it give what is inside of it.
// CHECK-LABEL:   @attention_is_read_elsewhere
// CHECK-COUNT-3: rlx.narrow
func.func @attention_is_read_elsewhere(%h: tensor<1x4x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  %0 = rlx.matmul %h, %q : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %1 = rlx.matmul %h, %k : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %2 = rlx.matmul %h, %v : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %3 = rlx.attention %0, %1, %2 layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %5 = rlx.activation exp %3 : tensor<1x4x8xf32>
  %4 = rlx.matmul %3, %o : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  func.return %4, %5 : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// The last product is one with a weight, not one with the attention as its weight.
// CHECK-LABEL:   @attention_is_a_weight
// CHECK-COUNT-3: rlx.narrow
func.func @attention_is_a_weight(%h: tensor<1x4x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<1x2x4xf32>) -> tensor<1x2x8xf32> {
  %0 = rlx.matmul %h, %q : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %1 = rlx.matmul %h, %k : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %2 = rlx.matmul %h, %v : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %3 = rlx.attention %0, %1, %2 layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %4 = rlx.matmul %o, %3 : (tensor<1x2x4xf32>, tensor<1x4x8xf32>) -> tensor<1x2x8xf32>
  func.return %4 : tensor<1x2x8xf32>
}

// A block ends in a product.
// CHECK-LABEL:   @no_projection_behind
// CHECK-COUNT-3: rlx.narrow
func.func @no_projection_behind(%h: tensor<1x4x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<8xf32>) -> tensor<1x4x8xf32> {
  %0 = rlx.matmul %h, %q : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %1 = rlx.matmul %h, %k : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %2 = rlx.matmul %h, %v : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  %3 = rlx.attention %0, %1, %2 layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %4 = rlx.binary mul %3, %o : (tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  func.return %4 : tensor<1x4x8xf32>
}

// A block has rows of a batch.
// CHECK-LABEL:   @no_batch
// CHECK-COUNT-3: rlx.narrow
func.func @no_batch(%h: tensor<4x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.matmul %h, %q : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = rlx.matmul %h, %k : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = rlx.matmul %h, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = rlx.attention %0, %1, %2 layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = rlx.matmul %3, %o : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  func.return %4 : tensor<4x8xf32>
}
