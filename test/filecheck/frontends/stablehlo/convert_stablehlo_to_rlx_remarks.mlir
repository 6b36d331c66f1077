// RUN: rlx-opt --convert-stablehlo-to-rlx --split-input-file --verify-diagnostics %s

func.func @function(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{chlo.bessel_i1e stays: it is a function that RLX has no kind for}}
  %0 = chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @bits(%x: tensor<4xf32>) -> tensor<4xi32> {
  // expected-remark @below {{stablehlo.bitcast_convert stays: it reads the bits of f32 as i32}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
  func.return %0 : tensor<4xi32>
}

// -----

func.func @order(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{stablehlo.sort stays: it orders its elements in another way than rlx.sort}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{stablehlo.sort stays: it has a body with stablehlo.negate, which is neither a comparison nor a choice}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %n = stablehlo.negate %a : tensor<f32>
    %1 = stablehlo.compare LT, %n, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @types(%x: tensor<4xui64>) -> tensor<4xui64> {
  // expected-remark @below {{stablehlo.add stays: it has a value whose element type ui64 is none of}}
  %0 = stablehlo.add %x, %x : tensor<4xui64>
  func.return %0 : tensor<4xui64>
}

// -----

func.func @devices(%x: tensor<4xf32>) -> tensor<ui32> {
  // expected-remark @below {{stablehlo.partition_id stays: it is run by several devices together}}
  %0 = stablehlo.partition_id : tensor<ui32>
  func.return %0 : tensor<ui32>
}

// -----

func.func @greater(%x: tensor<1x2x2x1xf32>, %g: tensor<1x1x1x1xf32>) -> tensor<1x2x2x1xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-remark @below {{stablehlo.select_and_scatter stays: it selects another element than the first greatest of a window}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1x2x2x1xf32>, tensor<1x1x1x1xf32>, tensor<f32>) -> tensor<1x2x2x1xf32>
  func.return %0 : tensor<1x2x2x1xf32>
}
