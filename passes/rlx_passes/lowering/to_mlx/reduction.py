"""Reductions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from rlx_dialect.attributes import ReduceKind
from rlx_dialect.dtypes import is_float, numpy_dtype
from rlx_dialect.ops import ReduceOp
from rlx_dialect.shapes import DYNAMIC, Shaped, normalize_axes, shaped
from rlx_passes.lowering.to_mlx.calls import Calls, Keyword, sum_element
from rlx_passes.lowering.to_mlx.pattern import ToMlx

SUMS = {ReduceKind.SUM: "mx.sum", ReduceKind.MEAN: "mx.mean", ReduceKind.PROD: "mx.prod"}
EXTREMES = {ReduceKind.MAX: ("mx.max", "lib.largest"), ReduceKind.MIN: ("mx.min", "lib.smallest")}
"""The second is for axes that are, or may be, empty."""
LOGICAL = {
    ReduceKind.ANY: "mx.any",
    ReduceKind.ALL: "mx.all",
    ReduceKind.SUM: "mx.any",
    ReduceKind.PROD: "mx.all",
    ReduceKind.MAX: "mx.any",
    ReduceKind.MIN: "mx.all",
}
"""What the kinds are on truth values."""


class LowerReduce(ToMlx[ReduceOp]):
    root = ReduceOp

    def lower(self, op: ReduceOp, calls: Calls) -> Sequence[SSAValue]:
        kind, given, to = op.reduction, shaped(op.input), shaped(op.result)
        axes = normalize_axes(op.axes.get_values(), given.rank)
        keywords: dict[str, Keyword] = {"axis": axes, "keepdims": op.keep_dims is not None}
        if not axes:
            return (op.input,)
        if given.element == i1:
            return (calls.call(LOGICAL[kind], op.input, to=to, **keywords),)
        if kind in SUMS:
            return (self._sum(op, calls, keywords),)
        exact, guarded = EXTREMES[kind]
        if all(given.dims[axis] not in (0, DYNAMIC) for axis in axes):
            return (calls.call(exact, op.input, to=to, **keywords),)
        return (calls.call(guarded, op.input, to=to, initial=_identity(kind, given), **keywords),)

    def _sum(self, op: ReduceOp, calls: Calls, keywords: dict[str, Keyword]) -> SSAValue:
        """In the type that sums go on in; MLX widens small integers by itself, so the result is cast in any case."""
        to = shaped(op.result)
        wide = Shaped(to.dims, sum_element(to.element, op.accumulate))
        total = calls.call(SUMS[op.reduction], calls.astype(op.input, wide.element), to=wide, **keywords)
        if is_float(to.element):
            return calls.astype(total, to.element)
        return calls.call("mx.astype", total, to=to, dtype=to.element)


def _identity(kind: ReduceKind, given: Shaped) -> float:
    """The lowest value for max, the highest for min."""
    import numpy as np

    lowest = kind is ReduceKind.MAX
    if is_float(given.element):
        return float("-inf") if lowest else float("inf")
    limits = np.iinfo(numpy_dtype(given.element).name)
    return int(limits.min if lowest else limits.max)


PATTERNS = (LowerReduce(),)
