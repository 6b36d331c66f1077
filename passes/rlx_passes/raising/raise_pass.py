"""`rlx-raise`: the raising passes, in the order in which each finds what the ones before it made."""

from dataclasses import dataclass
from typing import ClassVar

from rlx_passes.core.spec import PassSpec
from rlx_passes.registry.composite import CompositePass

PASSES = (
    "rlx-share-sizes",
    "rlx-raise-transpose",
    "rlx-canonicalize-broadcasts",
    "rlx-raise-dot-general",
    "rlx-fold-ranges",
    "rlx-raise-grouped-matmul",
    "rlx-raise-softmax",
    "rlx-raise-layer-norm",
    "rlx-raise-rms-norm",
    "rlx-raise-group-norm",
    "rlx-raise-batch-norm",
    "rlx-raise-gelu",
    "rlx-raise-clamp",
    "rlx-raise-activations",
    "rlx-raise-hard-swish",
    "rlx-raise-tanh",
    "rlx-raise-rope",
    "rlx-raise-resize-nearest2x",
    "rlx-raise-attention",
)
"""
Transposes that undo one another are folded with the broadcasts. Layer norm comes before RMS norm, which is what is
left of it once the mean is subtracted; attention needs softmax and products.
"""


ROUNDS_ALIKE = frozenset(
    {
        *("rlx-raise-transpose", "rlx-canonicalize-broadcasts", "rlx-raise-dot-general", "rlx-raise-resize-nearest2x"),
        *("rlx-share-sizes", "rlx-fold-ranges", "rlx-raise-grouped-matmul"),
    }
)
"""Passes that move elements, or find an op that rounds as often as what it stands for."""


@dataclass(frozen=True)
class RaisePass(CompositePass):
    """
    Decomposed forms become the ops they spell out, values unchanged up to rounding.

    An op rounds once, at its end, where its parts round to a type of fewer than 32 bits one by one; the report says
    where that makes a difference. `exact-rounding` keeps every rounding that was written, and so fewer ops are found.
    """

    name: ClassVar[str] = "rlx-raise"

    exact_rounding: bool = False

    def expand(self) -> tuple[PassSpec, ...]:
        options = (("exact-rounding", ("true",)),) if self.exact_rounding else ()
        return tuple(PassSpec(name, () if name in ROUNDS_ALIKE else options) for name in PASSES)
