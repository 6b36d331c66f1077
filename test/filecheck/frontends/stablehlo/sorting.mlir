// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// Ascending, and descending.
// CHECK-LABEL: @sort(
// CHECK-NEXT:   rlx.sort %{{.*}} axis(1) : tensor<4x8xf32>
// CHECK-NEXT:   rlx.sort %{{.*}} axis(0) descending : tensor<4x8xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
func.func @sort(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// What goes along is gathered; places that are counted are the order itself.
// CHECK-LABEL: @sort_along(
// CHECK-NEXT:   rlx.argsort %{{.*}} axis(0) : tensor<8xf32> -> tensor<8xi32>
// CHECK-NEXT:   rlx.sort %{{.*}} axis(0) : tensor<8xf32>
// CHECK-NEXT:   rlx.gather_elements %{{.*}}, %{{.*}} axis(0) : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>, tensor<8xi32>
func.func @sort_along(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %0:3 = "stablehlo.sort"(%x, %y, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %s: tensor<i32>):
    %c = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8xf32>, tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xi32>)
  return %0#0, %0#1, %0#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xi32>
}

// The greatest elements and their places.
// CHECK-LABEL: @top_k(
// CHECK-NEXT:   rlx.top_k %{{.*}} k(3) axis(-1) : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<4x3xi32>
func.func @top_k(%x: tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>) {
  %0, %1 = chlo.top_k(%x, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xi32>
}
