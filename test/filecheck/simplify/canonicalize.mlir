// RUN: rlx-opt --rlx-canonicalize %s | filecheck %s
// RUN: rlx-opt --canonicalize %s | filecheck %s

// Nothing is added, and nothing is multiplied by: -0.0 and NaN come through.
// CHECK-LABEL: @same
// CHECK-NEXT:  func.return %x, %x, %x, %x, %x, %x, %x
func.func @same(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %nothing = arith.constant dense<-0.0> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %lowest = arith.constant dense<0xFF800000> : tensor<f32>
  %highest = arith.constant dense<0x7F800000> : tensor<f32>
  %0 = rlx.binary mul %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = rlx.binary add %nothing, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = rlx.binary sub %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = rlx.binary div %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = rlx.binary max %x, %lowest : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = rlx.binary min %highest, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = rlx.binary pow %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// `x + 0.0` turns -0.0 into 0.0, `x * 0` of NaN is NaN, and a sum with a larger zero is larger.
// CHECK-LABEL: @not_same
// CHECK:       rlx.binary add %x, %{{.*}} : (tensor<4xf32>, tensor<f32>)
// CHECK-NEXT:  rlx.binary mul %x, %{{.*}} : (tensor<4xf32>, tensor<f32>)
// CHECK-NEXT:  rlx.binary add %x, %{{.*}} : (tensor<4xf32>, tensor<2x4xf32>)
// CHECK-NEXT:  rlx.binary sub %x, %{{.*}} : (tensor<4xf32>, tensor<2x4xf32>)
// CHECK-NEXT:  rlx.binary mul %x, %{{.*}} {rlx.no_fuse}
func.func @not_same(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %large = arith.constant dense<-0.0> : tensor<2x4xf32>
  %0 = rlx.binary add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = rlx.binary mul %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = rlx.binary add %x, %large : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = rlx.binary sub %x, %large : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = rlx.binary mul %x, %one {rlx.no_fuse} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @integers
// CHECK-NEXT:  func.return %i, %i, %i, %i, %b
func.func @integers(%i: tensor<4xi32>, %b: tensor<4xi1>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %true = arith.constant dense<true> : tensor<i1>
  %0 = rlx.binary add %i, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = rlx.binary mul %one, %i : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = rlx.binary bit_or %i, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %3 = rlx.binary shl %i, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %4 = rlx.binary bit_and %true, %b : (tensor<i1>, tensor<4xi1>) -> tensor<4xi1>
  func.return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>
}

// CHECK-LABEL: @undone
// CHECK-NEXT:  %0 = rlx.activation abs %x : tensor<4xf32>
// CHECK-NEXT:  %1 = rlx.activation relu %x : tensor<4xf32>
// CHECK-NEXT:  func.return %x, %0, %1, %b, %h, %x, %b
func.func @undone(%x: tensor<4xf32>, %b: tensor<4xi1>, %h: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf16>, tensor<4xf32>, tensor<4xi1>) {
  %0 = rlx.activation neg %x : tensor<4xf32>
  %1 = rlx.activation neg %0 : tensor<4xf32>
  %2 = rlx.activation abs %0 : tensor<4xf32>
  %3 = rlx.activation relu %x : tensor<4xf32>
  %4 = rlx.activation relu %3 : tensor<4xf32>
  %5 = rlx.logical_not %b : tensor<4xi1>
  %6 = rlx.logical_not %5 : tensor<4xi1>
  %7 = rlx.cast %h : tensor<4xf16> -> tensor<4xf32>
  %8 = rlx.cast %7 : tensor<4xf32> -> tensor<4xf16>
  %9 = rlx.cast %x : tensor<4xf32> -> tensor<4xf32>
  %10 = rlx.cast %b : tensor<4xi1> -> tensor<4xi32>
  %11 = rlx.cast %10 : tensor<4xi32> -> tensor<4xi1>
  func.return %1, %2, %4, %6, %8, %9, %11 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf16>, tensor<4xf32>, tensor<4xi1>
}

// A narrow float and back rounds; bf16 does not hold what f16 holds.
// CHECK-LABEL: @rounds
// CHECK-COUNT-4: rlx.cast
func.func @rounds(%x: tensor<4xf32>, %h: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf16>) {
  %0 = rlx.cast %x : tensor<4xf32> -> tensor<4xf16>
  %1 = rlx.cast %0 : tensor<4xf16> -> tensor<4xf32>
  %2 = rlx.cast %h : tensor<4xf16> -> tensor<4xbf16>
  %3 = rlx.cast %2 : tensor<4xbf16> -> tensor<4xf16>
  func.return %1, %3 : tensor<4xf32>, tensor<4xf16>
}

// CHECK-LABEL: @chosen
// CHECK-NEXT:  func.return %x, %y, %y
func.func @chosen(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = arith.constant dense<true> : tensor<4xi1>
  %false = arith.constant dense<false> : tensor<i1>
  %0 = rlx.where %true, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = rlx.where %false, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = rlx.where %c, %y, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @moved
// CHECK-NEXT:  %0 = rlx.reshape %x : tensor<2x6xf32> -> tensor<4x3xf32>
// CHECK-NEXT:  %1 = rlx.transpose %t [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT:  %2 = rlx.narrow %x axis(1) start(3) length(2) : tensor<2x6xf32> -> tensor<2x2xf32>
// CHECK-NEXT:  %3 = rlx.expand %r : tensor<6xf32> -> tensor<5x2x6xf32>
// CHECK-NEXT:  %4 = rlx.reverse %x axes [0] : tensor<2x6xf32>
// CHECK-NEXT:  func.return %0, %1, %t, %2, %3, %x, %x, %4
func.func @moved(%x: tensor<2x6xf32>, %t: tensor<2x3x4xf32>, %r: tensor<6xf32>) -> (tensor<4x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<5x2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) {
  %0 = rlx.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  %1 = rlx.reshape %0 : tensor<12xf32> -> tensor<4x3xf32>
  %2 = rlx.transpose %t [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
  %3 = rlx.transpose %2 [1, 0, 2] : tensor<2x4x3xf32> -> tensor<4x2x3xf32>
  %4 = rlx.transpose %2 [0, 2, 1] : tensor<2x4x3xf32> -> tensor<2x3x4xf32>
  %5 = rlx.narrow %x axis(1) start(1) length(5) : tensor<2x6xf32> -> tensor<2x5xf32>
  %6 = rlx.narrow %5 axis(-1) start(2) length(2) : tensor<2x5xf32> -> tensor<2x2xf32>
  %7 = rlx.expand %r : tensor<6xf32> -> tensor<2x6xf32>
  %8 = rlx.expand %7 : tensor<2x6xf32> -> tensor<5x2x6xf32>
  %9 = rlx.narrow %x axis(0) start(0) length(2) : tensor<2x6xf32> -> tensor<2x6xf32>
  %10 = rlx.concat %9 axis(1) : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %11 = rlx.pad constant %10 low [0, 0] high [0, 0] value(1.0) : tensor<2x6xf32> -> tensor<2x6xf32>
  %12 = rlx.slice %11 starts [0, 0] steps [1, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  %13 = rlx.tile %12 repeats [1, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  %14 = rlx.reverse %13 axes [0, 1] : tensor<2x6xf32>
  %15 = rlx.reverse %14 axes [1, 0] : tensor<2x6xf32>
  %16 = rlx.reverse %14 axes [1] : tensor<2x6xf32>
  func.return %1, %3, %4, %6, %8, %13, %15, %16 : tensor<4x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<5x2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>
}

// An unknown size never stretches; one unknown size of a reshape is the only one it can be, of two it is not.
// CHECK-LABEL: @unknown
// CHECK-NEXT:  %0 = rlx.reshape %y sizes(%n, %n) : tensor<?x?xf32> -> tensor<?x?xf32>
// CHECK-NEXT:  func.return %x, %x, %0
func.func @unknown(%x: tensor<?x4xf32>, %y: tensor<?x?xf32>, %n: index) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?xf32>) {
  %0 = rlx.expand %x sizes(%n) : tensor<?x4xf32> -> tensor<?x4xf32>
  %1 = rlx.reshape %x sizes(%n) : tensor<?x4xf32> -> tensor<?x4xf32>
  %2 = rlx.reshape %y sizes(%n, %n) : tensor<?x?xf32> -> tensor<?x?xf32>
  func.return %0, %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: @computed
// CHECK-NEXT:  %0 = arith.constant dense<[1.000000e+00, -0.000000e+00, 0xffc00000, 0x7f800000]> : tensor<4xf32>
// CHECK-NEXT:  %1 = arith.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT:  func.return %0, %1
func.func @computed() -> (tensor<4xf32>, tensor<3xi64>) {
  %0 = arith.constant dense<[-1.0, 0.0, 0x7FC00000, 0xFF800000]> : tensor<4xf32>
  %1 = rlx.activation neg %0 : tensor<4xf32>
  %2 = rlx.reshape %1 : tensor<4xf32> -> tensor<2x2xf32>
  %3 = rlx.reshape %2 : tensor<2x2xf32> -> tensor<4xf32>
  %4 = rlx.iota axis(0) : tensor<3xi64>
  func.return %3, %4 : tensor<4xf32>, tensor<3xi64>
}

// An index outside of the table is an error of the run; a large result is not written out.
// CHECK-LABEL: @not_computed
// CHECK:       rlx.gather
// CHECK-NEXT:  rlx.expand
func.func @not_computed() -> (tensor<1xf32>, tensor<1000xf32>) {
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = arith.constant dense<[2]> : tensor<1xi32>
  %2 = arith.constant dense<1.0> : tensor<f32>
  %3 = rlx.gather %0, %1 axis(0) : (tensor<2xf32>, tensor<1xi32>) -> tensor<1xf32>
  %4 = rlx.expand %2 : tensor<f32> -> tensor<1000xf32>
  func.return %3, %4 : tensor<1xf32>, tensor<1000xf32>
}

// Two moves that cannot both be: the run says so.
// CHECK-LABEL: @contradiction
// CHECK-NEXT:  rlx.reshape %x sizes(%n) : tensor<4xf32> -> tensor<?xf32>
// CHECK-NEXT:  rlx.reshape %0 : tensor<?xf32> -> tensor<5xf32>
// CHECK-NEXT:  rlx.expand %x sizes(%n) : tensor<4xf32> -> tensor<?xf32>
// CHECK-NEXT:  rlx.expand %2 : tensor<?xf32> -> tensor<5xf32>
func.func @contradiction(%x: tensor<4xf32>, %n: index) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = rlx.reshape %x sizes(%n) : tensor<4xf32> -> tensor<?xf32>
  %1 = rlx.reshape %0 : tensor<?xf32> -> tensor<5xf32>
  %2 = rlx.expand %x sizes(%n) : tensor<4xf32> -> tensor<?xf32>
  %3 = rlx.expand %2 : tensor<?xf32> -> tensor<5xf32>
  func.return %1, %3 : tensor<5xf32>, tensor<5xf32>
}

// Starts that are constants are clamped, and say which slice it is.
// CHECK-LABEL: @f30_slices_from_constants
// CHECK-NEXT:  %[[A:.*]] = rlx.narrow %x axis(0) start(3) length(1) : tensor<4x6xf32> -> tensor<1x6xf32>
// CHECK-NEXT:  %[[B:.*]] = rlx.slice %x starts [0, 2] steps [1, 1] : tensor<4x6xf32> -> tensor<2x3xf32>
// CHECK-NEXT:  func.return %[[A]], %[[B]], %x
func.func @f30_slices_from_constants(%x: tensor<4x6xf32>) -> (tensor<1x6xf32>, tensor<2x3xf32>, tensor<4x6xf32>) {
  %0 = arith.constant dense<-1> : tensor<i32>
  %1 = arith.constant dense<2> : tensor<i32>
  %2 = arith.constant dense<7> : tensor<i32>
  %3 = rlx.dynamic_slice %x starts(%2, %0) lengths [1, 6] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
  %4 = rlx.dynamic_slice %x starts(%0, %1) lengths [2, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %5 = rlx.dynamic_slice %x starts(%1, %1) lengths [4, 6] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  func.return %3, %4, %5 : tensor<1x6xf32>, tensor<2x3xf32>, tensor<4x6xf32>
}
