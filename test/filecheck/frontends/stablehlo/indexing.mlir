// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// Starts are clamped by both dialects; known ones are clamped at once.
// CHECK-LABEL: @dynamic_slice(
// CHECK-NEXT:   arith.constant dense<9> : tensor<i32>
// CHECK-NEXT:   rlx.dynamic_slice %{{.*}} starts(%{{.*}}, %{{.*}}) lengths [2, 3] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
// CHECK-NEXT:   rlx.narrow %{{.*}} axis(0) start(2) length(2) : tensor<4x8xf32> -> tensor<2x8xf32>
// CHECK-NEXT:   rlx.narrow %{{.*}} axis(1) start(5) length(3) : tensor<2x8xf32> -> tensor<2x3xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32>
func.func @dynamic_slice(%x: tensor<4x8xf32>, %s: tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %c = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %s, %c, sizes = [2, 3] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_slice %x, %c, %c, sizes = [2, 3] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// An update in place.
// CHECK-LABEL: @dynamic_update_slice(
// CHECK-NEXT:   rlx.dynamic_update_slice %{{.*}}, %{{.*}} starts(%{{.*}}, %{{.*}}) : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4x8xf32>
func.func @dynamic_update_slice(%x: tensor<4x8xf32>, %u: tensor<2x3xf32>, %s: tensor<i32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %s, %s : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A gather that is no take.
// CHECK-LABEL: @gather(
// CHECK-NEXT:   rlx.general_gather %{{.*}}, %{{.*}} offset [1, 2] collapsed [] batching([] x []) start_map [0, 1] vector_dim(1) slice_sizes [2, 3] : (tensor<4x8xf32>, tensor<5x2xi32>) -> tensor<5x2x3xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<5x2x3xf32>
func.func @gather(%x: tensor<4x8xf32>, %i: tensor<5x2xi32>) -> tensor<5x2x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 3>, indices_are_sorted = false}> : (tensor<4x8xf32>, tensor<5x2xi32>) -> tensor<5x2x3xf32>
  return %0 : tensor<5x2x3xf32>
}

// Updates that replace, and those that are taken away.
// CHECK-LABEL: @scatter(
// CHECK-NEXT:   rlx.general_scatter none %{{.*}}, %{{.*}}, %{{.*}} window [1] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:   rlx.activation neg %{{.*}} : tensor<2x8xf32>
// CHECK-NEXT:   rlx.general_scatter add %{{.*}}, %{{.*}}, %{{.*}} window [1] inserted [0] batching([] x []) scatter_map [0] vector_dim(1) : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
func.func @scatter(%x: tensor<4x8xf32>, %i: tensor<2x1xi32>, %u: tensor<2x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Entries of a dim by their numbers.
// CHECK-LABEL: @torch_index_select(
// CHECK-NEXT:   arith.constant dense<0> : tensor<i32>
// CHECK-NEXT:   rlx.binary max %{{.*}}, %{{.*}} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
// CHECK-NEXT:   arith.constant dense<7> : tensor<i32>
// CHECK-NEXT:   rlx.binary min %{{.*}}, %{{.*}} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
// CHECK-NEXT:   rlx.gather %{{.*}}, %{{.*}} axis(1) : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<4x3xf32>
// CHECK-NEXT:   func.return %{{.*}} : tensor<4x3xf32>
func.func @torch_index_select(%x: tensor<4x8xf32>, %i: tensor<3xi32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
