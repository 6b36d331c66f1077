"""The way of a match through the ops that compute its root, and the base of the patterns that walk it."""

from collections.abc import Callable
from typing import TypeVar

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp, CastOp, ExpandOp, ReshapeOp
from rlx_dialect.shapes import Dims, normalize_axes, show
from rlx_passes.rewriting.effects import is_pure
from rlx_passes.rewriting.legality import dims_of, producer, read_only_by, require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern
from rlx_passes.rewriting.roundings import is_heard, keeps_roundings, roundings, tell

T = TypeVar("T")
OpT = TypeVar("OpT", bound=Operation)
RootT = TypeVar("RootT", bound=Operation)

SAME_DEPTH = 4
"""How far two values are compared op by op before they count as different."""


class RaisingPattern(FusionPattern[RootT]):
    """A pattern that starts only at rare ops, so that its misses are worth reading."""

    fuses = False

    def starts(self, op: Operation) -> bool:
        """Whether `op`, of one of `roots`, looks enough like the form to say why it is not, if it is not."""
        return True

    def accept(self, root: RootT, fusion: Fusion, /) -> None:
        """Under `exact-rounding` all roundings stay."""
        if keeps_roundings() and (ops := roundings(fusion)):
            raise Miss(Reason.ROUNDING, *ops)

    def applied(self, root: Operation, fusion: Fusion, /) -> None:
        if is_heard():
            tell(self.title, root, roundings(fusion))

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, self.roots) and self.starts(op):
            super().match_and_rewrite(op, rewriter)


class Trail:
    """
    The ops a match has gone through.

    A step returns what it found or raises `Miss`. `closed` says at the end that nothing outside the match reads it.
    """

    def __init__(self, *ops: Operation):
        self._ops = dict.fromkeys(ops)

    def add(self, op: OpT) -> OpT:
        self._ops[op] = None
        return op

    def into(self, value: SSAValue, wanted: type[OpT] | tuple[type[OpT], ...]) -> OpT:
        """The op that computes `value`."""
        return self.add(producer(value, wanted))

    def binary(self, value: SSAValue, *kinds: BinaryKind) -> BinaryOp:
        """The binary op of one of `kinds` that computes `value`."""
        op = producer(value, BinaryOp)
        require(op.binary in kinds, Reason.NOT_PRODUCED_BY, value, detail=lambda: f"{' or '.join(kinds)} is wanted")
        return self.add(op)

    def activation(self, value: SSAValue, *kinds: Activation) -> ActivationOp:
        """The activation of one of `kinds` that computes `value`."""
        op = producer(value, ActivationOp)
        require(op.activation in kinds, Reason.NOT_PRODUCED_BY, value, detail=lambda: f"{' or '.join(kinds)} is wanted")
        return self.add(op)

    def elements(self, value: SSAValue) -> SSAValue:
        """The value whose elements, in row-major order, are those of `value`: looks through reshapes."""
        while isinstance(value.owner, ReshapeOp):
            value = self.add(value.owner).input
        return value

    def spread(self, value: SSAValue) -> SSAValue:
        """The value that `value` stretches: looks through expands."""
        while isinstance(value.owner, ExpandOp):
            value = self.add(value.owner).input
        return value

    def first(self, *ways: Callable[[], T]) -> T:
        """What the first way that holds finds; else the miss of one that came further than an op of another kind."""
        kept: Miss | None = None
        for way in ways:
            before = dict(self._ops)
            try:
                return way()
            except Miss as miss:
                self._ops = before
                if kept is None or kept.reason is Reason.NOT_PRODUCED_BY:
                    kept = miss
        assert kept is not None, "at least one way"
        raise kept

    def operands(self, op: BinaryOp, step: Callable[[SSAValue, SSAValue], T]) -> T:
        """What `step` finds for the operands of `op` in one order or the other."""
        return self.first(lambda: step(op.lhs, op.rhs), lambda: step(op.rhs, op.lhs))

    def same(self, a: SSAValue, b: SSAValue) -> bool:
        """Whether `a` and `b` are one value, or computed alike from the same; what recomputes `b` joins the trail."""
        twins: list[Operation] = []
        if not _alike(a, b, SAME_DEPTH, twins):
            return False
        for op in twins:
            self.add(op)
        return True

    def closed(self, last: Operation, given: SSAValue | None = None) -> tuple[Operation, ...]:
        """
        The ops of the trail, `last` at the end. Raises `Miss` if another's value is read outside the trail or returned.

        Constants are shared freely, and so is `given`: what computes it then stays beside what comes.
        """
        inner = [op for op in self._ops if op is not last and not isinstance(op, ConstantOp)]
        readers = {*inner, last}
        for op in inner:
            for result in op.results:
                if result is not given:
                    read_only_by(result, readers)
        return (*reversed(inner), last)


def _alike(a: SSAValue, b: SSAValue, depth: int, twins: list[Operation]) -> bool:
    if a is b:
        return True
    first, second = a.owner, b.owner
    if not depth or isinstance(first, Block) or isinstance(second, Block) or a.type != b.type:
        return False
    if (
        type(first) is not type(second)
        or first.regions
        or len(first.results) != 1
        or first.properties != second.properties
        or len(first.operands) != len(second.operands)
        or not is_pure(first)
    ):
        return False
    twins.append(second)
    return all(_alike(x, y, depth - 1, twins) for x, y in zip(first.operands, second.operands))


def is_widening(cast: CastOp) -> bool:
    """Whether a cast is one from a float type to a wider one, which changes no value."""
    before, after = tensor_type(cast.input).element_type, tensor_type(cast.result).element_type
    return isinstance(before, AnyFloat) and isinstance(after, AnyFloat) and before.bitwidth < after.bitwidth


def single_axis(axes: tuple[int, ...], rank: int, op: Operation) -> int:
    """The one axis of a reduction, counted from the start. Raises `Miss` for several."""
    require(len(axes) == 1, Reason.AXIS, op, detail=lambda: f"axes {list(axes)} where one is wanted")
    return normalize_axes(axes, rank)[0]


def require_along(value: SSAValue, dims: Dims, axis: int, blocker: Operation) -> None:
    """`value` stretches along `axis` of `dims` and lies along all other axes. Raises `Miss` otherwise."""
    actual = dims_of(value)
    padded = (1,) * (len(dims) - len(actual)) + actual
    wanted = (*dims[:axis], 1, *dims[axis + 1 :])
    require(
        padded == wanted, Reason.AXIS, blocker, detail=lambda: f"a statistic of dims {show(actual)} for {show(dims)}"
    )
