// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @sort
// CHECK:       %0 = rlx.sort %x axis(-1) descending : tensor<2x?xf32>
// CHECK-NEXT:  %1 = rlx.sort %0 axis(0) : tensor<2x?xf32>
func.func @sort(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = rlx.sort %x axis(-1) descending : tensor<2x?xf32>
  %1 = rlx.sort %0 axis(0) : tensor<2x?xf32>
  func.return %1 : tensor<2x?xf32>
}

// CHECK-LABEL: @argsort
// CHECK:       %0 = rlx.argsort %x axis(1) : tensor<3x4xi8> -> tensor<3x4xi64>
// CHECK-NEXT:  %1 = rlx.argsort %x axis(0) descending : tensor<3x4xi8> -> tensor<3x4xf32>
// GENERIC:     "rlx.argsort"(%x) <{axis = 1 : i64}> : (tensor<3x4xi8>) -> tensor<3x4xi64>
func.func @argsort(%x: tensor<3x4xi8>) -> tensor<3x4xf32> {
  %0 = rlx.argsort %x axis(1) : tensor<3x4xi8> -> tensor<3x4xi64>
  %1 = rlx.argsort %x axis(0) descending : tensor<3x4xi8> -> tensor<3x4xf32>
  func.return %1 : tensor<3x4xf32>
}

// CHECK-LABEL: @top_k
// CHECK:       %0, %1 = rlx.top_k %x k(2) axis(-1) : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
func.func @top_k(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  %0, %1 = rlx.top_k %x k(2) axis(-1) : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  func.return %0, %1 : tensor<3x2xf32>, tensor<3x2xi32>
}

// CHECK-LABEL: @smallest_of_unknown_many
// CHECK:       %0, %1 = rlx.top_k %x k(2) axis(0) smallest : (tensor<?x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
func.func @smallest_of_unknown_many(%x: tensor<?x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>) {
  %0, %1 = rlx.top_k %x k(2) axis(0) smallest : (tensor<?x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  func.return %0, %1 : tensor<2x4xf32>, tensor<2x4xi64>
}

// CHECK-LABEL: @arg_reduce
// CHECK:       %0, %1 = rlx.arg_reduce max %x axis(1) : (tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi64>)
func.func @arg_reduce(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %0, %1 = rlx.arg_reduce max %x axis(1) : (tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  func.return %0, %1 : tensor<3xf32>, tensor<3xi64>
}

// CHECK-LABEL: @arg_reduce_last
// CHECK:       %0, %1 = rlx.arg_reduce min %x axis(0) keep_dims last : (tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xi32>)
func.func @arg_reduce_last(%x: tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xi32>) {
  %0, %1 = rlx.arg_reduce min %x axis(0) keep_dims last : (tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xi32>)
  func.return %0, %1 : tensor<1x4xf32>, tensor<1x4xi32>
}

// CHECK-LABEL: @arg_max
// CHECK:       %0 = rlx.arg_max %x axis(-1) : tensor<3x4xf32> -> tensor<3xi64>
// CHECK-NEXT:  %1 = rlx.arg_max %x axis(0) keep_dims last : tensor<3x4xf32> -> tensor<1x4xf32>
func.func @arg_max(%x: tensor<3x4xf32>) -> tensor<1x4xf32> {
  %0 = rlx.arg_max %x axis(-1) : tensor<3x4xf32> -> tensor<3xi64>
  %1 = rlx.arg_max %x axis(0) keep_dims last : tensor<3x4xf32> -> tensor<1x4xf32>
  func.return %1 : tensor<1x4xf32>
}

// CHECK-LABEL: @arg_min
// CHECK:       %0 = rlx.arg_min %x axis(1) keep_dims : tensor<3x?xi32> -> tensor<3x1xi32>
func.func @arg_min(%x: tensor<3x?xi32>) -> tensor<3x1xi32> {
  %0 = rlx.arg_min %x axis(1) keep_dims : tensor<3x?xi32> -> tensor<3x1xi32>
  func.return %0 : tensor<3x1xi32>
}

// CHECK-LABEL: @histogram
// CHECK:       %0 = rlx.histogram %x bins(8) low(-1.0) high(1.0) : tensor<3x4xf32> -> tensor<8xi64>
// CHECK-NEXT:  %1 = rlx.histogram %y bins(2) low(0.0) high(8.0) : tensor<?xi32> -> tensor<2xf32>
func.func @histogram(%x: tensor<3x4xf32>, %y: tensor<?xi32>) -> tensor<2xf32> {
  %0 = rlx.histogram %x bins(8) low(-1.0) high(1.0) : tensor<3x4xf32> -> tensor<8xi64>
  %1 = rlx.histogram %y bins(2) low(0.0) high(8.0) : tensor<?xi32> -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}

// CHECK-LABEL: @arg_reduce_of_truth_values
// CHECK:       %0, %1 = rlx.arg_reduce max %x axis(1) last : (tensor<3x4xi1>) -> (tensor<3xi1>, tensor<3xi64>)
func.func @arg_reduce_of_truth_values(%x: tensor<3x4xi1>) -> (tensor<3xi1>, tensor<3xi64>) {
  %0, %1 = rlx.arg_reduce max %x axis(1) last : (tensor<3x4xi1>) -> (tensor<3xi1>, tensor<3xi64>)
  func.return %0, %1 : tensor<3xi1>, tensor<3xi64>
}

// CHECK-LABEL: @first_false
// CHECK:       %0 = rlx.arg_min %x axis(0) : tensor<4xi1> -> tensor<i64>
func.func @first_false(%x: tensor<4xi1>) -> tensor<i64> {
  %0 = rlx.arg_min %x axis(0) : tensor<4xi1> -> tensor<i64>
  func.return %0 : tensor<i64>
}
