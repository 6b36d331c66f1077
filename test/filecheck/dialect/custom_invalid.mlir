// RUN: rlx-opt %s --split-input-file --verify-diagnostics

func.func @empty() {
  // expected-error @below {{rlx.custom: kind must be a word of letters, digits, _, . and -, got ''}}
  rlx.custom ""() : () -> ()
  func.return
}

// -----

func.func @words() {
  // expected-error @below {{rlx.custom: kind must be a word of letters, digits, _, . and -, got 'two words'}}
  rlx.custom "two words"() : () -> ()
  func.return
}
