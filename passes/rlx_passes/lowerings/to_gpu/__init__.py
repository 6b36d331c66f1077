"""linalg on tensors to GPU kernels and the host functions that launch them."""

from rlx_passes.lowerings.to_gpu.convert import linalg_to_gpu

__all__ = ["linalg_to_gpu"]
