"""Which misses are worth a reader's time: how far a match came before it ended."""

from itertools import islice

from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.ops import ActivationOp, CastOp, ClampOp
from rlx_passes.rewriting.miss import Blocker, CodedReason, Miss, Reason

OPTION_ONLY = frozenset(
    {
        *(Reason.NOT_CLAIMED, Reason.EPILOGUE, Reason.DTYPE, Reason.OUT_OF_LIMITS, Reason.TOO_LARGE),
        *(Reason.NO_GAIN, Reason.NO_FUSE, Reason.REGION_FULL, Reason.NOT_OPTIONAL, Reason.LOOP_BOUND, Reason.ROUNDING),
    }
)
"""The ops are those of the pattern; what forbids the fusion is an option or an attribute."""

OTHER_OP = frozenset({Reason.NOT_CONSUMED_BY, Reason.NOT_PRODUCED_BY, Reason.UNUSED, Reason.RETURNED})
"""An op of the pattern is not there."""

_NEIGHBOURS = OTHER_OP | {Reason.MULTI_USE}

OPTION, FORM, PART = range(3)


def nearness(reason: CodedReason) -> int:
    """0 where an option alone is in the way, 1 where the form of the ops is, 2 where one of them is not there."""
    return OPTION if reason in OPTION_ONLY else PART if reason in OTHER_OP else FORM


def is_candidate(root: Operation, miss: Miss) -> bool:
    """
    Whether a reader would look for the fusion at `root`. The pattern says so, or more of it is there than the root: the
    op that is another than wanted is no neighbour of the root.
    """
    if miss.candidate is not None:
        return miss.candidate
    if miss.reason is Reason.NOT_A_STEP:
        return False
    if stands_between(miss):
        return True
    return miss.reason not in _NEIGHBOURS or not all(_touches(root, blocker) for blocker in miss.blockers)


_MOVABLE = (ActivationOp, CastOp, ClampOp)
"""Ops that somebody puts between two ops of a pattern without a thought of it."""
_MOST_BETWEEN = 2


def stands_between(miss: Miss) -> bool:
    """Whether the op that is wanted is there, and only movable ops stand before it."""
    if not miss.wanted or len(miss.blockers) != 1:
        return False
    blocker = miss.blockers[0]
    for _ in range(_MOST_BETWEEN):
        op = blocker.owner if isinstance(blocker, SSAValue) else blocker
        if not isinstance(op, _MOVABLE):
            return False
        if miss.reason is Reason.NOT_PRODUCED_BY:
            blocker = op.operands[0]
            found = blocker.owner
        elif miss.reason is Reason.NOT_CONSUMED_BY:
            readers = [use.operation for use in islice(op.results[0].uses, 2)]
            if len(readers) != 1:
                return False
            blocker = found = readers[0]
        else:
            return False
        if isinstance(found, miss.wanted):
            return True
    return False


def _touches(root: Operation, blocker: Blocker) -> bool:
    if isinstance(blocker, SSAValue):
        if any(blocker is value for value in (*root.operands, *root.results)):
            return True
        owner = blocker.owner
        return not isinstance(owner, Block) and _touches(root, owner)
    if blocker is root:
        return True
    given = (*blocker.operands, *blocker.results)
    return any(value is other for value in (*root.operands, *root.results) for other in given)
