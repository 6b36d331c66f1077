"""Loops over memrefs to the llvm dialect."""
