// RUN: rlx-opt --canonicalize --cse --mlir-print-ir-before-all --mlir-print-ir-after=cse %s 2>&1 | filecheck %s
// RUN: rlx-opt -p canonicalize,cse --mlir-print-ir-after-all %s 2>&1 | filecheck %s --check-prefix=AFTER
// RUN: rlx-opt -canonicalize --mlir-print-op-generic --print-no-properties %s | filecheck %s --check-prefix=GENERIC
// RUN: rlx-opt --mlir-print-debuginfo %s | filecheck %s --check-prefix=LOCATION

// CHECK:     IR Dump Before canonicalize
// CHECK:     IR Dump Before cse
// CHECK-NOT: IR Dump After canonicalize
// CHECK:     IR Dump After cse

// AFTER:     IR Dump After canonicalize
// AFTER:     IR Dump After cse

// GENERIC:   "rlx.activation"(%{{.*}}) {kind = "relu"} : (tensor<2xf32>) -> tensor<2xf32>

// LOCATION:  rlx.activation relu %{{.*}} : tensor<2xf32> loc({{.*}}print_ir.mlir":{{[0-9]+}}:8)
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = rlx.activation relu %x : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
