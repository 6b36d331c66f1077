// RUN: rlx-opt %s | rlx-opt --mlir-print-op-generic | rlx-opt | filecheck %s
// RUN: rlx-opt --mlir-print-op-generic %s | filecheck %s --check-prefix=GENERIC
// RUN: rlx-opt --convert-stablehlo-to-rlx --rlx-mark-elementwise-regions %s | filecheck %s --check-prefix=RLX

// What `jax.shard_map` prints: a part of the program that each device runs on its own part of the values.

// CHECK:      sdy.mesh @mesh = <["a"=2, "b"=2]>
// CHECK:      @parts
// CHECK-NEXT: %0 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{"a"}, {"b"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"a"}, {"b"}]>] manual_axes={"a", "b"} (%{{.*}}: tensor<2x4xf32>, %{{.*}}: tensor<3xf32>) {
// CHECK:        stablehlo.add
// CHECK:        "stablehlo.collective_permute"
// CHECK:        sdy.return %{{.*}} : tensor<2x4xf32>
// CHECK-NEXT: } : (tensor<4x8xf32>, tensor<3xf32>) -> tensor<4x8xf32>
// CHECK:      @none
// CHECK-NEXT: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
// CHECK-NEXT:   sdy.return
// CHECK-NEXT: } : () -> ()

// GENERIC:     "sdy.manual_computation"(%x, %w) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>, <@mesh, [{}]>]>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>, manual_axes = #sdy<manual_axes{"a", "b"}>}> ({
// GENERIC:     "sdy.return"(%{{.*}}) : (tensor<2x4xf32>) -> ()

// Within it ops are converted as anywhere else.
// RLX:      sdy.manual_computation(%x, %w)
// RLX-NEXT:   %{{.*}} = rlx.binary add
// RLX-NEXT:   %{{.*}} = "stablehlo.collective_permute"
// RLX-NEXT:   sdy.return

sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @parts(%x: tensor<4x8xf32>, %w: tensor<3xf32>) -> tensor<4x8xf32> {
  %0 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{"a"}, {"b"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"a"}, {"b"}]>] manual_axes={"a", "b"} (%part: tensor<2x4xf32>, %whole: tensor<3xf32>) {
    %1 = stablehlo.add %part, %part : tensor<2x4xf32>
    %2 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0]]> : tensor<2x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    sdy.return %2 : tensor<2x4xf32>
  } : (tensor<4x8xf32>, tensor<3xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @none() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return
}
