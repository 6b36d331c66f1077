// RUN: rlx-opt --convert-stablehlo-to-rlx --split-input-file %s | filecheck %s
// RUN: rlx-opt --convert-stablehlo-to-rlx="params=1" --split-input-file %s | filecheck %s --check-prefix=PARAM

// A param is loaded once and never given up.
// CHECK-LABEL: func.func public @f22_aliased(
// CHECK-SAME:    %x: tensor<4xf32> {rlx.input = "arg0"}, %c: tensor<4xf32> {rlx.input = "arg1", rlx.donate = 1 : i64})
// PARAM-LABEL: func.func public @f22_aliased(
// PARAM-SAME:    %x: tensor<4xf32> {rlx.input = "arg0"}, %c: tensor<4xf32> {rlx.param = "arg1"})
func.func public @f22_aliased(%x: tensor<4xf32>, %c: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %x, %c : tensor<4xf32>
  func.return %x, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Where any result may be it, it is the first of the type that nothing else is given up for.
// CHECK-LABEL: func.func public @f22_any(
// CHECK-SAME:    %a: tensor<4xf32> {rlx.input = "arg0", rlx.donate = 2 : i64}
// CHECK-SAME:    %b: tensor<4xf32> {rlx.input = "arg1", rlx.donate = 1 : i64}
// CHECK-SAME:    %c: tensor<4xf32> {rlx.input = "arg2"})
func.func public @f22_any(%a: tensor<4xf32> {jax.buffer_donor = true}, %b: tensor<4xf32> {tf.aliasing_output = 1 : i32},
    %c: tensor<4xf32> {jax.buffer_donor = true}) -> (tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %1 = stablehlo.add %b, %c : tensor<4xf32>
  func.return %0, %1, %a : tensor<2xf32>, tensor<4xf32>, tensor<4xf32>
}
