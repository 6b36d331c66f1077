"""`rlx-fold-ranges`: choices between values that the ranges of integers decide become the value that is chosen."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, ModuleOp, TensorType, i1
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, CompareOp, WhereOp
from rlx_dialect.shapes import shaped
from rlx_passes.core.index import PatternPass
from rlx_passes.raising.trail import RaisingPattern
from rlx_passes.rewriting.legality import require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns
from rlx_passes.rewriting.ranges import range_of

BOUNDS = (BinaryKind.MIN, BinaryKind.MAX)


@dataclass(frozen=True)
class FoldChoice(RaisingPattern[WhereOp]):
    """
    %0 = rlx.compare lt %places, 0
    %1 = rlx.where %0, %a, %b         =>   %b

    Where comparisons of integers always hold or never do: an index that cannot be negative is not counted from the end.
    """

    title = "choice"
    roots = (WhereOp,)

    def starts(self, op: Operation) -> bool:
        """A choice that is decided: most are not, and nobody asks why."""
        return isinstance(op, WhereOp) and compares_integers(op.condition) and decided(op) is not None

    def match(self, root: WhereOp, /) -> Fusion:
        return standing(root, decided(root))


@dataclass(frozen=True)
class FoldBound(RaisingPattern[BinaryOp]):
    """
    %0 = rlx.binary min %places, 3   =>   %places

    Where the one operand is never beyond the other.
    """

    title = "bound"
    roots = (BinaryOp,)

    def starts(self, op: Operation) -> bool:
        return isinstance(op, BinaryOp) and op.binary in BOUNDS and holds_integers(op.lhs) and bound(op) is not None

    def match(self, root: BinaryOp, /) -> Fusion:
        return standing(root, bound(root))


def decided(op: WhereOp) -> SSAValue | None:
    """The value that is always chosen, or None."""
    found = range_of(op.condition)
    if found.low != found.high:
        return None
    return op.on_true if found.low else op.on_false


def bound(op: BinaryOp) -> SSAValue | None:
    """The operand that a minimum or a maximum always is, or None."""
    left, right = range_of(op.lhs), range_of(op.rhs)
    if left.high <= right.low:
        return op.lhs if op.binary is BinaryKind.MIN else op.rhs
    if right.high <= left.low:
        return op.rhs if op.binary is BinaryKind.MIN else op.lhs
    return None


def standing(root: Operation, value: SSAValue | None) -> Fusion:
    """`value` in place of the result of `root`, whose dims it must have."""
    assert value is not None, "what starts is decided"
    require(value.type == root.results[0].type, Reason.BROADCASTS_UP, root)
    return Fusion((root,), (), {root.results[0]: value})


def holds_integers(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and not isinstance(shaped(value).element, AnyFloat) and not _truths(value)


def compares_integers(condition: SSAValue) -> bool:
    """Whether a truth value comes of a comparison of integers, directly or through and and or."""
    owner = condition.owner
    while isinstance(owner, BinaryOp) and _truths(condition):
        condition = owner.lhs
        owner = condition.owner
    while isinstance(owner, Operation) and owner.name in ("rlx.reshape", "rlx.expand"):
        owner = owner.operands[0].owner
    return isinstance(owner, CompareOp) and holds_integers(owner.lhs)


def _truths(value: SSAValue) -> bool:
    return shaped(value).element == i1


FOLDS = (FoldChoice(), FoldBound())


@dataclass(frozen=True)
class FoldRangesPass(PatternPass):
    """Choices that the ranges of integers decide become the value that is chosen."""

    name: ClassVar[str] = "rlx-fold-ranges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, FOLDS)
