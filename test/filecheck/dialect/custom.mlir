// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @custom
// CHECK:       %0 = rlx.custom "mamba2"(%x) {heads = 4 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT:  %1, %2 = rlx.custom "my.op"(%x, %i, %0) pure : (tensor<?x4xf32>, index, tensor<?x4xf32>) -> (index, tensor<3xf32>)
// CHECK-NEXT:  rlx.custom "log"() : () -> ()
// GENERIC:     "rlx.custom"(%x) <{kind = "mamba2"}>
func.func @custom(%x: tensor<?x4xf32>, %i: index) {
  %0 = rlx.custom "mamba2"(%x) {heads = 4 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1, %2 = rlx.custom "my.op"(%x, %i, %0) pure : (tensor<?x4xf32>, index, tensor<?x4xf32>) -> (index, tensor<3xf32>)
  rlx.custom "log"() : () -> ()
  func.return
}
