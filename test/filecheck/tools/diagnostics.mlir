// RUN: rlx-opt --verify-diagnostics --split-input-file %s

// expected-error @below {{unknown op 'rlx.matmull'; did you mean 'rlx.matmul'}}
%0 = rlx.matmull %x, %w : tensor<4x8xf32>

// -----

// A dialect that nobody knows.
%0 = "nowhere.op"() : () -> tensor<f32>  // expected-error {{unknown op 'nowhere.op': no dialect 'nowhere'}}

// -----

func.func @undefined() -> tensor<2xf32> {
  // expected-error @+1 {{value %y is used but not defined}}
  func.return %y : tensor<2xf32>
}

// -----

func.func @use_before_definition(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error-re @below {{operand #0 of 'rlx.activation' does not dominate{{.*}}comes after it}}
  %0 = rlx.activation relu %1 : tensor<2xf32>
  %1 = rlx.activation relu %x : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----

func.func @result_type(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x17xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x17xf32>
  // expected-error @above {{matmul}}
  func.return %0 : tensor<4x17xf32>
}

// -----

// Nothing wrong here.
func.func @right(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
