"""The command-line tools: rlx-opt, rlx-compile and rlx-run."""
