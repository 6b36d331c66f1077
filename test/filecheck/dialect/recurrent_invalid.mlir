// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @element(%x: tensor<5x2x3xi32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @below {{rlx.gru: input must have a float element type, got tensor<5x2x3xi32>}}
  %0, %1 = rlx.gru forward %x, %w, %r : (tensor<5x2x3xi32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @rank(%x: tensor<5x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @below {{rlx.gru: input must have rank 3, got tensor<5x3xf32>}}
  %0, %1 = rlx.gru forward %x, %w, %r : (tensor<5x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @recurrence_rank(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<12x4xf32>) {
  // expected-error @below {{rlx.gru: recurrence must have rank 3, got tensor<12x4xf32>}}
  %0, %1 = rlx.gru forward %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @recurrence_rows(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x16x4xf32>) {
  // expected-error @below {{rlx.gru: dim 1 of recurrence tensor<1x16x4xf32> and tensor<1x12x4xf32> must be equal, got 16 and 12}}
  %0, %1 = rlx.gru forward %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @directions(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @below {{rlx.gru: dim 0 of recurrence tensor<1x12x4xf32> and tensor<2x12x4xf32> must be equal, got 1 and 2}}
  %0, %1 = rlx.gru bidirectional %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @weight(%x: tensor<5x2x3xf32>, %w: tensor<1x12x5xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @below {{rlx.gru: dim 2 of weight tensor<1x12x5xf32> and tensor<1x12x3xf32> must be equal, got 5 and 3}}
  %0, %1 = rlx.gru forward %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x12x5xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @weight_element(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf16>, %r: tensor<1x12x4xf32>) {
  // expected-error @below {{rlx.gru: weight must have element type f32, got f16}}
  %0, %1 = rlx.gru forward %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x12x3xf16>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @bias(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: tensor<1x12xf32>) {
  // expected-error @below {{rlx.gru: dim 1 of bias tensor<1x12xf32> and tensor<1x24xf32> must be equal, got 12 and 24}}
  %0, %1 = rlx.gru forward %x, %w, %r bias(%b : tensor<1x12xf32>) : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @lengths_element(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %l: tensor<2xf32>) {
  // expected-error @below {{rlx.gru: lengths must be i32 or i64, got tensor<2xf32>}}
  %0, %1 = rlx.gru forward %x, %w, %r lengths(%l : tensor<2xf32>) : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %l: tensor<3xi32>) {
  // expected-error @below {{rlx.gru: dim 0 of lengths tensor<3xi32> and tensor<2xi32> must be equal, got 3 and 2}}
  %0, %1 = rlx.gru forward %x, %w, %r lengths(%l : tensor<3xi32>) : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @initial_h(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %h: tensor<1x2x3xf32>) {
  // expected-error @below {{rlx.gru: dim 2 of initial_h tensor<1x2x3xf32> and tensor<1x2x4xf32> must be equal, got 3 and 4}}
  %0, %1 = rlx.gru forward %x, %w, %r initial_h(%h : tensor<1x2x3xf32>) : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @initial_c(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %c: tensor<2x4xf32>) {
  // expected-error @below {{rlx.lstm: initial_c must have rank 3, got tensor<2x4xf32>}}
  %0, %1, %2 = rlx.lstm forward %x, %w, %r initial_c(%c : tensor<2x4xf32>) : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @peepholes(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %p: tensor<1x16xf32>) {
  // expected-error @below {{rlx.lstm: dim 1 of peepholes tensor<1x16xf32> and tensor<1x12xf32> must be equal, got 16 and 12}}
  %0, %1, %2 = rlx.lstm forward %x, %w, %r peepholes(%p : tensor<1x16xf32>) : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @gates(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @below {{rlx.lstm: dim 1 of recurrence tensor<1x12x4xf32> and tensor<1x16x4xf32> must be equal, got 12 and 16}}
  %0, %1, %2 = rlx.lstm forward %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @result(%x: tensor<5x3x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @below {{rlx.gru: result #0 must be tensor<5x1x3x4xf32>, got tensor<5x1x2x4xf32>}}
  %0, %1 = rlx.gru forward %x, %w, %r : (tensor<5x3x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}

// -----

func.func @activation(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  %0, %1 = rlx.rnn forward %x, %w, %r activation(gelu) : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  // expected-error @below {{expected one of tanh, relu, got "gelu"}}
  func.return
}

// -----

func.func @rnn_weights(%x: tensor<5x2x3xf32>, %w: tensor<1x4x2xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{rlx.rnn: dim 2 of weight tensor<1x4x2xf32> and tensor<1x4x3xf32> must be equal, got 2 and 3}}
  %0, %1 = rlx.rnn forward %x, %w, %r activation(tanh) : (tensor<5x2x3xf32>, tensor<1x4x2xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  func.return
}
