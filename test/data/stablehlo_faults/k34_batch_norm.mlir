"builtin.module"() <{sym_name = "jit_bn"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}], function_type = (tensor<1x3x6x6xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<1x5x6x6xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<1x3x6x6xf32>, %arg2: tensor<5x3x3x3xf32>, %arg3: tensor<5xf32>, %arg4: tensor<5xf32>, %arg5: tensor<5xf32>, %arg6: tensor<5xf32>):
    %3 = "stablehlo.convolution"(%arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<1x3x6x6xf32>, tensor<5x3x3x3xf32>) -> tensor<1x5x6x6xf32>
    %4 = "stablehlo.broadcast_in_dim"(%arg5) <{broadcast_dimensions = array<i64: 0>}> : (tensor<5xf32>) -> tensor<5x1x1xf32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64: 1, 2, 3>}> : (tensor<5x1x1xf32>) -> tensor<1x5x1x1xf32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x5x1x1xf32>) -> tensor<1x5x6x6xf32>
    %7 = "stablehlo.subtract"(%3, %6) : (tensor<1x5x6x6xf32>, tensor<1x5x6x6xf32>) -> tensor<1x5x6x6xf32>
    %8 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5xf32>
    %10 = "stablehlo.add"(%arg6, %9) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %11 = "stablehlo.rsqrt"(%10) : (tensor<5xf32>) -> tensor<5xf32>
    %12 = "stablehlo.multiply"(%11, %arg3) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 0>}> : (tensor<5xf32>) -> tensor<5x1x1xf32>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 1, 2, 3>}> : (tensor<5x1x1xf32>) -> tensor<1x5x1x1xf32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x5x1x1xf32>) -> tensor<1x5x6x6xf32>
    %16 = "stablehlo.multiply"(%7, %15) : (tensor<1x5x6x6xf32>, tensor<1x5x6x6xf32>) -> tensor<1x5x6x6xf32>
    %17 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64: 0>}> : (tensor<5xf32>) -> tensor<5x1x1xf32>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64: 1, 2, 3>}> : (tensor<5x1x1xf32>) -> tensor<1x5x1x1xf32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x5x1x1xf32>) -> tensor<1x5x6x6xf32>
    %20 = "stablehlo.add"(%16, %19) : (tensor<1x5x6x6xf32>, tensor<1x5x6x6xf32>) -> tensor<1x5x6x6xf32>
    %21 = "func.call"(%20) <{callee = @relu}> : (tensor<1x5x6x6xf32>) -> tensor<1x5x6x6xf32>
    "func.return"(%21) : (tensor<1x5x6x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<1x5x6x6xf32>) -> tensor<1x5x6x6xf32>, res_attrs = [{}], sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<1x5x6x6xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x5x6x6xf32>
    %2 = "stablehlo.maximum"(%arg0, %1) : (tensor<1x5x6x6xf32>, tensor<1x5x6x6xf32>) -> tensor<1x5x6x6xf32>
    "func.return"(%2) : (tensor<1x5x6x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
