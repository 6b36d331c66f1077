"""What a lowering says of itself, so that the claims of targets can be held against it."""

from abc import abstractmethod

from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_dialect.decompose import composite_ops


class LoweringPass(ModulePass):
    """A pass that turns rlx ops into those of a backend dialect."""

    @classmethod
    @abstractmethod
    def forms(cls) -> frozenset[type[Operation]]:
        """The ops that are lowered by a rule of their own."""

    @classmethod
    def lowers(cls) -> frozenset[type[Operation]]:
        """Every op that is lowered: those with a rule of their own, and those that are taken apart into plain ones."""
        return cls.forms() | composite_ops()
