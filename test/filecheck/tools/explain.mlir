// RUN: rlx-opt --explain=RLX-F012 | filecheck %s
// RUN: rlx-opt --explain=multi-use | filecheck %s --check-prefix=WORD
// RUN: not rlx-opt --explain=RLX-F412 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not rlx-opt --explain=everything 2>&1 | filecheck %s --check-prefix=FAR

// CHECK:      RLX-F012 not-a-row-vector
// CHECK:      The addend does not lie along the last axis of the product.
// CHECK:      // rlx-opt --rlx-fuse-matmul-bias-act
// CHECK-NEXT: func.func
// CHECK-NOT:  RLX-F013
// WORD:       RLX-F002 multi-use
// UNKNOWN:    rlx-opt: error: no reason has the code 'RLX-F412'; did you mean 'RLX-F012'
// FAR:        rlx-opt: error: no reason has the code 'everything'; codes go from RLX-F001 to RLX-F
