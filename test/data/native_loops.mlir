// Functions of loops over memory, for test/unit/codegen/test_native_memory.py.

"memref.global"() <{sym_name = "table", sym_visibility = "private", type = memref<4xf32>, constant,
  initial_value = dense<[1.5, -2.0, 3.0, 4.0]> : tensor<4xf32>}> : () -> ()
"memref.global"() <{sym_name = "halves", sym_visibility = "private", type = memref<2x2xf16>, constant,
  initial_value = dense<0.5> : tensor<2x2xf16>}> : () -> ()

func.func @subviews(%x: memref<6x8xf32>, %at: memref<i64>, %y: memref<2x3xf32>) {
  %where = memref.load %at[] : memref<i64>
  %row = arith.index_cast %where : i64 to index
  %a = memref.subview %x[%row, 1] [4, 6] [1, 1] : memref<6x8xf32> to memref<4x6xf32, strided<[8, 1], offset: ?>>
  %b = memref.subview %a[0, 0] [2, 3] [2, 2]
    : memref<4x6xf32, strided<[8, 1], offset: ?>> to memref<2x3xf32, strided<[16, 2], offset: ?>>
  "memref.copy"(%b, %y) : (memref<2x3xf32, strided<[16, 2], offset: ?>>, memref<2x3xf32>) -> ()
  func.return
}

func.func @rank_reduced(%x: memref<?x5x7xf32>, %y: memref<?x7xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x5x7xf32>
  %a = memref.subview %x[0, 2, 0] [%n, 1, 7] [1, 1, 1]
    : memref<?x5x7xf32> to memref<?x7xf32, strided<[35, 1], offset: 14>>
  "memref.copy"(%a, %y) : (memref<?x7xf32, strided<[35, 1], offset: 14>>, memref<?x7xf32>) -> ()
  func.return
}

func.func @reshaped(%x: memref<?x4xf32>, %y: memref<2x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %flat = memref.collapse_shape %x [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  %size = memref.dim %flat, %c0 : memref<?xf32>
  %half = arith.divsi %size, %c2 : index
  %two = memref.expand_shape %flat [[0, 1]] output_shape [2, %half] : memref<?xf32> into memref<2x?xf32>
  %turned = memref.reinterpret_cast %two to offset: [0], sizes: [2, %half], strides: [1, 2]
    : memref<2x?xf32> to memref<2x?xf32, strided<[1, 2]>>
  "memref.copy"(%turned, %y) : (memref<2x?xf32, strided<[1, 2]>>, memref<2x?xf32>) -> ()
  func.return
}

func.func @arena(%x: memref<4xf32>, %y: memref<4xf32>, %memory: memref<256xi8> {rlx.arena}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %v = memref.view %memory[%c64][] : memref<256xi8> to memref<4xf32>
  %w = memref.view %memory[%c64][%c4] : memref<256xi8> to memref<?xf32>
  %table = memref.get_global @table : memref<4xf32>
  "memref.copy"(%table, %v) : (memref<4xf32>, memref<4xf32>) -> ()
  %halves = memref.get_global @halves : memref<2x2xf16>
  %narrow = memref.load %halves[%c1, %c1] : memref<2x2xf16>
  %factor = arith.extf %narrow : f16 to f32
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %x[%i] : memref<4xf32>
    %b = memref.load %w[%i] : memref<?xf32>
    %s = arith.addf %a, %b : f32
    %t = arith.mulf %s, %factor : f32
    memref.store %t, %y[%i] : memref<4xf32>
  }
  func.return
}

"memref.global"() <{sym_name = "flags", sym_visibility = "private", type = memref<2x5xi1>, constant,
  initial_value = dense<[[true, false, true, true, false], [false, false, true, true, true]]> : tensor<2x5xi1>}>
  : () -> ()
"memref.global"() <{sym_name = "all", sym_visibility = "private", type = memref<3xi1>, constant,
  initial_value = dense<true> : tensor<3xi1>}> : () -> ()
"memref.global"() <{sym_name = "pairs", sym_visibility = "private", type = memref<2xcomplex<f32>>, constant,
  initial_value = dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>}> : () -> ()
"memref.global"() <{sym_name = "none", sym_visibility = "private", type = memref<0xf32>, constant,
  initial_value = dense<> : tensor<0xf32>}> : () -> ()

func.func @constants(%x: memref<2x5xi1>, %y: memref<3xi1>, %z: memref<2xcomplex<f32>>, %w: memref<0xf32>) {
  %flags = memref.get_global @flags : memref<2x5xi1>
  "memref.copy"(%flags, %x) : (memref<2x5xi1>, memref<2x5xi1>) -> ()
  %all = memref.get_global @all : memref<3xi1>
  "memref.copy"(%all, %y) : (memref<3xi1>, memref<3xi1>) -> ()
  %pairs = memref.get_global @pairs : memref<2xcomplex<f32>>
  "memref.copy"(%pairs, %z) : (memref<2xcomplex<f32>>, memref<2xcomplex<f32>>) -> ()
  %none = memref.get_global @none : memref<0xf32>
  "memref.copy"(%none, %w) : (memref<0xf32>, memref<0xf32>) -> ()
  func.return
}

func.func @truths(%x: memref<?xi1>, %y: memref<?xi1>, %z: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi1>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xi1>
    %b = memref.load %y[%i] : memref<?xi1>
    %c = arith.xori %a, %b : i1
    memref.store %c, %z[%i] : memref<?xi1>
  }
  func.return
}

func.func @complexes(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xcomplex<f32>>
  %start = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> (complex<f32>) {
    %a = memref.load %x[%i] : memref<?xcomplex<f32>>
    %s = complex.add %sum, %a : complex<f32>
    %re = complex.re %a : complex<f32>
    %im = complex.im %a : complex<f32>
    %turned = complex.create %im, %re : complex<f32>
    memref.store %turned, %y[%i] : memref<?xcomplex<f32>>
    scf.yield %s : complex<f32>
  }
  memref.store %last, %y[%c0] : memref<?xcomplex<f32>>
  func.return
}

func.func @collatz(%x: memref<?xi64>, %y: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  scf.for %i = %c0 to %n step %c1 {
    %start = memref.load %x[%i] : memref<?xi64>
    %end, %rounds = scf.while (%v = %start, %k = %zero) : (i64, i64) -> (i64, i64) {
      %more = arith.cmpi ne, %v, %one : i64
      scf.condition(%more) %v, %k : i64, i64
    } do {
    ^bb0(%v: i64, %k: i64):
      %rest = arith.remsi %v, %two : i64
      %odd = arith.cmpi eq, %rest, %one : i64
      %next = scf.if %odd -> (i64) {
        %m = arith.muli %v, %three : i64
        %p = arith.addi %m, %one : i64
        scf.yield %p : i64
      } else {
        %h = arith.divsi %v, %two : i64
        scf.yield %h : i64
      }
      %l = arith.addi %k, %one : i64
      scf.yield %next, %l : i64, i64
    }
    memref.store %rounds, %y[%i] : memref<?xi64>
  }
  func.return
}

func.func @swapped(%x: memref<4xf32>, %rounds: memref<i64>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %count = memref.load %rounds[] : memref<i64>
  %n = arith.index_cast %count : i64 to index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  "memref.copy"(%x, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  %p, %q = scf.for %i = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (memref<4xf32>, memref<4xf32>) {
    "scf.parallel"(%c0, %c4, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%j: index):
      %v = memref.load %from[%j] : memref<4xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %to[%j] : memref<4xf32>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.yield %to, %from : memref<4xf32>, memref<4xf32>
  }
  "memref.copy"(%p, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  func.return
}

func.func @in_place(%x: memref<64xf32>, %memory: memref<512xi8> {rlx.arena}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = memref.view %memory[%c0][] : memref<512xi8> to memref<64xf32>
  %w = memref.view %memory[%c0][] : memref<512xi8> to memref<64xf32>
  "memref.copy"(%x, %v) : (memref<64xf32>, memref<64xf32>) -> ()
  "scf.parallel"(%c0, %c64, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    %a = memref.load %v[%j] : memref<64xf32>
    %b = arith.mulf %a, %a : f32
    memref.store %b, %w[%j] : memref<64xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "memref.copy"(%w, %x) : (memref<64xf32>, memref<64xf32>) -> ()
  func.return
}

func.func @scratch(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %small = memref.alloc() : memref<8xf32>
    %open = memref.alloc(%n) : memref<?x8xf32>
    scf.for %j = %c0 to %c8 step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x8xf32>
      memref.store %a, %small[%j] : memref<8xf32>
      memref.store %a, %open[%i, %j] : memref<?x8xf32>
    }
    scf.for %j = %c0 to %c8 step %c1 {
      %k = arith.subi %c7, %j : index
      %a = memref.load %small[%k] : memref<8xf32>
      %b = memref.load %open[%i, %j] : memref<?x8xf32>
      %s = arith.subf %a, %b : f32
      memref.store %s, %y[%i, %j] : memref<?x8xf32>
    }
    scf.reduce
  }) {grain = 2 : i64} : (index, index, index) -> ()
  func.return
}

func.func @checked(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  %kept = memref.alloc(%n) : memref<?xf32>
  cf.assert %same, "sizes differ"
  memref.dealloc %kept : memref<?xf32>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %a = memref.load %x[%i] : memref<?xf32>
    %zero = arith.constant 0.0 : f32
    %positive = arith.cmpf oge, %a, %zero : f32
    cf.assert %positive, "a negative number"
    %b = math.sqrt %a : f32
    memref.store %b, %y[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

func.func private @twice(%x: memref<?xf32>, %by: f32) -> (memref<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %some = arith.cmpi sgt, %n, %c0 : index
  cf.assert %some, "nothing there"
  %double = arith.addi %n, %n : index
  %y = memref.alloc(%double) : memref<?xf32>
  scf.for %i = %c0 to %double step %c1 {
    %j = arith.remsi %i, %n : index
    %a = memref.load %x[%j] : memref<?xf32>
    %b = arith.mulf %a, %by : f32
    memref.store %b, %y[%i] : memref<?xf32>
  }
  func.return %y, %double : memref<?xf32>, index
}

func.func @returned(%x: memref<?xf32>, %count: memref<i64>) -> memref<?xf32> {
  %three = arith.constant 3.0 : f32
  %a, %n = func.call @twice(%x, %three) : (memref<?xf32>, f32) -> (memref<?xf32>, index)
  %m = arith.index_cast %n : index to i64
  memref.store %m, %count[] : memref<i64>
  %b, %k = func.call @twice(%a, %three) : (memref<?xf32>, f32) -> (memref<?xf32>, index)
  memref.dealloc %a : memref<?xf32>
  func.return %b : memref<?xf32>
}

func.func @vectors(%x: memref<?xf32>, %y: memref<?xf32>, %sums: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %whole = arith.subi %n, %c4 : index
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %two = arith.constant 2.0 : f32
  %twos = vector.broadcast %two : f32 to vector<4xf32>
  %total = scf.for %i = %c0 to %whole step %c4 iter_args(%sum = %zeros) -> (vector<4xf32>) {
    %a = vector.load %x[%i] : memref<?xf32>, vector<4xf32>
    %b = vector.fma %a, %twos, %a : vector<4xf32>
    vector.store %b, %y[%i] : memref<?xf32>, vector<4xf32>
    %s = arith.addf %sum, %a : vector<4xf32>
    scf.yield %s : vector<4xf32>
  }
  %mask = vector.create_mask %c3 : vector<4xi1>
  %end = arith.subi %n, %c3 : index
  %a = vector.maskedload %x[%end], %mask, %zeros : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %y[%end], %mask, %a : memref<?xf32>, vector<4xi1>, vector<4xf32>
  %all = vector.reduction <add>, %total : vector<4xf32> into f32
  %most = vector.reduction <maximumf>, %total, %all : vector<4xf32> into f32
  %turned = vector.shuffle %total, %zeros [1, 0, 7, 2] : vector<4xf32>, vector<4xf32>
  %third = vector.extract %turned[3] : f32 from vector<4xf32>
  %put = vector.insert %all, %turned [0] : f32 into vector<4xf32>
  %put2 = vector.insert %most, %put [1] : f32 into vector<4xf32>
  vector.store %put2, %sums[%c0] : memref<4xf32>, vector<4xf32>
  func.return
}

func.func @narrow_vectors(%x: memref<8xbf16>, %y: memref<8xf16>) {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<8xbf16>, vector<8xbf16>
  %b = arith.extf %a : vector<8xbf16> to vector<8xf32>
  %c = arith.addf %b, %b : vector<8xf32>
  %d = arith.truncf %c : vector<8xf32> to vector<8xf16>
  vector.store %d, %y[%c0] : memref<8xf16>, vector<8xf16>
  func.return
}
