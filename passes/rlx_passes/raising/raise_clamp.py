"""`rlx-raise-clamp`: a maximum and a minimum with numbers become a clamp."""

import math
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp, ClampOp
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.constants import scalar, shortest
from rlx_passes.rewriting.legality import require, tensor_type
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns

OPPOSITE = {BinaryKind.MIN: BinaryKind.MAX, BinaryKind.MAX: BinaryKind.MIN}


@dataclass(frozen=True)
class RaiseClamp(RaisingPattern[BinaryOp | ActivationOp]):
    """
    min(max(x, low), high)   =>   rlx.clamp %x low(low) high(high)
    max(min(x, high), low)   =>   the same, where low <= high

    A relu is a maximum with 0, so that `min(relu x, 6)` is relu6. Numbers on either side, of floats or integers. One
    bound alone stays a maximum or a minimum.
    """

    title = "clamp"
    roots = (BinaryOp, ActivationOp)

    def starts(self, op: Operation) -> bool:
        outer = bound(op)
        return outer is not None and bound_kind(outer[0].owner) is OPPOSITE[outer[1]]

    def match(self, root: BinaryOp | ActivationOp, /) -> Fusion:
        trail = Trail(root)
        value, outer, last = bounded(root)
        inner = trail.into(value, (BinaryOp, ActivationOp))
        x, _, first = bounded(inner)
        low, high = (first, last) if outer is BinaryKind.MIN else (last, first)
        require(not math.isnan(low + high), Reason.CONSTANT, root)
        require(outer is BinaryKind.MIN or low <= high, Reason.CONSTANT, root, detail="the bounds cross")
        require(root.results[0].type == x.type, Reason.TYPE_CHANGES, root)
        element = tensor_type(x).element_type
        return Fusion.of(trail.closed(root), ClampOp(x, shortest(low, element), shortest(high, element)))


def bound_kind(op: object) -> BinaryKind | None:
    """Whether `op` is a maximum or a minimum with a number."""
    found = bound(op)
    return None if found is None else found[1]


def bounded(op: Operation) -> tuple[SSAValue, BinaryKind, float]:
    """`bound` of an op that has one. Raises `Miss` for others."""
    found = bound(op)
    require(found is not None, Reason.NOT_PRODUCED_BY, op, detail="a maximum or minimum with a number is wanted")
    assert found is not None, "required above"
    return found


def bound(op: object) -> tuple[SSAValue, BinaryKind, float] | None:
    """What `op` bounds by a number, on which side, and the number."""
    if isinstance(op, ActivationOp):
        return (op.input, BinaryKind.MAX, 0.0) if op.activation is Activation.RELU else None
    if not isinstance(op, BinaryOp) or op.binary not in OPPOSITE or tensor_type(op.result).element_type == i1:
        return None
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        number = scalar(other)
        if number is not None:
            return value, op.binary, number
    return None


@dataclass(frozen=True)
class RaiseClampPass(RaisingPass):
    """A maximum and a minimum with numbers become a clamp."""

    name: ClassVar[str] = "rlx-raise-clamp"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseClamp(),))
