// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @solve
// CHECK:       %0 = rlx.dense_solve %a, %b : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:  %1 = rlx.dense_solve %a, %c : (tensor<3x3xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
// GENERIC:     "rlx.dense_solve"(%a, %b)
func.func @solve(%a: tensor<3x3xf32>, %b: tensor<3xf32>, %c: tensor<3x?xf32>) {
  %0 = rlx.dense_solve %a, %b : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = rlx.dense_solve %a, %c : (tensor<3x3xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
  func.return
}

// CHECK-LABEL: @batched_solve
// CHECK:       %0 = rlx.batched_dense_solve %a, %b : (tensor<?x3x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
// CHECK-NEXT:  %1 = rlx.batched_dense_solve %a, %c : (tensor<?x3x3xf64>, tensor<?x3x2xf64>) -> tensor<?x3x2xf64>
// GENERIC:     "rlx.batched_dense_solve"(%a, %b)
func.func @batched_solve(%a: tensor<?x3x3xf64>, %b: tensor<?x3xf64>, %c: tensor<?x3x2xf64>) {
  %0 = rlx.batched_dense_solve %a, %b : (tensor<?x3x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  %1 = rlx.batched_dense_solve %a, %c : (tensor<?x3x3xf64>, tensor<?x3x2xf64>) -> tensor<?x3x2xf64>
  func.return
}

// CHECK-LABEL: @triangular_solve
// CHECK:       %0 = rlx.triangular_solve lower %a, %c : (tensor<?x3x3xf64>, tensor<?x3x2xf64>) -> tensor<?x3x2xf64>
// CHECK-NEXT:  %1 = rlx.triangular_solve upper %a, %0 transpose : (tensor<?x3x3xf64>, tensor<?x3x2xf64>) -> tensor<?x3x2xf64>
// GENERIC:     "rlx.triangular_solve"(%a, %c) <{triangle = "lower"}>
func.func @triangular_solve(%a: tensor<?x3x3xf64>, %c: tensor<?x3x2xf64>) {
  %0 = rlx.triangular_solve lower %a, %c : (tensor<?x3x3xf64>, tensor<?x3x2xf64>) -> tensor<?x3x2xf64>
  %1 = rlx.triangular_solve upper %a, %0 transpose : (tensor<?x3x3xf64>, tensor<?x3x2xf64>) -> tensor<?x3x2xf64>
  func.return
}

// CHECK-LABEL: @square
// CHECK:       %0 = rlx.cholesky %a : tensor<2x?x?xf32>
// CHECK-NEXT:  %1 = rlx.det %0 : tensor<2x?x?xf32> -> tensor<2xf32>
// CHECK-NEXT:  %2 = rlx.log_det %b : tensor<4x4xbf16> -> tensor<bf16>
// GENERIC:     "rlx.cholesky"(%a)
// GENERIC:     "rlx.det"(%0)
// GENERIC:     "rlx.log_det"(%b)
func.func @square(%a: tensor<2x?x?xf32>, %b: tensor<4x4xbf16>) {
  %0 = rlx.cholesky %a : tensor<2x?x?xf32>
  %1 = rlx.det %0 : tensor<2x?x?xf32> -> tensor<2xf32>
  %2 = rlx.log_det %b : tensor<4x4xbf16> -> tensor<bf16>
  func.return
}

// CHECK-LABEL: @factors
// CHECK:       %0 = rlx.svd u %a : tensor<?x5x3xf32> -> tensor<?x5x3xf32>
// CHECK-NEXT:  %1 = rlx.svd s %a : tensor<?x5x3xf32> -> tensor<?x3xf32>
// CHECK-NEXT:  %2 = rlx.svd vt %a : tensor<?x5x3xf32> -> tensor<?x3x3xf32>
// CHECK-NEXT:  %3 = rlx.qr q %b : tensor<?x4xf32> -> tensor<?x?xf32>
// CHECK-NEXT:  %4 = rlx.qr r %b : tensor<?x4xf32> -> tensor<?x4xf32>
// CHECK-NEXT:  %5 = rlx.qr r %a : tensor<?x5x3xf32> -> tensor<?x3x3xf32>
// GENERIC:     "rlx.svd"(%a) <{part = "u"}>
// GENERIC:     "rlx.qr"(%b) <{part = "q"}>
func.func @factors(%a: tensor<?x5x3xf32>, %b: tensor<?x4xf32>) {
  %0 = rlx.svd u %a : tensor<?x5x3xf32> -> tensor<?x5x3xf32>
  %1 = rlx.svd s %a : tensor<?x5x3xf32> -> tensor<?x3xf32>
  %2 = rlx.svd vt %a : tensor<?x5x3xf32> -> tensor<?x3x3xf32>
  %3 = rlx.qr q %b : tensor<?x4xf32> -> tensor<?x?xf32>
  %4 = rlx.qr r %b : tensor<?x4xf32> -> tensor<?x4xf32>
  %5 = rlx.qr r %a : tensor<?x5x3xf32> -> tensor<?x3x3xf32>
  func.return
}

// CHECK-LABEL: @eigh
// CHECK:       %0 = rlx.eigh %a : tensor<?x3x3xf32> -> tensor<?x12xf32>
// CHECK-NEXT:  %1 = rlx.eigh_backward %a, %0 : tensor<?x3x3xf32>, tensor<?x12xf32>
// CHECK-NEXT:  %2 = rlx.eigh %b : tensor<?x?xf64> -> tensor<?xf64>
// GENERIC:     "rlx.eigh"(%a)
// GENERIC:     "rlx.eigh_backward"(%a, %0)
func.func @eigh(%a: tensor<?x3x3xf32>, %b: tensor<?x?xf64>) {
  %0 = rlx.eigh %a : tensor<?x3x3xf32> -> tensor<?x12xf32>
  %1 = rlx.eigh_backward %a, %0 : tensor<?x3x3xf32>, tensor<?x12xf32>
  %2 = rlx.eigh %b : tensor<?x?xf64> -> tensor<?xf64>
  func.return
}
