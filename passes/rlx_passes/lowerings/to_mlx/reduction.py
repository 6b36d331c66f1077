"""Reductions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from rlx_dialect.attributes import ReduceKind
from rlx_dialect.dtypes import is_float, numpy_dtype
from rlx_dialect.ops import ReduceOp
from rlx_dialect.shapes import DYNAMIC, Shaped, normalize_axes, shaped
from rlx_passes.lowerings.to_mlx.calls import Calls, Keyword, sum_element
from rlx_passes.rewriting.conversion import Rules

SUMS = {ReduceKind.SUM: "mx.sum", ReduceKind.MEAN: "mx.mean", ReduceKind.PROD: "mx.prod"}
EXTREMES = {ReduceKind.MAX: "mx.max", ReduceKind.MIN: "mx.min"}
LOGICAL = {
    ReduceKind.ANY: "mx.any",
    ReduceKind.ALL: "mx.all",
    ReduceKind.SUM: "mx.any",
    ReduceKind.PROD: "mx.all",
    ReduceKind.MAX: "mx.any",
    ReduceKind.MIN: "mx.all",
}
"""What the kinds are on truth values."""


def _reduce(op: ReduceOp, calls: Calls) -> SSAValue:
    kind, given, to = op.reduction, shaped(op.input), shaped(op.result)
    axes = normalize_axes(op.axes.get_values(), given.rank)
    if not axes:
        return op.input
    value = op.input
    if any(given.dims[axis] in (0, DYNAMIC) for axis in axes):
        value = not_empty(calls, value, axes, identity(kind, given))
    keywords: dict[str, Keyword] = {"axis": axes, "keepdims": op.keep_dims is not None}
    if given.element == i1:
        return calls.call(LOGICAL[kind], value, to=to, **keywords)
    if kind in EXTREMES:
        return calls.call(EXTREMES[kind], value, to=to, **keywords)
    return _sum(op, value, calls, keywords)


def _sum(op: ReduceOp, value: SSAValue, calls: Calls, keywords: dict[str, Keyword]) -> SSAValue:
    """In the type that sums go on in; MLX widens small integers by itself, so the result is cast in any case."""
    to = shaped(op.result)
    wide = Shaped(to.dims, sum_element(to.element, op.accumulate))
    total = calls.call(SUMS[op.reduction], calls.astype(value, wide.element), to=wide, **keywords)
    if is_float(to.element):
        return calls.astype(total, to.element)
    return calls.call("mx.astype", total, to=to, dtype=to.element)


def identity(kind: ReduceKind, given: Shaped) -> float:
    """What the reduction of nothing gives: an element that changes no other result of the kind."""
    import numpy as np

    if kind is ReduceKind.MEAN:
        return float("nan")
    if kind in (ReduceKind.SUM, ReduceKind.ANY):
        return 0
    if kind in (ReduceKind.PROD, ReduceKind.ALL):
        return 1
    lowest = kind is ReduceKind.MAX
    if given.element == i1:
        return int(not lowest)
    if is_float(given.element):
        return float("-inf") if lowest else float("inf")
    limits = np.iinfo(numpy_dtype(given.element).name)
    return int(limits.min if lowest else limits.max)


def not_empty(calls: Calls, value: SSAValue, axes: Sequence[int], initial: float) -> SSAValue:
    """`value`, with an entry of `initial` along `axes` if it has no elements when the program runs."""
    given = shaped(value)
    grown = given.with_dims(
        DYNAMIC if axis in axes and d == DYNAMIC else d + (axis in axes and 0 in given.dims)
        for axis, d in enumerate(given.dims)
    )
    return calls.call("lib.filled", value, to=grown, axis=axes, initial=initial)


RULES: Rules = {
    ReduceOp: _reduce,
}
