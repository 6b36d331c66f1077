// RUN: rlx-opt --rlx-fuse-shared-input-matmul --allow-unregistered-dialect %s | filecheck %s

// What must be joined.

// CHECK-LABEL: @two
// CHECK:       %[[W:.*]] = rlx.concat %v, %w axis(1) : (tensor<8x6xf32>, tensor<8x3xf32>) -> tensor<8x9xf32>
// CHECK-NEXT:  %[[P:.*]] = rlx.matmul %x, %[[W]] : (tensor<4x8xf32>, tensor<8x9xf32>) -> tensor<4x9xf32>
// CHECK-NEXT:  %[[A:.*]] = rlx.narrow %[[P]] axis(1) start(0) length(6) : tensor<4x9xf32> -> tensor<4x6xf32>
// CHECK-NEXT:  %[[B:.*]] = rlx.narrow %[[P]] axis(1) start(6) length(3) : tensor<4x9xf32> -> tensor<4x3xf32>
// CHECK-NEXT:  func.return %[[A]], %[[B]]
func.func @two(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: @four
// CHECK:       rlx.concat %w, %w, %w, %w axis(1)
// CHECK-NEXT:  rlx.matmul
// CHECK-NEXT:  rlx.narrow {{.*}} start(0)
// CHECK-NEXT:  rlx.narrow {{.*}} start(3)
// CHECK-NEXT:  rlx.narrow {{.*}} start(6)
// CHECK-NEXT:  rlx.narrow {{.*}} start(9)
// CHECK-NEXT:  func.return
func.func @four(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %2 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %3 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1, %2, %3 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: @batches
// CHECK:       rlx.concat
// CHECK-NEXT:  rlx.matmul
// CHECK-NEXT:  rlx.narrow {{.*}} axis(2) start(0) length(6)
// CHECK-NEXT:  rlx.narrow {{.*}} axis(2) start(6) length(3)
func.func @batches(%x: tensor<2x4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>) -> (tensor<2x4x6xf32>, tensor<2x4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<2x4x8xf32>, tensor<8x6xf32>) -> tensor<2x4x6xf32>
  %1 = rlx.matmul %x, %w : (tensor<2x4x8xf32>, tensor<8x3xf32>) -> tensor<2x4x3xf32>
  func.return %0, %1 : tensor<2x4x6xf32>, tensor<2x4x3xf32>
}

// CHECK-LABEL: @dynamic_rows
// CHECK:       rlx.concat
// CHECK-NEXT:  rlx.matmul
// CHECK-NEXT:  rlx.narrow
func.func @dynamic_rows(%x: tensor<?x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>) -> (tensor<?x6xf32>, tensor<?x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
  %1 = rlx.matmul %x, %w : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
  func.return %0, %1 : tensor<?x6xf32>, tensor<?x3xf32>
}

// CHECK-LABEL: @half_precision
// CHECK:       rlx.concat
// CHECK-NEXT:  rlx.matmul
// CHECK-NEXT:  rlx.narrow
func.func @half_precision(%x: tensor<4x8xf16>, %v: tensor<8x6xf16>, %w: tensor<8x3xf16>) -> (tensor<4x6xf16>, tensor<4x3xf16>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf16>, tensor<8x3xf16>) -> tensor<4x3xf16>
  func.return %0, %1 : tensor<4x6xf16>, tensor<4x3xf16>
}

// What the second weight is computed from moves up with it.
// CHECK-LABEL: @second_weight_is_computed_late
// CHECK:       %e = rlx.activation exp %w
// CHECK-NEXT:  %n = rlx.activation neg %e
// CHECK-NEXT:  rlx.concat %v, %n
// CHECK-NEXT:  rlx.matmul
func.func @second_weight_is_computed_late(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %e = rlx.activation exp %w : tensor<8x3xf32>
  %n = rlx.activation neg %e : tensor<8x3xf32>
  %1 = rlx.matmul %x, %n : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: @read_by_others_and_as_a_weight
// CHECK:       rlx.concat %v, %w, %y
func.func @read_by_others_and_as_a_weight(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>, %y: tensor<8x8xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %2 = rlx.activation exp %x : tensor<4x8xf32>
  %z = rlx.matmul %x, %y : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  func.return %0, %1, %2, %z : tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// The weight of the second product comes from the first; the third is joined all the same.
// CHECK-LABEL: @independent_third
// CHECK:       %[[W:.*]] = rlx.concat %v, %w
// CHECK-NEXT:  %[[P:.*]] = rlx.matmul %x, %[[W]]
// CHECK-NEXT:  %[[A:.*]] = rlx.narrow
// CHECK-NEXT:  %[[B:.*]] = rlx.narrow
// CHECK-NEXT:  rlx.reduce sum %[[A]]
// CHECK-NEXT:  rlx.binary mul %w
// CHECK-NEXT:  %[[D:.*]] = rlx.matmul %x
// CHECK-NEXT:  func.return %[[A]], %[[B]], %[[D]]
func.func @independent_third(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>, %r: tensor<4x3xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %n = rlx.reduce sum %0 axes [0, 1] keep_dims : tensor<4x6xf32> -> tensor<1x1xf32>
  %q = rlx.binary mul %w, %n : (tensor<8x3xf32>, tensor<1x1xf32>) -> tensor<8x3xf32>
  %2 = rlx.matmul %x, %q : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1, %2 : tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// What must not be joined, one function per guard.

// Nobody would look for it here, so nothing is said.
// MISS: none
// CHECK-LABEL: @alone
// CHECK-NOT:   rlx.concat
func.func @alone(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  func.return %0 : tensor<4x6xf32>
}

// MISS: RLX-F021 too-large
// CHECK-LABEL: @five
// CHECK-NOT:   rlx.concat
func.func @five(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %2 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %3 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %4 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1, %2, %3, %4 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// MISS: RLX-F021 too-large
// CHECK-LABEL: @too_many_elements
// CHECK-NOT:   rlx.concat
func.func @too_many_elements(%x: tensor<4x8xf32>, %w: tensor<8x4194304xf32>, %v: tensor<8x6xf32>) -> (tensor<4x1xf32>, tensor<4x6xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x4194304xf32>) -> tensor<4x4194304xf32>
  %1 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = rlx.narrow %0 axis(1) start(0) length(1) : tensor<4x4194304xf32> -> tensor<4x1xf32>
  func.return %2, %1 : tensor<4x1xf32>, tensor<4x6xf32>
}

// MISS: RLX-F010 depends-on-result
// CHECK-LABEL: @second_depends_on_the_first
// CHECK-NOT:   rlx.concat
func.func @second_depends_on_the_first(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %n = rlx.reduce sum %0 axes [0, 1] keep_dims : tensor<4x6xf32> -> tensor<1x1xf32>
  %q = rlx.binary mul %w, %n : (tensor<8x3xf32>, tensor<1x1xf32>) -> tensor<8x3xf32>
  %1 = rlx.matmul %x, %q : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x3xf32>
}

// MISS: RLX-F008 effects
// CHECK-LABEL: @weight_with_effects
// CHECK-NOT:   rlx.concat
func.func @weight_with_effects(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %w = "acme.next"() : () -> tensor<8x3xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x3xf32>
}

// MISS: RLX-F019 attributes
// CHECK-LABEL: @accumulate_types_differ
// CHECK-NOT:   rlx.concat
func.func @accumulate_types_differ(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v accumulate(f64) : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x3xf32>
}

// MISS: RLX-F007 dtype
// CHECK-LABEL: @double_precision
// CHECK-NOT:   rlx.concat
func.func @double_precision(%x: tensor<4x8xf64>, %v: tensor<8x6xf64>, %w: tensor<8x3xf64>) -> (tensor<4x6xf64>, tensor<4x3xf64>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf64>, tensor<8x6xf64>) -> tensor<4x6xf64>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf64>, tensor<8x3xf64>) -> tensor<4x3xf64>
  func.return %0, %1 : tensor<4x6xf64>, tensor<4x3xf64>
}

// MISS: RLX-F024 rank
// CHECK-LABEL: @weights_of_batches
// CHECK-NOT:   rlx.concat
func.func @weights_of_batches(%x: tensor<2x4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<2x8x3xf32>) -> (tensor<2x4x6xf32>, tensor<2x4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<2x4x8xf32>, tensor<8x6xf32>) -> tensor<2x4x6xf32>
  %1 = rlx.matmul %x, %w : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  func.return %0, %1 : tensor<2x4x6xf32>, tensor<2x4x3xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @columns_are_unknown
// CHECK-NOT:   rlx.concat
func.func @columns_are_unknown(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x?xf32>) -> (tensor<4x6xf32>, tensor<4x?xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x?xf32>) -> tensor<4x?xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x?xf32>
}

// MISS: RLX-F014 dynamic
// CHECK-LABEL: @rows_are_unknown
// CHECK-NOT:   rlx.concat
func.func @rows_are_unknown(%x: tensor<4x8xf32>, %v: tensor<?x6xf32>, %w: tensor<8x3xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<?x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x3xf32>
}

// Products in different blocks are strangers.
// CHECK-LABEL: @one_in_a_region
// CHECK-NOT:   rlx.concat
func.func @one_in_a_region(%c: i1, %x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %t = scf.if %c -> (tensor<4x3xf32>) {
    %1 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    scf.yield %1 : tensor<4x3xf32>
  } else {
    %2 = rlx.narrow %0 axis(1) start(0) length(3) : tensor<4x6xf32> -> tensor<4x3xf32>
    scf.yield %2 : tensor<4x3xf32>
  }
  func.return %0, %t : tensor<4x6xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: @shared_on_the_right
// CHECK-NOT:   rlx.concat
func.func @shared_on_the_right(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %v: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %y, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// MISS: RLX-F009 no-fuse
// CHECK-LABEL: @fenced_off
// CHECK-NOT:   rlx.concat
func.func @fenced_off(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>, %w: tensor<8x3xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>) {
  %0 = rlx.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = rlx.matmul %x, %w {rlx.no_fuse} : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x3xf32>
}
