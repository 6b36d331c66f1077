// Rows of a table by i32 numbers, a narrowed part of them, a concatenation, and a part that starts where an input says.
func.func @main(%ids: tensor<4xi32> {rlx.input = "ids"}, %table: tensor<10x6xf32> {rlx.param = "table"},
                %start: tensor<i32> {rlx.input = "start"})
    -> (tensor<4x6xf32> {rlx.output = "rows"}, tensor<3x2xf32> {rlx.output = "part"}, tensor<4x9xf32> {rlx.output = "joined"},
        tensor<3x6xf32> {rlx.output = "from_start"}) {
  %e = tensor.empty() : tensor<4x6xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                          iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<4xi32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%id: i32, %o: f32):
    %row = arith.index_cast %id : i32 to index
    %column = linalg.index 1 : index
    %r = tensor.extract %table[%row, %column] : tensor<10x6xf32>
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %part = tensor.extract_slice %rows[1, 2] [3, 2] [1, 2] : tensor<4x6xf32> to tensor<3x2xf32>
  %left = tensor.extract_slice %rows[0, 3] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %joined = tensor.concat dim(1) %left, %rows : (tensor<4x3xf32>, tensor<4x6xf32>) -> tensor<4x9xf32>
  %s = tensor.extract %start[] : tensor<i32>
  %at = arith.index_cast %s : i32 to index
  %from_start = tensor.extract_slice %table[%at, 0] [3, 6] [1, 1] : tensor<10x6xf32> to tensor<3x6xf32>
  func.return %rows, %part, %joined, %from_start : tensor<4x6xf32>, tensor<3x2xf32>, tensor<4x9xf32>, tensor<3x6xf32>
}
