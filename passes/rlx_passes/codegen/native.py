"""cpu, native: own code by LLVM."""
