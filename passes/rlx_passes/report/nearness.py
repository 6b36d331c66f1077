"""Which misses are worth a reader's time: how far a match came before it ended."""

from xdsl.ir import Block, Operation, SSAValue

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
    return miss.reason not in _NEIGHBOURS or not all(_touches(root, blocker) for blocker in miss.blockers)


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
