// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @vector(%a: tensor<8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  // expected-error @below {{rlx.rope: input must have rank 2 or more, got tensor<8xf32>}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(0) : (tensor<8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<8xf32>
  func.return
}

// -----

func.func @integers(%a: tensor<2x5x3x8xi32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  // expected-error @below {{rlx.rope: input must have a float element type, got tensor<2x5x3x8xi32>}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(1) : (tensor<2x5x3x8xi32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xi32>
  func.return
}

// -----

func.func @axis_is_last(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  // expected-error @below {{rlx.rope: axis must not be the last, which holds the heads, got 3}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(-1) : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @axis_out_of_range(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  // expected-error @below {{rlx.rope: axis 4 is out of range for input of rank 4}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(4) : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @unknown_width(%a: tensor<2x5x3x?xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  // expected-error @below {{rlx.rope: the last dim of input must be known, got tensor<2x5x3x?xf32>}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(1) : (tensor<2x5x3x?xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x?xf32>
  func.return
}

// -----

func.func @odd_n_rot(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  // expected-error @below {{rlx.rope: n_rot must be even, from 2 to the 8 elements of a head, got 7}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(7) axis(1) : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @wide_n_rot(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  // expected-error @below {{rlx.rope: n_rot must be even, from 2 to the 8 elements of a head, got 10}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(10) axis(1) : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @full_width(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  // expected-error @below {{rlx.rope: the last dim of cos tensor<5x4xf32> and the width of the table must be equal, got 4 and 8}}
  %0 = rlx.rope %a, %b, %c style(neox) table(full) n_rot(8) axis(1) : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @positions(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  // expected-error @below {{rlx.rope: the positions of cos tensor<5x4xf32> and input tensor<2x5x3x8xf32> must be equal, got 5 and 3}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(2) : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @tables(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x8xf32>) {
  // expected-error @below {{rlx.rope: dim 1 of cos tensor<5x4xf32> and sin tensor<5x8xf32> must be equal, got 4 and 8}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(1) : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x8xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @table_element(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf64>, %c: tensor<5x4xf64>) {
  // expected-error @below {{rlx.rope: cos must have element type f32, got f64}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(1) : (tensor<2x5x3x8xf32>, tensor<5x4xf64>, tensor<5x4xf64>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @table_rank(%a: tensor<2x5x3x8xf32>, %b: tensor<2x5x3x4xf32>, %c: tensor<2x5x3x4xf32>) {
  // expected-error @below {{rlx.rope: cos must have rank 2 or 3, got tensor<2x5x3x4xf32>}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(1) : (tensor<2x5x3x8xf32>, tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @batch(%a: tensor<2x5x3x8xf32>, %b: tensor<3x5x4xf32>, %c: tensor<3x5x4xf32>) {
  // expected-error @below {{rlx.rope: dim 0 of cos tensor<3x5x4xf32> and input tensor<2x5x3x8xf32> must be equal, got 3 and 2}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(1) : (tensor<2x5x3x8xf32>, tensor<3x5x4xf32>, tensor<3x5x4xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @batched_axis_0(%a: tensor<2x5x3x8xf32>, %b: tensor<2x2x4xf32>, %c: tensor<2x2x4xf32>) {
  // expected-error @below {{rlx.rope: cos must have rank 2 where axis is 0}}
  %0 = rlx.rope %a, %b, %c style(neox) table(half) n_rot(8) axis(0) : (tensor<2x5x3x8xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x5x3x8xf32>
  func.return
}

// -----

func.func @style(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  %0 = rlx.rope %a, %b, %c style(llama) table(half) n_rot(8) axis(1) : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xf32>
  // expected-error @below {{expected one of neox, gptj, got "llama"}}
  func.return
}

// -----

func.func @table(%a: tensor<2x5x3x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5x4xf32>) {
  %0 = rlx.rope %a, %b, %c style(neox) table(quarter) n_rot(8) axis(1) : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xf32>
  // expected-error @below {{expected one of half, full, got "quarter"}}
  func.return
}

// -----

func.func @grid_rank(%a: tensor<6x8xf32>) {
  // expected-error @below {{rlx.axial_rope2d: grid must be a height and a width of at least 1, got [6]}}
  %0 = rlx.axial_rope2d %a axis(0) grid [6] theta(100.0) : tensor<6x8xf32>
  func.return
}

// -----

func.func @grid_of_nothing(%a: tensor<6x8xf32>) {
  // expected-error @below {{rlx.axial_rope2d: grid must be a height and a width of at least 1, got [6, 0]}}
  %0 = rlx.axial_rope2d %a axis(0) grid [6, 0] theta(100.0) : tensor<6x8xf32>
  func.return
}

// -----

func.func @part_of_a_grid(%a: tensor<7x8xf32>) {
  // expected-error @below {{rlx.axial_rope2d: dim 0 of input must be known and hold whole grids of [2, 3], got tensor<7x8xf32>}}
  %0 = rlx.axial_rope2d %a axis(0) grid [2, 3] theta(100.0) : tensor<7x8xf32>
  func.return
}

// -----

func.func @unknown_tiles(%a: tensor<?x8xf32>) {
  // expected-error @below {{rlx.axial_rope2d: dim 0 of input must be known and hold whole grids of [2, 3], got tensor<?x8xf32>}}
  %0 = rlx.axial_rope2d %a axis(0) grid [2, 3] theta(100.0) : tensor<?x8xf32>
  func.return
}

// -----

func.func @theta(%a: tensor<6x8xf32>) {
  // expected-error @below {{rlx.axial_rope2d: theta must be positive and finite, got -1.0}}
  %0 = rlx.axial_rope2d %a axis(0) grid [2, 3] theta(-1.0) : tensor<6x8xf32>
  func.return
}

// -----

func.func @quarter(%a: tensor<6x6xf32>) {
  // expected-error @below {{rlx.axial_rope2d: the last dim of input must be a multiple of 4, got tensor<6x6xf32>}}
  %0 = rlx.axial_rope2d %a axis(0) grid [2, 3] theta(100.0) : tensor<6x6xf32>
  func.return
}

// -----

func.func @full_cache(%a: tensor<2x4x8xf32>, %b: tensor<2x2x8xf32>) {
  // expected-error @below {{rlx.kv_append: rows tensor<2x2x8xf32> at position 3 exceed dim 1 of cache tensor<2x4x8xf32>}}
  %0 = rlx.kv_append %a, %b axis(1) position(3) : (tensor<2x4x8xf32>, tensor<2x2x8xf32>) -> tensor<2x5x8xf32>
  func.return
}

// -----

func.func @negative_position(%a: tensor<2x4x8xf32>, %b: tensor<2x2x8xf32>) {
  // expected-error @below {{rlx.kv_append: position must not be negative, got -1}}
  %0 = rlx.kv_append %a, %b axis(1) position(-1) : (tensor<2x4x8xf32>, tensor<2x2x8xf32>) -> tensor<2x1x8xf32>
  func.return
}

// -----

func.func @rows_rank(%a: tensor<2x4x8xf32>, %b: tensor<2x8xf32>) {
  // expected-error @below {{rlx.kv_append: rows must have rank 3, got tensor<2x8xf32>}}
  %0 = rlx.kv_append %a, %b axis(1) position(3) : (tensor<2x4x8xf32>, tensor<2x8xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @rows_width(%a: tensor<2x4x8xf32>, %b: tensor<2x1x4xf32>) {
  // expected-error @below {{rlx.kv_append: dim 2 of input 0 tensor<2x3x8xf32> and input 1 tensor<2x1x4xf32> must be equal, got 8 and 4}}
  %0 = rlx.kv_append %a, %b axis(1) position(3) : (tensor<2x4x8xf32>, tensor<2x1x4xf32>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @rows_element(%a: tensor<2x4x8xf32>, %b: tensor<2x1x8xf16>) {
  // expected-error @below {{rlx.kv_append: input 1 must have element type f32, got f16}}
  %0 = rlx.kv_append %a, %b axis(1) position(3) : (tensor<2x4x8xf32>, tensor<2x1x8xf16>) -> tensor<2x4x8xf32>
  func.return
}

// -----

func.func @append_axis(%k: tensor<2x16xf16>, %r: tensor<2x1xf16>) {
  // expected-error @below {{rlx.kv_append: axis 2 is out of range for cache of rank 2}}
  %0 = rlx.kv_append %k, %r axis(2) position(3) : (tensor<2x16xf16>, tensor<2x1xf16>) -> tensor<2x4xf16>
  func.return
}

// -----

func.func @rotated_back_integers(%x: tensor<1x5x2x8xi32>, %c: tensor<5x4xi32>) {
  // expected-error @below {{rlx.rope_backward: input must have a float element type, got tensor<1x5x2x8xi32>}}
  %0 = rlx.rope_backward %x, %c, %c style(neox) table(half) n_rot(8) axis(1) : (tensor<1x5x2x8xi32>, tensor<5x4xi32>, tensor<5x4xi32>) -> tensor<1x5x2x8xi32>
  func.return
}
