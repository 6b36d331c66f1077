// RUN: rlx-opt --convert-rlx-to-mlx %s | rlx-opt | filecheck %s

// One call where MLX rounds once by itself.
// CHECK-LABEL: @one_call
// CHECK-NEXT:  %0 = mlx.call "mx.tanh"(%x) : (tensor<4xf16>) -> tensor<4xf16>
// CHECK-NEXT:  func.return %0 : tensor<4xf16>
func.func @one_call(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = rlx.activation tanh %x : tensor<4xf16>
  func.return %0 : tensor<4xf16>
}

// Several steps: half precision is widened, so that only the result is rounded.
// CHECK-LABEL: @widened
// CHECK-NEXT:  %0 = mlx.call "mx.astype"(%x) with {dtype = f32} : (tensor<4xf16>) -> tensor<4xf32>
// CHECK-NEXT:  %1 = mlx.call "lib.gelu"(%0) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:  %2 = mlx.call "mx.astype"(%1) with {dtype = f16} : (tensor<4xf32>) -> tensor<4xf16>
// CHECK-NEXT:  func.return %2 : tensor<4xf16>
func.func @widened(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = rlx.activation gelu %x : tensor<4xf16>
  func.return %0 : tensor<4xf16>
}

// CHECK-LABEL: @f32_as_it_is
// CHECK-NEXT:  %0 = mlx.call "lib.gelu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:  func.return %0 : tensor<4xf32>
func.func @f32_as_it_is(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation gelu %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// MLX computes this in single precision, whatever the type.
// CHECK-LABEL: @f64_written_out
// CHECK-NEXT:  %0 = mlx.call "lib.exp"(%x) : (tensor<4xf64>) -> tensor<4xf64>
// CHECK-NEXT:  func.return %0 : tensor<4xf64>
func.func @f64_written_out(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = rlx.activation exp %x : tensor<4xf64>
  func.return %0 : tensor<4xf64>
}

// CHECK-LABEL: @division
// CHECK-NEXT:  %0 = mlx.call "mx.divide"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:  %1 = mlx.call "lib.integer_divide"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:  func.return %0, %1 : tensor<4xf32>, tensor<4xi32>
func.func @division(%f: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = rlx.binary div %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = rlx.binary div %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return %0, %1 : tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: @truth_values
// CHECK-NEXT:  %0 = mlx.call "mx.bitwise_xor"(%a, %b) : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
// CHECK-NEXT:  %1 = mlx.call "mx.logical_not"(%0) : (tensor<4xi1>) -> tensor<4xi1>
// CHECK-NEXT:  func.return %0, %1 : tensor<4xi1>, tensor<4xi1>
func.func @truth_values(%a: tensor<4xi1>, %b: tensor<1xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = rlx.binary sub %a, %b : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
  %1 = rlx.logical_not %0 : tensor<4xi1>
  func.return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @choice
// CHECK-NEXT:  %0 = mlx.call "mx.less"(%x, %y) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT:  %1 = mlx.call "mx.where"(%0, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:  %2 = mlx.call "lib.to_integer"(%1) with {dtype = i8} : (tensor<4xf32>) -> tensor<4xi8>
// CHECK-NEXT:  func.return %2 : tensor<4xi8>
func.func @choice(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xi8> {
  %0 = rlx.compare lt %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %1 = rlx.where %0, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = rlx.cast %1 : tensor<4xf32> -> tensor<4xi8>
  func.return %2 : tensor<4xi8>
}
