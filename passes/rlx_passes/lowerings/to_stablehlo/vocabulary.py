"""The vocabulary of the rules: splats, casts, broadcasts, reductions and products in StableHLO."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import AnyFloat, BoolAttr, IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.constants import dense
from rlx_dialect.dims import Dim, Size, smaller
from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.shapes import Dims, Shaped, broadcast_dims, known, shaped
from rlx_passes.dialects.stablehlo.attributes import (
    DotDimensionNumbers,
    GatherAttr,
    GatherDimensionNumbers,
    Precision,
)
from rlx_passes.dialects.stablehlo.base import BinaryOp, ints
from rlx_passes.dialects.stablehlo.contraction import DotGeneralOp
from rlx_passes.dialects.stablehlo.data_movement import (
    BroadcastInDimOp,
    ConcatenateOp,
    ConstantOp,
    IotaOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from rlx_passes.dialects.stablehlo.dynamism import (
    DynamicBroadcastInDimOp,
    DynamicGatherOp,
    DynamicIotaOp,
    DynamicReshapeOp,
    RealDynamicSliceOp,
)
from rlx_passes.dialects.stablehlo.elementwise_binary import AddOp, MaximumOp, MinimumOp
from rlx_passes.dialects.stablehlo.elementwise_unary import ConvertOp
from rlx_passes.dialects.stablehlo.indexing import DynamicSliceOp, GatherOp
from rlx_passes.dialects.stablehlo.reduction import ReduceOp
from rlx_passes.lowerings.to_stablehlo.emitter import NUMBER, StableEmitter, sized

F32 = DTYPES["f32"].type


def is_known(type: Shaped) -> bool:
    """Whether all dims are numbers."""
    return all(map(known, type.dims))


def accumulator(element: Attribute, accumulate: Attribute | None) -> Attribute:
    """The type that sums go on in: the one asked for, else f32 for narrower floats, else the operands'."""
    if accumulate is not None:
        return accumulate
    return F32 if isinstance(element, AnyFloat) and element.bitwidth < 32 else element


def splat(emit: StableEmitter, like: Shaped, number: Any) -> SSAValue:
    """A constant of the dims and element type of `like` with one value everywhere."""
    import numpy as np

    if isinstance(number, Dim):
        return stretched(emit, cast_to(emit, emit.number(number), like.element), (), like)
    if not is_known(like):
        return stretched(emit, splat(emit, Shaped((), like.element), number), (), like)
    return emit(ConstantOp(dense(like.type, np.array(number, dtype=numpy_dtype(like.element)))))


def stretched(emit: StableEmitter, value: SSAValue, dimensions: Iterable[int], target: Shaped) -> SSAValue:
    """`value` under the dims of `target`, of which its own are those numbered by `dimensions`."""
    numbers, result = list(dimensions), Shaped(target.dims, shaped(value).element)
    if is_known(result):
        return emit(BroadcastInDimOp(value, numbers, result.type))
    return emit(
        DynamicBroadcastInDimOp.create(
            operands=[value, emit.shape(result.dims)],
            properties={"broadcast_dimensions": ints(numbers)},
            result_types=[result.type],
        )
    )


def places(emit: StableEmitter, axis: int, result: Shaped) -> SSAValue:
    """The number of each element along `axis`."""
    if is_known(result):
        return emit(IotaOp(axis, result.type))
    return emit(
        DynamicIotaOp.create(
            operands=[emit.shape(result.dims)],
            properties={"iota_dimension": IntegerAttr(axis, 64)},
            result_types=[result.type],
        )
    )


def cut(
    emit: StableEmitter,
    value: SSAValue,
    starts: Sequence[Size],
    limits: Sequence[Size],
    strides: Sequence[int],
    dims: Dims,
) -> SSAValue:
    """Every so many elements of each axis from a start to before a limit, which leave `dims`."""
    result = shaped(value).with_dims(dims)
    if all(isinstance(bound, int) for bound in (*starts, *limits)):
        return emit(SliceOp(value, cast("Sequence[int]", starts), cast("Sequence[int]", limits), strides))
    bounds = [emit.shape(each) for each in (starts, limits, strides)]
    return emit(RealDynamicSliceOp.create(operands=[value, *bounds], result_types=[result.type]))


def part(emit: StableEmitter, value: SSAValue, starts: Sequence[SSAValue], dims: Dims) -> SSAValue:
    """`dims` elements from where numbers of rank 0 say, moved so that they lie within the tensor."""
    source = shaped(value)
    result = source.with_dims(dims)
    if is_known(result):
        return emit(DynamicSliceOp(value, starts, dims))
    firsts = list[SSAValue]()
    row = Shaped((1,), NUMBER.element).type
    for start, whole, length in zip(starts, source.dims, dims):
        place = cast_to(emit, start, i64)
        none, last = (cast_to(emit, emit.number(size), i64) for size in (0, whole - length))
        inside = emit(MinimumOp(emit(MaximumOp(place, none)), last))
        firsts.append(emit(ReshapeOp(cast_to(emit, inside, NUMBER.element), row)))
    first = emit(ConcatenateOp(firsts, 0, Shaped((len(firsts),), NUMBER.element).type))
    limit = emit(AddOp(first, emit.shape(dims)))
    steps = emit.shape([1] * len(firsts))
    return emit(RealDynamicSliceOp.create(operands=[value, first, limit, steps], result_types=[result.type]))


def gathered(
    emit: StableEmitter,
    table: SSAValue,
    indices: SSAValue,
    numbers: GatherDimensionNumbers,
    sizes: Dims,
    result: Shaped,
) -> SSAValue:
    """Slices of `sizes` of `table`; of an axis without elements, those of 1 are none."""
    sizes = tuple(smaller(size, dim) if size == 1 else size for size, dim in zip(sizes, sized(table).dims))
    if all(map(known, sizes)):
        return emit(GatherOp(table, indices, numbers, sizes, result.type))
    return emit(
        DynamicGatherOp.create(
            operands=[table, indices, emit.shape(sizes)],
            properties={"dimension_numbers": GatherAttr(numbers), "indices_are_sorted": BoolAttr.from_bool(False)},
            result_types=[result.type],
        )
    )


def lowest(element: Attribute) -> float:
    """The most negative finite number of a float type."""
    import ml_dtypes

    info = cast(Any, ml_dtypes.finfo(numpy_dtype(element)))
    return float(info.min)


def cast_to(emit: StableEmitter, value: SSAValue, element: Attribute) -> SSAValue:
    """`value` with another element type, itself where it has that."""
    source = shaped(value)
    return value if source.element == element else emit(ConvertOp(value, Shaped(source.dims, element).type))


def reshape_to(emit: StableEmitter, value: SSAValue, dims: Sequence[int]) -> SSAValue:
    """`value` under other dims, itself where they are its own."""
    source = shaped(value)
    result = source.with_dims(dims)
    if source.dims == result.dims:
        return value
    if is_known(result):
        return emit(ReshapeOp(value, result.type))
    return emit(DynamicReshapeOp.create(operands=[value, emit.shape(result.dims)], result_types=[result.type]))


def transpose_to(emit: StableEmitter, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
    """`value` with its dims in another order, itself where the order stays."""
    unchanged = list(permutation) == list(range(len(permutation)))
    return value if unchanged else emit(TransposeOp(value, permutation))


def broadcast_to(emit: StableEmitter, value: SSAValue, dims: Dims) -> SSAValue:
    """`value` stretched to `dims` by NumPy's rule, itself where it has them."""
    source = shaped(value)
    if source.dims == dims:
        return value
    return stretched(emit, value, range(len(dims) - source.rank, len(dims)), source.with_dims(dims))


def broadcast_together(emit: StableEmitter, *values: SSAValue) -> list[SSAValue]:
    """The values stretched to the dims that they have together."""
    dims: Dims = ()
    for value in values:
        dims = broadcast_dims(dims, shaped(value).dims)
    return [broadcast_to(emit, value, dims) for value in values]


def along(emit: StableEmitter, vector: SSAValue, like: Shaped, axis: int) -> SSAValue:
    """A vector stretched to the dims of `like`, lying along `axis`."""
    return stretched(emit, vector, [axis], like)


def reduce_over(
    emit: StableEmitter, value: SSAValue, axes: Sequence[int], kind: type[BinaryOp], start: Any
) -> SSAValue:
    """`value` combined over `axes`, which are dropped, beginning with `start`."""
    source = shaped(value)
    return emit(ReduceOp(value, splat(emit, Shaped((), source.element), start), axes, kind))


def restored(emit: StableEmitter, reduced: SSAValue, like: Shaped, axis: int) -> SSAValue:
    """What was reduced over `axis`, repeated along it."""
    return stretched(emit, reduced, [i for i in range(like.rank) if i != axis], like)


def dot(
    emit: StableEmitter,
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
        element = shaped(side).element
        wider = isinstance(element, AnyFloat) and isinstance(accumulate, AnyFloat) and accumulate.bitwidth > 32
        sides.append(cast_to(emit, side, accumulate) if wider else side)
    exact = all(shaped(side).element == DTYPES["bf16"].type for side in sides)
    result = Shaped(dims, accumulate).type
    return emit(DotGeneralOp(sides[0], sides[1], numbers, result, Precision.DEFAULT if exact else precision))
