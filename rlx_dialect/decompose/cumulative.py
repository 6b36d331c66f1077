"""Running sums, products and maxima: each step combines twice as many elements as the one before."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind, ReduceKind
from rlx_dialect.decompose.loops import Values, repeat
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import integer_limits, is_float
from rlx_dialect.ops import (
    ConcatOp,
    CummaxOp,
    CumprodOp,
    CumsumBackwardOp,
    CumsumOp,
    ExpandOp,
    GatherOp,
    IotaOp,
    NarrowOp,
)
from rlx_dialect.shapes import DYNAMIC, Shaped, normalize_axis, shaped

Prefix = CumsumOp | CumprodOp | CummaxOp
KINDS = {CumsumOp: BinaryKind.ADD, CumprodOp: BinaryKind.MUL, CummaxOp: BinaryKind.MAX}


def _nothing(op: Prefix) -> float:
    """What the kind gives for no elements."""
    if isinstance(op, CummaxOp):
        element = shaped(op.input).element
        return float("-inf") if is_float(element) else integer_limits(element)[0]
    return 0 if isinstance(op, CumsumOp) else 1


def _filler(to: Plain, value: SSAValue, axis: int, count: int, number: float) -> SSAValue:
    """`count` entries of `number` on `axis`."""
    dims = list(shaped(value).dims)
    sizes = [to.size(value, i) for i, dim in enumerate(dims) if dim == DYNAMIC and i != axis]
    dims[axis] = count
    return to.add(ExpandOp(to.scalar(number, value), tuple(dims), sizes)).result


def _moved(to: Plain, value: SSAValue, axis: int, by: int, number: float, *, reverse: bool) -> SSAValue:
    """Each entry `by` places further on, or back with `reverse`; `number` where none comes."""
    length = shaped(value).dims[axis]
    rest = to.add(NarrowOp(value, axis=axis, start=by if reverse else 0, length=length - by)).result
    parts = [_filler(to, value, axis, by, number), rest]
    return to.add(ConcatOp(parts[::-1] if reverse else parts, axis=axis)).result


def _read_from(to: Plain, value: SSAValue, axis: int, by: SSAValue, number: float, *, reverse: bool) -> SSAValue:
    """`_moved` by a number, and along a length, that only the run knows."""
    places = numbers(to, value, axis)
    last = to.reduce(ReduceKind.MAX, places, [0])
    zero = to.scalar(0, places)
    source = to.binary(BinaryKind.ADD if reverse else BinaryKind.SUB, places, by)
    inside = to.compare(CompareKind.LE, source, last) if reverse else to.compare(CompareKind.GE, source, zero)
    read = to.add(GatherOp(value, to.where(inside, source, zero), axis=axis)).result
    return to.where(to.along(inside, axis, shaped(value).rank), read, to.scalar(number, value))


def numbers(to: Plain, value: SSAValue, axis: int) -> SSAValue:
    """The places on `axis` as a vector."""
    dim = shaped(value).dims[axis]
    sizes = [to.size(value, axis)] if dim == DYNAMIC else []
    return to.add(IotaOp(Shaped((dim,), i64), sizes, axis=0)).result


def doubled(to: Plain, count: SSAValue) -> SSAValue:
    """By a product: XLA takes a sum of what a loop carries for a count of its rounds, and ends the process."""
    return to.times(count, to.scalar(2, count))


@plain_form(CumsumOp, CumprodOp, CummaxOp)
def prefix(op: Prefix) -> Decomposition:
    to, kind, nothing = Plain(), KINDS[type(op)], _nothing(op)
    value = to.widened(op.input) if is_float(shaped(op.input).element) else op.input
    reverse = op.reverse is not None
    axis = normalize_axis(op.axis.value.data, shaped(value).rank)
    length = shaped(value).dims[axis]
    if length == DYNAMIC:
        value = _doubled(to, value, axis, kind, nothing, exclusive=op.exclusive is not None, reverse=reverse)
    elif length > 0:
        if op.exclusive is not None:
            value = _moved(to, value, axis, 1, nothing, reverse=reverse)
        for step in range((length - 1).bit_length()):
            value = to.binary(kind, value, _moved(to, value, axis, 1 << step, nothing, reverse=reverse))
    return to.done(to.narrowed(value, op.result))


def _doubled(
    to: Plain, value: SSAValue, axis: int, kind: BinaryKind, nothing: float, *, exclusive: bool, reverse: bool
) -> SSAValue:
    """The steps as a loop, which ends when a step is longer than the axis."""

    def goes_on(to: Plain, carried: Values, captures: Values) -> SSAValue:
        last = to.reduce(ReduceKind.MAX, numbers(to, carried[0], axis), [0], keep_dims=False)
        return to.compare(CompareKind.LE, carried[1], last)

    def body(to: Plain, carried: Values, captures: Values) -> Values:
        value, step = carried
        read = _read_from(to, value, axis, step, nothing, reverse=reverse)
        return to.binary(kind, value, read), doubled(to, step)

    one = to.scalar(1, numbers(to, value, axis))
    if exclusive:
        value = _read_from(to, value, axis, one, nothing, reverse=reverse)
    return repeat(to, goes_on, body, [value, one])[0]


@plain_form(CumsumBackwardOp)
def cumsum_backward(op: CumsumBackwardOp) -> Decomposition:
    """The sum of the gradient from the other end."""
    to = Plain()
    reverse, exclusive = op.reverse is None, op.exclusive is not None
    return to.done(to.add(CumsumOp(op.gradient, op.axis.value.data, exclusive=exclusive, reverse=reverse)).result)
