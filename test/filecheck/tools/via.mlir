// A target's routes to code: the one that is asked for stands in the pipeline, the first choice does not.
// RUN: rlx-compile --target=cpu --from=rlx --via=native --print-pass-pipeline %s | filecheck %s --check-prefix=NATIVE
// RUN: rlx-compile --target=cpu --from=rlx --print-pass-pipeline %s | filecheck %s --check-prefix=PLAIN
// RUN: not rlx-compile --target=cpu --via=nativ --print-pass-pipeline %s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not rlx-opt --rlx-pipeline='target=cpu from=rlx stage=lower via=gcc' %s 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not rlx-opt --rlx-emit='target=cpu via=gcc' %s 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not rlx-compile --target=tpu --via=native --print-pass-pipeline %s 2>&1 | filecheck %s --check-prefix=ALONE

// NATIVE:  ,rlx-emit{target=cpu via=native}{{$}}
// PLAIN:   ,rlx-emit{target=cpu}{{$}}
// UNKNOWN: error: via=nativ: target 'cpu' knows iree, native; did you mean 'native'?
// OPTION:  error: via=gcc: target 'cpu' knows iree, native{{$}}
// ALONE:   error: via=native: target 'tpu' has one way to code alone; leave `via` out
func.func @f() {
  func.return
}
