// RUN: rlx-opt --sidecar=%t.bin -o %t.mlir %s
// RUN: rlx-opt --sidecar=%t.bin %t.mlir | filecheck %s
// RUN: rlx-opt --sidecar=%t.bin --rlx-fusion=target=rocm %t.mlir | filecheck %s
// RUN: rlx-opt --sidecar=%t.bin -o %t.mlir %t.mlir
// RUN: filecheck %s < %t.mlir
// RUN: not rlx-opt %t.mlir 2>&1 | filecheck %s --check-prefix=WITHOUT
// RUN: not rlx-opt --sidecar=%t.none %t.mlir 2>&1 | filecheck %s --check-prefix=MISSING

// CHECK:      arith.constant dense_resource<rlx_sidecar_1024_{{[0-9a-f]+}}> : tensor<128xi64>
// CHECK-NEXT: rlx.gather
// WITHOUT:    error: the constant is in a file of its own, which --sidecar=FILE names
// MISSING:    error: {{.*}}.none: no such file, which should have the constant rlx_sidecar_1024_
func.func @main(%at: tensor<4xi64>) -> tensor<4xi64> {
  %table = arith.constant dense<[
    0, 10, 34, 72, 124, 190, 270, 364, 472, 594, 730, 880, 44, 222, 414, 620,
    840, 74, 322, 584, 860, 150, 454, 772, 104, 450, 810, 184, 572, 974, 390, 820,
    264, 722, 194, 680, 180, 694, 222, 764, 320, 890, 474, 72, 684, 310, 950, 604,
    272, 954, 650, 360, 84, 822, 574, 340, 120, 914, 722, 544, 380, 230, 94, 972,
    864, 770, 690, 624, 572, 534, 510, 500, 504, 522, 554, 600, 660, 734, 822, 924,
    40, 170, 314, 472, 644, 830, 30, 244, 472, 714, 970, 240, 524, 822, 134, 460,
    800, 154, 522, 904, 300, 710, 134, 572, 24, 490, 970, 464, 972, 494, 30, 580,
    144, 722, 314, 920, 540, 174, 822, 484, 160, 850, 554, 272, 4, 750, 510, 284
  ]> : tensor<128xi64>
  %0 = rlx.gather %table, %at axis(0) : (tensor<128xi64>, tensor<4xi64>) -> tensor<4xi64>
  func.return %0 : tensor<4xi64>
}
