// RUN: rlx-opt %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | rlx-opt | filecheck %s
// RUN: rlx-opt --print-op-generic %s | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @uniform
// CHECK:       %0 = rlx.rng_uniform %key low(0.0) high(1.0) : tensor<2xui32> -> tensor<2x3xf32>
// CHECK-NEXT:  %1 = rlx.rng_uniform %key low(-0.5) high(0.5) sizes(%n) : tensor<2xui32> -> tensor<?x3xf64>
// GENERIC:     "rlx.rng_uniform"(%key) <{low = 0.000000e+00 : f64, high = 1.000000e+00 : f64}> : (tensor<2xui32>) -> tensor<2x3xf32>
func.func @uniform(%key: tensor<2xui32>, %n: index) -> tensor<?x3xf64> {
  %0 = rlx.rng_uniform %key low(0.0) high(1.0) : tensor<2xui32> -> tensor<2x3xf32>
  %1 = rlx.rng_uniform %key low(-0.5) high(0.5) sizes(%n) : tensor<2xui32> -> tensor<?x3xf64>
  func.return %1 : tensor<?x3xf64>
}

// CHECK-LABEL: @uniform_halves
// CHECK:       %0 = rlx.rng_uniform %key low(-1.0) high(1.0) : tensor<2xui32> -> tensor<5xf16>
// CHECK-NEXT:  %1 = rlx.rng_uniform %key low(-1.0) high(1.0) : tensor<2xui32> -> tensor<5xbf16>
func.func @uniform_halves(%key: tensor<2xui32>) -> tensor<5xbf16> {
  %0 = rlx.rng_uniform %key low(-1.0) high(1.0) : tensor<2xui32> -> tensor<5xf16>
  %1 = rlx.rng_uniform %key low(-1.0) high(1.0) : tensor<2xui32> -> tensor<5xbf16>
  func.return %1 : tensor<5xbf16>
}

// CHECK-LABEL: @uniform_doubles
// CHECK:       %0 = rlx.rng_uniform %key low(2.0) high(3.0) : tensor<2xui32> -> tensor<4x5xf64>
func.func @uniform_doubles(%key: tensor<2xui32>) -> tensor<4x5xf64> {
  %0 = rlx.rng_uniform %key low(2.0) high(3.0) : tensor<2xui32> -> tensor<4x5xf64>
  func.return %0 : tensor<4x5xf64>
}

// CHECK-LABEL: @normal
// CHECK:       %0 = rlx.rng_normal %key mean(0.0) deviation(1.0) : tensor<2xui32> -> tensor<2x3xf32>
// CHECK-NEXT:  %1 = rlx.rng_normal %key mean(1.0) deviation(0.5) sizes(%n) : tensor<2xui32> -> tensor<?xbf16>
func.func @normal(%key: tensor<2xui32>, %n: index) -> tensor<?xbf16> {
  %0 = rlx.rng_normal %key mean(0.0) deviation(1.0) : tensor<2xui32> -> tensor<2x3xf32>
  %1 = rlx.rng_normal %key mean(1.0) deviation(0.5) sizes(%n) : tensor<2xui32> -> tensor<?xbf16>
  func.return %1 : tensor<?xbf16>
}

// CHECK-LABEL: @normal_scalar
// CHECK:       %0 = rlx.rng_normal %key mean(-3.0) deviation(0.02) : tensor<2xui32> -> tensor<f64>
func.func @normal_scalar(%key: tensor<2xui32>) -> tensor<f64> {
  %0 = rlx.rng_normal %key mean(-3.0) deviation(0.02) : tensor<2xui32> -> tensor<f64>
  func.return %0 : tensor<f64>
}

// CHECK-LABEL: @sample
// CHECK:       %0 = rlx.sample %logits, %key top_k(40) top_p(0.9) temperature(0.7) : (tensor<4x100xf32>, tensor<2xui32>) -> tensor<4xi64>
func.func @sample(%logits: tensor<4x100xf32>, %key: tensor<2xui32>) -> tensor<4xi64> {
  %0 = rlx.sample %logits, %key top_k(40) top_p(0.9) temperature(0.7) : (tensor<4x100xf32>, tensor<2xui32>) -> tensor<4xi64>
  func.return %0 : tensor<4xi64>
}

// CHECK-LABEL: @sample_from_unknown_many
// CHECK:       %0 = rlx.sample %logits, %key top_k(0) top_p(1.0) temperature(0.0) : (tensor<?x?xbf16>, tensor<2xui32>) -> tensor<?xi32>
func.func @sample_from_unknown_many(%logits: tensor<?x?xbf16>, %key: tensor<2xui32>) -> tensor<?xi32> {
  %0 = rlx.sample %logits, %key top_k(0) top_p(1.0) temperature(0.0) : (tensor<?x?xbf16>, tensor<2xui32>) -> tensor<?xi32>
  func.return %0 : tensor<?xi32>
}
