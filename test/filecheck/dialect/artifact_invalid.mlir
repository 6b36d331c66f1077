// RUN: rlx-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{rlx.artifact: file must be a plain file name, got '../escape'}}
rlx.artifact "../escape" "text"
