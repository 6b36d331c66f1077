// RUN: rlx-opt --rlx-convert-to-llvm --split-input-file --verify-diagnostics %s

func.func @f(%x: memref<f32>) {
  %a = memref.load %x[] : memref<f32>
  // expected-error @+1 {{'math.exp' in @f has no form in the llvm dialect}}
  %b = math.exp %a : f32
  memref.store %b, %x[] : memref<f32>
  func.return
}

// -----

// expected-error @+1 {{'func.func' in @g has f32 in the signature of a public function, which takes and returns memrefs alone}}
func.func @g(%x: f32) {
  func.return
}

// -----

func.func @h(%x: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'vector.load' in @h has vector<2x2xf32>, where code takes vectors with one static dim}}
  %a = vector.load %x[%c0, %c0] : memref<2x2xf32>, vector<2x2xf32>
  vector.store %a, %x[%c0, %c0] : memref<2x2xf32>, vector<2x2xf32>
  func.return
}
