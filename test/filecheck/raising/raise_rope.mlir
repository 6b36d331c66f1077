// RUN: rlx-opt --rlx-raise-rope %s | filecheck %s

// As JAX and PyTorch write it for llama: x * cos + rotate_half(x) * sin, a table entry for each element.
// CHECK-LABEL: @rotate_half
// CHECK-NEXT:  %0 = rlx.rope %x, %cos, %sin style(neox) table(full) n_rot(8) axis(2) : (tensor<2x4x3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<2x4x3x8xf32>
// CHECK-NEXT:  func.return %0
func.func @rotate_half(%x: tensor<2x4x3x8xf32>, %cos: tensor<3x8xf32>, %sin: tensor<3x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.narrow %x axis(3) start(0) length(4) : tensor<2x4x3x8xf32> -> tensor<2x4x3x4xf32>
  %1 = rlx.narrow %x axis(3) start(4) length(4) : tensor<2x4x3x8xf32> -> tensor<2x4x3x4xf32>
  %2 = rlx.binary mul %x, %cos : (tensor<2x4x3x8xf32>, tensor<3x8xf32>) -> tensor<2x4x3x8xf32>
  %3 = rlx.activation neg %1 : tensor<2x4x3x4xf32>
  %4 = rlx.concat %3, %0 axis(3) : (tensor<2x4x3x4xf32>, tensor<2x4x3x4xf32>) -> tensor<2x4x3x8xf32>
  %5 = rlx.binary mul %4, %sin : (tensor<2x4x3x8xf32>, tensor<3x8xf32>) -> tensor<2x4x3x8xf32>
  %6 = rlx.binary add %2, %5 : (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %6 : tensor<2x4x3x8xf32>
}

// As ONNX has it: slices, positions for each sentence, the cosines computed; a batch and a length that are not known.
// CHECK-LABEL: @positions_of_each_sentence
// CHECK:       %[[COS:.*]] = rlx.activation cos %angles
// CHECK-NEXT:  %[[SIN:.*]] = rlx.activation sin %angles
// CHECK-NOT:   rlx.binary
// CHECK:       rlx.rope %x, %{{.*}}, %{{.*}} style(neox) table(full) n_rot(8) axis(2) : (tensor<?x4x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x4x?x8xf32>
func.func @positions_of_each_sentence(%x: tensor<?x4x?x8xf32>, %angles: tensor<?x?x8xf32>, %n: index, %s: index) -> tensor<?x4x?x8xf32> {
  %0 = rlx.activation cos %angles : tensor<?x?x8xf32>
  %1 = rlx.activation sin %angles : tensor<?x?x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n0 = tensor.dim %angles, %c0 : tensor<?x?x8xf32>
  %s0 = tensor.dim %angles, %c1 : tensor<?x?x8xf32>
  %cos = rlx.reshape %0 sizes(%n0, %s0) : tensor<?x?x8xf32> -> tensor<?x1x?x8xf32>
  %sin = rlx.reshape %1 sizes(%n0, %s0) : tensor<?x?x8xf32> -> tensor<?x1x?x8xf32>
  %n1 = tensor.dim %x, %c0 : tensor<?x4x?x8xf32>
  %s1 = tensor.dim %x, %c2 : tensor<?x4x?x8xf32>
  %2 = rlx.slice %x starts [0, 0, 0, 0] steps [1, 1, 1, 1] sizes(%n1, %s1) : tensor<?x4x?x8xf32> -> tensor<?x4x?x4xf32>
  %3 = rlx.slice %x starts [0, 0, 0, 4] steps [1, 1, 1, 1] sizes(%n1, %s1) : tensor<?x4x?x8xf32> -> tensor<?x4x?x4xf32>
  %4 = rlx.activation neg %3 : tensor<?x4x?x4xf32>
  %5 = rlx.concat %4, %2 axis(-1) : (tensor<?x4x?x4xf32>, tensor<?x4x?x4xf32>) -> tensor<?x4x?x8xf32>
  %6 = rlx.binary mul %5, %sin : (tensor<?x4x?x8xf32>, tensor<?x1x?x8xf32>) -> tensor<?x4x?x8xf32>
  %7 = rlx.binary mul %x, %cos : (tensor<?x4x?x8xf32>, tensor<?x1x?x8xf32>) -> tensor<?x4x?x8xf32>
  %8 = rlx.binary add %7, %6 : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  func.return %8 : tensor<?x4x?x8xf32>
}

// The halves apart, one table for both; heads after places.
// CHECK-LABEL: @halves
// CHECK-NEXT:  %0 = rlx.rope %x, %cos, %sin style(neox) table(half) n_rot(8) axis(1) : (tensor<2x3x4x8xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4x8xf32>
// CHECK-NEXT:  func.return %0
func.func @halves(%x: tensor<2x3x4x8xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<2x3x4x8xf32> {
  %c = rlx.reshape %cos : tensor<3x4xf32> -> tensor<1x3x1x4xf32>
  %s = rlx.reshape %sin : tensor<3x4xf32> -> tensor<1x3x1x4xf32>
  %0 = rlx.narrow %x axis(3) start(0) length(4) : tensor<2x3x4x8xf32> -> tensor<2x3x4x4xf32>
  %1 = rlx.narrow %x axis(3) start(4) length(4) : tensor<2x3x4x8xf32> -> tensor<2x3x4x4xf32>
  %2 = rlx.binary mul %0, %c : (tensor<2x3x4x4xf32>, tensor<1x3x1x4xf32>) -> tensor<2x3x4x4xf32>
  %3 = rlx.binary mul %1, %s : (tensor<2x3x4x4xf32>, tensor<1x3x1x4xf32>) -> tensor<2x3x4x4xf32>
  %4 = rlx.binary sub %2, %3 : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
  %5 = rlx.binary mul %1, %c : (tensor<2x3x4x4xf32>, tensor<1x3x1x4xf32>) -> tensor<2x3x4x4xf32>
  %6 = rlx.binary mul %0, %s : (tensor<2x3x4x4xf32>, tensor<1x3x1x4xf32>) -> tensor<2x3x4x4xf32>
  %7 = rlx.binary add %5, %6 : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
  %8 = rlx.concat %4, %7 axis(3) : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x8xf32>
  func.return %8 : tensor<2x3x4x8xf32>
}

// The halves of a table that is given whole: the table itself. The angles of both halves differ.
// CHECK-LABEL: @halves_of_full_tables
// CHECK:       rlx.rope %x, %cos, %sin style(neox) table(full) n_rot(4) axis(0)
// CHECK-NEXT:  func.return
func.func @halves_of_full_tables(%x: tensor<3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = rlx.narrow %x axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.narrow %x axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.narrow %cos axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %3 = rlx.narrow %cos axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %4 = rlx.narrow %sin axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %5 = rlx.narrow %sin axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %6 = rlx.binary mul %0, %2 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %7 = rlx.binary mul %4, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %8 = rlx.binary sub %6, %7 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %9 = rlx.binary mul %0, %5 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %10 = rlx.binary mul %3, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %11 = rlx.binary add %9, %10 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %12 = rlx.concat %8, %11 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  func.return %12 : tensor<3x4xf32>
}

// Two tables of halves that nothing shows to be one: they are joined.
// CHECK-LABEL: @two_tables
// CHECK:       %[[COS:.*]] = rlx.concat %c, %d axis(1)
// CHECK:       rlx.rope %x, %[[COS]], %{{.*}} style(neox) table(full) n_rot(4) axis(0)
func.func @two_tables(%x: tensor<3x4xf32>, %c: tensor<3x2xf32>, %d: tensor<3x2xf32>, %sin: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %0 = rlx.narrow %x axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.narrow %x axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.binary mul %0, %c : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = rlx.binary mul %sin, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = rlx.binary sub %2, %3 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %5 = rlx.binary mul %0, %sin : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %6 = rlx.binary mul %d, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %7 = rlx.binary add %5, %6 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %8 = rlx.concat %4, %7 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  func.return %8 : tensor<3x4xf32>
}

// Neighbours turn, the head split to pairs; the tables are those of pairs, each entry repeated.
// CHECK-LABEL: @pairs
// CHECK:       rlx.rope %x, %cos, %sin style(gptj) table(half) n_rot(4) axis(1) : (tensor<2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:  func.return
func.func @pairs(%x: tensor<2x3x4xf32>, %cos: tensor<3x2xf32>, %sin: tensor<3x2xf32>) -> tensor<2x3x4xf32> {
  %0 = rlx.reshape %cos : tensor<3x2xf32> -> tensor<3x2x1xf32>
  %1 = rlx.expand %0 : tensor<3x2x1xf32> -> tensor<3x2x2xf32>
  %c = rlx.reshape %1 : tensor<3x2x2xf32> -> tensor<3x4xf32>
  %2 = rlx.reshape %sin : tensor<3x2xf32> -> tensor<3x2x1xf32>
  %3 = rlx.concat %2, %2 axis(2) : (tensor<3x2x1xf32>, tensor<3x2x1xf32>) -> tensor<3x2x2xf32>
  %s = rlx.reshape %3 : tensor<3x2x2xf32> -> tensor<3x4xf32>
  %4 = rlx.reshape %x : tensor<2x3x4xf32> -> tensor<2x3x2x2xf32>
  %5 = rlx.narrow %4 axis(3) start(0) length(1) : tensor<2x3x2x2xf32> -> tensor<2x3x2x1xf32>
  %6 = rlx.narrow %4 axis(3) start(1) length(1) : tensor<2x3x2x2xf32> -> tensor<2x3x2x1xf32>
  %7 = rlx.activation neg %6 : tensor<2x3x2x1xf32>
  %8 = rlx.concat %7, %5 axis(3) : (tensor<2x3x2x1xf32>, tensor<2x3x2x1xf32>) -> tensor<2x3x2x2xf32>
  %9 = rlx.reshape %8 : tensor<2x3x2x2xf32> -> tensor<2x3x4xf32>
  %10 = rlx.binary mul %9, %s : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %11 = rlx.binary mul %x, %c : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %12 = rlx.binary add %11, %10 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return %12 : tensor<2x3x4xf32>
}

// Neighbours by strides, joined as single elements.
// CHECK-LABEL: @strides
// CHECK-NEXT:  %0 = rlx.rope %x, %cos, %sin style(gptj) table(half) n_rot(4) axis(0) : (tensor<3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:  func.return %0
func.func @strides(%x: tensor<3x4xf32>, %cos: tensor<3x2xf32>, %sin: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %0 = rlx.slice %x starts [0, 0] steps [1, 2] : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.slice %x starts [0, 1] steps [1, 2] : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.binary mul %0, %cos : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = rlx.binary mul %1, %sin : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = rlx.binary sub %2, %3 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %5 = rlx.binary mul %0, %sin : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %6 = rlx.binary mul %1, %cos : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %7 = rlx.binary add %5, %6 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %8 = rlx.reshape %4 : tensor<3x2xf32> -> tensor<3x2x1xf32>
  %9 = rlx.reshape %7 : tensor<3x2xf32> -> tensor<3x2x1xf32>
  %10 = rlx.concat %8, %9 axis(2) : (tensor<3x2x1xf32>, tensor<3x2x1xf32>) -> tensor<3x2x2xf32>
  %11 = rlx.reshape %10 : tensor<3x2x2xf32> -> tensor<3x4xf32>
  func.return %11 : tensor<3x4xf32>
}

// A quarter of the head turns; one place only, as in a step of decoding.
// CHECK-LABEL: @part_of_a_head
// CHECK-NEXT:  %0 = rlx.rope %x, %cos, %sin style(neox) table(full) n_rot(2) axis(2) : (tensor<2x4x1x8xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x4x1x8xf32>
// CHECK-NEXT:  func.return %0
func.func @part_of_a_head(%x: tensor<2x4x1x8xf32>, %cos: tensor<1x2xf32>, %sin: tensor<1x2xf32>) -> tensor<2x4x1x8xf32> {
  %0 = rlx.narrow %x axis(3) start(0) length(2) : tensor<2x4x1x8xf32> -> tensor<2x4x1x2xf32>
  %1 = rlx.narrow %x axis(3) start(2) length(6) : tensor<2x4x1x8xf32> -> tensor<2x4x1x6xf32>
  %2 = rlx.narrow %0 axis(3) start(0) length(1) : tensor<2x4x1x2xf32> -> tensor<2x4x1x1xf32>
  %3 = rlx.narrow %0 axis(3) start(1) length(1) : tensor<2x4x1x2xf32> -> tensor<2x4x1x1xf32>
  %4 = rlx.activation neg %3 : tensor<2x4x1x1xf32>
  %5 = rlx.concat %4, %2 axis(3) : (tensor<2x4x1x1xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x1x2xf32>
  %6 = rlx.binary mul %0, %cos : (tensor<2x4x1x2xf32>, tensor<1x2xf32>) -> tensor<2x4x1x2xf32>
  %7 = rlx.binary mul %5, %sin : (tensor<2x4x1x2xf32>, tensor<1x2xf32>) -> tensor<2x4x1x2xf32>
  %8 = rlx.binary add %6, %7 : (tensor<2x4x1x2xf32>, tensor<2x4x1x2xf32>) -> tensor<2x4x1x2xf32>
  %9 = rlx.concat %8, %1 axis(3) : (tensor<2x4x1x2xf32>, tensor<2x4x1x6xf32>) -> tensor<2x4x1x8xf32>
  func.return %9 : tensor<2x4x1x8xf32>
}

// The halves exchanged and multiplied by signs, which are computed from constants.
// CHECK-LABEL: @signs
// CHECK-NEXT:  %0 = rlx.rope %x, %cos, %sin style(neox) table(full) n_rot(4) axis(0) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:  func.return %0
func.func @signs(%x: tensor<3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = rlx.narrow %x axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.narrow %x axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.concat %0, %1 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %3 = rlx.iota axis(0) : tensor<4xi32>
  %4 = arith.constant dense<2> : tensor<i32>
  %5 = rlx.compare lt %3, %4 : (tensor<4xi32>, tensor<i32>) -> tensor<4xi1>
  %6 = arith.constant dense<-1.0> : tensor<f32>
  %7 = arith.constant dense<1.0> : tensor<f32>
  %8 = rlx.where %5, %6, %7 : (tensor<4xi1>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %9 = rlx.binary mul %2, %8 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %10 = rlx.binary mul %x, %cos : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %11 = rlx.binary mul %9, %sin : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %12 = rlx.binary add %10, %11 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %12 : tensor<3x4xf32>
}

// The signs the wrong way round.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @signs_the_other_way
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @signs_the_other_way(%x: tensor<3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = rlx.narrow %x axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.narrow %x axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.concat %0, %1 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %3 = arith.constant dense<[1.0, 1.0, -1.0, -1.0]> : tensor<4xf32>
  %4 = rlx.binary mul %2, %3 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %5 = rlx.binary mul %x, %cos : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = rlx.binary mul %4, %sin : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %7 = rlx.binary add %5, %6 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %7 : tensor<3x4xf32>
}

// Neighbours as complex numbers, turned by a product.
// CHECK-LABEL: @complex_numbers
// CHECK-NEXT:  %0 = rlx.rope %x, %cos, %sin style(gptj) table(half) n_rot(4) axis(0) : (tensor<3x2x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT:  func.return %0
func.func @complex_numbers(%x: tensor<3x2x4xf32>, %cos: tensor<3x2xf32>, %sin: tensor<3x2xf32>) -> tensor<3x2x4xf32> {
  %0 = rlx.slice %x starts [0, 0, 0] steps [1, 1, 2] : tensor<3x2x4xf32> -> tensor<3x2x2xf32>
  %1 = rlx.slice %x starts [0, 0, 1] steps [1, 1, 2] : tensor<3x2x4xf32> -> tensor<3x2x2xf32>
  %2 = rlx.complex %0, %1 : (tensor<3x2x2xf32>, tensor<3x2x2xf32>) -> tensor<3x2x2xcomplex<f32>>
  %c = rlx.reshape %cos : tensor<3x2xf32> -> tensor<3x1x2xf32>
  %s = rlx.reshape %sin : tensor<3x2xf32> -> tensor<3x1x2xf32>
  %3 = rlx.complex %c, %s : (tensor<3x1x2xf32>, tensor<3x1x2xf32>) -> tensor<3x1x2xcomplex<f32>>
  %4 = rlx.binary mul %2, %3 : (tensor<3x2x2xcomplex<f32>>, tensor<3x1x2xcomplex<f32>>) -> tensor<3x2x2xcomplex<f32>>
  %5 = rlx.real %4 : tensor<3x2x2xcomplex<f32>> -> tensor<3x2x2xf32>
  %6 = rlx.imag %4 : tensor<3x2x2xcomplex<f32>> -> tensor<3x2x2xf32>
  %7 = rlx.reshape %5 : tensor<3x2x2xf32> -> tensor<3x2x2x1xf32>
  %8 = rlx.reshape %6 : tensor<3x2x2xf32> -> tensor<3x2x2x1xf32>
  %9 = rlx.concat %7, %8 axis(3) : (tensor<3x2x2x1xf32>, tensor<3x2x2x1xf32>) -> tensor<3x2x2x2xf32>
  %10 = rlx.reshape %9 : tensor<3x2x2x2xf32> -> tensor<3x2x4xf32>
  func.return %10 : tensor<3x2x4xf32>
}

// The product is read elsewhere as well.
// MISS: RLX-F003 returned
// CHECK-LABEL: @complex_product_returned
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @complex_product_returned(%x: tensor<3x4xf32>, %cos: tensor<3x2xf32>, %sin: tensor<3x2xf32>) -> (tensor<3x4xf32>, tensor<3x2xcomplex<f32>>) {
  %0 = rlx.slice %x starts [0, 0] steps [1, 1] : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.slice %x starts [0, 2] steps [1, 1] : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.complex %0, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>>
  %3 = rlx.complex %cos, %sin : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>>
  %4 = rlx.binary mul %2, %3 : (tensor<3x2xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  %5 = rlx.real %4 : tensor<3x2xcomplex<f32>> -> tensor<3x2xf32>
  %6 = rlx.imag %4 : tensor<3x2xcomplex<f32>> -> tensor<3x2xf32>
  %7 = rlx.concat %5, %6 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  func.return %7, %4 : tensor<3x4xf32>, tensor<3x2xcomplex<f32>>
}

// A part of x that is read elsewhere stays; nothing is computed twice.
// CHECK-LABEL: @part_read_elsewhere
// CHECK-NEXT:  %0 = rlx.narrow %x axis(1) start(0) length(2)
// CHECK-NEXT:  %1 = rlx.rope %x, %cos, %sin style(neox) table(full) n_rot(4) axis(0)
// CHECK-NEXT:  func.return %1, %0
func.func @part_read_elsewhere(%x: tensor<3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
  %0 = rlx.narrow %x axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.narrow %x axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.activation neg %1 : tensor<3x2xf32>
  %3 = rlx.concat %2, %0 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %4 = rlx.binary mul %x, %cos : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %5 = rlx.binary mul %3, %sin : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = rlx.binary add %4, %5 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %6, %0 : tensor<3x4xf32>, tensor<3x2xf32>
}

// The first half is not negated: no rotation.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @no_sign
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @no_sign(%x: tensor<3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = rlx.narrow %x axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.narrow %x axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.concat %1, %0 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %3 = rlx.binary mul %x, %cos : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %4 = rlx.binary mul %2, %sin : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %5 = rlx.binary add %3, %4 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %5 : tensor<3x4xf32>
}

// The second half is negated in place of the first: the other direction.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @other_direction
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @other_direction(%x: tensor<3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = rlx.narrow %x axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.narrow %x axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.activation neg %0 : tensor<3x2xf32>
  %3 = rlx.concat %1, %2 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %4 = rlx.binary mul %x, %cos : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %5 = rlx.binary mul %3, %sin : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = rlx.binary add %4, %5 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %6 : tensor<3x4xf32>
}

// Uneven parts.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @no_halves
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @no_halves(%x: tensor<3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = rlx.narrow %x axis(1) start(0) length(1) : tensor<3x4xf32> -> tensor<3x1xf32>
  %1 = rlx.narrow %x axis(1) start(1) length(3) : tensor<3x4xf32> -> tensor<3x3xf32>
  %2 = rlx.activation neg %1 : tensor<3x3xf32>
  %3 = rlx.concat %2, %0 axis(1) : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %4 = rlx.binary mul %x, %cos : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %5 = rlx.binary mul %3, %sin : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = rlx.binary add %4, %5 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %6 : tensor<3x4xf32>
}

// Another value is exchanged than the one beside it.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @two_values
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @two_values(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = rlx.narrow %y axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.narrow %y axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.activation neg %1 : tensor<3x2xf32>
  %3 = rlx.concat %2, %0 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %4 = rlx.binary mul %x, %cos : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %5 = rlx.binary mul %3, %sin : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = rlx.binary add %4, %5 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %6 : tensor<3x4xf32>
}

// The halves of another axis: the places are exchanged.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @halves_of_the_places
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @halves_of_the_places(%x: tensor<4x4xf32>, %cos: tensor<4x4xf32>, %sin: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = rlx.narrow %x axis(0) start(0) length(2) : tensor<4x4xf32> -> tensor<2x4xf32>
  %1 = rlx.narrow %x axis(0) start(2) length(2) : tensor<4x4xf32> -> tensor<2x4xf32>
  %2 = rlx.narrow %x axis(1) start(0) length(2) : tensor<4x4xf32> -> tensor<4x2xf32>
  %3 = rlx.activation neg %1 : tensor<2x4xf32>
  %4 = rlx.concat %3, %0 axis(0) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %5 = rlx.concat %2, %2 axis(1) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  %6 = rlx.binary mul %5, %cos : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = rlx.binary mul %4, %sin : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = rlx.binary add %6, %7 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %8 : tensor<4x4xf32>
}

// Each head has tables of its own: the op has none such.
// MISS: RLX-F016 axis
// CHECK-LABEL: @tables_of_heads
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @tables_of_heads(%x: tensor<2x4x3x8xf32>, %cos: tensor<4x3x8xf32>, %sin: tensor<4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = rlx.narrow %x axis(3) start(0) length(4) : tensor<2x4x3x8xf32> -> tensor<2x4x3x4xf32>
  %1 = rlx.narrow %x axis(3) start(4) length(4) : tensor<2x4x3x8xf32> -> tensor<2x4x3x4xf32>
  %2 = rlx.binary mul %x, %cos : (tensor<2x4x3x8xf32>, tensor<4x3x8xf32>) -> tensor<2x4x3x8xf32>
  %3 = rlx.activation neg %1 : tensor<2x4x3x4xf32>
  %4 = rlx.concat %3, %0 axis(3) : (tensor<2x4x3x4xf32>, tensor<2x4x3x4xf32>) -> tensor<2x4x3x8xf32>
  %5 = rlx.binary mul %4, %sin : (tensor<2x4x3x8xf32>, tensor<4x3x8xf32>) -> tensor<2x4x3x8xf32>
  %6 = rlx.binary add %2, %5 : (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  func.return %6 : tensor<2x4x3x8xf32>
}

// Cosines along the places, sines along the heads.
// MISS: RLX-F016 axis
// CHECK-LABEL: @tables_along_two_axes
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @tables_along_two_axes(%x: tensor<2x3x3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x1x4xf32>) -> tensor<2x3x3x4xf32> {
  %0 = rlx.narrow %x axis(3) start(0) length(2) : tensor<2x3x3x4xf32> -> tensor<2x3x3x2xf32>
  %1 = rlx.narrow %x axis(3) start(2) length(2) : tensor<2x3x3x4xf32> -> tensor<2x3x3x2xf32>
  %2 = rlx.binary mul %x, %cos : (tensor<2x3x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x3x4xf32>
  %3 = rlx.activation neg %1 : tensor<2x3x3x2xf32>
  %4 = rlx.concat %3, %0 axis(3) : (tensor<2x3x3x2xf32>, tensor<2x3x3x2xf32>) -> tensor<2x3x3x4xf32>
  %5 = rlx.binary mul %4, %sin : (tensor<2x3x3x4xf32>, tensor<3x1x4xf32>) -> tensor<2x3x3x4xf32>
  %6 = rlx.binary add %2, %5 : (tensor<2x3x3x4xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
  func.return %6 : tensor<2x3x3x4xf32>
}

// One product is read again.
// MISS: RLX-F003 returned
// CHECK-LABEL: @product_returned
// CHECK-NOT:   rlx.rope
// CHECK:       func.return
func.func @product_returned(%x: tensor<3x4xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = rlx.narrow %x axis(1) start(0) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %1 = rlx.narrow %x axis(1) start(2) length(2) : tensor<3x4xf32> -> tensor<3x2xf32>
  %2 = rlx.activation neg %1 : tensor<3x2xf32>
  %3 = rlx.concat %2, %0 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %4 = rlx.binary mul %x, %cos : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %5 = rlx.binary mul %3, %sin : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = rlx.binary add %4, %5 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %6, %5 : tensor<3x4xf32>, tensor<3x4xf32>
}

// Pairs side by side are read, halves are written: the elements are moved, and halves turn.
// CHECK-LABEL: @f28_pairs_to_halves
// CHECK-NEXT:  %[[A:.*]] = rlx.reshape %x : tensor<2x3x8xf32> -> tensor<2x3x4x2xf32>
// CHECK-NEXT:  %[[B:.*]] = rlx.transpose %[[A]] [0, 1, 3, 2]
// CHECK-NEXT:  %[[C:.*]] = rlx.reshape %[[B]] : tensor<2x3x2x4xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT:  %[[R:.*]] = rlx.rope %[[C]], %cos, %sin style(neox) table(half) n_rot(8) axis(1)
// CHECK-NEXT:  func.return %[[R]]
func.func @f28_pairs_to_halves(%x: tensor<2x3x8xf32>, %cos: tensor<3x4xf32>, %sin: tensor<3x4xf32>) -> tensor<2x3x8xf32> {
  %0 = rlx.slice %x starts [0, 0, 0] steps [1, 1, 2] : tensor<2x3x8xf32> -> tensor<2x3x4xf32>
  %1 = rlx.slice %x starts [0, 0, 1] steps [1, 1, 2] : tensor<2x3x8xf32> -> tensor<2x3x4xf32>
  %2 = rlx.binary mul %0, %cos : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %3 = rlx.binary mul %1, %sin : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %4 = rlx.binary sub %2, %3 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %5 = rlx.binary mul %1, %cos : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %6 = rlx.binary mul %0, %sin : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %7 = rlx.binary add %5, %6 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %8 = rlx.concat %4, %7 axis(-1) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// The other way round.
// CHECK-LABEL: @f28_halves_to_pairs
// CHECK:       rlx.transpose %{{.*}} [0, 1, 3, 2] : tensor<?x3x2x2xf32> -> tensor<?x3x2x2xf32>
// CHECK:       rlx.rope %{{.*}}, %cos, %sin style(gptj) table(half) n_rot(4) axis(1)
func.func @f28_halves_to_pairs(%x: tensor<?x3x4xf32>, %cos: tensor<3x2xf32>, %sin: tensor<3x2xf32>) -> tensor<?x3x4xf32> {
  %0 = rlx.narrow %x axis(2) start(0) length(2) : tensor<?x3x4xf32> -> tensor<?x3x2xf32>
  %1 = rlx.narrow %x axis(2) start(2) length(2) : tensor<?x3x4xf32> -> tensor<?x3x2xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x4xf32>
  %3 = rlx.binary mul %0, %cos : (tensor<?x3x2xf32>, tensor<3x2xf32>) -> tensor<?x3x2xf32>
  %4 = rlx.binary mul %1, %sin : (tensor<?x3x2xf32>, tensor<3x2xf32>) -> tensor<?x3x2xf32>
  %5 = rlx.binary sub %3, %4 : (tensor<?x3x2xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>
  %6 = rlx.binary mul %1, %cos : (tensor<?x3x2xf32>, tensor<3x2xf32>) -> tensor<?x3x2xf32>
  %7 = rlx.binary mul %0, %sin : (tensor<?x3x2xf32>, tensor<3x2xf32>) -> tensor<?x3x2xf32>
  %8 = rlx.binary add %6, %7 : (tensor<?x3x2xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>
  %9 = rlx.reshape %5 sizes(%n) : tensor<?x3x2xf32> -> tensor<?x3x2x1xf32>
  %10 = rlx.reshape %8 sizes(%n) : tensor<?x3x2xf32> -> tensor<?x3x2x1xf32>
  %11 = rlx.concat %9, %10 axis(3) : (tensor<?x3x2x1xf32>, tensor<?x3x2x1xf32>) -> tensor<?x3x2x2xf32>
  %12 = rlx.reshape %11 sizes(%n) : tensor<?x3x2x2xf32> -> tensor<?x3x4xf32>
  func.return %12 : tensor<?x3x4xf32>
}

// And of a part of the head.
// CHECK-LABEL: @f28_part_of_the_head
// CHECK:       %[[P:.*]] = rlx.concat %{{.*}}, %{{.*}} axis(-1) : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x6xf32>
// CHECK-NEXT:  rlx.rope %[[P]], %cos, %sin style(neox) table(half) n_rot(4) axis(0)
func.func @f28_part_of_the_head(%x: tensor<3x6xf32>, %cos: tensor<3x2xf32>, %sin: tensor<3x2xf32>) -> tensor<3x6xf32> {
  %0 = rlx.slice %x starts [0, 0] steps [1, 2] : tensor<3x6xf32> -> tensor<3x2xf32>
  %1 = rlx.slice %x starts [0, 1] steps [1, 2] : tensor<3x6xf32> -> tensor<3x2xf32>
  %2 = rlx.narrow %x axis(1) start(4) length(2) : tensor<3x6xf32> -> tensor<3x2xf32>
  %3 = rlx.binary mul %0, %cos : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = rlx.binary mul %1, %sin : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %5 = rlx.binary sub %3, %4 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %6 = rlx.binary mul %1, %cos : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %7 = rlx.binary mul %0, %sin : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %8 = rlx.binary add %6, %7 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %9 = rlx.concat %5, %8, %2 axis(1) : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x6xf32>
  func.return %9 : tensor<3x6xf32>
}
