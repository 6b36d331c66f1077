// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @group_norm
// CHECK:       %0 = rlx.group_norm %x, %g, %g num_groups(3) epsilon(1.0e-05) : (tensor<?x6x5x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6x5x4xf32>
// CHECK-NEXT:  %1 = rlx.group_norm %h, %k, %k num_groups(2) epsilon(0.001) accumulate(f64) : (tensor<?x6x?xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<?x6x?xf16>
// CHECK-NEXT:  %2 = rlx.group_norm %1, %k, %k num_groups(1) epsilon(0.001) : (tensor<?x6x?xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<?x6x?xf16>
// GENERIC:     "rlx.group_norm"(%x, %g, %g) <{num_groups = 3 : i64, epsilon = 1.000000e-05 : f64}>
func.func @group_norm(%x: tensor<?x6x5x4xf32>, %g: tensor<6xf32>, %h: tensor<?x6x?xf16>, %k: tensor<6xf16>) -> tensor<?x6x5x4xf32> {
  %0 = rlx.group_norm %x, %g, %g num_groups(3) epsilon(1.0e-5) : (tensor<?x6x5x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6x5x4xf32>
  %1 = rlx.group_norm %h, %k, %k num_groups(2) epsilon(1.0e-3) accumulate(f64) : (tensor<?x6x?xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<?x6x?xf16>
  %2 = rlx.group_norm %1, %k, %k num_groups(1) epsilon(1.0e-3) : (tensor<?x6x?xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<?x6x?xf16>
  func.return %0 : tensor<?x6x5x4xf32>
}

// CHECK-LABEL: @layer_norm2d
// CHECK:       %0 = rlx.layer_norm2d %x, %g, %g epsilon(1.0e-05) : (tensor<2x?x5x4xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x?x5x4xf32>
// CHECK-NEXT:  %1 = rlx.layer_norm2d %0, %g, %g epsilon(1.0e-05) accumulate(f64) : (tensor<2x?x5x4xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x?x5x4xf32>
// GENERIC:     "rlx.layer_norm2d"(%x, %g, %g) <{epsilon = 1.000000e-05 : f64}>
func.func @layer_norm2d(%x: tensor<2x?x5x4xf32>, %g: tensor<?xf32>) -> tensor<2x?x5x4xf32> {
  %0 = rlx.layer_norm2d %x, %g, %g epsilon(1.0e-5) : (tensor<2x?x5x4xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x?x5x4xf32>
  %1 = rlx.layer_norm2d %0, %g, %g epsilon(1.0e-5) accumulate(f64) : (tensor<2x?x5x4xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x?x5x4xf32>
  func.return %1 : tensor<2x?x5x4xf32>
}

// The default axis has no word of its own in the text.
// CHECK-LABEL: @batch_norm_inference
// CHECK:       %0 = rlx.batch_norm_inference %x, %g, %g, %g, %g epsilon(1.0e-05) : (tensor<2x5x?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x5x?x?xf32>
// CHECK-NEXT:  %1 = rlx.batch_norm_inference %x, %h, %h, %h, %h epsilon(1.0e-05) axis(1) : (tensor<2x5x?x?xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x5x?x?xf32>
// GENERIC:     "rlx.batch_norm_inference"(%x, %g, %g, %g, %g) <{epsilon = 1.000000e-05 : f64, axis = -1 : i64}>
func.func @batch_norm_inference(%x: tensor<2x5x?x?xf32>, %g: tensor<?xf32>, %h: tensor<5xf32>) -> tensor<2x5x?x?xf32> {
  %0 = rlx.batch_norm_inference %x, %g, %g, %g, %g epsilon(1.0e-5) : (tensor<2x5x?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x5x?x?xf32>
  %1 = rlx.batch_norm_inference %x, %h, %h, %h, %h epsilon(1.0e-5) axis(1) : (tensor<2x5x?x?xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x5x?x?xf32>
  func.return %1 : tensor<2x5x?x?xf32>
}
