"""
Simpler forms of ops that mean the same, bit for bit: `x * 1` is `x`, a transpose of a transpose is one.

A rule looks at one op and returns its replacement: a value that is there already, a new op, or None where it does
not apply. Rules never change a number: -0.0, NaN, infinities and denormals survive. The reference folds constants.

Every op offers these to xDSL's `canonicalize`; `rlx-canonicalize` runs them alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from rlx_dialect.canonicalize import elementwise, movement
from rlx_dialect.canonicalize.folding import folded
from rlx_dialect.canonicalize.rule import CanonicalRule
from rlx_dialect.marks import NO_FUSE
from rlx_dialect.ops.base import RlxOp

__all__ = ["CANONICALIZATION", "Canonicalization", "rules_of"]

TABLES = (elementwise.RULES, movement.RULES)


@dataclass(frozen=True)
class Canonicalization(RewritePattern):
    """All rules of all ops as one pattern. An op with `rlx.no_fuse` stays as it is."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        rules = rules_of(type(op))
        if rules is None or NO_FUSE in op.attributes:
            return
        if (constants := folded(op)) is not None:
            _replace(op, constants, [constant.results[0] for constant in constants], rewriter)
            return
        for rule in rules:
            simpler = rule(op)
            if simpler is None:
                continue
            new = () if isinstance(simpler, SSAValue) else (simpler,)
            values = (simpler,) if isinstance(simpler, SSAValue) else simpler.results
            if [value.type for value in values] == [result.type for result in op.results]:
                _replace(op, new, values, rewriter)
                return
            for unused in new:
                unused.erase()


CANONICALIZATION = Canonicalization()


@cache
def rules_of(op: type[Operation]) -> tuple[CanonicalRule, ...] | None:
    """The rules for ops of a class, those of its bases included; None for a class outside of the dialect."""
    if not issubclass(op, RlxOp):
        return None
    return tuple(rule for table in TABLES for base in op.__mro__ for rule in table.get(base, ()))


def _replace(op: Operation, new: Sequence[Operation], values: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    for each in new:
        each.location = op.location
    rewriter.replace(op, new, values)
