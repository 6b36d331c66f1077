// RUN: rlx-opt %s | rlx-opt --mlir-print-op-generic | filecheck %s

// What is printed in the form that JAX prints reads back as the same ops and attributes.

// CHECK: "func.func"() <{sym_name = "elementwise"
"builtin.module"() ({
  "func.func"() <{sym_name = "elementwise", function_type = (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>, tensor<4xcomplex<f32>>) -> ()}> ({
  ^bb0(%x: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>, %c: tensor<4xcomplex<f32>>):
    // CHECK: "stablehlo.exponential"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %0 = "stablehlo.exponential"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xbf16>
    %1 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xbf16>
    // CHECK: "stablehlo.abs"(%c) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %2 = "stablehlo.abs"(%c) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    // CHECK: "stablehlo.shift_right_logical"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %3 = "stablehlo.shift_right_logical"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    // CHECK: "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %4 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    // CHECK: "stablehlo.select"(%p, %x, %x) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.select"(%p, %x, %x) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // CHECK: "stablehlo.clamp"(%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %6 = "stablehlo.clamp"(%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // CHECK: "chlo.erfc"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %7 = "chlo.erfc"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: "chlo.top_k"(%x) <{k = 2 : i64}> : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    %8, %9 = "chlo.top_k"(%x) <{k = 2 : i64}> : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    // CHECK: "stablehlo.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
    %10 = "stablehlo.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
    // CHECK: "stablehlo.bitcast_convert"(%x) : (tensor<4xf32>) -> tensor<4xi32>
    %11 = "stablehlo.bitcast_convert"(%x) : (tensor<4xf32>) -> tensor<4xi32>
    // CHECK: "stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
    %12 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) : () -> ()

  // CHECK: sym_name = "movement"
  "func.func"() <{sym_name = "movement", function_type = (tensor<4x8xf32>, tensor<2x1xi32>, tensor<f32>, tensor<i32>) -> ()}> ({
  ^bb0(%x: tensor<4x8xf32>, %i: tensor<2x1xi32>, %z: tensor<f32>, %s: tensor<i32>):
    // CHECK: "stablehlo.constant"() <{value = dense<0x{{ff|FF}}800000> : tensor<f32>}> : () -> tensor<f32>
    %0 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    // CHECK: "stablehlo.broadcast_in_dim"(%z) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3xf32>
    %1 = "stablehlo.broadcast_in_dim"(%z) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3xf32>
    // CHECK: "stablehlo.slice"(%x) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: 4, 8>, strides = array<i64: 2, 1>}> : (tensor<4x8xf32>) -> tensor<2x8xf32>
    %2 = "stablehlo.slice"(%x) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: 4, 8>, strides = array<i64: 2, 1>}> : (tensor<4x8xf32>) -> tensor<2x8xf32>
    // CHECK: "stablehlo.pad"(%x, %z) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, -1>, interior_padding = array<i64: 0, 1>}> : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x14xf32>
    %3 = "stablehlo.pad"(%x, %z) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, -1>, interior_padding = array<i64: 0, 1>}> : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x14xf32>
    // CHECK: "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = false}> : (tensor<4x8xf32>, tensor<2x1xi32>) -> tensor<2x8xf32>
    %4 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = false}> : (tensor<4x8xf32>, tensor<2x1xi32>) -> tensor<2x8xf32>
    // CHECK: "stablehlo.dynamic_slice"(%x, %s, %s) <{slice_sizes = array<i64: 2, 2>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %5 = "stablehlo.dynamic_slice"(%x, %s, %s) <{slice_sizes = array<i64: 2, 2>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    // CHECK: #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
    %6 = "stablehlo.scatter"(%x, %i, %4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb1(%a: tensor<f32>, %b: tensor<f32>):
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
    "func.return"() : () -> ()
  }) : () -> ()

  // CHECK: sym_name = "contraction"
  "func.func"() <{sym_name = "contraction", function_type = (tensor<2x4x8xf32>, tensor<2x8x3xf32>, tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>) -> ()}> ({
  ^bb0(%x: tensor<2x4x8xf32>, %w: tensor<2x8x3xf32>, %p: tensor<1x3x9x9xf32>, %k: tensor<4x3x3x3xf32>):
    // CHECK: #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]
    %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
    // CHECK: #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f]>
    %1 = "stablehlo.convolution"(%p, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, window_strides = array<i64: 1, 1>}> : (tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x9x9x4xf32>
    // CHECK: "stablehlo.fft"(%x) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<2x4x8xf32>) -> tensor<2x4x5xcomplex<f32>>
    %2 = "stablehlo.fft"(%x) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<2x4x8xf32>) -> tensor<2x4x5xcomplex<f32>>
    "func.return"() : () -> ()
  }) : () -> ()

  // CHECK: sym_name = "control"
  "func.func"() <{sym_name = "control", function_type = (tensor<i32>, tensor<4xf32>) -> ()}> ({
  ^bb0(%i: tensor<i32>, %x: tensor<4xf32>):
    // CHECK: "stablehlo.case"(%i) ({
    %0 = "stablehlo.case"(%i) ({
      "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
    }, {
      "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
    }) : (tensor<i32>) -> tensor<4xf32>
    // CHECK: "stablehlo.while"(%i, %x) ({
    // CHECK-NEXT: ^{{.*}}(%{{.*}}: tensor<i32>, %{{.*}}: tensor<4xf32>):
    %2, %3 = "stablehlo.while"(%i, %x) ({
    ^bb1(%a: tensor<i32>, %b: tensor<4xf32>):
      %c = "stablehlo.compare"(%a, %i) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }, {
    ^bb2(%a: tensor<i32>, %b: tensor<4xf32>):
      "stablehlo.return"(%a, %b) : (tensor<i32>, tensor<4xf32>) -> ()
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    // CHECK: "stablehlo.optimization_barrier"(%i, %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    %4, %5 = "stablehlo.optimization_barrier"(%i, %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    // CHECK: "stablehlo.custom_call"(%x) <{call_target_name = "there", api_version = 1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
    %6 = "stablehlo.custom_call"(%x) <{call_target_name = "there", api_version = 1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: "stablehlo.composite"(%x) <{name = "my.op", version = 0 : i32, composite_attributes = {k = 1.000000e+00 : f64}, decomposition = @d}> : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.composite"(%x) <{composite_attributes = {k = 1.0 : f64}, decomposition = @d, name = "my.op", version = 0 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{sym_name = "d", function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_visibility = "private"}> ({
  ^bb0(%x: tensor<4xf32>):
    "func.return"(%x) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
