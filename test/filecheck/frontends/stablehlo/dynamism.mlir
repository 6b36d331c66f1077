// RUN: rlx-opt --convert-stablehlo-to-rlx %s | filecheck %s

// Sizes that are constants.
// CHECK-LABEL: @known(
// CHECK-NEXT:   rlx.reshape %{{.*}} : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT:   rlx.expand %{{.*}} : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:   arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
// CHECK-NEXT:   rlx.expand %{{.*}} : tensor<8xi32> -> tensor<4x8xi32>
// CHECK-NEXT:   arith.constant dense<8> : tensor<i32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<i32>
func.func @known(%x: tensor<4x8xf32>, %v: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<i32>) {
  %s = stablehlo.constant dense<[8, 4]> : tensor<2xi64>
  %t = stablehlo.constant dense<[4, 8]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<8x4xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %v, %t, dims = [1] : (tensor<8xf32>, tensor<2xi64>) -> tensor<4x8xf32>
  %2 = stablehlo.dynamic_iota %t, dim = 1 : (tensor<2xi64>) -> tensor<4x8xi32>
  %3 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x8xf32>) -> tensor<i32>
  return %0, %1, %2, %3 : tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<i32>
}

// Edges that are constants.
// CHECK-LABEL: @edges(
// CHECK-NEXT:   rlx.narrow %{{.*}} axis(0) start(1) length(2) : tensor<4xf32> -> tensor<2xf32>
// CHECK-NEXT:   rlx.pad constant %{{.*}} low [1] high [0] value(2.0) : tensor<4xf32> -> tensor<5xf32>
// CHECK-NEXT:   func.return %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<5xf32>
func.func @edges(%x: tensor<4xf32>, %z: tensor<f32>) -> (tensor<2xf32>, tensor<5xf32>) {
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %none = stablehlo.constant dense<0> : tensor<1xi64>
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.real_dynamic_slice %x, %one, %three, %one : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  %1 = stablehlo.dynamic_pad %x, %c, %one, %none, %none : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
  return %0, %1 : tensor<2xf32>, tensor<5xf32>
}

// Sizes of a run, as JAX exports them: an index value where the numbers say which dim they are.
// CHECK-LABEL: @of_a_run(
// CHECK:        %[[N:.*]] = tensor.dim %x, %{{.*}} : tensor<?x8xf32>
// CHECK:        rlx.expand %v sizes(%[[N]]) : tensor<8xf32> -> tensor<?x8xf32>
// CHECK:        %[[ALL:.*]] = arith.muli %[[N]], %{{.*}} : index
// CHECK-NEXT:   rlx.reshape %x sizes(%[[ALL]]) : tensor<?x8xf32> -> tensor<?xf32>
// CHECK:        rlx.iota axis(0) sizes(%[[N]]) : tensor<?xi32>
// CHECK-NOT:    shape_assertion
func.func @of_a_run(%x: tensor<?x8xf32>, %v: tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xi32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %eight = stablehlo.constant dense<8> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %fits = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%fits, %n) {api_version = 2 : i32, error_message = "n >= 1", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %row = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %dims = stablehlo.concatenate %row, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %v, %dims, dims = [1] : (tensor<8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
  %all = stablehlo.multiply %row, %eight : tensor<1xi32>
  %1 = stablehlo.dynamic_reshape %x, %all : (tensor<?x8xf32>, tensor<1xi32>) -> tensor<?xf32>
  %2 = stablehlo.dynamic_iota %row, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0, %1, %2 : tensor<?x8xf32>, tensor<?xf32>, tensor<?xi32>
}

// A size that the program computes otherwise is read from its tensor.
// CHECK-LABEL: @of_elements(
// CHECK:        %[[E:.*]] = tensor.extract %s[%{{.*}}] : tensor<1xi64>
// CHECK-NEXT:   %[[S:.*]] = arith.index_cast %[[E]] : i64 to index
// CHECK-NEXT:   rlx.iota axis(0) sizes(%[[S]]) : tensor<?xf32>
func.func @of_elements(%s: tensor<1xi64>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
