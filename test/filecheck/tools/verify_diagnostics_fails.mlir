// RUN: not rlx-opt --verify-diagnostics --split-input-file %s 2>&1 | filecheck %s

// CHECK: verify_diagnostics_fails.mlir:4:4: error: expected error "something else" was not produced
// expected-error @below {{something else}}
func.func @a(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}

// -----

// CHECK: verify_diagnostics_fails.mlir:13:{{[0-9]+}}: error: unexpected error: unknown op 'rlx.b'
func.func @b() {
  %0 = rlx.b : tensor<2xf32>
}
