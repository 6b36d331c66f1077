"""Reductions."""

import math as reals
from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute

from rlx_dialect.attributes import ReduceKind
from rlx_dialect.dtypes import is_unsigned
from rlx_dialect.ops import ReduceOp
from rlx_dialect.shapes import normalize_axes
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Size, Tensor
from rlx_passes.lowerings.to_linalg.contraction import accumulate_type
from rlx_passes.lowerings.to_linalg.scalars import Number, Scalar, bits, computed


class Reduction(NamedTuple):
    """How a kind goes on, as `step(so_far, x)`, and the value that it starts from: a number, or one for each type."""

    step: Callable[[Scalar, Scalar], Scalar]
    start: Number | Callable[[Attribute], Number]

    def identity(self, type: Attribute) -> Number:
        """The reduction of nothing, on elements of `type`."""
        return self.start(type) if callable(self.start) else self.start


def lowest(type: Attribute) -> Number:
    """The least value: -inf for floats."""
    if isinstance(type, AnyFloat):
        return -reals.inf
    return 0 if is_unsigned(type) else -(1 << (bits(type) - 1))


def highest(type: Attribute) -> Number:
    """The greatest value: inf for floats."""
    if isinstance(type, AnyFloat):
        return reals.inf
    return (1 << bits(type)) - 1 if is_unsigned(type) else (1 << (bits(type) - 1)) - 1


REDUCTIONS = {
    ReduceKind.SUM: Reduction(Scalar.__add__, 0),
    ReduceKind.MEAN: Reduction(Scalar.__add__, 0),
    ReduceKind.PROD: Reduction(Scalar.__mul__, 1),
    ReduceKind.MAX: Reduction(Scalar.maximum, lowest),
    ReduceKind.MIN: Reduction(Scalar.minimum, highest),
    ReduceKind.ANY: Reduction(Scalar.__or__, 0),
    ReduceKind.ALL: Reduction(Scalar.__and__, 1),
}


def count_of(b: LinalgBuilder, input: Tensor, axes: Sequence[int]) -> Size:
    """How many elements `axes` hold."""
    return b.product([b.size(input.value, axis) for axis in axes])


def number(like: Scalar, size: Size) -> Scalar:
    """`size` as a scalar of the type of `like`; one only known at run time is read from outside of the body."""
    if isinstance(size, int):
        return like.constant(size)
    return Scalar(like.block, size, size.type).to(like.type)


def _reduce(op: ReduceOp, b: LinalgBuilder) -> Sequence[Tensor]:
    kind, input = op.reduction, b.tensor(op.input)
    axes = sorted(normalize_axes(op.axes.get_values(), input.rank))
    how = REDUCTIONS[kind]
    exact = kind in (ReduceKind.MAX, ReduceKind.MIN, ReduceKind.ANY, ReduceKind.ALL)
    accumulate = computed(input.element) if exact else accumulate_type(op.accumulate, input.element)
    result = b.reduce(
        input, axes, accumulate, how.identity(accumulate), lambda x, so_far: how.step(so_far, x.to(accumulate))
    )
    if kind is ReduceKind.MEAN:
        size = count_of(b, input, axes)
        result = b.elementwise([result], input.element, lambda total: total / number(total, size))
    result = b.cast(result, input.element)
    return [b.unsqueeze(result, axes) if op.keep_dims is not None else result]


LOWERINGS: Lowerings = {ReduceOp: _reduce}
