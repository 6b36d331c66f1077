"""Gathers and scatters as those with StableHLO's dimension numbers, indices counted from the start."""

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
    GatherElementsOp,
    GatherNdOp,
    GeneralGatherOp,
    GeneralScatterOp,
    IotaOp,
    ReshapeOp,
    ScatterAddOp,
    ScatterElementsOp,
    ScatterNdOp,
    WhereOp,
)
from rlx_dialect.shape_rules.indexing import GatherNumbers, ScatterNumbers
from rlx_dialect.shapes import DYNAMIC, Dims, Shaped, normalize_axis, shaped


def _counted(to: Plain, indices: SSAValue, sizes: Dims) -> SSAValue:
    """Indices as i64 that count from the start; `sizes` are those of their entries on the last axis, or one for all."""
    if shaped(indices).element != i64:
        indices = to.add(CastOp(indices, i64)).result
    added = to.add(ConstantOp(integers(sizes))).result
    below = to.add(CompareOp(CompareKind.LT, indices, to.scalar(0, indices))).result
    return to.add(WhereOp(below, to.binary(BinaryKind.ADD, indices, added), indices)).result


def _vectors(to: Plain, indices: SSAValue, dims: Dims, axis: IntegerAttr) -> SSAValue | None:
    """The whole place of each element of `indices` on a new last axis; None where dim `axis` is not known."""
    places = shaped(indices)
    at = normalize_axis(axis.value.data, places.rank)
    if dims[at] == DYNAMIC:
        return None
    column = Shaped((*places.dims, 1), i64)
    sizes = to.sizes(indices)
    counted = _counted(to, indices, (dims[at],))
    parts = [
        to.add(ReshapeOp(counted, column.dims, sizes)).result
        if i == at
        else to.add(IotaOp(column, sizes, axis=i)).result
        for i in range(places.rank)
    ]
    return to.add(ConcatOp(parts, axis=places.rank)).result


def _nothing(to: Plain, op: GatherNdOp | GatherElementsOp) -> Decomposition | None:
    """What is gathered from no elements, which is right only where nothing is; None where the dims are not known."""
    result = shaped(op.result)
    return to.done(to.add(ConstantOp(splat(result.type, 0))).result) if result.static else None


@plain_form(GatherNdOp)
def gather_nd(op: GatherNdOp) -> Decomposition | None:
    to = Plain()
    value, indices = shaped(op.input), shaped(op.indices)
    batch, last = op.batch_dims.value.data, indices.rank - 1
    picked = tuple(range(batch, batch + indices.dims[-1]))
    slice_sizes = (*(1,) * (batch + len(picked)), *value.dims[batch + len(picked) :])
    if 0 in value.dims[: batch + len(picked)]:
        return _nothing(to, op)
    if DYNAMIC in (*(value.dims[axis] for axis in picked), *slice_sizes):
        return None
    together = tuple(range(batch))
    numbers = GatherNumbers(
        offset=tuple(range(last, last + value.rank - batch - len(picked))),
        collapsed=picked,
        input_batching=together,
        indices_batching=together,
        start_map=picked,
        vector_dim=last,
    )
    counted = _counted(to, op.indices, tuple(value.dims[axis] for axis in picked)) if picked else op.indices
    return to.done(to.add(GeneralGatherOp(op.input, counted, numbers, slice_sizes)).result)


@plain_form(GatherElementsOp)
def gather_elements(op: GatherElementsOp) -> Decomposition | None:
    to = Plain()
    dims = shaped(op.input).dims
    if 0 in dims:
        return _nothing(to, op)
    vectors = _vectors(to, op.indices, dims, op.axis)
    if vectors is None:
        return None
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
def scatter_nd(op: ScatterNdOp) -> Decomposition | None:
    to = Plain()
    dims, indices = shaped(op.input).dims, shaped(op.indices)
    picked = tuple(range(indices.dims[-1]))
    if DYNAMIC in dims[: len(picked)]:
        return None
    last = indices.rank - 1
    numbers = ScatterNumbers(
        window=tuple(range(last, shaped(op.updates).rank)), inserted=picked, scatter_map=picked, vector_dim=last
    )
    counted = _counted(to, op.indices, dims[: len(picked)]) if picked else op.indices
    reduction = word_of(op.reduction, ScatterReduction)
    return to.done(to.add(GeneralScatterOp(op.input, counted, op.updates, numbers, reduction)).result)


@plain_form(ScatterElementsOp)
def scatter_elements(op: ScatterElementsOp) -> Decomposition | None:
    to = Plain()
    dims = shaped(op.input).dims
    vectors = _vectors(to, op.indices, dims, op.axis)
    if vectors is None:
        return None
    every = tuple(range(len(dims)))
    numbers = ScatterNumbers(inserted=every, scatter_map=every, vector_dim=len(dims))
    reduction = word_of(op.reduction, ScatterReduction)
    return to.done(to.add(GeneralScatterOp(op.input, vectors, op.updates, numbers, reduction)).result)
