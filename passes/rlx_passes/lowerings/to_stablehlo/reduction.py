"""Reductions."""

from xdsl.ir import SSAValue

from rlx_dialect.attributes import ReduceKind
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import ReduceOp
from rlx_dialect.shapes import count, normalize_axes, shaped
from rlx_passes.dialects.stablehlo.base import BinaryOp
from rlx_passes.dialects.stablehlo.elementwise_binary import (
    AddOp,
    AndOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    OrOp,
)
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.vocabulary import accumulator, cast_to, reduce_over, reshape_to, splat
from rlx_passes.rewriting.conversion import Rules

COMBINERS: dict[ReduceKind, type[BinaryOp]] = {
    ReduceKind.SUM: AddOp,
    ReduceKind.MEAN: AddOp,
    ReduceKind.MAX: MaximumOp,
    ReduceKind.MIN: MinimumOp,
    ReduceKind.PROD: MultiplyOp,
    ReduceKind.ANY: OrOp,
    ReduceKind.ALL: AndOp,
}
SUMS = (ReduceKind.SUM, ReduceKind.MEAN, ReduceKind.PROD)
"""Kinds that go on in the accumulate type."""


def _reduce(op: ReduceOp, emit: StableEmitter) -> SSAValue:
    """The mean is a sum over the count. The start of each kind is what it gives for nothing."""
    import numpy as np

    from rlx_dialect.reference.reduction import reduce

    source, kind = sized(op.input), op.reduction
    axes = normalize_axes(op.axes.get_values(), source.rank)
    wide = accumulator(source.element, op.accumulate) if kind in SUMS else source.element
    summed = ReduceKind.SUM if kind is ReduceKind.MEAN else kind
    start = reduce(np.empty(0, numpy_dtype(wide)), summed, (0,), keep_dims=False)
    result = reduce_over(emit, cast_to(emit, op.input, wide), axes, COMBINERS[kind], start)
    if kind is ReduceKind.MEAN:
        elements = count([source.dims[axis] for axis in axes])
        result = emit(DivideOp(result, splat(emit, shaped(result), elements)))
    return reshape_to(emit, cast_to(emit, result, source.element), sized(op.result).dims)


RULES: Rules = {ReduceOp: _reduce}
