"""Loops that go over blocks of a value: how often, what they carry, and which part a round reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import Block, SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.constants import scalar
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import BinaryOp, CompareOp, DynamicSliceOp, ReshapeOp, ScanOp, WhereOp, WhileOp, YieldOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.rewriting.evaluation import evaluated
from rlx_passes.rewriting.legality import dims_of, require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason

if TYPE_CHECKING:
    from rlx_dialect.reference import Array

MOST_ELEMENTS = 1 << 16
"""How large a constant may be of which a mask is computed in each round."""


@dataclass(frozen=True)
class Carried:
    """A carried value: before the first round, at the start of one, as the round yields it, and after the last."""

    initial: SSAValue
    argument: SSAValue
    given: SSAValue
    result: SSAValue


@dataclass(frozen=True)
class Blocks:
    """
    What a round reads of `source`: entry i of axis 0, or the i-th of equal parts of `axis`. `axis` counts from the end
    in what is read; `stacked` says that the entries lie on an axis 0 of their own.
    """

    source: SSAValue
    stacked: bool
    axis: int = 0


class Rounds:
    """A loop with a known number of rounds. Raises `Miss` for any other."""

    def __init__(self, op: WhileOp | ScanOp):
        self.op, self.body = op, op.body.block
        end = self.body.last_op
        assert isinstance(end, YieldOp)
        count = op.carries
        parts = zip(op.carried, self.body.args, end.arguments, op.results)
        self.carried = [Carried(*each) for _, each in zip(range(count), parts)]
        outer = op.operands
        self.outer = dict[SSAValue, SSAValue](zip(self.body.args, outer))
        self.counters: set[SSAValue] = set()
        if isinstance(op, ScanOp):
            require(op.reverse is None, Reason.ATTRIBUTES, op)
            self.count = op.rounds()
        else:
            self.count = self._counted(op)
        require(self.count not in (0, DYNAMIC), Reason.LOOP_BOUND, op)

    def _counted(self, op: WhileOp) -> int:
        """The number of rounds of a loop that counts from 0 by 1; its counters are noted."""
        for each in self.carried:
            step = each.given.owner
            if not isinstance(step, BinaryOp) or step.binary is not BinaryKind.ADD or scalar(each.initial) != 0:
                continue
            if {scalar(step.lhs), scalar(step.rhs)} == {None, 1} and each.argument in step.operands:
                self.counters.add(each.argument)
        end = op.cond.block.last_op
        test = end.operands[0].owner if end is not None else None
        if isinstance(test, CompareOp) and test.comparison is CompareKind.LT and test.lhs in op.cond.block.args:
            at = op.cond.block.args.index(test.lhs)
            bound = scalar(test.rhs)
            if at < len(self.carried) and self.carried[at].argument in self.counters and bound is not None:
                return min(int(bound), int(bound) if op.limit is None else op.limit)
        raise Miss(Reason.LOOP_BOUND, op, detail="it does not count from 0 to a known number")

    def captured(self, value: SSAValue) -> SSAValue | None:
        """The value outside that is the same in all rounds, if `value` is one."""
        if value not in self.outer or any(value is each.argument for each in self.carried):
            return None
        scans = isinstance(self.op, ScanOp) and self._scanned(value) is not None
        return None if scans else self.outer[value]

    def _scanned(self, value: SSAValue) -> SSAValue | None:
        op = self.op
        if not isinstance(op, ScanOp) or not isinstance(value.owner, Block):
            return None
        at = next((place for place, argument in enumerate(self.body.args) if argument is value), -1)
        return op.operands[at] if len(op.carried) <= at < len(op.carried) + len(op.scanned) else None

    def blocks(self, value: SSAValue) -> Blocks:
        """What of a value outside a round reads as `value`. Raises `Miss` where that is no block of it."""
        if (scanned := self._scanned(value)) is not None:
            return Blocks(scanned, stacked=True)
        rank = len(dims_of(value))
        laid = value.owner
        part = laid.input.owner if isinstance(laid, ReshapeOp) else laid
        if not isinstance(part, DynamicSliceOp) or (source := self.captured(part.input)) is None:
            raise Miss(Reason.NOT_PRODUCED_BY, value, detail="a block of a value that the loop captures is wanted")
        dims, lengths = dims_of(part.input), part.lengths.get_values()
        axes = [axis for axis, start in enumerate(part.starts) if scalar(start) != 0]
        require(len(axes) == 1 and DYNAMIC not in dims, Reason.AXIS, part, detail="it moves along several axes")
        (axis,) = axes
        whole = all(size == dim for at, (size, dim) in enumerate(zip(lengths, dims)) if at != axis)
        require(whole and lengths[axis] * self.count == dims[axis], Reason.NOT_A_PARTITION, part)
        require(self._places(part.starts[axis]) == lengths[axis], Reason.NOT_A_PARTITION, part)
        if isinstance(laid, ReshapeOp):
            require(axis == 0 and lengths[0] == 1 and dims_of(value) == dims[1:], Reason.LAYOUT, laid)
            return Blocks(source, stacked=True)
        return Blocks(source, stacked=False, axis=axis - rank)

    def of_counters(self, value: SSAValue) -> list[Array] | None:
        """What `value` is in each round, where it depends on counters and constants alone; None for any other."""
        import numpy as np

        found: list[Array] = []
        same: dict[SSAValue, Array] = {}
        for argument in self.body.args:
            outer = self.captured(argument)
            if outer is not None and (constant := evaluated(outer, most_elements=MOST_ELEMENTS)) is not None:
                same[argument] = constant
        for number in range(self.count):
            counted = {each: np.array(number, numpy_dtype(tensor_type(each).element_type)) for each in self.counters}
            array = evaluated(value, given={**same, **counted})
            if array is None:
                return None
            found.append(array)
        return found

    def _places(self, start: SSAValue) -> int | None:
        """How far apart the starts of two rounds are, the first being 0."""
        start = unwrapped(start)
        if start in self.counters:
            return 1
        op = start.owner
        if not isinstance(op, BinaryOp) or op.binary is not BinaryKind.MUL:
            return None
        for counter, number in ((op.lhs, scalar(op.rhs)), (op.rhs, scalar(op.lhs))):
            if counter in self.counters and number is not None and number > 0:
                return int(number)
        return None


def unwrapped(start: SSAValue) -> SSAValue:
    """Of `where(start < 0, start + size, start)`, as programs count from the end, a start that is never negative."""
    op = start.owner
    if not isinstance(op, WhereOp) or not isinstance(test := op.condition.owner, CompareOp):
        return start
    negative = test.comparison is CompareKind.LT and test.lhs is op.on_false and scalar(test.rhs) == 0
    return op.on_false if negative else start
