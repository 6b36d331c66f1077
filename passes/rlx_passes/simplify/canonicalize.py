"""`rlx-canonicalize`"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from rlx_dialect.canonicalize import CANONICALIZATION


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """
    Replace ops by simpler ones that give the same values, bit for bit, and compute small constants.

    The rules stand in `rlx_dialect.canonicalize`; xDSL's `canonicalize` runs them too, beside those of all other dialects.
    """

    name: ClassVar[str] = "rlx-canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(GreedyRewritePatternApplier([CANONICALIZATION], ctx=ctx)).rewrite_module(op)
