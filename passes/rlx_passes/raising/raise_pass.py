"""`rlx-raise`: the raising passes, in the order in which each finds what the ones before it made."""

from dataclasses import dataclass
from typing import ClassVar

from rlx_passes.core.spec import PassSpec
from rlx_passes.registry.composite import CompositePass

PASSES = (
    "rlx-raise-transpose",
    "rlx-canonicalize-broadcasts",
    "rlx-raise-dot-general",
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


@dataclass(frozen=True)
class RaisePass(CompositePass):
    """Decomposed forms become the ops they spell out, values unchanged up to rounding."""

    name: ClassVar[str] = "rlx-raise"

    def expand(self) -> tuple[PassSpec, ...]:
        return tuple(map(PassSpec, PASSES))
