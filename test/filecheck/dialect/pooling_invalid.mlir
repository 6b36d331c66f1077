// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{rlx.pool: input must have rank 3 to 5, got tensor<2x3xf32>}}
  %0 = rlx.pool max %x kernel [] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @kernel_count(%x: tensor<2x3x5xf32>) {
  // expected-error @below {{rlx.pool: kernel must have an entry for each of the 1 spatial dims, got [2, 2]}}
  %0 = rlx.pool max %x kernel [2, 2] : tensor<2x3x5xf32> -> tensor<2x3x4xf32>
  func.return
}

// -----

func.func @kernel(%x: tensor<2x3x5xf32>) {
  // expected-error @below {{rlx.pool: the kernel must have known sizes of 1 or more, got [0]}}
  %0 = rlx.pool max %x kernel [0] : tensor<2x3x5xf32> -> tensor<2x3x6xf32>
  func.return
}

// -----

func.func @stride(%x: tensor<2x3x5xf32>) {
  // expected-error @below {{rlx.pool: stride must be positive, got [0]}}
  %0 = rlx.pool max %x kernel [1] stride [0] : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @kind(%x: tensor<2x3x5xf32>) {
  %0 = rlx.pool sum %x kernel [1] : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  // expected-error @below {{expected one of max, avg, got "sum"}}
  func.return
}

// -----

func.func @integer_mean(%x: tensor<2x3x5xi32>) {
  // expected-error @below {{rlx.pool: input must have a float element type, got tensor<2x3x5xi32>}}
  %0 = rlx.pool avg %x kernel [1] : tensor<2x3x5xi32> -> tensor<2x3x5xi32>
  func.return
}

// -----

func.func @truth(%x: tensor<2x3x5xi1>) {
  // expected-error @below {{rlx.pool: input must be numbers with an order, got tensor<2x3x5xi1>}}
  %0 = rlx.pool max %x kernel [1] : tensor<2x3x5xi1> -> tensor<2x3x5xi1>
  func.return
}

// -----

func.func @max_with_pads(%x: tensor<2x3x5xf32>) {
  // expected-error @below {{rlx.pool: count_include_pad is for avg: max does not see pads}}
  %0 = rlx.pool max %x kernel [1] count_include_pad : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @ceil(%x: tensor<2x3x5xf32>) {
  // expected-error @below {{rlx.pool: result #0 must be tensor<2x3x3xf32>, got tensor<2x3x2xf32>}}
  %0 = rlx.pool max %x kernel [2] stride [2] ceil : tensor<2x3x5xf32> -> tensor<2x3x2xf32>
  func.return
}

// -----

func.func @gradient(%x: tensor<2x3x5xf32>, %g: tensor<2x3x5xf32>) {
  // expected-error @below {{rlx.max_pool_backward: dim 2 of the pooled input tensor<2x3x4xf32> and gradient tensor<2x3x5xf32> must be equal, got 4 and 5}}
  %0 = rlx.max_pool_backward %x, %g kernel [2] : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @gradient_element(%x: tensor<2x3x5xf32>, %g: tensor<2x3x4xf16>) {
  // expected-error @below {{rlx.max_pool_backward: gradient must have element type f32, got f16}}
  %0 = rlx.max_pool_backward %x, %g kernel [2] : (tensor<2x3x5xf32>, tensor<2x3x4xf16>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @integer_gradient(%x: tensor<2x3x5xi8>, %g: tensor<2x3x4xi8>) {
  // expected-error @below {{rlx.max_pool_backward: input must have a float element type, got tensor<2x3x5xi8>}}
  %0 = rlx.max_pool_backward %x, %g kernel [2] : (tensor<2x3x5xi8>, tensor<2x3x4xi8>) -> tensor<2x3x5xi8>
  func.return
}

// -----

func.func @columns(%x: tensor<2x3x5xf32>) {
  // expected-error @below {{rlx.im2col: result #0 must be tensor<2x6x4xf32>, got tensor<2x3x4xf32>}}
  %0 = rlx.im2col %x kernel [2] : tensor<2x3x5xf32> -> tensor<2x3x4xf32>
  func.return
}
