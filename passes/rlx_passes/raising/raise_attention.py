"""`rlx-raise-attention`: two products around a softmax become one attention."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.known_sizes import remembered_sizes
from rlx_passes.raising.attention import RaiseAttention
from rlx_passes.raising.attention_layout import JoinAttentionHeads
from rlx_passes.raising.attention_rounds import RaiseAttentionRounds
from rlx_passes.raising.attention_structure import StructureAttentionMask
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.rewriting.patterns import run_patterns


@dataclass(frozen=True)
class RaiseAttentionPass(RaisingPass):
    """
    Two products around a softmax become one attention.

    A score that is NaN and hidden by a bias of -inf no longer makes its row NaN: the attention replaces hidden scores.
    Where a triangle or band hides keys by a finite number and a bias of -inf all others of a row, the row becomes the
    mean of all values, which was that of the values hidden by the number.
    """

    name: ClassVar[str] = "rlx-raise-attention"

    def find(self, op: ModuleOp) -> None:
        forms = RaiseAttention()
        with remembered_sizes():
            for pattern in (RaiseAttentionRounds(), forms, JoinAttentionHeads(forms), StructureAttentionMask()):
                run_patterns(op, (pattern,))
