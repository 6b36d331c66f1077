"""rlx ops as linalg on tensors: the builder's vocabulary, one file of lowerings a chapter, and the pass."""

from rlx_passes.lowerings.to_linalg.convert import ConvertRlxToLinalgPass, lower_to_linalg

__all__ = ["ConvertRlxToLinalgPass", "lower_to_linalg"]
