"""Splines in plain ops, the B-splines on an axis of their own. Halves go on in f32."""

from xdsl.dialects.arith import ConstantOp
from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind, ReduceKind
from rlx_dialect.constants import dense
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import (
    BinaryOp,
    CompareOp,
    NarrowOp,
    ReshapeOp,
    SplineActivationBackwardCoeffOp,
    SplineActivationBackwardXOp,
    SplineActivationOp,
    WhereOp,
)
from rlx_dialect.ops.spline import Grid
from rlx_dialect.shapes import Shaped, shaped


def _column(to: Plain, value: SSAValue) -> SSAValue:
    """`value` with a last dim of 1."""
    return to.add(ReshapeOp(value, (*shaped(value).dims, 1), to.sizes(value))).result


def _knots(to: Plain, grid: Grid, start: int, count: int, like: SSAValue) -> SSAValue:
    """`count` knots of `grid` from number `start` on, in widths of an interval from `low`."""
    import numpy as np

    element = shaped(like).element
    numbers = np.arange(start - grid.degree, start - grid.degree + count).astype(numpy_dtype(element))
    return to.add(ConstantOp(dense(Shaped((count,), element).type, numbers))).result


def _part(to: Plain, value: SSAValue, start: int, length: int) -> SSAValue:
    return to.add(NarrowOp(value, axis=-1, start=start, length=length)).result


def _basis(to: Plain, value: SSAValue, grid: Grid, degree: int) -> SSAValue:
    """The B-splines of `degree` on the knots of `grid` at each element of `value`, on a new last axis."""
    ends = [to.scalar(end, value) for end in (-grid.degree - 1, grid.intervals + grid.degree + 1)]
    place = to.binary(BinaryKind.DIV, to.minus(value, to.scalar(grid.low, value)), to.scalar(grid.step, value))
    inside = to.binary(BinaryKind.MIN, to.binary(BinaryKind.MAX, place, ends[0]), ends[1])
    at = _column(to, inside)
    count = grid.knots - 1
    # Compared with whole knots: every place is in exactly one interval however `at` was rounded.
    from_left = to.add(CompareOp(CompareKind.LE, _knots(to, grid, 0, count, at), at)).result
    short_of_right = to.add(CompareOp(CompareKind.LT, at, _knots(to, grid, 1, count, at))).result
    here = to.add(BinaryOp(BinaryKind.BIT_AND, from_left, short_of_right)).result
    missing = to.add(CompareOp(CompareKind.NE, at, at)).result
    none = to.add(WhereOp(missing, at, to.scalar(0.0, at))).result
    result = to.add(WhereOp(here, to.scalar(1.0, at), none)).result
    for k in range(1, degree + 1):
        count -= 1
        rising = to.times(to.minus(at, _knots(to, grid, 0, count, at)), _part(to, result, 0, count))
        falling = to.times(to.minus(_knots(to, grid, k + 1, count, at), at), _part(to, result, 1, count))
        result = to.binary(BinaryKind.DIV, to.plus(rising, falling), to.scalar(k, at))
    return result


@plain_form(SplineActivationOp)
def activation(op: SplineActivationOp) -> Decomposition:
    to = Plain()
    value, coefficients, grid = to.widened(op.input), to.widened(op.coefficients), op.grid
    shares = to.times(_basis(to, value, grid, grid.degree), coefficients)
    return to.done(to.narrowed(to.reduce(ReduceKind.SUM, shares, (-1,), keep_dims=False), op.result))


@plain_form(SplineActivationBackwardXOp)
def backward_x(op: SplineActivationBackwardXOp) -> Decomposition:
    to = Plain()
    value, coefficients, gradient = (to.widened(v) for v in (op.input, op.coefficients, op.gradient))
    grid = op.grid
    if grid.degree == 0:
        zero, nan = (to.scalar(number, gradient) for number in (0.0, float("nan")))
        return to.done(to.narrowed(to.where(to.not_finite(gradient), nan, zero), op.result))
    lower = _basis(to, value, grid, grid.degree - 1)
    change = to.minus(*(_part(to, lower, start, grid.functions) for start in (0, 1)))
    slope = to.reduce(ReduceKind.SUM, to.times(change, coefficients), (-1,), keep_dims=False)
    slope = to.binary(BinaryKind.DIV, slope, to.scalar(grid.step, slope))
    return to.done(to.narrowed(to.times(slope, gradient), op.result))


@plain_form(SplineActivationBackwardCoeffOp)
def backward_coeff(op: SplineActivationBackwardCoeffOp) -> Decomposition:
    to = Plain()
    value, gradient, grid = to.widened(op.input), to.widened(op.gradient), op.grid
    shares = to.times(_basis(to, value, grid, grid.degree), _column(to, gradient))
    axes = range(shaped(op.input).rank - 1)
    total = to.reduce(ReduceKind.SUM, shares, axes, keep_dims=False) if axes else shares
    return to.done(to.narrowed(total, op.result))
