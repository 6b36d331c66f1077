// RUN: rlx-opt --convert-stablehlo-to-rlx='params=1-' %s | filecheck %s --check-prefixes=FROM
// RUN: rlx-opt --convert-stablehlo-to-rlx='params=w,2 names=x,w,b' %s | filecheck %s --check-prefixes=NAMED
// RUN: rlx-opt --convert-stablehlo-to-rlx='inputs=0' %s | filecheck %s --check-prefixes=FROM

// FROM:  @f(%arg0: tensor<4xf32> {rlx.input = "arg0"}, %arg1: tensor<4xf32> {rlx.param = "arg1"}, %arg2: tensor<4xf32> {rlx.param = "arg2"})
// NAMED: @f(%arg0: tensor<4xf32> {rlx.input = "x"}, %arg1: tensor<4xf32> {rlx.param = "w"}, %arg2: tensor<4xf32> {rlx.param = "b"})
func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
  func.return %arg0 : tensor<4xf32>
}
