// RUN: rlx-opt --rlx-fusion=target=cuda --report %s 2>&1 | filecheck %s
// RUN: rlx-opt --rlx-fuse-matmul-bias-act --report=text %s 2>&1 | filecheck %s --check-prefix=SINGLE
// RUN: rlx-opt -p 'rlx-fuse-matmul-bias-act,rlx-mark-elementwise-regions' -report %s 2>&1 | filecheck %s --check-prefix=FLAT
// RUN: rlx-opt --rlx-pipeline='target=mlx stage=lower from=rlx' --report %s 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: rlx-opt --report %s 2>&1 | filecheck %s --check-prefix=NONE
// RUN: rlx-opt --rlx-fusion=target=cuda --report=json %s 2>&1 | filecheck %s --check-prefix=JSON
// RUN: not rlx-opt --report=yaml %s 2>&1 | filecheck %s --check-prefix=FORM
// RUN: not rlx-opt --report-file=no/such/folder/r.json %s 2>&1 | filecheck %s --check-prefix=FOLDER
// RUN: not rlx-opt --report-file=- %s 2>&1 | filecheck %s --check-prefix=DASH
// RUN: not rlx-opt --report-file=r.mlir -o r.mlir %s 2>&1 | filecheck %s --check-prefix=LOST
// RUN: not rlx-opt --reprot %s 2>&1 | filecheck %s --check-prefix=NAME

// CHECK:      report for cuda: {{[0-9]+}} of {{[0-9]+}} passes changed the program
// CHECK-NEXT:                before       after
// CHECK-NEXT:   ops
// CHECK-NEXT:   launches
// CHECK-NEXT:   bytes moved
// CHECK-NEXT:   flops
// CHECK-NEXT:   time {{.*}} at 2000 ns a launch and 800 bytes a ns
// CHECK-NEXT: fused:
// CHECK-NEXT:   1 elementwise_region at {{.*}}report.mlir
// CHECK-NEXT:   1 fused_matmul_bias_act at {{.*}}report.mlir
// CHECK-NEXT: not fused, near misses first:
// An option alone is in the way of the first; equal misses of two layers are one line.
// CHECK-NEXT:   swiglu: rlx.activation at {{.*}}: RLX-F038 not-claimed: FusedSwiGLU
// CHECK-NEXT:     to fuse: claim FusedSwiGLU: `claims` of a target file, or claims= of rlx-fusion
// CHECK-NEXT:   matmul_bias_act: rlx.matmul at net.py:3:7, {{.*}}report.mlir:{{.*}} 2 times: RLX-F012 not-a-row-vector: the addend has dims [4, 1]
// CHECK-NEXT:     blocked by rlx.binary %a0 at net.py:4:7
// CHECK-NEXT:     to fuse: make the addend [N], [1, .., 1, N] or one element
// A product that nothing is added to is no candidate.
// CHECK:      no candidates: {{.*}}matmul_bias_act 1

// SINGLE:     report: 1 of 1 passes changed the program
// SINGLE-NOT: time
// SINGLE:     matmul_bias_act: rlx.matmul at net.py:3:7
// FLAT:       report: 2 of 2 passes changed the program
// PIPELINE:   report for mlx: {{.*}} passes changed the program (up to rlx-hoist-prepare)
// NONE:       report: 0 of 0 passes changed the program
// JSON:       "target": "cuda"
// JSON:       "code": "RLX-F012"
// FORM:       rlx-opt: error: argument --report: invalid choice: 'yaml' (choose from 'text', 'json')
// FOLDER:     rlx-opt: error: no/such/folder/r.json: no such folder: no/such/folder
// DASH:       rlx-opt: error: --report-file needs a file; without it the report goes to standard error
// LOST:       rlx-opt: error: r.mlir: is given as --report-file and as another output, and one would be lost
// NAME:       rlx-opt: error: unknown flag or pass '--reprot'; did you mean '--report'
func.func @layers(%x: tensor<4x16xf32>, %w: tensor<16x16xf32>, %wide: tensor<16x32xf32>, %b: tensor<16xf32>,
                  %column: tensor<4x1xf32>) -> tensor<4x16xf32> {
  %m0 = rlx.matmul %x, %w : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32> loc("dot"("net.py":3:7))
  %a0 = rlx.binary add %m0, %column : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32> loc("net.py":4:7)
  %m1 = rlx.matmul %a0, %w : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %a1 = rlx.binary add %m1, %column : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
  %m2 = rlx.matmul %a1, %w : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %a2 = rlx.binary add %m2, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %m3 = rlx.matmul %a2, %wide : (tensor<4x16xf32>, tensor<16x32xf32>) -> tensor<4x32xf32>
  %up = rlx.narrow %m3 axis(1) start(0) length(16) : tensor<4x32xf32> -> tensor<4x16xf32>
  %gate = rlx.narrow %m3 axis(1) start(16) length(16) : tensor<4x32xf32> -> tensor<4x16xf32>
  %silu = rlx.activation silu %gate : tensor<4x16xf32>
  %out = rlx.binary mul %up, %silu : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %out : tensor<4x16xf32>
}
