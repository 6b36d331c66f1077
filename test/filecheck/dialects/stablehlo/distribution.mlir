// RUN: rlx-opt %s | rlx-opt --mlir-print-op-generic | rlx-opt | filecheck %s

// Collectives, transfers and tokens: the text that JAX prints is what is printed, also by way of the generic form.

// CHECK-LABEL: @ops(
// CHECK: stablehlo.create_token : !stablehlo.token
// CHECK: stablehlo.after_all %{{.*}}, %{{.*}} : !stablehlo.token
// CHECK: stablehlo.partition_id : tensor<ui32>
// CHECK: stablehlo.replica_id : tensor<ui32>
// CHECK: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<4x8xf32>, !stablehlo.token>
// CHECK: stablehlo.get_tuple_element %{{.*}}[0] : (tuple<tensor<4x8xf32>, !stablehlo.token>) -> tensor<4x8xf32>
// CHECK: "stablehlo.all_reduce"(
// CHECK: "stablehlo.all_gather"(
// CHECK: "stablehlo.all_to_all"(
// CHECK: "stablehlo.collective_permute"(
// CHECK: "stablehlo.collective_broadcast"(
// CHECK: "stablehlo.reduce_scatter"(
// CHECK: "stablehlo.infeed"(
// CHECK: "stablehlo.outfeed"(
// CHECK: "stablehlo.send"(
// CHECK: "stablehlo.recv"(
// CHECK: "stablehlo.cross-replica-sum"(
func.func @ops(%arg0: tensor<4x8xf32>) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  %2 = stablehlo.partition_id : tensor<ui32>
  %3 = stablehlo.replica_id : tensor<ui32>
  %4 = stablehlo.tuple %arg0, %0 : tuple<tensor<4x8xf32>, !stablehlo.token>
  %5 = stablehlo.get_tuple_element %4[0] : (tuple<tensor<4x8xf32>, !stablehlo.token>) -> tensor<4x8xf32>
  %6 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %17 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %17 : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %8 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  %9 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %10 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %11 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %17 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %17 : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %12:2 = "stablehlo.infeed"(%0) <{infeed_config = "a", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<4x8xf32>, !stablehlo.token)
  %13 = "stablehlo.outfeed"(%arg0, %0) <{outfeed_config = "a"}> : (tensor<4x8xf32>, !stablehlo.token) -> !stablehlo.token
  %14 = "stablehlo.send"(%arg0, %0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<4x8xf32>, !stablehlo.token) -> !stablehlo.token
  %15:2 = "stablehlo.recv"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4x8xf32>, !stablehlo.token)
  %16 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
