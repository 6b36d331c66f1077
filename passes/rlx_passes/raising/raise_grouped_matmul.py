"""`rlx-raise-grouped-matmul`: experts that are picked, sorted or cut into groups become products by index."""

from dataclasses import dataclass
from typing import ClassVar, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, ModuleOp, i1
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import CompareKind, ReduceKind
from rlx_dialect.known_sizes import sizes_of
from rlx_dialect.ops import (
    CastOp,
    CompareOp,
    CumsumOp,
    GatherOp,
    GroupedMatMulOp,
    HistogramOp,
    IotaOp,
    MatMulOp,
    ReduceOp,
    ReshapeOp,
    SortOp,
    TransposeOp,
)
from rlx_dialect.shapes import DYNAMIC, shaped
from rlx_passes.core.index import PatternPass
from rlx_passes.raising.fold_ranges import FOLDS
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.raising.unsorting import RaiseSorted
from rlx_passes.rewriting.legality import dims_of, live_uses, optional_reader, producer, require, same_block
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.order import is_after
from rlx_passes.rewriting.patterns import Fusion, run_patterns
from rlx_passes.rewriting.ranges import range_of

OpT = TypeVar("OpT", bound=Operation)


@dataclass(frozen=True)
class RaisePicked(RaisingPattern[MatMulOp]):
    """
    %0 = rlx.gather %weights, %experts axis(0) : [S, N, K]
    %1 = rlx.reshape %x : [S, K, 1]                           =>   %3 = rlx.transpose %weights [0, 2, 1]
    %2 = rlx.matmul %0, %1                                         %4 = rlx.grouped_matmul %x, %3, %experts

    Or the row on the left, `[S, 1, K]`, and matrices that are not turned.
    """

    title = "grouped_matmul"
    roots = (MatMulOp,)

    def starts(self, op: Operation) -> bool:
        """A product of single rows, or of single columns, with matrices that are picked."""
        return isinstance(op, MatMulOp) and (is_picked(op.rhs, op.lhs, -2) or is_picked(op.lhs, op.rhs, -1))

    def match(self, root: MatMulOp, /) -> Fusion:
        trail, left = Trail(root), is_picked(root.lhs, root.rhs, -1)
        matrices, rows = (root.lhs, root.rhs) if left else (root.rhs, root.lhs)
        turned = left
        if isinstance(matrices.owner, TransposeOp):
            matrices, turned = trail.into(matrices, TransposeOp).input, not turned
        gather = trail.into(matrices, GatherOp)
        dims = dims_of(gather.indices)
        row = producer(rows, ReshapeOp)
        require(dims_of(row.input) == (*dims, dims_of(rows)[-2 if left else -1]), Reason.AXIS, row)
        laid = optional_reader(root.result, ReshapeOp)
        flat = laid is not None and dims_of(laid.result) == (*dims, dims_of(root.result)[-2 if left else -1])
        last = trail.add(laid) if flat and laid is not None else root
        require(flat or DYNAMIC not in dims_of(root.result), Reason.DYNAMIC, root, detail="it is laid out again")
        closed = trail.closed(last)
        weights = [TransposeOp(gather.table, (0, 2, 1))] if turned else []
        table = weights[0].result if weights else gather.table
        product = GroupedMatMulOp(row.input, table, gather.indices, accumulate=root.accumulate)
        again = [] if flat else [ReshapeOp(product.result, dims_of(root.result))]
        return Fusion.of(closed, *weights, product, *again)


def is_picked(matrices: SSAValue, rows: SSAValue, axis: int) -> bool:
    """Whether one side of a product is a matrix for each place, picked by index, and the other a row or a column."""
    owner = matrices.owner
    if isinstance(owner, TransposeOp):
        rank = len(dims_of(matrices))
        if owner.permutation.get_values() != (*range(rank - 2), rank - 1, rank - 2):
            return False
        owner = owner.input.owner
    single = len(dims_of(rows)) == len(dims_of(matrices)) and dims_of(rows)[axis] == 1
    return (
        single
        and isinstance(owner, GatherOp)
        and len(dims_of(owner.table)) == 3
        and owner.axis.value.data in (0, -3)
        and isinstance(rows.owner, ReshapeOp)
    )


@dataclass(frozen=True)
class RaiseGroups(RaisingPattern[ReduceOp]):
    """
    %0 = rlx.sort %experts
    %1 = rlx.histogram %experts bins(E) low(0) high(E - 1)
    %2 = rlx.cumsum %1                                         =>   %0
    %3 = rlx.compare le (%2 as [1, E]), (rlx.iota as [S, 1])
    %4 = rlx.reduce sum (rlx.cast %3) axes [1]

    How many groups end before a place is the expert of that place, where experts are in order and all are counted.
    """

    title = "groups"
    roots = (ReduceOp,)

    def starts(self, op: Operation) -> bool:
        """A count of the ends of groups that lie before each place."""
        if not isinstance(op, ReduceOp) or op.reduction is not ReduceKind.SUM or op.keep_dims is not None:
            return False
        compare = behind(op.input, (CastOp,))
        return isinstance(compare, CompareOp) and isinstance(behind(compare.lhs, LAID), CumsumOp)

    def match(self, root: ReduceOp, /) -> Fusion:
        require(len(dims_of(root.input)) == 2 and root.axes.get_values() in ((1,), (-1,)), Reason.AXIS, root)
        compare = producer_behind(root.input, CompareOp, (CastOp,))
        require(compare.comparison is CompareKind.LE, Reason.ATTRIBUTES, compare, detail="ends at or before are wanted")
        ends, places = producer_behind(compare.lhs, CumsumOp, LAID), producer_behind(compare.rhs, IotaOp, LAID)
        one = len(dims_of(ends.result)) == 1 == len(dims_of(places.result)) and dims_of(compare.rhs)[-1] == 1
        require(one and not ends.exclusive and not ends.reverse, Reason.ATTRIBUTES, ends)
        counts = producer_behind(ends.input, HistogramOp, (CastOp,))
        bins = counts.bins.value.data
        whole = counts.low.value.data == 0 and counts.high.value.data == bins - 1
        require(whole, Reason.CONSTANT, counts, detail="a bin for each expert is wanted")
        experts = counts.input
        while isinstance(experts.owner, SortOp | CastOp | ReshapeOp):
            require_whole(experts)
            experts = experts.owner.input
        within = range_of(experts)
        inside = within.low >= 0 and within.high < bins
        require(inside, Reason.NOT_PRODUCED_BY, experts, detail="some may be no experts")
        ordered = in_order(experts)
        same_block(root, ordered)
        require(sizes_of(ordered.result) == sizes_of(root.result), Reason.DIMS_NOT_KNOWN_EQUAL, ordered)
        element = shaped(root.result).element
        if shaped(ordered.result).element == element:
            require(not is_after(ordered, root), Reason.DEPENDS_ON_RESULT, ordered)
            return Fusion((root,), (), {root.result: ordered.result})
        cast = CastOp(ordered.result, element)
        return Fusion((root,), (cast,), {root.result: cast.result}, at=root)


LAID = (CastOp, ReshapeOp)
"""Ops that keep the numbers and their order."""


def behind(value: SSAValue, through: tuple[type[Operation], ...]) -> Operation | None:
    """The op that computes `value`, looked for through ops of one operand."""
    owner = value.owner
    while isinstance(owner, through):
        owner = owner.operands[0].owner
    return owner if isinstance(owner, Operation) else None


def producer_behind(value: SSAValue, wanted: type[OpT], through: tuple[type[Operation], ...]) -> OpT:
    """The op of a type that computes `value`, looked for through ops of one operand. Raises `Miss` for another."""
    owner = value.owner
    while isinstance(owner, through):
        require_whole(value)
        value = owner.operands[0]
        owner = value.owner
    return producer(value, wanted)


def require_whole(value: SSAValue) -> None:
    """The type of `value` holds numbers of experts and of their rows. Raises `Miss` otherwise."""
    element = shaped(value).element
    wide = isinstance(element, IndexType) or (isinstance(element, AnyFloat | IntegerType) and element.bitwidth >= 32)
    require(wide or element == i1, Reason.DTYPE, value, detail="it may round")


def in_order(experts: SSAValue) -> SortOp:
    """The ascending sort of a value as one axis. Raises `Miss` without one."""
    pending = [experts]
    while pending:
        for use in live_uses(value := pending.pop()):
            if isinstance(use.operation, SortOp) and len(dims_of(value)) == 1 and use.operation.descending is None:
                return use.operation
            if isinstance(use.operation, ReshapeOp):
                pending.append(use.operation.result)
    return producer(experts, SortOp)


@dataclass(frozen=True)
class RaiseGroupedMatMulPass(PatternPass):
    """Experts that are picked, sorted or cut into groups become products by index."""

    name: ClassVar[str] = "rlx-raise-grouped-matmul"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if run_patterns(op, (RaisePicked(), RaiseGroups())):
            run_patterns(op, FOLDS)
        run_patterns(op, (RaiseSorted(),))
