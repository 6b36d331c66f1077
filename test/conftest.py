"""What holds for every test."""

import sys
from typing import Any, cast

# PyTorch imports triton where it is installed, whose LLVM crashes the process where Mesa's software renderer has loaded its own; a process that
# runs tests has both. PyTorch does without triton on a CPU.
cast("dict[str, Any]", sys.modules)["triton"] = None
