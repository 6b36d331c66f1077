"""The vocabulary of the rules: splats, casts, broadcasts, reductions and products in StableHLO."""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.constants import dense
from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.shapes import Dims, Shaped, broadcast_dims, shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo.attributes import DotDimensionNumbers, Precision
from rlx_passes.dialects.stablehlo.base import BinaryOp
from rlx_passes.dialects.stablehlo.contraction import DotGeneralOp
from rlx_passes.dialects.stablehlo.data_movement import BroadcastInDimOp, ConstantOp, ReshapeOp, TransposeOp
from rlx_passes.dialects.stablehlo.elementwise_unary import ConvertOp
from rlx_passes.dialects.stablehlo.reduction import ReduceOp
from rlx_passes.rewriting.conversion import Emitter

F32 = DTYPES["f32"].type


def static(value: SSAValue) -> Shaped:
    """Dims and element type of a value of which StableHLO needs to know all dims."""
    found = shaped(value)
    if not found.static:
        raise Refusal(f"needs static dims, and {found} is only known at run time", "make its sizes static")
    return found


def accumulator(element: Attribute, accumulate: Attribute | None) -> Attribute:
    """The type that sums go on in: the one asked for, else f32 for narrower floats, else the operands'."""
    if accumulate is not None:
        return accumulate
    return F32 if isinstance(element, AnyFloat) and element.bitwidth < 32 else element


def splat(emit: Emitter, like: Shaped, number: Any) -> SSAValue:
    """A constant of the dims and element type of `like` with one value everywhere."""
    import numpy as np

    return emit(ConstantOp(dense(like.type, np.array(number, dtype=numpy_dtype(like.element)))))


def lowest(element: Attribute) -> float:
    """The most negative finite number of a float type."""
    import ml_dtypes

    info = cast(Any, ml_dtypes.finfo(numpy_dtype(element)))
    return float(info.min)


def cast_to(emit: Emitter, value: SSAValue, element: Attribute) -> SSAValue:
    """`value` with another element type, itself where it has that."""
    source = shaped(value)
    return value if source.element == element else emit(ConvertOp(value, Shaped(source.dims, element).type))


def reshape_to(emit: Emitter, value: SSAValue, dims: Sequence[int]) -> SSAValue:
    """`value` under other dims, itself where they are its own."""
    source = static(value)
    return value if source.dims == tuple(dims) else emit(ReshapeOp(value, source.with_dims(dims).type))


def transpose_to(emit: Emitter, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
    """`value` with its dims in another order, itself where the order stays."""
    unchanged = list(permutation) == list(range(len(permutation)))
    return value if unchanged else emit(TransposeOp(value, permutation))


def broadcast_to(emit: Emitter, value: SSAValue, dims: Dims) -> SSAValue:
    """`value` stretched to `dims` by NumPy's rule, itself where it has them."""
    source = shaped(value)
    if source.dims == dims:
        return value
    target = source.with_dims(dims)
    if not target.static:
        raise Refusal(f"stretches {source} to {target}, a size that is only known at run time", "make its sizes static")
    return emit(BroadcastInDimOp(value, range(target.rank - source.rank, target.rank), target.type))


def broadcast_together(emit: Emitter, *values: SSAValue) -> list[SSAValue]:
    """The values stretched to the dims that they have together."""
    dims: Dims = ()
    for value in values:
        dims = broadcast_dims(dims, shaped(value).dims)
    return [broadcast_to(emit, value, dims) for value in values]


def along(emit: Emitter, vector: SSAValue, like: Shaped, axis: int) -> SSAValue:
    """A vector stretched to the dims of `like`, lying along `axis`."""
    target = Shaped(like.dims, shaped(vector).element)
    return emit(BroadcastInDimOp(vector, [axis], target.type))


def reduce_over(emit: Emitter, value: SSAValue, axes: Sequence[int], kind: type[BinaryOp], start: Any) -> SSAValue:
    """`value` combined over `axes`, which are dropped, beginning with `start`."""
    source = static(value)
    return emit(ReduceOp(value, splat(emit, Shaped((), source.element), start), axes, kind))


def restored(emit: Emitter, reduced: SSAValue, like: Shaped, axis: int) -> SSAValue:
    """What was reduced over `axis`, repeated along it."""
    kept = [i for i in range(like.rank) if i != axis]
    return emit(BroadcastInDimOp(reduced, kept, Shaped(like.dims, shaped(reduced).element).type))


def dot(
    emit: Emitter,
    lhs: SSAValue,
    rhs: SSAValue,
    numbers: DotDimensionNumbers,
    dims: Dims,
    accumulate: Attribute,
    precision: Precision,
) -> SSAValue:
    """The product with `dims`, summed in `accumulate`. Products of bf16 are exact in f32 at any precision."""
    sides: list[SSAValue] = []
    for side in (lhs, rhs):
        element = static(side).element
        wider = isinstance(element, AnyFloat) and isinstance(accumulate, AnyFloat) and accumulate.bitwidth > 32
        sides.append(cast_to(emit, side, accumulate) if wider else side)
    exact = all(shaped(side).element == DTYPES["bf16"].type for side in sides)
    result = Shaped(dims, accumulate).type
    return emit(DotGeneralOp(sides[0], sides[1], numbers, result, Precision.DEFAULT if exact else precision))
