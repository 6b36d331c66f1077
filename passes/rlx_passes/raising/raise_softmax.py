"""`rlx-raise-softmax`: exponentials over their sum become a softmax."""

import math
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, ReduceKind
from rlx_dialect.ops import ActivationOp, BinaryOp, CastOp, ExpandOp, ReduceOp, ReshapeOp, SoftmaxOp, TransposeOp
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.trail import RaisingPattern, Trail, is_widening, require_along, single_axis
from rlx_passes.rewriting.constants import require_scalar, scalar
from rlx_passes.rewriting.legality import dims_of, live_uses, only_reader, optional_reader, producer, require
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns


@dataclass(frozen=True)
class RaiseSoftmax(RaisingPattern[ActivationOp]):
    """
    %m = rlx.reduce max %x axes [1]
    %d = rlx.binary sub %x, %m
    %e = rlx.activation exp %d              =>   %y = rlx.softmax %x axis(1)
    %s = rlx.reduce sum %e axes [1]
    %y = rlx.binary div %e, %s

    The maximum may be taken with -inf once more, as JAX writes it, the sum may be inverted and multiplied by, and be
    one of f32 between casts. Without the maximum the form is left: it overflows where softmax does not.
    """

    title = "softmax"
    roots = (ActivationOp,)

    def starts(self, op: Operation) -> bool:
        return (
            isinstance(op, ActivationOp)
            and op.activation is Activation.EXP
            and any(sum_of(use.operation) is not None for use in op.result.uses)
        )

    def match(self, root: ActivationOp, /) -> Fusion:
        found = (sum_of(use.operation) for use in live_uses(root.result))
        total = next(op for op in found if op is not None)
        dims = dims_of(root.result)
        axis = single_axis(total.axes.get_values(), len(dims), total)

        trail = Trail(root, total)
        if isinstance(total.input.owner, CastOp):
            trail.add(total.input.owner)
        source = self.centred(trail, root, axis)
        last = self.normalised(trail, root, total, axis)
        require(dims_of(source) == dims, Reason.BROADCASTS_UP, source)
        absorbed = trail.closed(last)
        return Fusion.of(
            absorbed, SoftmaxOp(source, axis=-1 if axis == len(dims) - 1 else axis, accumulate=total.accumulate)
        )

    def centred(self, trail: Trail, root: ActivationOp, axis: int) -> SSAValue:
        """The x of `e^(x - max x)`."""
        try:
            shifted = trail.binary(root.input, BinaryKind.SUB)
        except Miss as miss:
            raise Miss(
                miss.reason, *miss.blockers, detail="no maximum is subtracted: e^x overflows where softmax does not"
            ) from miss
        highest = trail.spread(shifted.rhs)
        require_along(highest, dims_of(shifted.result), axis, shifted)
        source, moved = largest(trail, highest)
        if moved is not None:
            return self.centred_before_move(trail, shifted, trail.into(source, ReduceOp), moved, axis)
        reduction = trail.into(source, ReduceOp)
        require(reduction.reduction is ReduceKind.MAX, Reason.NOT_PRODUCED_BY, reduction)
        require(
            single_axis(reduction.axes.get_values(), len(dims_of(reduction.input)), reduction) == axis,
            Reason.AXIS,
            reduction,
        )
        require(
            trail.same(shifted.lhs, reduction.input),
            Reason.NOT_PRODUCED_BY,
            reduction,
            detail="the maximum of another value",
        )
        return shifted.lhs

    def centred_before_move(
        self, trail: Trail, shifted: BinaryOp, reduction: ReduceOp, moved: TransposeOp, axis: int
    ) -> SSAValue:
        """The x of `e^(x - max x)` if x is y with its axes moved and the maximum is y's, as JAX maps over an axis."""
        turned = producer(shifted.lhs, TransposeOp)
        require(reduction.reduction is ReduceKind.MAX, Reason.NOT_PRODUCED_BY, reduction)
        require(
            trail.same(turned.input, reduction.input),
            Reason.NOT_PRODUCED_BY,
            reduction,
            detail="the maximum of another value",
        )
        reduced = single_axis(reduction.axes.get_values(), len(dims_of(reduction.input)), reduction)
        order = turned.permutation.get_values()
        rest = tuple(place - (place > reduced) for place in order if place != reduced)
        kept = order if reduction.keep_dims is not None else rest
        along = order[axis] == reduced and moved.permutation.get_values() == kept
        along = along and dims_of(moved.input) == dims_of(reduction.result)
        require(along, Reason.AXIS, moved, detail="the maximum lies along other axes")
        return shifted.lhs

    def normalised(self, trail: Trail, root: ActivationOp, total: ReduceOp, axis: int) -> BinaryOp:
        """The op that divides `e` by its sum."""
        value, inverse = total.result, False
        while True:
            op = trail.add(only_reader(value, (ReshapeOp, ExpandOp, ActivationOp, BinaryOp, CastOp)))
            if isinstance(op, BinaryOp):
                if not inverse and op.binary is BinaryKind.DIV and op.rhs is value and scalar(op.lhs) == 1:
                    inverse = True
                else:
                    break
            elif isinstance(op, ActivationOp):
                require(not inverse and op.activation is Activation.RECIP, Reason.NOT_CONSUMED_BY, op)
                inverse = True
            value = op.result
        if inverse:
            require(op.binary is BinaryKind.MUL and root.result in op.operands, Reason.NOT_CONSUMED_BY, op)
        else:
            require(
                op.binary is BinaryKind.DIV and op.rhs is value and op.lhs is root.result, Reason.NOT_CONSUMED_BY, op
            )
        require_along(trail.spread(value), dims_of(root.result), axis, op)
        return op


def sum_of(op: Operation) -> ReduceOp | None:
    """The sum that `op` is, or that alone reads it where it is a cast to a wider float; None for any other op."""
    if isinstance(op, CastOp) and is_widening(op):
        op = optional_reader(op.result, ReduceOp) or op
    return op if isinstance(op, ReduceOp) and op.reduction is ReduceKind.SUM else None


def largest(trail: Trail, value: SSAValue) -> tuple[SSAValue, TransposeOp | None]:
    """What `value` is the maximum of with -inf, or `value`, and the transpose that follows; looks through reshapes."""
    value, moved = trail.elements(value), None
    if isinstance(value.owner, TransposeOp):
        moved = trail.add(value.owner)
        value = moved.input
    if not isinstance(value.owner, BinaryOp):
        return value, moved
    maximum = trail.binary(value, BinaryKind.MAX)

    def beside(number: SSAValue, other: SSAValue) -> SSAValue:
        require(require_scalar(number) == -math.inf, Reason.CONSTANT, maximum)
        return other

    return trail.elements(trail.operands(maximum, beside)), moved


@dataclass(frozen=True)
class RaiseSoftmaxPass(RaisingPass):
    """Exponentials over their sum become a softmax."""

    name: ClassVar[str] = "rlx-raise-softmax"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseSoftmax(),))
