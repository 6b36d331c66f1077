"""
One small function for every kind of op, element type, rank, broadcast and unknown size that a lowering must get right.

`CASES` maps a function's name to its text and its inputs; each lowering runs all and compares with the reference.
"""

from attention_cases import attention, fused
from elementwise_cases import broadcasts, elementwise, gradients
from reduction_cases import contraction, normalizations, reductions, windows
from shape_cases import shapes

CHAPTERS = (
    elementwise,
    broadcasts,
    contraction,
    reductions,
    normalizations,
    attention,
    shapes,
    gradients,
    fused,
    windows,
)


CASES = {name: case for chapter in CHAPTERS for found in chapter() for name, case in found.items()}
