"""`rlx-canonicalize`"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from rlx_dialect.canonicalize import CANONICALIZATION
from rlx_dialect.canonicalize.folding import overflows
from rlx_passes.rewriting.miss import Miss, Reason, report_miss


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """
    Replace ops by simpler ones that give the same values, bit for bit, and compute small constants.

    The rules are in `rlx_dialect.canonicalize`; xDSL's `canonicalize` runs them too, beside those of all other
    dialects. A cast of a constant that does not fit into its new type stays, and is reported as a miss.
    """

    name: ClassVar[str] = "rlx-canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(GreedyRewritePatternApplier([CANONICALIZATION], ctx=ctx)).rewrite_module(op)
        for cast in op.walk():
            if overflows(cast):
                report_miss(
                    "canonicalize", cast, Miss(Reason.CONSTANT, *cast.operands, detail="it does not fit the new type")
                )
