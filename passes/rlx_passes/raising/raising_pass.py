"""What the passes share that find ops in what they are made of."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_passes.core.index import PatternPass
from rlx_passes.rewriting.roundings import keeping


@dataclass(frozen=True)
class RaisingPass(PatternPass):
    """
    A pass that finds ops in what they are made of.

    With `exact-rounding` it leaves alone what rounds to a type of fewer than 32 bits on the way, where the op that
    would stand for it rounds once, at its end.
    """

    exact_rounding: bool | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with keeping(bool(self.exact_rounding)):
            self.find(op)

    def find(self, op: ModuleOp) -> None:
        """Run the patterns over a module."""
        raise NotImplementedError
