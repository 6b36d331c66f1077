"""
What the norms share: a root mean square, what it divides, a gain and a shift.

Statistics are over the axes from `kept` on, as in a slice of all axes: -1 for the last, 2 for all but two.
"""

from dataclasses import dataclass

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import AnyFloat, f32
from xdsl.ir import Block, Operation, SSAValue, TypeAttribute

from rlx_dialect.attributes import Activation, BinaryKind, ReduceKind
from rlx_dialect.decompose.plain import is_half
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    ConcatOp,
    DynamicSliceOp,
    ExpandOp,
    GatherOp,
    NarrowOp,
    ReduceOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from rlx_dialect.ops.base import ELEMENTWISE_STEPS
from rlx_dialect.shapes import DYNAMIC, Dims, count, normalize_axes, show
from rlx_passes.raising.trail import RaisingPattern, Trail, require_along
from rlx_passes.rewriting.constants import require_close, require_scalar, scalar, shortest, splat
from rlx_passes.rewriting.legality import broadcast_source, dims_of, live_uses, only_reader, require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason

ROOTS = (Activation.SQRT, Activation.RSQRT)


@dataclass(frozen=True)
class MeanSquare:
    """`sqrt(mean(x^2) + epsilon)` over the last axes of x."""

    x: SSAValue
    epsilon: float
    accumulate: TypeAttribute | None


@dataclass(frozen=True)
class Scaled:
    """`x / rms * gamma + beta`; `last` computes it. None is a gain of 1, a shift of 0."""

    last: Operation
    gamma: SSAValue | None
    beta: SSAValue | None


@dataclass(frozen=True)
class Mean:
    """The mean of `input`, which `op` reduces, over its last axes."""

    op: ReduceOp
    input: SSAValue
    accumulate: TypeAttribute | None


def mean(trail: Trail, value: SSAValue, kept: int = -1) -> Mean:
    """
    What `value` is the mean of over the last axes: a mean, or a sum over the number of elements.

    Of halves it may be taken in f32 between casts, as JAX writes it: so they are summed anyway.
    """
    value = trail.elements(value)
    narrowed = value.owner if isinstance(value.owner, CastOp) else None
    if narrowed is not None:
        value = trail.elements(trail.add(narrowed).input)
    op = averaged(trail, value, kept)
    if narrowed is None:
        return Mean(op, op.input, op.accumulate)
    widened = trail.into(op.input, CastOp)
    outer, inner = tensor_type(narrowed.result).element_type, tensor_type(widened.input).element_type
    wide = tensor_type(op.input).element_type
    halves = outer == inner and is_half(outer) and wide == f32 and op.accumulate in (None, f32)
    require(halves, Reason.DTYPE, op, detail="a mean between casts of other types than halves")
    return Mean(op, widened.input, None)


def averaged(trail: Trail, value: SSAValue, kept: int) -> ReduceOp:
    """The reduction over the last axes whose mean `value` is."""
    if not isinstance(value.owner, BinaryOp):
        return over_last(trail, value, ReduceKind.MEAN, kept)
    scaled = trail.binary(value, BinaryKind.DIV, BinaryKind.MUL)

    def by_count(total: SSAValue, factor: SSAValue) -> ReduceOp:
        number = require_scalar(factor)
        reduction = over_last(trail, trail.elements(total), ReduceKind.SUM, kept)
        size = count(dims_of(reduction.input)[kept:])
        require(size is not None and size > 0, Reason.DYNAMIC, reduction)
        assert size, "required above"
        wanted = size if scaled.binary is BinaryKind.DIV else 1 / size
        require_close(number, wanted, factor, ulps=1)
        return reduction

    if scaled.binary is BinaryKind.DIV:
        return by_count(scaled.lhs, scaled.rhs)
    return trail.operands(scaled, by_count)


def over_last(trail: Trail, value: SSAValue, kind: ReduceKind, kept: int) -> ReduceOp:
    """The reduction of `kind` over the last axes that computes `value`."""
    op = trail.into(value, ReduceOp)
    require(op.reduction is kind, Reason.NOT_PRODUCED_BY, op, detail=lambda: f"a {kind} is wanted")
    rank = len(dims_of(op.input))
    axes = sorted(normalize_axes(op.axes.get_values(), rank))
    wanted = list(range(rank)[kept:])
    require(axes == wanted, Reason.AXIS, op, detail=lambda: f"axes {axes} of rank {rank}, {wanted} are wanted")
    return op


def mean_square(trail: Trail, root: ActivationOp, kept: int = -1) -> MeanSquare:
    """What `root`, a square root, is the root of."""
    element = tensor_type(root.result).element_type
    value, epsilon = trail.elements(root.input), 0.0
    if isinstance(value.owner, BinaryOp) and value.owner.binary is BinaryKind.ADD:
        add = trail.add(value.owner)

        def beside(sum: SSAValue, number: SSAValue) -> tuple[SSAValue, float]:
            return sum, require_scalar(number)

        value, epsilon = trail.operands(add, beside)
        require(epsilon >= 0, Reason.CONSTANT, add, detail=f"an epsilon of {epsilon}")
    reduction = mean(trail, value, kept)
    x = squared(trail, reduction.input)
    return MeanSquare(x, shortest(epsilon, element), reduction.accumulate)


def squared(trail: Trail, value: SSAValue) -> SSAValue:
    """The x of `x * x` or `x ^ 2`."""
    op = trail.binary(value, BinaryKind.MUL, BinaryKind.POW)
    if op.binary is BinaryKind.POW:
        require_close(require_scalar(op.rhs), 2.0, op.rhs, ulps=0)
    else:
        require(trail.same(op.lhs, op.rhs), Reason.NOT_PRODUCED_BY, op, detail="a square is wanted")
    return op.lhs


def scaled(trail: Trail, root: ActivationOp, x: SSAValue) -> Scaled:
    """
    From the root forward: what divides x over its last axis, and the gain and shift that follow.

    The gain may also be multiplied to the reciprocal root first, as Flax writes it.
    """
    return affine(trail, *divided(trail, root, x))


def divided(trail: Trail, root: ActivationOp, x: SSAValue, kept: int = -1) -> tuple[BinaryOp, SSAValue | None]:
    """From the root forward: the op that divides x, and a gain on the reciprocal root, which only the last axis has."""
    dims = dims_of(x)
    value, inverse, gamma = root.result, root.activation is Activation.RSQRT, None
    while True:
        op = trail.add(only_reader(value, (ReshapeOp, ExpandOp, ActivationOp, BinaryOp)))
        if isinstance(op, ActivationOp):
            require(not inverse and op.activation is Activation.RECIP, Reason.NOT_CONSUMED_BY, op)
            inverse = True
        elif isinstance(op, BinaryOp):
            if op.binary is BinaryKind.DIV and op.rhs is value and not inverse:
                if scalar(op.lhs) != 1:
                    break
                inverse = True
            else:
                require(inverse and op.binary is BinaryKind.MUL, Reason.NOT_CONSUMED_BY, op)
                if trail.same(x, other(op, value)):
                    break
                require(kept == -1, Reason.NOT_CONSUMED_BY, op)
                gamma = first_gain(op, value, gamma, dims)
        value = op.result
    require(
        trail.same(x, other(op, value)), Reason.NOT_CONSUMED_BY, op, detail="it scales another value than it measures"
    )
    if gamma is None:
        require_kept(spread(value), dims, kept, op)
    require(dims_of(op.result) == dims, Reason.BROADCASTS_UP, op)
    return op, gamma


def require_kept(value: SSAValue, dims: Dims, kept: int, blocker: Operation) -> None:
    """`value` stretches along the last axes of `dims` and lies along those that are kept. Raises `Miss` otherwise."""
    actual, wanted = dims_of(value), (*dims[:kept], *(1 for _ in dims[kept:]))
    padded = (1,) * (len(dims) - len(actual)) + actual
    require(
        padded == wanted, Reason.AXIS, blocker, detail=lambda: f"a statistic of dims {show(actual)} for {show(dims)}"
    )


def first_gain(op: BinaryOp, factor: SSAValue, gamma: SSAValue | None, dims: Dims) -> SSAValue:
    """The gain that `op` multiplies to the reciprocal root `factor`, if it is the first."""
    gain = other(op, factor)
    is_row = gamma is None and all(d == 1 for d in dims_of(broadcast_source(gain))[:-1])
    require(is_row, Reason.NOT_CONSUMED_BY, op, detail="it scales another value than it measures")
    require_along(spread(factor), dims, len(dims) - 1, op)
    return row(gain, dims[-1], op)


def spread(value: SSAValue) -> SSAValue:
    """The value that `value` stretches, expands left out; they are on the trail already."""
    while isinstance(value.owner, ExpandOp):
        value = value.owner.input
    return value


def affine(trail: Trail, normalised: Operation, gamma: SSAValue | None) -> Scaled:
    """The gain and the shift that follow `normalised`, each if it is there."""
    last, beta = normalised, None
    size = dims_of(normalised.results[0])[-1]
    if gamma is None and (gain := row_reader(last.results[0], BinaryKind.MUL, size)):
        last, gamma = trail.add(gain[0]), gain[1]
    if shift := row_reader(last.results[0], BinaryKind.ADD, size):
        last, beta = trail.add(shift[0]), shift[1]
    return Scaled(last, gamma, beta)


def row_reader(value: SSAValue, kind: BinaryKind, size: int) -> tuple[BinaryOp, SSAValue] | None:
    """
    The op of `kind` that alone reads `value`, and the row `[size]` it reads beside; None where there is none.

    A row that a product computes is no weight but what a network makes of its condition, one row where the batch is
    one: it stays outside, where adaptive norms look for it.
    """
    try:
        reader = only_reader(value, BinaryOp)
        require(reader.binary is kind and reader.result.type == value.type, Reason.NOT_CONSUMED_BY, reader)
        found = row(other(reader, value), size, reader)
    except Miss:
        return None
    return (reader, found) if is_weight(found) else None


MOVES = (ReshapeOp, ExpandOp, TransposeOp, NarrowOp, SliceOp, ConcatOp, GatherOp)
"""What only moves elements."""


def is_weight(value: SSAValue, depth: int = 6) -> bool:
    """
    Whether `value` comes from arguments and constants by a few ops that are no products or reductions; a loop slices
    its weights where its counter says.
    """
    owner = value.owner
    if isinstance(owner, Block | ConstantOp):
        return True
    if isinstance(owner, DynamicSliceOp):
        return depth > 0 and is_weight(owner.input, depth - 1)
    if not depth or not isinstance(owner, (*ELEMENTWISE_STEPS, *MOVES)):
        return False
    return all(is_weight(operand, depth - 1) for operand in owner.operands)


def other(op: BinaryOp, value: SSAValue) -> SSAValue:
    """The operand of `op` beside `value`."""
    return op.rhs if op.lhs is value else op.lhs


def row(value: SSAValue, size: int, blocker: Operation) -> SSAValue:
    """The source of a broadcast of dims `[size]` or `[1, .., 1, size]`."""
    source = broadcast_source(value)
    dims = dims_of(source)
    lies = len(dims) > 0 and dims[-1] == size != DYNAMIC and all(d == 1 for d in dims[:-1])
    require(lies, Reason.NOT_A_ROW_VECTOR, blocker)
    return source


def operands(norm: Scaled, like: SSAValue) -> tuple[list[Operation], SSAValue, SSAValue]:
    """Gain and shift as `[H]`, and the ops that make them so; constants where one is absent."""
    type = tensor_type(like)
    size = type.get_shape()[-1]
    new: list[Operation] = []

    def vector(value: SSAValue | None, default: float) -> SSAValue:
        if value is not None and dims_of(value) == (size,):
            return value
        op = splat(type.element_type, (size,), default) if value is None else ReshapeOp(value, (size,))
        new.append(op)
        return op.results[0]

    return new, vector(norm.gamma, 1.0), vector(norm.beta, 0.0)


class NormPattern(RaisingPattern[ActivationOp]):
    """A pattern that starts at the square root of a mean."""

    roots = (ActivationOp,)

    def starts(self, op: Operation) -> bool:
        """The root of a reduction over a square, not of any value."""
        if not isinstance(op, ActivationOp) or op.activation not in ROOTS:
            return False
        if not isinstance(tensor_type(op.result).element_type, AnyFloat):
            return False
        return any(True for _ in live_uses(op.result)) and _averages(op.input)


def _averages(value: SSAValue, depth: int = 6) -> bool:
    """Whether `value` comes from a reduction through a few elementwise ops."""
    while depth:
        depth -= 1
        owner = value.owner
        if isinstance(owner, ReduceOp):
            return True
        if isinstance(owner, ReshapeOp | ExpandOp | CastOp):
            value = owner.input
        elif isinstance(owner, BinaryOp):
            value = owner.rhs if scalar(owner.lhs) is not None else owner.lhs
        else:
            return False
    return False
