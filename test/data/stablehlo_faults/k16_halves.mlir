"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<4x128xf16>, tensor<4x128xf16>, tensor<128xf16>, tensor<128xf16>) -> tensor<4x128xf16>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4x128xf16>, %arg1: tensor<4x128xf16>, %arg2: tensor<128xf16>, %arg3: tensor<128xf16>):
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<4x128xf16>, tensor<4x128xf16>) -> tensor<4x128xf16>
    %1 = "stablehlo.convert"(%0) : (tensor<4x128xf16>) -> tensor<4x128xf32>
    %2 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.reduce"(%1, %2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %33 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%33) : (tensor<f32>) -> ()
    }) : (tensor<4x128xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %5 = "stablehlo.constant"() <{value = dense<1.280000e+02> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1xf32>
    %7 = "stablehlo.divide"(%4, %6) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %8 = "stablehlo.convert"(%7) : (tensor<4x1xf32>) -> tensor<4x1xf16>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf16>) -> tensor<4x128xf16>
    %10 = "stablehlo.subtract"(%0, %9) : (tensor<4x128xf16>, tensor<4x128xf16>) -> tensor<4x128xf16>
    %11 = "stablehlo.multiply"(%10, %10) : (tensor<4x128xf16>, tensor<4x128xf16>) -> tensor<4x128xf16>
    %12 = "stablehlo.convert"(%11) : (tensor<4x128xf16>) -> tensor<4x128xf32>
    %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "stablehlo.reduce"(%12, %13) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %32 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%32) : (tensor<f32>) -> ()
    }) : (tensor<4x128xf32>, tensor<f32>) -> tensor<4xf32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %16 = "stablehlo.constant"() <{value = dense<1.280000e+02> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1xf32>
    %18 = "stablehlo.divide"(%15, %17) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %19 = "stablehlo.convert"(%18) : (tensor<4x1xf32>) -> tensor<4x1xf16>
    %20 = "stablehlo.constant"() <{value = dense<1.001360e-05> : tensor<f16>}> : () -> tensor<f16>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<f16>) -> tensor<4x1xf16>
    %22 = "stablehlo.add"(%19, %21) : (tensor<4x1xf16>, tensor<4x1xf16>) -> tensor<4x1xf16>
    %23 = "stablehlo.sqrt"(%22) : (tensor<4x1xf16>) -> tensor<4x1xf16>
    %24 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf16>) -> tensor<4x128xf16>
    %25 = "stablehlo.divide"(%10, %24) : (tensor<4x128xf16>, tensor<4x128xf16>) -> tensor<4x128xf16>
    %26 = "stablehlo.broadcast_in_dim"(%arg2) <{broadcast_dimensions = array<i64: 1>}> : (tensor<128xf16>) -> tensor<1x128xf16>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x128xf16>) -> tensor<4x128xf16>
    %28 = "stablehlo.multiply"(%25, %27) : (tensor<4x128xf16>, tensor<4x128xf16>) -> tensor<4x128xf16>
    %29 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64: 1>}> : (tensor<128xf16>) -> tensor<1x128xf16>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x128xf16>) -> tensor<4x128xf16>
    %31 = "stablehlo.add"(%28, %30) : (tensor<4x128xf16>, tensor<4x128xf16>) -> tensor<4x128xf16>
    "func.return"(%31) : (tensor<4x128xf16>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
