// RUN: rlx-opt --rlx-fold-ranges --rlx-raise-grouped-matmul %s | filecheck %s

// Tokens sorted by expert, groups by their ends, and the results put back: the experts of the tokens as they come.
// CHECK-LABEL: @f23_sorted_experts
// CHECK-NEXT:  %values, %experts = rlx.top_k
// CHECK-NEXT:  %ids = rlx.reshape %experts
// CHECK-NEXT:  %[[one:.*]] = rlx.reshape %x : tensor<3x4xf32> -> tensor<3x1x4xf32>
// CHECK-NEXT:  %[[two:.*]] = rlx.expand %[[one]] : tensor<3x1x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT:  %[[rows:.*]] = rlx.reshape %[[two]] : tensor<3x2x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT:  %[[up:.*]] = rlx.grouped_matmul %[[rows]], %w, %ids
// CHECK-NEXT:  %[[act:.*]] = rlx.activation relu %[[up]]
// CHECK-NEXT:  func.return %[[act]]
func.func @f23_sorted_experts(%logits: tensor<3x5xf32>, %x: tensor<3x4xf32>, %w: tensor<5x4x7xf32>) -> tensor<6x7xf32> {
  %zero = arith.constant dense<0> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %count = arith.constant dense<5> : tensor<i64>
  %last = arith.constant dense<4> : tensor<i64>
  %nothing = arith.constant dense<0.0> : tensor<f32>
  %values, %experts = rlx.top_k %logits k(2) axis(1) : (tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  %ids = rlx.reshape %experts : tensor<3x2xi64> -> tensor<6xi64>
  %sorted = rlx.sort %ids axis(0) : tensor<6xi64>
  %order = rlx.argsort %ids axis(0) : tensor<6xi64> -> tensor<6xi64>
  %token = rlx.binary div %order, %two : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
  %rows = rlx.gather %x, %token axis(0) : (tensor<3x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  %real = rlx.cast %sorted : tensor<6xi64> -> tensor<6xf32>
  %counts = rlx.histogram %real bins(5) low(0.0) high(4.0) : tensor<6xf32> -> tensor<5xi64>
  %ends = rlx.cumsum %counts axis(0) : tensor<5xi64>
  %end = rlx.reshape %ends : tensor<5xi64> -> tensor<1x5xi64>
  %numbers = rlx.iota axis(0) : tensor<6xi64>
  %place = rlx.reshape %numbers : tensor<6xi64> -> tensor<6x1xi64>
  %before = rlx.compare le %end, %place : (tensor<1x5xi64>, tensor<6x1xi64>) -> tensor<6x5xi1>
  %ones = rlx.cast %before : tensor<6x5xi1> -> tensor<6x5xi64>
  %group = rlx.reduce sum %ones axes [1] : tensor<6x5xi64> -> tensor<6xi64>
  %within = rlx.binary min %group, %last : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
  %up = rlx.grouped_matmul %rows, %w, %within : (tensor<6x4xf32>, tensor<5x4x7xf32>, tensor<6xi64>) -> tensor<6x7xf32>
  %inside = rlx.compare lt %group, %count : (tensor<6xi64>, tensor<i64>) -> tensor<6xi1>
  %column = rlx.reshape %inside : tensor<6xi1> -> tensor<6x1xi1>
  %written = rlx.where %column, %up, %nothing : (tensor<6x1xi1>, tensor<6x7xf32>, tensor<f32>) -> tensor<6x7xf32>
  %act = rlx.activation relu %written : tensor<6x7xf32>
  %empty = arith.constant dense<0> : tensor<6xi64>
  %vectors = rlx.reshape %order : tensor<6xi64> -> tensor<6x1xi64>
  %inverse = rlx.scatter_nd none %empty, %vectors, %numbers : (tensor<6xi64>, tensor<6x1xi64>, tensor<6xi64>) -> tensor<6xi64>
  %back = rlx.gather %act, %inverse axis(0) : (tensor<6x7xf32>, tensor<6xi64>) -> tensor<6x7xf32>
  func.return %back : tensor<6x7xf32>
}

// A matrix picked for each row, which is a column beside it.
// CHECK-LABEL: @f23_picked_left
// CHECK:       %[[w:.*]] = rlx.transpose %w [0, 2, 1]
// CHECK-NEXT:  %[[y:.*]] = rlx.grouped_matmul %x, %[[w]], %i
// CHECK-NEXT:  func.return %[[y]]
func.func @f23_picked_left(%logits: tensor<3x5xf32>, %x: tensor<3x4xf32>, %w: tensor<5x7x4xf32>) -> tensor<3x7xf32> {
  %i = rlx.arg_max %logits axis(1) : tensor<3x5xf32> -> tensor<3xi64>
  %0 = rlx.gather %w, %i axis(0) : (tensor<5x7x4xf32>, tensor<3xi64>) -> tensor<3x7x4xf32>
  %1 = rlx.reshape %x : tensor<3x4xf32> -> tensor<3x4x1xf32>
  %2 = rlx.matmul %0, %1 : (tensor<3x7x4xf32>, tensor<3x4x1xf32>) -> tensor<3x7x1xf32>
  %3 = rlx.reshape %2 : tensor<3x7x1xf32> -> tensor<3x7xf32>
  func.return %3 : tensor<3x7xf32>
}

// The row on the left; the product keeps its dims, and how it is summed.
// CHECK-LABEL: @picked_right
// CHECK:       %[[y:.*]] = rlx.grouped_matmul %x, %w, %i accumulate(f64)
// CHECK-NEXT:  %[[laid:.*]] = rlx.reshape %[[y]] : tensor<3x7xf32> -> tensor<3x1x7xf32>
// CHECK-NEXT:  func.return %[[laid]]
func.func @picked_right(%logits: tensor<3x5xf32>, %x: tensor<3x4xf32>, %w: tensor<5x4x7xf32>) -> tensor<3x1x7xf32> {
  %i = rlx.arg_max %logits axis(1) : tensor<3x5xf32> -> tensor<3xi64>
  %0 = rlx.gather %w, %i axis(0) : (tensor<5x4x7xf32>, tensor<3xi64>) -> tensor<3x4x7xf32>
  %1 = rlx.reshape %x : tensor<3x4xf32> -> tensor<3x1x4xf32>
  %2 = rlx.matmul %1, %0 accumulate(f64) : (tensor<3x1x4xf32>, tensor<3x4x7xf32>) -> tensor<3x1x7xf32>
  func.return %2 : tensor<3x1x7xf32>
}

// Matrices that are turned after they are picked; a number of rows that only a run knows.
// CHECK-LABEL: @picked_and_turned
// CHECK:       %[[w:.*]] = rlx.transpose %w [0, 2, 1]
// CHECK-NEXT:  %[[y:.*]] = rlx.grouped_matmul %x, %[[w]], %i
// CHECK-NEXT:  func.return %[[y]]
func.func @picked_and_turned(%logits: tensor<?x5xf32>, %x: tensor<?x4xf32>, %w: tensor<5x7x4xf32>) -> tensor<?x7xf32> {
  %axis = arith.constant 0 : index
  %n = tensor.dim %x, %axis : tensor<?x4xf32>
  %i = rlx.arg_max %logits axis(1) : tensor<?x5xf32> -> tensor<?xi64>
  %0 = rlx.gather %w, %i axis(0) : (tensor<5x7x4xf32>, tensor<?xi64>) -> tensor<?x7x4xf32>
  %1 = rlx.transpose %0 [0, 2, 1] : tensor<?x7x4xf32> -> tensor<?x4x7xf32>
  %2 = rlx.reshape %x sizes(%n) : tensor<?x4xf32> -> tensor<?x1x4xf32>
  %3 = rlx.matmul %2, %1 : (tensor<?x1x4xf32>, tensor<?x4x7xf32>) -> tensor<?x1x7xf32>
  %4 = rlx.reshape %3 sizes(%n) : tensor<?x1x7xf32> -> tensor<?x7xf32>
  func.return %4 : tensor<?x7xf32>
}

// The order of an order is its inverse. What is picked by it is what comes; a row of other rows is kept.
// CHECK-LABEL: @inverse_by_sorting
// CHECK-NEXT:  %[[y:.*]] = rlx.binary mul %x, %row
// CHECK-NEXT:  %[[z:.*]] = rlx.softmax %[[y]] axis(1)
// CHECK-NEXT:  func.return %[[z]]
func.func @inverse_by_sorting(%keys: tensor<6xi64>, %x: tensor<6x4xf32>, %row: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %order = rlx.argsort %keys axis(0) : tensor<6xi64> -> tensor<6xi64>
  %0 = rlx.gather %x, %order axis(0) : (tensor<6x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  %1 = rlx.binary mul %0, %row : (tensor<6x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  %2 = rlx.softmax %1 axis(1) : tensor<6x4xf32>
  %inverse = rlx.argsort %order axis(0) : tensor<6xi64> -> tensor<6xi64>
  %3 = rlx.gather %2, %inverse axis(0) : (tensor<6x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  func.return %3 : tensor<6x4xf32>
}

// Another order, and the largest first on one side.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @sorted_the_other_way
// CHECK:       rlx.gather
func.func @sorted_the_other_way(%keys: tensor<6xi64>) -> tensor<6xi64> {
  %order = rlx.argsort %keys axis(0) : tensor<6xi64> -> tensor<6xi64>
  %0 = rlx.sort %keys axis(0) descending : tensor<6xi64>
  %inverse = rlx.argsort %order axis(0) : tensor<6xi64> -> tensor<6xi64>
  %1 = rlx.gather %0, %inverse axis(0) : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
  func.return %1 : tensor<6xi64>
}

// A sum over the rows before in sorted order is another one in the order before.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @rows_mix
// CHECK:       rlx.cumsum
// CHECK:       rlx.gather
func.func @rows_mix(%keys: tensor<6xi64>, %x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %order = rlx.argsort %keys axis(0) : tensor<6xi64> -> tensor<6xi64>
  %0 = rlx.gather %x, %order axis(0) : (tensor<6x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  %1 = rlx.cumsum %0 axis(0) : tensor<6x4xf32>
  %inverse = rlx.argsort %order axis(0) : tensor<6xi64> -> tensor<6xi64>
  %2 = rlx.gather %1, %inverse axis(0) : (tensor<6x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  func.return %2 : tensor<6x4xf32>
}

// The rows in sorted order are a result too.
// MISS: RLX-F003 returned
// CHECK-LABEL: @sorted_rows_are_returned
// CHECK:       rlx.argsort
func.func @sorted_rows_are_returned(%keys: tensor<6xi64>, %x: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %order = rlx.argsort %keys axis(0) : tensor<6xi64> -> tensor<6xi64>
  %0 = rlx.gather %x, %order axis(0) : (tensor<6x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  %1 = rlx.activation relu %0 : tensor<6x4xf32>
  %inverse = rlx.argsort %order axis(0) : tensor<6xi64> -> tensor<6xi64>
  %2 = rlx.gather %1, %inverse axis(0) : (tensor<6x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  func.return %1, %2 : tensor<6x4xf32>, tensor<6x4xf32>
}

// Keys of an input may be no experts: those rows lie behind all groups.
// MISS: RLX-F006 not-produced-by
// CHECK-LABEL: @no_experts
// CHECK:       rlx.reduce sum
func.func @no_experts(%ids: tensor<6xi64>) -> tensor<6xi64> {
  %sorted = rlx.sort %ids axis(0) : tensor<6xi64>
  %counts = rlx.histogram %ids bins(5) low(0.0) high(4.0) : tensor<6xi64> -> tensor<5xi64>
  %ends = rlx.cumsum %counts axis(0) : tensor<5xi64>
  %end = rlx.reshape %ends : tensor<5xi64> -> tensor<1x5xi64>
  %numbers = rlx.iota axis(0) : tensor<6xi64>
  %place = rlx.reshape %numbers : tensor<6xi64> -> tensor<6x1xi64>
  %before = rlx.compare le %end, %place : (tensor<1x5xi64>, tensor<6x1xi64>) -> tensor<6x5xi1>
  %ones = rlx.cast %before : tensor<6x5xi1> -> tensor<6x5xi64>
  %group = rlx.reduce sum %ones axes [1] : tensor<6x5xi64> -> tensor<6xi64>
  %0 = rlx.binary sub %group, %sorted : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
  func.return %0 : tensor<6xi64>
}

// Fewer bins than experts.
// MISS: RLX-F025 constant
// CHECK-LABEL: @bins_of_two
// CHECK:       rlx.reduce sum
func.func @bins_of_two(%logits: tensor<6x4xf32>) -> tensor<6xi64> {
  %ids = rlx.arg_max %logits axis(1) : tensor<6x4xf32> -> tensor<6xi64>
  %sorted = rlx.sort %ids axis(0) : tensor<6xi64>
  %counts = rlx.histogram %ids bins(2) low(0.0) high(3.0) : tensor<6xi64> -> tensor<2xi64>
  %ends = rlx.cumsum %counts axis(0) : tensor<2xi64>
  %end = rlx.reshape %ends : tensor<2xi64> -> tensor<1x2xi64>
  %numbers = rlx.iota axis(0) : tensor<6xi64>
  %place = rlx.reshape %numbers : tensor<6xi64> -> tensor<6x1xi64>
  %before = rlx.compare le %end, %place : (tensor<1x2xi64>, tensor<6x1xi64>) -> tensor<6x2xi1>
  %ones = rlx.cast %before : tensor<6x2xi1> -> tensor<6x2xi64>
  %group = rlx.reduce sum %ones axes [1] : tensor<6x2xi64> -> tensor<6xi64>
  %0 = rlx.binary sub %group, %sorted : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
  func.return %0 : tensor<6xi64>
}

// The matrices are read elsewhere.
// MISS: RLX-F002 multi-use
// CHECK-LABEL: @matrices_are_shared
// CHECK-NOT:   rlx.grouped_matmul
// CHECK:       rlx.matmul
func.func @matrices_are_shared(%logits: tensor<3x5xf32>, %x: tensor<3x4xf32>, %w: tensor<5x4x7xf32>) -> (tensor<3x1x7xf32>, tensor<3x4x7xf32>) {
  %i = rlx.arg_max %logits axis(1) : tensor<3x5xf32> -> tensor<3xi64>
  %0 = rlx.gather %w, %i axis(0) : (tensor<5x4x7xf32>, tensor<3xi64>) -> tensor<3x4x7xf32>
  %1 = rlx.reshape %x : tensor<3x4xf32> -> tensor<3x1x4xf32>
  %2 = rlx.matmul %1, %0 : (tensor<3x1x4xf32>, tensor<3x4x7xf32>) -> tensor<3x1x7xf32>
  %3 = rlx.activation neg %0 : tensor<3x4x7xf32>
  func.return %2, %3 : tensor<3x1x7xf32>, tensor<3x4x7xf32>
}
