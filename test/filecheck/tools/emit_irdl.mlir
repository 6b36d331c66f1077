// RUN: rlx-opt --emit-irdl | filecheck %s

// CHECK:       // The RLX dialect. Not expressible in IRDL:
// CHECK:       //   rlx.concat: inputs may mix types
// CHECK:       //   rlx.if: has regions
// CHECK:       irdl.dialect @rlx {
// CHECK-NEXT:    irdl.operation @activation {
// CHECK-NEXT:      %0 = irdl.base "!builtin.tensor"
// CHECK-NEXT:      irdl.operands(input: %0)
// CHECK-NEXT:      irdl.results(result: %0)
// CHECK-NEXT:      %1 = irdl.is "gelu"
// CHECK:           irdl.any_of(%1, %2,
// CHECK-NEXT:      irdl.attributes {
// CHECK-NEXT:        "kind" =
// An optional operand may be left out, each with a size of its own.
// CHECK:         irdl.operation @fused_attention_block {
// CHECK:           irdl.operands(hidden: %{{.*}}, qkv_w: %{{.*}}, out_w: %{{.*}}, qkv_b: optional %{{.*}}, out_b: optional %{{.*}}, mask: optional %{{.*}})
// CHECK-NOT:     irdl.operation @concat
