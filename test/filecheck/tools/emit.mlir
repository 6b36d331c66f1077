// RUN: rlx-opt --rlx-emit=target=cpu --verify-diagnostics %s
// RUN: rlx-opt --rlx-emit=target=tpu --verify-diagnostics %s
// RUN: rlx-opt --rlx-emit=target=cuda --verify-diagnostics %s

// A backend's compiler must not be the one to find an op that it has never heard of.
func.func @not_lowered(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'rlx.activation' in @not_lowered is not lowered; rlx-emit takes what a `convert-rlx-to-...` pass leaves}}
  %0 = rlx.activation relu %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
