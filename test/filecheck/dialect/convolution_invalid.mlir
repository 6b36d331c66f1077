// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @below {{rlx.conv: input must have rank 3 to 5, got tensor<2x3xf32>}}
  %0 = rlx.conv %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @weight_rank(%x: tensor<2x3x5xf32>, %w: tensor<4x3x1x1xf32>) {
  // expected-error @below {{rlx.conv: weight must have rank 3, got tensor<4x3x1x1xf32>}}
  %0 = rlx.conv %x, %w : (tensor<2x3x5xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x5xf32>
  func.return
}

// -----

func.func @elements(%x: tensor<2x3x5xf32>, %w: tensor<4x3x1xf16>) {
  // expected-error @below {{rlx.conv: weight must have element type f32, got f16}}
  %0 = rlx.conv %x, %w : (tensor<2x3x5xf32>, tensor<4x3x1xf16>) -> tensor<2x4x5xf32>
  func.return
}

// -----

func.func @unknown_kernel(%x: tensor<2x3x5xf32>, %w: tensor<4x3x?xf32>) {
  // expected-error @below {{rlx.conv: the kernel must have known sizes of 1 or more, got [?]}}
  %0 = rlx.conv %x, %w : (tensor<2x3x5xf32>, tensor<4x3x?xf32>) -> tensor<2x4x?xf32>
  func.return
}

// -----

func.func @empty_kernel(%x: tensor<2x3x5xf32>, %w: tensor<4x3x0xf32>) {
  // expected-error @below {{rlx.conv: the kernel must have known sizes of 1 or more, got [0]}}
  %0 = rlx.conv %x, %w : (tensor<2x3x5xf32>, tensor<4x3x0xf32>) -> tensor<2x4x6xf32>
  func.return
}

// -----

func.func @channels(%x: tensor<2x3x5xf32>, %w: tensor<4x2x1xf32>) {
  // expected-error @below {{rlx.conv: input channels must be groups 1 times dim 1 of weight, got 3 and 2 in input tensor<2x3x5xf32> and weight tensor<4x2x1xf32>}}
  %0 = rlx.conv %x, %w : (tensor<2x3x5xf32>, tensor<4x2x1xf32>) -> tensor<2x4x5xf32>
  func.return
}

// -----

func.func @input_groups(%x: tensor<2x3x5xf32>, %w: tensor<4x?x1xf32>) {
  // expected-error @below {{rlx.conv: the channels of input tensor<2x3x5xf32> must be a multiple of groups 2}}
  %0 = rlx.conv %x, %w groups(2) : (tensor<2x3x5xf32>, tensor<4x?x1xf32>) -> tensor<2x4x5xf32>
  func.return
}

// -----

func.func @output_groups(%x: tensor<2x4x5xf32>, %w: tensor<3x2x1xf32>) {
  // expected-error @below {{rlx.conv: dim 0 of weight must be a multiple of groups 2, got tensor<3x2x1xf32>}}
  %0 = rlx.conv %x, %w groups(2) : (tensor<2x4x5xf32>, tensor<3x2x1xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @no_groups(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @below {{rlx.conv: groups must be positive, got 0}}
  %0 = rlx.conv %x, %w groups(0) : (tensor<2x4x5xf32>, tensor<3x4x1xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @stride(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @below {{rlx.conv: stride must be positive, got [0]}}
  %0 = rlx.conv %x, %w stride [0] : (tensor<2x4x5xf32>, tensor<3x4x1xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @stride_count(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @below {{rlx.conv: stride must have an entry for each of the 1 spatial dims, got [2, 2]}}
  %0 = rlx.conv %x, %w stride [2, 2] : (tensor<2x4x5xf32>, tensor<3x4x1xf32>) -> tensor<2x3x3xf32>
  func.return
}

// -----

func.func @dilation(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @below {{rlx.conv: dilation must be positive, got [-1]}}
  %0 = rlx.conv %x, %w dilation [-1] : (tensor<2x4x5xf32>, tensor<3x4x1xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @input_dilation(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @below {{rlx.conv: input_dilation must be positive, got [0]}}
  %0 = rlx.conv %x, %w input_dilation [0] : (tensor<2x4x5xf32>, tensor<3x4x1xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @pad(%x: tensor<2x4x5x5xf32>, %w: tensor<3x4x1x1xf32>) {
  // expected-error @below {{rlx.conv: pad must have an entry for each of the 2 spatial dims, got [1]}}
  %0 = rlx.conv %x, %w pad([1], [1]) : (tensor<2x4x5x5xf32>, tensor<3x4x1x1xf32>) -> tensor<2x3x7x7xf32>
  func.return
}

// -----

func.func @one_pad(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @below {{rlx.conv: pad needs both ends, got [1] and []}}
  %0 = rlx.conv %x, %w pad([1], []) : (tensor<2x4x5xf32>, tensor<3x4x1xf32>) -> tensor<2x3x6xf32>
  func.return
}

// -----

func.func @too_large(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @below {{rlx.conv: the result would have a dim of 9223372036854775812, more than the 9223372036854775807 that fit}}
  %0 = rlx.conv %x, %w pad([9223372036854775807], [0]) : (tensor<2x4x5xf32>, tensor<3x4x1xf32>) -> tensor<2x3x?xf32>
  func.return
}

// -----

func.func @layout(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  %0 = rlx.conv %x, %w layout(nchw) : (tensor<2x4x5xf32>, tensor<3x4x1xf32>) -> tensor<2x3x5xf32>
  // expected-error @below {{expected one of channels_first, channels_last, got "nchw"}}
  func.return
}

// -----

func.func @result(%x: tensor<2x4x5xf32>, %w: tensor<3x4x3xf32>) {
  // expected-error @below {{rlx.conv: result #0 must be tensor<2x3x3xf32>, got tensor<2x3x5xf32>}}
  %0 = rlx.conv %x, %w : (tensor<2x4x5xf32>, tensor<3x4x3xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @bias(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{rlx.fused_conv_bias_act: the size of bias tensor<4xf32> and the channels of the product tensor<2x3x5xf32> must be equal, got 4 and 3}}
  %0 = rlx.fused_conv_bias_act %x, %w, %b : (tensor<2x4x5xf32>, tensor<3x4x1xf32>, tensor<4xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @bias_rank(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>, %b: tensor<3x1xf32>) {
  // expected-error @below {{rlx.fused_conv_bias_act: bias must have rank 1, got tensor<3x1xf32>}}
  %0 = rlx.fused_conv_bias_act %x, %w, %b : (tensor<2x4x5xf32>, tensor<3x4x1xf32>, tensor<3x1xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @bias_element(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>, %b: tensor<3xf16>) {
  // expected-error @below {{rlx.fused_conv_bias_act: bias must have element type f32, got f16}}
  %0 = rlx.fused_conv_bias_act %x, %w, %b : (tensor<2x4x5xf32>, tensor<3x4x1xf32>, tensor<3xf16>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @residual(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>, %b: tensor<3xf32>, %r: tensor<2x3x1xf32>) {
  // expected-error @below {{rlx.fused_conv_bias_act: dim 2 of the product tensor<2x3x5xf32> and residual tensor<2x3x1xf32> must be equal, got 5 and 1}}
  %0 = rlx.fused_conv_bias_act %x, %w, %b residual(%r) : (tensor<2x4x5xf32>, tensor<3x4x1xf32>, tensor<3xf32>, tensor<2x3x1xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @activation(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected one of gelu, }}
  %0 = rlx.fused_conv_bias_act %x, %w, %b activation(swoosh) : (tensor<2x4x5xf32>, tensor<3x4x1xf32>, tensor<3xf32>) -> tensor<2x3x5xf32>
  func.return
}

// -----

func.func @transposed_channels(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @below {{rlx.conv_transpose: the channels of input tensor<2x4x5xf32> and dim 0 of weight tensor<3x4x1xf32> must be equal, got 4 and 3}}
  %0 = rlx.conv_transpose %x, %w : (tensor<2x4x5xf32>, tensor<3x4x1xf32>) -> tensor<2x4x5xf32>
  func.return
}

// -----

func.func @output_pad(%x: tensor<2x4x5xf32>, %w: tensor<4x4x1xf32>) {
  // expected-error @below {{rlx.conv_transpose: output_pad must not be negative, got [-1]}}
  %0 = rlx.conv_transpose %x, %w output_pad [-1] : (tensor<2x4x5xf32>, tensor<4x4x1xf32>) -> tensor<2x4x5xf32>
  func.return
}

// -----

func.func @integers(%x: tensor<2x4x5xi32>, %w: tensor<4x4x1xi32>) {
  // expected-error @below {{rlx.conv_backward_input: gradient must have a float element type, got tensor<2x4x5xi32>}}
  %0 = rlx.conv_backward_input %x, %w size [5] : (tensor<2x4x5xi32>, tensor<4x4x1xi32>) -> tensor<2x4x5xi32>
  func.return
}

// -----

func.func @backward_size(%x: tensor<2x4x5xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error @below {{rlx.conv_backward_input: dim 2 of the result of the convolution tensor<2x4x6xf32> and gradient tensor<2x4x5xf32> must be equal, got 6 and 5}}
  %0 = rlx.conv_backward_input %x, %w size [8] : (tensor<2x4x5xf32>, tensor<4x4x3xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @negative_size(%x: tensor<2x4x5xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error @below {{rlx.conv_backward_input: size must name the spatial dims of the input, got [-1]}}
  %0 = rlx.conv_backward_input %x, %w size [-1] : (tensor<2x4x5xf32>, tensor<4x4x3xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @size_count(%x: tensor<2x4x5xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error @below {{rlx.conv_backward_input: size must have an entry for each of the 1 spatial dims, got [7, 7]}}
  %0 = rlx.conv_backward_input %x, %w size [7, 7] : (tensor<2x4x5xf32>, tensor<4x4x3xf32>) -> tensor<2x4x7xf32>
  func.return
}

// -----

func.func @backward_kernel(%x: tensor<2x4x7xf32>, %g: tensor<2x4x5xf32>) {
  // expected-error @below {{rlx.conv_backward_weight: kernel must have an entry for each of the 1 spatial dims, got [3, 3]}}
  %0 = rlx.conv_backward_weight %x, %g kernel [3, 3] : (tensor<2x4x7xf32>, tensor<2x4x5xf32>) -> tensor<4x4x3xf32>
  func.return
}

// -----

func.func @backward_groups(%x: tensor<2x3x7xf32>, %g: tensor<2x4x5xf32>) {
  // expected-error @below {{rlx.conv_backward_weight: the channels of input tensor<2x3x7xf32> must be a multiple of groups 2}}
  %0 = rlx.conv_backward_weight %x, %g kernel [3] groups(2) : (tensor<2x3x7xf32>, tensor<2x4x5xf32>) -> tensor<4x1x3xf32>
  func.return
}

// -----

func.func @batches(%x: tensor<2x4x7xf32>, %g: tensor<3x4x5xf32>) {
  // expected-error @below {{rlx.conv_backward_weight: the batch of input tensor<2x4x7xf32> and gradient tensor<3x4x5xf32> must be equal, got 2 and 3}}
  %0 = rlx.conv_backward_weight %x, %g kernel [3] : (tensor<2x4x7xf32>, tensor<3x4x5xf32>) -> tensor<4x4x3xf32>
  func.return
}

// -----

func.func @filter(%x: tensor<2x4xf32>, %f: tensor<1x3xf32>) {
  // expected-error @below {{rlx.partitioned_conv: filter must have rank 1, got tensor<1x3xf32>}}
  %0 = rlx.partitioned_conv %x, %f block(2) : (tensor<2x4xf32>, tensor<1x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

func.func @unknown_filter(%x: tensor<2x4xf32>, %f: tensor<?xf32>) {
  // expected-error @below {{rlx.partitioned_conv: the kernel must have known sizes of 1 or more, got [?]}}
  %0 = rlx.partitioned_conv %x, %f block(2) : (tensor<2x4xf32>, tensor<?xf32>) -> tensor<2x?xf32>
  func.return
}

// -----

func.func @signal(%x: tensor<f32>, %f: tensor<3xf32>) {
  // expected-error @below {{rlx.partitioned_conv: signal must have rank 1 or more, got tensor<f32>}}
  %0 = rlx.partitioned_conv %x, %f block(2) : (tensor<f32>, tensor<3xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @block(%x: tensor<4xf32>, %f: tensor<3xf32>) {
  // expected-error @below {{rlx.partitioned_conv: block must be positive, got 0}}
  %0 = rlx.partitioned_conv %x, %f block(0) : (tensor<4xf32>, tensor<3xf32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @transposed_weight_rank(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{rlx.conv_transpose: weight must have rank 4, got tensor<6x4x3xf32>}}
  %0 = rlx.conv_transpose %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x8x8xf32>
  func.return
}

// -----

func.func @weight_element(%x: tensor<1x4x8xf32>, %w: tensor<4x3x3xf16>) {
  // expected-error @below {{rlx.conv_transpose: weight must have element type f32, got f16}}
  %0 = rlx.conv_transpose %x, %w : (tensor<1x4x8xf32>, tensor<4x3x3xf16>) -> tensor<1x3x10xf32>
  func.return
}

// -----

func.func @integer_signal(%x: tensor<9xi32>) {
  // expected-error @below {{rlx.partitioned_conv: signal must have a float element type, got tensor<9xi32>}}
  %0 = rlx.partitioned_conv %x, %x block(16) : (tensor<9xi32>, tensor<9xi32>) -> tensor<17xi32>
  func.return
}

// -----

func.func @filter_element(%x: tensor<9xf32>, %f: tensor<3xf16>) {
  // expected-error @below {{rlx.partitioned_conv: filter must have element type f32, got f16}}
  %0 = rlx.partitioned_conv %x, %f block(16) : (tensor<9xf32>, tensor<3xf16>) -> tensor<11xf32>
  func.return
}

// -----

func.func @activation_of_integers(%x: tensor<1x4x8xi32>, %w: tensor<3x4x3xi32>, %b: tensor<3xi32>) {
  // expected-error @below {{rlx.fused_conv_bias_act: silu needs a float element type, got tensor<1x3x6xi32>}}
  %0 = rlx.fused_conv_bias_act %x, %w, %b activation(silu) : (tensor<1x4x8xi32>, tensor<3x4x3xi32>, tensor<3xi32>) -> tensor<1x3x6xi32>
  func.return
}

// -----

func.func @type_of_no_operand(%x: tensor<2x4x5xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @below {{Expected ')'}}
  %0 = rlx.fused_conv_bias_act %x, %w : (tensor<2x4x5xf32>, tensor<3x4x1xf32>, tensor<3xf32>) -> tensor<2x3x5xf32>
  func.return
}
