// RUN: rlx-opt --rlx-raise %s | filecheck %s
// RUN: rlx-opt --rlx-raise --print-pass-pipeline %s | filecheck %s --check-prefix=LIST

// LIST: rlx-share-sizes,rlx-raise-transpose,rlx-canonicalize-broadcasts,rlx-raise-dot-general,rlx-fold-ranges,rlx-raise-grouped-matmul,rlx-raise-softmax,rlx-raise-layer-norm,rlx-raise-rms-norm,rlx-raise-group-norm,rlx-raise-batch-norm,rlx-raise-gelu,rlx-raise-clamp,rlx-raise-activations,rlx-raise-hard-swish,rlx-raise-tanh,rlx-raise-rope,rlx-raise-resize-nearest2x,rlx-raise-attention

// One block as JAX lowers it: product, softmax, product, norm without gain.
// CHECK-LABEL: @attention_and_norm
// CHECK-NEXT:  %0 = rlx.attention %q, %k, %v layout(bshd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5)
// CHECK-DAG:   %[[G:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-DAG:   %[[B:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK:       %[[N:.*]] = rlx.layer_norm %0, %[[G]], %[[B]] epsilon(1.0e-06)
// CHECK-NEXT:  func.return %[[N]]
func.func @attention_and_norm(%q: tensor<1x3x2x4xf32>, %k: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x4xf32>) -> tensor<1x3x2x4xf32> {
  %never = arith.constant dense<0xFF800000> : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %size = arith.constant dense<4.0> : tensor<f32>
  %epsilon = arith.constant dense<1.0e-06> : tensor<f32>
  %0 = rlx.dot_general %q, %k contracting([3] x [3]) batch([0, 2] x [0, 2]) : (tensor<1x3x2x4xf32>, tensor<1x5x2x4xf32>) -> tensor<1x2x3x5xf32>
  %1 = rlx.expand %half : tensor<f32> -> tensor<1x2x3x5xf32>
  %2 = rlx.binary mul %0, %1 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  %3 = rlx.reduce max %2 axes [3] : tensor<1x2x3x5xf32> -> tensor<1x2x3xf32>
  %4 = rlx.expand %never : tensor<f32> -> tensor<1x2x3xf32>
  %5 = rlx.binary max %4, %3 : (tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  %6 = rlx.reshape %5 : tensor<1x2x3xf32> -> tensor<1x2x3x1xf32>
  %7 = rlx.expand %6 : tensor<1x2x3x1xf32> -> tensor<1x2x3x5xf32>
  %8 = rlx.binary sub %2, %7 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  %9 = rlx.activation exp %8 : tensor<1x2x3x5xf32>
  %10 = rlx.reduce sum %9 axes [3] : tensor<1x2x3x5xf32> -> tensor<1x2x3xf32>
  %11 = rlx.reshape %10 : tensor<1x2x3xf32> -> tensor<1x2x3x1xf32>
  %12 = rlx.expand %11 : tensor<1x2x3x1xf32> -> tensor<1x2x3x5xf32>
  %13 = rlx.binary div %9, %12 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  %14 = rlx.dot_general %v, %13 contracting([1] x [3]) batch([0, 2] x [0, 1]) : (tensor<1x5x2x4xf32>, tensor<1x2x3x5xf32>) -> tensor<1x2x4x3xf32>
  %15 = rlx.transpose %14 [0, 3, 1, 2] : tensor<1x2x4x3xf32> -> tensor<1x3x2x4xf32>
  %16 = rlx.reduce sum %15 axes [3] : tensor<1x3x2x4xf32> -> tensor<1x3x2xf32>
  %17 = rlx.reshape %16 : tensor<1x3x2xf32> -> tensor<1x3x2x1xf32>
  %18 = rlx.expand %size : tensor<f32> -> tensor<1x3x2x1xf32>
  %19 = rlx.binary div %17, %18 : (tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>) -> tensor<1x3x2x1xf32>
  %20 = rlx.expand %19 : tensor<1x3x2x1xf32> -> tensor<1x3x2x4xf32>
  %21 = rlx.binary sub %15, %20 : (tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32>
  %22 = rlx.binary mul %21, %21 : (tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32>
  %23 = rlx.reduce sum %22 axes [3] : tensor<1x3x2x4xf32> -> tensor<1x3x2xf32>
  %24 = rlx.reshape %23 : tensor<1x3x2xf32> -> tensor<1x3x2x1xf32>
  %25 = rlx.expand %size : tensor<f32> -> tensor<1x3x2x1xf32>
  %26 = rlx.binary div %24, %25 : (tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>) -> tensor<1x3x2x1xf32>
  %27 = rlx.expand %epsilon : tensor<f32> -> tensor<1x3x2x1xf32>
  %28 = rlx.binary add %26, %27 : (tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>) -> tensor<1x3x2x1xf32>
  %29 = rlx.activation rsqrt %28 : tensor<1x3x2x1xf32>
  %30 = rlx.expand %29 : tensor<1x3x2x1xf32> -> tensor<1x3x2x4xf32>
  %31 = rlx.binary mul %21, %30 : (tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32>
  func.return %31 : tensor<1x3x2x4xf32>
}
