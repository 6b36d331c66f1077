// Passes run in command-line order, whichever way they are given.
// RUN: rlx-opt --cse --pass-pipeline='builtin.module(canonicalize,cse)' -p 'dce' --canonicalize --print-pass-pipeline %s | filecheck %s
// RUN: not rlx-opt --canonicalise %s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not rlx-opt --rlx-fusion=targe=cpu %s 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not rlx-opt -p 'cse,nothing{a=1}' %s 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not rlx-opt --rlx-fusion=target=cpo %s 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not rlx-opt -p 'cse(canonicalize)' %s 2>&1 | filecheck %s --check-prefix=NESTED

// CHECK:   {{^}}cse,canonicalize,cse,dce,canonicalize{{$}}
// UNKNOWN: error: unknown flag or pass '--canonicalise'; did you mean '--canonicalize'
// OPTION:  error: pass 'rlx-fusion' has no option 'targe'; did you mean 'target'
// NAME:    error: unknown pass 'nothing'
// TARGET:  error: unknown target 'cpo'; known: cpu, cuda, metal, mlx, rocm, tpu, wgpu; did you mean 'cpu'
// NESTED:  error: pipeline: passes run on `builtin.module`; 'cse' cannot hold a pipeline
func.func @f() {
  func.return
}
