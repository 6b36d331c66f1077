// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @bias_rank(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<1x16xf32>) {
  // expected-error @below {{rlx.fused_matmul_bias_act: bias must have rank 1, got tensor<1x16xf32>}}
  %0 = rlx.fused_matmul_bias_act %a, %b, %c : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<1x16xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @bias_size(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4xf32>) {
  // expected-error @below {{rlx.fused_matmul_bias_act: the size of bias tensor<4xf32> and the last dim of the product tensor<4x16xf32> must be equal, got 4 and 16}}
  %0 = rlx.fused_matmul_bias_act %a, %b, %c : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @residual_broadcasts(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<1x16xf32>) {
  // expected-error @below {{rlx.fused_matmul_residual: dim 0 of the product tensor<4x16xf32> and residual tensor<1x16xf32> must be equal, got 4 and 1}}
  %0 = rlx.fused_matmul_residual %a, %b, %c : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<1x16xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @residual_rank(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16xf32>) {
  // expected-error @below {{rlx.fused_matmul_residual: residual must have rank 2, got tensor<16xf32>}}
  %0 = rlx.fused_matmul_residual %a, %b, %c : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @residual_element(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf16>) {
  // expected-error @below {{rlx.fused_matmul_residual: residual must have element type f32, got f16}}
  %0 = rlx.fused_matmul_residual %a, %b, %c : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf16>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @odd_halves(%a: tensor<4x9xf32>) {
  // expected-error @below {{rlx.fused_swiglu: the last dim of input must be known and even, got tensor<4x9xf32>}}
  %0 = rlx.fused_swiglu %a : tensor<4x9xf32> -> tensor<4x4xf32>
  func.return
}

// -----

func.func @unknown_halves(%a: tensor<4x?xf32>) {
  // expected-error @below {{rlx.fused_swiglu: the last dim of input must be known and even, got tensor<4x?xf32>}}
  %0 = rlx.fused_swiglu %a : tensor<4x?xf32> -> tensor<4x?xf32>
  func.return
}

// -----

func.func @swiglu_of_nothing(%a: tensor<f32>) {
  // expected-error @below {{rlx.fused_swiglu: the last dim of input must be known and even, got tensor<f32>}}
  %0 = rlx.fused_swiglu %a : tensor<f32> -> tensor<f32>
  func.return
}

// -----

func.func @swiglu_of_integers(%a: tensor<4x8xi32>) {
  // expected-error @below {{rlx.fused_swiglu: input must have a float element type, got tensor<4x8xi32>}}
  %0 = rlx.fused_swiglu %a : tensor<4x8xi32> -> tensor<4x4xi32>
  func.return
}

// -----

func.func @swiglu_to_integers(%a: tensor<4x8xf32>) {
  // expected-error @below {{rlx.fused_swiglu: cast_to must be a float type, got i32}}
  %0 = rlx.fused_swiglu %a cast_to(i32) : tensor<4x8xf32> -> tensor<4x4xi32>
  func.return
}

// -----

func.func @swiglu_result(%a: tensor<4x8xf32>) {
  // expected-error @below {{rlx.fused_swiglu: result #0 must be tensor<4x4xf16>, got tensor<4x4xf32>}}
  %0 = rlx.fused_swiglu %a cast_to(f16) : tensor<4x8xf32> -> tensor<4x4xf32>
  func.return
}

// -----

func.func @lora_width(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<8x2xf32>, %d: tensor<3x16xf32>) {
  // expected-error @below {{rlx.lora_matmul: the last dim of input @ down and the last but one of up must be equal, got 2 and 3 in tensor<4x2xf32> and tensor<3x16xf32>}}
  %0 = rlx.lora_matmul %a, %b, %c, %d scale(1.0) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<8x2xf32>, tensor<3x16xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @lora_columns(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<8x2xf32>, %d: tensor<2x8xf32>) {
  // expected-error @below {{rlx.lora_matmul: dim 1 of the product tensor<4x16xf32> and the update tensor<4x8xf32> must be equal, got 16 and 8}}
  %0 = rlx.lora_matmul %a, %b, %c, %d scale(1.0) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<8x2xf32>, tensor<2x8xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @lora_rank(%a: tensor<4x8xf32>, %b: tensor<1x8x16xf32>, %c: tensor<8x2xf32>, %d: tensor<2x16xf32>) {
  // expected-error @below {{rlx.lora_matmul: weight must have rank 2, got tensor<1x8x16xf32>}}
  %0 = rlx.lora_matmul %a, %b, %c, %d scale(1.0) : (tensor<4x8xf32>, tensor<1x8x16xf32>, tensor<8x2xf32>, tensor<2x16xf32>) -> tensor<1x4x16xf32>
  func.return
}

// -----

func.func @lora_of_integers(%a: tensor<4x8xi32>, %b: tensor<8x16xi32>, %c: tensor<8x2xi32>, %d: tensor<2x16xi32>) {
  // expected-error @below {{rlx.lora_matmul: input must have a float element type, got tensor<4x8xi32>}}
  %0 = rlx.lora_matmul %a, %b, %c, %d scale(1.0) : (tensor<4x8xi32>, tensor<8x16xi32>, tensor<8x2xi32>, tensor<2x16xi32>) -> tensor<4x16xi32>
  func.return
}

// -----

func.func @float_indices(%a: tensor<4x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<4xf32>) {
  // expected-error @below {{rlx.grouped_matmul: indices must be integers, got tensor<4xf32>}}
  %0 = rlx.grouped_matmul %a, %b, %c : (tensor<4x8xf32>, tensor<3x8x5xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @truth_indices(%a: tensor<4x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<4xi1>) {
  // expected-error @below {{rlx.grouped_matmul: indices must be integers, got tensor<4xi1>}}
  %0 = rlx.grouped_matmul %a, %b, %c : (tensor<4x8xf32>, tensor<3x8x5xf32>, tensor<4xi1>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @index_count(%a: tensor<4x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<5xi32>) {
  // expected-error @below {{rlx.grouped_matmul: dim 0 of the rows of input tensor<4xf32> and indices tensor<5xi32> must be equal, got 4 and 5}}
  %0 = rlx.grouped_matmul %a, %b, %c : (tensor<4x8xf32>, tensor<3x8x5xf32>, tensor<5xi32>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @grouped_inner(%a: tensor<4x8xf32>, %b: tensor<3x7x5xf32>, %c: tensor<4xi32>) {
  // expected-error @below {{rlx.grouped_matmul: the last dim of input tensor<4x8xf32> and dim 1 of weights tensor<3x7x5xf32> must be equal, got 8 and 7}}
  %0 = rlx.grouped_matmul %a, %b, %c : (tensor<4x8xf32>, tensor<3x7x5xf32>, tensor<4xi32>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @one_matrix(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4xi32>) {
  // expected-error @below {{rlx.grouped_matmul: weights must have rank 3, got tensor<8x5xf32>}}
  %0 = rlx.grouped_matmul %a, %b, %c : (tensor<4x8xf32>, tensor<8x5xf32>, tensor<4xi32>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @bias_act_inner(%x: tensor<4x8xf32>, %w: tensor<7x6xf32>, %b: tensor<6xf32>) {
  // expected-error @below {{rlx.fused_matmul_bias_act: the last dim of lhs and the last but one of rhs must be equal, got 8 and 7 in tensor<4x8xf32> and tensor<7x6xf32>}}
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<4x8xf32>, tensor<7x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  func.return
}

// -----

func.func @bias_element(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf16>) {
  // expected-error @below {{rlx.fused_matmul_bias_act: bias must have element type f32, got f16}}
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf16>) -> tensor<4x6xf32>
  func.return
}

// -----

func.func @residual_inner(%x: tensor<4x8xf32>, %w: tensor<7x6xf32>, %r: tensor<4x6xf32>) {
  // expected-error @below {{rlx.fused_matmul_residual: the last dim of lhs and the last but one of rhs must be equal, got 8 and 7 in tensor<4x8xf32> and tensor<7x6xf32>}}
  %0 = rlx.fused_matmul_residual %x, %w, %r : (tensor<4x8xf32>, tensor<7x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return
}

// -----

func.func @activation_of_integers(%q: tensor<4x4xi32>, %b: tensor<4xi32>) {
  // expected-error @below {{rlx.fused_matmul_bias_act: gelu needs a float element type, got tensor<4x4xi32>}}
  %0 = rlx.fused_matmul_bias_act %q, %q, %b activation(gelu) : (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4xi32>) -> tensor<4x4xi32>
  func.return
}
