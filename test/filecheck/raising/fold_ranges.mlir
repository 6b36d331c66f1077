// RUN: rlx-opt --rlx-fold-ranges %s | filecheck %s

// An index that cannot be negative is not counted from the end.
// CHECK-LABEL: @index_of_top_k
// CHECK-NEXT:  %values, %places = rlx.top_k
// CHECK-NEXT:  %0 = rlx.gather %t, %places axis(0)
// CHECK-NEXT:  func.return %0
func.func @index_of_top_k(%x: tensor<3x4xf32>, %t: tensor<4x5xf32>) -> tensor<3x2x5xf32> {
  %zero = arith.constant dense<0> : tensor<i64>
  %size = arith.constant dense<4> : tensor<i64>
  %values, %places = rlx.top_k %x k(2) axis(1) : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  %0 = rlx.compare lt %places, %zero : (tensor<3x2xi64>, tensor<i64>) -> tensor<3x2xi1>
  %1 = rlx.binary add %places, %size : (tensor<3x2xi64>, tensor<i64>) -> tensor<3x2xi64>
  %2 = rlx.where %0, %1, %places : (tensor<3x2xi1>, tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x2xi64>
  %3 = rlx.gather %t, %2 axis(0) : (tensor<4x5xf32>, tensor<3x2xi64>) -> tensor<3x2x5xf32>
  func.return %3 : tensor<3x2x5xf32>
}

// A quotient that is rounded down is that of C where nothing is negative.
// CHECK-LABEL: @floor_of_quotient
// CHECK:       %[[order:.*]] = rlx.argsort %x
// CHECK:       %[[half:.*]] = rlx.binary div %[[order]]
// CHECK-NEXT:  func.return %[[half]]
func.func @floor_of_quotient(%x: tensor<6xf32>) -> tensor<6xi64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %order = rlx.argsort %x axis(0) : tensor<6xf32> -> tensor<6xi64>
  %0 = rlx.binary mod %order, %two : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
  %1 = rlx.compare ne %0, %zero : (tensor<6xi64>, tensor<i64>) -> tensor<6xi1>
  %2 = rlx.compare lt %0, %zero : (tensor<6xi64>, tensor<i64>) -> tensor<6xi1>
  %3 = rlx.binary bit_and %1, %2 : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
  %4 = rlx.binary div %order, %two : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
  %5 = rlx.binary sub %4, %one : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
  %6 = rlx.where %3, %5, %4 : (tensor<6xi1>, tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
  func.return %6 : tensor<6xi64>
}

// Bounds that are never reached, from either side.
// CHECK-LABEL: @bounds
// CHECK-NEXT:  %0 = rlx.iota
// CHECK-NEXT:  func.return %0
func.func @bounds() -> tensor<5xi64> {
  %low = arith.constant dense<0> : tensor<i64>
  %high = arith.constant dense<4> : tensor<i64>
  %0 = rlx.iota axis(0) : tensor<5xi64>
  %1 = rlx.binary min %0, %high : (tensor<5xi64>, tensor<i64>) -> tensor<5xi64>
  %2 = rlx.binary max %low, %1 : (tensor<i64>, tensor<5xi64>) -> tensor<5xi64>
  func.return %2 : tensor<5xi64>
}

// What an input holds nobody knows.
// CHECK-LABEL: @index_of_an_input
// CHECK:       rlx.where
func.func @index_of_an_input(%i: tensor<3xi64>) -> tensor<3xi64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %size = arith.constant dense<4> : tensor<i64>
  %0 = rlx.compare lt %i, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<3xi1>
  %1 = rlx.binary add %i, %size : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  %2 = rlx.where %0, %1, %i : (tensor<3xi1>, tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  func.return %2 : tensor<3xi64>
}

// A bound that is reached stays; so does what leaves its type: 4 times 100 is no i8.
// CHECK-LABEL: @reached
// CHECK:       rlx.binary min
// CHECK:       rlx.binary max
func.func @reached() -> (tensor<5xi64>, tensor<5xi8>) {
  %three = arith.constant dense<3> : tensor<i64>
  %factor = arith.constant dense<100> : tensor<i8>
  %zero = arith.constant dense<0> : tensor<i8>
  %0 = rlx.iota axis(0) : tensor<5xi64>
  %1 = rlx.binary min %0, %three : (tensor<5xi64>, tensor<i64>) -> tensor<5xi64>
  %2 = rlx.iota axis(0) : tensor<5xi8>
  %3 = rlx.binary mul %2, %factor : (tensor<5xi8>, tensor<i8>) -> tensor<5xi8>
  %4 = rlx.binary max %3, %zero : (tensor<5xi8>, tensor<i8>) -> tensor<5xi8>
  func.return %1, %4 : tensor<5xi64>, tensor<5xi8>
}

// The value that is chosen has fewer dims.
// CHECK-LABEL: @chosen_stretches
// CHECK:       rlx.where
func.func @chosen_stretches(%x: tensor<4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0> : tensor<i64>
  %0 = rlx.iota axis(0) : tensor<3x1xi64>
  %1 = rlx.compare lt %0, %zero : (tensor<3x1xi64>, tensor<i64>) -> tensor<3x1xi1>
  %2 = rlx.where %1, %y, %x : (tensor<3x1xi1>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  func.return %2 : tensor<3x4xf32>
}
