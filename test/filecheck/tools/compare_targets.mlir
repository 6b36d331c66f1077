// RUN: rlx-opt --compare-targets=cpu,cuda %s | filecheck %s
// RUN: rlx-opt --compare-targets=cuda,rocm %s | filecheck %s --check-prefix=SAME
// RUN: not rlx-opt --compare-targets=cpu,cudda %s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not rlx-opt --compare-targets=cpu %s 2>&1 | filecheck %s --check-prefix=ONE
// RUN: not rlx-opt --compare-targets=cpu,cuda --report %s 2>&1 | filecheck %s --check-prefix=REPORT
// RUN: not rlx-opt --compare-targets=cpu,cuda --split-input-file %s 2>&1 | filecheck %s --check-prefix=SPLIT

// CHECK:                               cpu      cuda
// CHECK-NEXT:  ops
// CHECK-NEXT:  launches
// CHECK-NEXT:  time, us
// CHECK-NEXT:  elementwise_region        0         1
// CHECK-NEXT:    rlx-mark-elementwise-regions runs for cuda alone, as it needs: claims ElementwiseRegion and not (unfuse_elementwise_regions)
// CHECK-NEXT:  fused_swiglu              1         0
// CHECK-NEXT:    cpu claims FusedSwiGLU, cuda not
// SAME:        the same ops are fused
// UNKNOWN:     rlx-opt: error: unknown target 'cudda'; known: {{.*}}; did you mean 'cuda'?
// ONE:         rlx-opt: error: --compare-targets needs two targets, as in --compare-targets=cpu,cuda
// REPORT:      rlx-opt: error: --report is for one target, --compare-targets for several
// SPLIT:       rlx-opt: error: --compare-targets is for one program, --split-input-file for several
func.func @gate(%x: tensor<4x32xf32>) -> tensor<4x16xf32> {
  %up = rlx.narrow %x axis(1) start(0) length(16) : tensor<4x32xf32> -> tensor<4x16xf32>
  %gate = rlx.narrow %x axis(1) start(16) length(16) : tensor<4x32xf32> -> tensor<4x16xf32>
  %silu = rlx.activation silu %gate : tensor<4x16xf32>
  %out = rlx.binary mul %up, %silu : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %out : tensor<4x16xf32>
}
