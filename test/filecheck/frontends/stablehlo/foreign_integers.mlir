// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// Counters of 64 bits that become words of 32 bits are known; they stay a count.
// CHECK-LABEL: @counters(
// CHECK-NEXT:   rlx.iota axis(0) : tensor<6xui32>
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<6xui32> -> tensor<2x3xui32>
// CHECK-NEXT:   arith.constant dense<0> : tensor<ui32>
// CHECK-NEXT:   rlx.expand %{{.*}} : tensor<ui32> -> tensor<2x3xui32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<2x3xui32>, tensor<2x3xui32>
func.func @counters() -> (tensor<2x3xui32>, tensor<2x3xui32>) {
  %i = stablehlo.iota dim = 0 : tensor<6xui64>
  %r = stablehlo.reshape %i : (tensor<6xui64>) -> tensor<2x3xui64>
  %c = stablehlo.constant dense<32> : tensor<ui64>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2x3xui64>
  %h = stablehlo.shift_right_logical %r, %b : tensor<2x3xui64>
  %0 = stablehlo.convert %r : (tensor<2x3xui64>) -> tensor<2x3xui32>
  %1 = stablehlo.convert %h : (tensor<2x3xui64>) -> tensor<2x3xui32>
  return %0, %1 : tensor<2x3xui32>, tensor<2x3xui32>
}
