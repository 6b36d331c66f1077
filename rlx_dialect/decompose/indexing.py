"""Gathers and scatters as those with StableHLO's dimension numbers, indices counted from the start."""

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind, ScatterReduction, word_of
from rlx_dialect.constants import integers, splat
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import (
    CastOp,
    CompareOp,
    ConcatOp,
    ExpandOp,
    GatherElementsOp,
    GatherNdOp,
    GatherOp,
    GeneralGatherOp,
    GeneralScatterOp,
    IotaOp,
    NarrowOp,
    ReshapeOp,
    ScatterAddOp,
    ScatterElementsOp,
    ScatterNdOp,
    WhereOp,
)
from rlx_dialect.shape_rules.indexing import GatherNumbers, ScatterNumbers
from rlx_dialect.shapes import DYNAMIC, Shaped, normalize_axis, shaped


def _lengths(to: Plain, value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """The sizes of `axes` as a vector."""
    dims = [shaped(value).dims[axis] for axis in axes]
    if DYNAMIC not in dims:
        return to.add(ConstantOp(integers(dims))).result
    parts = [
        to.number(to.size(value, axis)) if size == DYNAMIC else to.add(ConstantOp(integers((size,)))).result
        for axis, size in zip(axes, dims)
    ]
    return parts[0] if len(parts) == 1 else to.add(ConcatOp(parts, axis=0)).result


def _counted(to: Plain, indices: SSAValue, value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Indices into `value` as i64 that count from the start; `axes` are those of the entries, or one for all."""
    if not axes:
        return indices
    if shaped(indices).element != i64:
        indices = to.add(CastOp(indices, i64)).result
    added = _lengths(to, value, axes)
    below = to.add(CompareOp(CompareKind.LT, indices, to.scalar(0, indices))).result
    return to.add(WhereOp(below, to.binary(BinaryKind.ADD, indices, added), indices)).result


def _vectors(to: Plain, indices: SSAValue, value: SSAValue, axis: IntegerAttr) -> SSAValue:
    """The whole place in `value` of each element of `indices`, on a new last axis."""
    places = shaped(indices)
    at = normalize_axis(axis.value.data, places.rank)
    column = Shaped((*places.dims, 1), i64)
    sizes = to.sizes(indices)
    counted = _counted(to, indices, value, (at,))
    parts = [
        to.add(ReshapeOp(counted, column.dims, sizes)).result
        if i == at
        else to.add(IotaOp(column, sizes, axis=i)).result
        for i in range(places.rank)
    ]
    return to.add(ConcatOp(parts, axis=places.rank)).result


def _nothing(to: Plain, op: GatherNdOp | GatherElementsOp, sizes: Sequence[SSAValue]) -> Decomposition:
    """What is gathered from no elements, which is right only where nothing is."""
    result = shaped(op.result)
    if result.static:
        return to.done(to.add(ConstantOp(splat(result.type, 0))).result)
    return to.done(to.add(ExpandOp(to.scalar(0, op.input), result.dims, sizes)).result)


@plain_form(GatherNdOp)
def gather_nd(op: GatherNdOp) -> Decomposition:
    to = Plain()
    value, indices = shaped(op.input), shaped(op.indices)
    batch, last = op.batch_dims.value.data, indices.rank - 1
    picked = tuple(range(batch, batch + indices.dims[-1]))
    ahead = batch + len(picked)
    if 0 in value.dims[:ahead]:
        behind = [to.size(op.input, axis) for axis in range(ahead, value.rank) if value.dims[axis] == DYNAMIC]
        return _nothing(to, op, [*to.sizes(op.indices), *behind])
    counted = _counted(to, op.indices, op.input, picked)
    if DYNAMIC in value.dims[ahead:]:
        return to.done(_rows(to, op.input, counted, batch, ahead))
    together = tuple(range(batch))
    numbers = GatherNumbers(
        offset=tuple(range(last, last + value.rank - ahead)),
        collapsed=picked,
        input_batching=together,
        indices_batching=together,
        start_map=picked,
        vector_dim=last,
    )
    slice_sizes = (*(1,) * ahead, *value.dims[ahead:])
    return to.done(to.add(GeneralGatherOp(op.input, counted, numbers, slice_sizes)).result)


def _rows(to: Plain, value: SSAValue, indices: SSAValue, batch: int, ahead: int) -> SSAValue:
    """Slices of sizes that only a run knows: rows of `value`, whose dims before `ahead` are made one."""
    places = shaped(indices)
    column = Shaped((*places.dims[:-1], 1), i64)
    sizes = to.sizes(indices)
    row = to.add(ExpandOp(to.scalar(0, _lengths(to, value, (0,))), column.dims, sizes)).result
    for axis in range(ahead):
        if axis < batch:
            entry = to.add(IotaOp(column, sizes, axis=axis)).result
        else:
            entry = to.add(NarrowOp(indices, axis=-1, start=axis - batch, length=1)).result
        row = to.plus(to.times(row, _lengths(to, value, (axis,))), entry)
    flat = to.add(ReshapeOp(row, places.dims[:-1], sizes)).result
    return to.add(GatherOp(to.merged(value, ahead), flat, axis=0)).result


@plain_form(GatherElementsOp)
def gather_elements(op: GatherElementsOp) -> Decomposition:
    to = Plain()
    dims = shaped(op.input).dims
    if 0 in dims:
        return _nothing(to, op, to.sizes(op.indices))
    vectors = _vectors(to, op.indices, op.input, op.axis)
    every = tuple(range(len(dims)))
    numbers = GatherNumbers(collapsed=every, start_map=every, vector_dim=len(dims))
    return to.done(to.add(GeneralGatherOp(op.input, vectors, numbers, (1,) * len(dims))).result)


@plain_form(ScatterAddOp)
def scatter_add(op: ScatterAddOp) -> Decomposition:
    to = Plain()
    rank, updates = shaped(op.indices).rank, shaped(op.updates).rank
    axis = normalize_axis(op.axis.value.data, shaped(op.input).rank)
    numbers = ScatterNumbers(
        window=(*range(axis), *range(axis + rank, updates)), inserted=(axis,), scatter_map=(axis,), vector_dim=rank
    )
    added = to.add(GeneralScatterOp(op.input, op.indices, op.updates, numbers, ScatterReduction.ADD))
    return to.done(added.result)


@plain_form(ScatterNdOp)
def scatter_nd(op: ScatterNdOp) -> Decomposition:
    to = Plain()
    indices = shaped(op.indices)
    picked = tuple(range(indices.dims[-1]))
    last = indices.rank - 1
    numbers = ScatterNumbers(
        window=tuple(range(last, shaped(op.updates).rank)), inserted=picked, scatter_map=picked, vector_dim=last
    )
    counted = _counted(to, op.indices, op.input, picked)
    reduction = word_of(op.reduction, ScatterReduction)
    return to.done(to.add(GeneralScatterOp(op.input, counted, op.updates, numbers, reduction)).result)


@plain_form(ScatterElementsOp)
def scatter_elements(op: ScatterElementsOp) -> Decomposition:
    to = Plain()
    rank = shaped(op.input).rank
    vectors = _vectors(to, op.indices, op.input, op.axis)
    every = tuple(range(rank))
    numbers = ScatterNumbers(inserted=every, scatter_map=every, vector_dim=rank)
    reduction = word_of(op.reduction, ScatterReduction)
    return to.done(to.add(GeneralScatterOp(op.input, vectors, op.updates, numbers, reduction)).result)
