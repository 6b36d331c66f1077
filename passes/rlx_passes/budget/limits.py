"""Bounds on what one elementwise region may hold."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FusionLimits:
    """How many steps and how many inputs an elementwise region may have."""

    max_elementwise_steps: int = 32
    max_elementwise_inputs: int = 16


NO_BOUND = 2**32 - 1
"""The value that means "no bound"."""

GPU_NATIVE = FusionLimits()
"""What a generated GPU kernel takes: 32 steps and 16 inputs. The default."""

UNBOUNDED = FusionLimits(NO_BOUND, NO_BOUND)
"""No bound on either."""
