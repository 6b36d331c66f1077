// RUN: rlx-opt --verify-rewrites --rlx-fuse-matmul-bias-act --rlx-hoist-prepare --convert-rlx-to-linalg --canonicalize %s 2>&1 | filecheck %s

// What the reference has no word for is said once, with its reason.
// CHECK:      remark: @foreign is not compared before pass 'rlx-fuse-matmul-bias-act': the reference has no 'scf.if'
// CHECK-NOT:  remark: @foreign
// CHECK:      remark: @layer is not compared after pass 'convert-rlx-to-linalg': the reference has no 'linalg.{{.*}}'

func.func @foreign(%p: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scf.if %p -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    %1 = rlx.activation neg %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// A product with a param that is turned over once ahead, rows of any number, and indices into a table.
// CHECK: func.func @layer_prepare
func.func @layer(%x: tensor<?x8xf32>, %w: tensor<16x8xf32> {rlx.param = "w"}, %b: tensor<16xf32> {rlx.param = "b"}, %i: tensor<3xi32>) -> tensor<3x16xf32> {
  %t = rlx.transpose %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %0 = rlx.matmul %x, %t : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %2 = rlx.gather %1, %i axis(0) : (tensor<?x16xf32>, tensor<3xi32>) -> tensor<3x16xf32>
  func.return %2 : tensor<3x16xf32>
}
