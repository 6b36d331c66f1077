"""Rows that are sorted, computed on one by one and put back: the same in their first order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind, ScatterReduction
from rlx_dialect.constants import scalar
from rlx_dialect.known_sizes import sizes_of
from rlx_dialect.ops import (
    ActivationOp,
    ArgsortOp,
    BinaryOp,
    CastOp,
    ClampOp,
    CompareOp,
    ConcatOp,
    ExpandOp,
    GatherOp,
    GroupedMatMulOp,
    IotaOp,
    LayerNormOp,
    MatMulOp,
    NarrowOp,
    ReduceOp,
    ReshapeOp,
    RmsNormOp,
    ScatterNdOp,
    SliceOp,
    SoftmaxOp,
    SortOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, normalize_axes, shaped
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.legality import dims_of, require
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion

ELEMENTWISE = (ActivationOp, BinaryOp, CastOp, ClampOp, CompareOp, WhereOp, GroupedMatMulOp)
"""Ops of which each row of the result reads the same row of the operands that have rows."""


@dataclass(frozen=True)
class RaiseSorted(RaisingPattern[GatherOp]):
    """
    %order = rlx.argsort %keys
    %0 = rlx.gather %x, %order
    %1 = f(%0, rlx.sort %keys)                 =>   f(%x, %keys)
    %2 = rlx.scatter_nd none _, %order, iota
    %3 = rlx.gather %1, %2

    Where f works row by row: elementwise ops, products by index, and what keeps the first axis. A gather by
    `%order / k` takes each row of another tensor k times in a row. `rlx.argsort %order` is the inverse as well.
    """

    title = "rows in order"
    roots = (GatherOp,)

    def starts(self, op: Operation) -> bool:
        """A gather of rows by the inverse of an order."""
        if not isinstance(op, GatherOp) or op.axis.value.data != 0:
            return False
        return len(dims_of(op.indices)) == 1 and order_of(op.indices) is not None

    def match(self, root: GatherOp, /) -> Fusion:
        order = order_of(root.indices)
        assert order is not None, "looked at before"
        require(sizes_of(order.result)[0] == sizes_of(root.table)[0], Reason.DIMS_NOT_KNOWN_EQUAL, root)
        require(dims_of(order.result) != (1,), Reason.AXIS, order, detail="one row is in order")
        numbers = inverse_iota(root.indices)
        require(numbers is not None or DYNAMIC not in dims_of(order.result), Reason.DYNAMIC, order)
        rows = FirstOrder(order, numbers)
        steps = rows.steps(root.table)
        trail = Trail(root, *(step for step in steps if not isinstance(step, SortOp | ArgsortOp)))
        closed = trail.closed(root)
        result = rows.value(root.table, steps)
        return Fusion(closed, rows.read(result), {root.result: result}, at=root)


def order_of(indices: SSAValue) -> ArgsortOp | None:
    """The order of which `indices` is the inverse, or None."""
    owner = indices.owner
    if isinstance(owner, ArgsortOp) and isinstance(owner.input.owner, ArgsortOp) and owner.descending is None:
        return owner.input.owner
    if not isinstance(owner, ScatterNdOp) or owner.reduction.data != ScatterReduction.NONE.value:
        return None
    if not isinstance(owner.updates.owner, IotaOp) or len(dims_of(owner.updates)) != 1:
        return None
    places = owner.indices.owner
    while isinstance(places, ReshapeOp | CastOp) or (isinstance(places, ConcatOp) and len(places.inputs) == 1):
        places = places.operands[0].owner
    return places if isinstance(places, ArgsortOp) and len(dims_of(places.result)) == 1 else None


def inverse_iota(indices: SSAValue) -> SSAValue | None:
    """The numbers of rows that a scatter puts in the order's places; None where the inverse is a sort."""
    owner = indices.owner
    return owner.updates if isinstance(owner, ScatterNdOp) else None


@dataclass
class FirstOrder:
    """Values whose first axis is in sorted order, in the order before: `new` ops and what they give."""

    order: ArgsortOp
    numbers: SSAValue | None
    new: list[Operation] = field(default_factory=list[Operation])
    found: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def steps(self, value: SSAValue) -> list[Operation]:
        """The ops that compute `value` from keys, order and rows picked by it. Raises `Miss` where rows mix."""
        steps: dict[Operation, None] = {}
        pending = [value]
        while pending:
            current = pending.pop()
            op = current.owner
            if not isinstance(op, Operation):
                raise Miss(Reason.NOT_PRODUCED_BY, current)
            if op in steps:
                continue
            steps[op] = None
            pending += [op.operands[i] for i in self.rows(op)]
        return list(steps)

    def rows(self, op: Operation) -> Sequence[int]:
        """Which operands of `op` are in sorted order where its result is. Raises `Miss` where rows mix."""
        if op is self.order or self.is_sorted(op):
            return ()
        if isinstance(op, GatherOp) and op.axis.value.data == 0:
            return (1,)
        if isinstance(op, ELEMENTWISE):
            rank = len(dims_of(op.results[0]))
            if isinstance(op, GroupedMatMulOp):
                return (0, 2)
            return [i for i, each in enumerate(op.operands) if len(dims_of(each)) == rank and dims_of(each)[0] != 1]
        if isinstance(op, ConcatOp) and op.axis.value.data % len(dims_of(op.result)):
            return range(len(op.inputs))
        require(keeps_rows(op), Reason.NOT_PRODUCED_BY, op, detail="it may mix rows")
        return (0,)

    def is_sorted(self, op: Operation) -> bool:
        """Whether `op` gives the keys in order."""
        return (
            isinstance(op, SortOp)
            and op.input is self.order.input
            and op.descending == self.order.descending
            and len(dims_of(op.input)) == 1
        )

    def value(self, value: SSAValue, steps: Sequence[Operation]) -> SSAValue:
        """`value` in the first order."""
        for op in sorted_by_dependence(steps):
            self.found[op.results[0]] = self.step(op)
        return self.found[value]

    def step(self, op: Operation) -> SSAValue:
        if op is self.order:
            return self.counted()
        if self.is_sorted(op):
            return self.order.input
        if isinstance(op, GatherOp):
            return self.picked(op)
        given = {i: self.found[op.operands[i]] for i in self.rows(op)}
        new = op.clone()
        new.operands = [given.get(i, each) for i, each in enumerate(op.operands)]
        return self.add(new)

    def add(self, op: Operation) -> SSAValue:
        self.new.append(op)
        return op.results[0]

    def read(self, result: SSAValue) -> tuple[Operation, ...]:
        """The new ops that `result` depends on; the numbers of rows that are all picked are not among them."""
        kept: list[Operation] = []
        for op in reversed(self.new):
            if op.results[0] is result or any(True for _ in op.results[0].uses):
                kept.append(op)
            else:
                op.erase()
        return tuple(reversed(kept))

    def counted(self) -> SSAValue:
        """0, 1, 2, .. for the rows, of the type of the order."""
        kind = shaped(self.order.result)
        if self.numbers is not None:
            same = shaped(self.numbers).element == kind.element
            return self.numbers if same else self.add(CastOp(self.numbers, kind.element))
        return self.add(IotaOp(kind, axis=0))

    def picked(self, op: GatherOp) -> SSAValue:
        """Rows picked by numbers in the first order; all of them, or each several times, without a gather."""
        indices, dims = self.found[op.indices], dims_of(op.table)
        each = times(indices)
        if each == 1 and sizes_of(op.table)[0] == sizes_of(indices)[0]:
            return op.table
        total = dims_of(indices)
        if each is None or len(total) != 1 or DYNAMIC in dims or dims[0] * each != total[0]:
            return self.add(GatherOp(op.table, indices, axis=0))
        apart = self.add(ReshapeOp(op.table, (dims[0], 1, *dims[1:])))
        return self.add(ReshapeOp(self.add(ExpandOp(apart, (dims[0], each, *dims[1:]))), (total[0], *dims[1:])))


def times(indices: SSAValue) -> int | None:
    """The k of `iota / k`, 1 for `iota`; None for other indices."""
    owner = indices.owner
    while isinstance(owner, CastOp):
        indices = owner.input
        owner = indices.owner
    if isinstance(owner, IotaOp):
        return 1
    if not isinstance(owner, BinaryOp) or owner.binary is not BinaryKind.DIV or times(owner.lhs) != 1:
        return None
    number = scalar(owner.rhs)
    return int(number) if number is not None and number >= 1 else None


def keeps_rows(op: Operation) -> bool:
    """Whether each row of the result of `op` follows from that row of its first operand alone."""
    if not op.operands or not all(isinstance(value.type, TensorType) for value in (op.operands[0], op.results[0])):
        return False
    before, after = dims_of(op.operands[0]), dims_of(op.results[0])
    if not before or not after or sizes_of(op.operands[0])[0] != sizes_of(op.results[0])[0]:
        return False
    match op:
        case ReshapeOp():
            return True
        case ExpandOp():
            return len(before) == len(after)
        case NarrowOp() | SoftmaxOp() | LayerNormOp() | RmsNormOp():
            return bool(op.axis.value.data % len(before))
        case SliceOp():
            return op.starts.get_values()[0] == 0 and op.steps.get_values()[0] == 1
        case TransposeOp():
            return op.permutation.get_values()[0] == 0
        case ReduceOp():
            return 0 not in normalize_axes(op.axes.get_values(), len(before))
        case MatMulOp():
            return len(dims_of(op.rhs)) == 2
        case _:
            return False


def sorted_by_dependence(ops: Sequence[Operation]) -> list[Operation]:
    """Each op after those that compute its operands."""
    wanted, done = set(ops), dict[Operation, None]()
    pending = [(op, False) for op in ops]
    while pending:
        op, ready = pending.pop()
        if op in done:
            continue
        if ready:
            done[op] = None
            continue
        pending.append((op, True))
        owners = (each.owner for each in op.operands)
        pending += [(owner, False) for owner in owners if isinstance(owner, Operation) and owner in wanted]
    return list(done)
