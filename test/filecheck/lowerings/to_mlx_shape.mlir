// RUN: rlx-opt --convert-rlx-to-mlx %s | rlx-opt | filecheck %s

// CHECK-LABEL: @moves
// CHECK-NEXT:  %0 = mlx.call "mx.reshape"(%x) with {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
// CHECK-NEXT:  %1 = mlx.call "mx.transpose"(%x) with {axes = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT:  %2 = mlx.slice %x axis(1) start(1) length(2) : tensor<2x3x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT:  %3 = mlx.call "mx.concatenate"(%x, %x) with {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
// CHECK-NEXT:  %4 = mlx.call "lib.within"(%i, %x) with {axis = 1 : i64} : (tensor<5xi32>, tensor<2x3x4xf32>) -> tensor<5xi64>
// CHECK-NEXT:  %5 = mlx.call "mx.take"(%x, %4) with {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<5xi64>) -> tensor<2x5x4xf32>
// CHECK-NEXT:  func.return %0, %1, %2, %3, %5 : tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<2x2x4xf32>, tensor<2x6x4xf32>, tensor<2x5x4xf32>
func.func @moves(%x: tensor<2x3x4xf32>, %i: tensor<5xi32>) -> (tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<2x2x4xf32>, tensor<2x6x4xf32>, tensor<2x5x4xf32>) {
  %0 = rlx.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = rlx.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %2 = rlx.narrow %x axis(-2) start(1) length(2) : tensor<2x3x4xf32> -> tensor<2x2x4xf32>
  %3 = rlx.concat %x, %x axis(1) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
  %4 = rlx.gather %x, %i axis(1) : (tensor<2x3x4xf32>, tensor<5xi32>) -> tensor<2x5x4xf32>
  func.return %0, %1, %2, %3, %4 : tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<2x2x4xf32>, tensor<2x6x4xf32>, tensor<2x5x4xf32>
}

// A size that is known at run time only is an argument, and a `?` in the list of sizes.
// CHECK-LABEL: @sizes
// CHECK-NEXT:  %0 = mlx.call "mx.broadcast_to"(%x, %n) with {shape = array<i64: -9223372036854775808, 4>} : (tensor<1x4xf32>, index) -> tensor<?x4xf32>
// CHECK-NEXT:  func.return %0 : tensor<?x4xf32>
func.func @sizes(%x: tensor<1x4xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = rlx.expand %x sizes(%n) : tensor<1x4xf32> -> tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}

// What a run relies on of sizes that its arguments do not say is checked where it is relied on.
// CHECK-LABEL: @checked
// CHECK:       %[[N:.*]] = arith.index_cast
// CHECK:       %[[HELD:.*]] = arith.cmpi sge, %[[N]], %{{.*}} : index
// CHECK-NEXT:  cf.assert %[[HELD]], "arith.index_cast: ? must be at least 0"
// CHECK:       mlx.call "mx.broadcast_to"
// CHECK:       cf.assert %{{.*}}, "rlx.narrow: ? must be at least 3"
// CHECK-NEXT:  mlx.slice
// CHECK:       rlx.if
// CHECK:       cf.assert %{{.*}}, "rlx.narrow: ? must be at least 2"
// CHECK-NEXT:  mlx.slice
func.func @checked(%x: tensor<1xf32>, %n: tensor<i64>, %p: tensor<i1>) -> (tensor<2xf32>, tensor<1xf32>) {
  %0 = tensor.extract %n[] : tensor<i64>
  %1 = arith.index_cast %0 : i64 to index
  %2 = rlx.expand %x sizes(%1) : tensor<1xf32> -> tensor<?xf32>
  %3 = rlx.narrow %2 axis(0) start(1) length(2) : tensor<?xf32> -> tensor<2xf32>
  %4 = rlx.if %p(%a = %2) : (tensor<i1>, tensor<?xf32>) -> tensor<1xf32> {
    %5 = rlx.narrow %a axis(0) start(1) length(1) : tensor<?xf32> -> tensor<1xf32>
    rlx.yield %5 : tensor<1xf32>
  } else(%b) {
    %5 = arith.constant dense<0.0> : tensor<1xf32>
    rlx.yield %5 : tensor<1xf32>
  }
  func.return %3, %4 : tensor<2xf32>, tensor<1xf32>
}
