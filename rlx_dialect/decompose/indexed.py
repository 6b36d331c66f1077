"""Products and sums by index in plain ops: correct everywhere, but for a target with better code."""

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, i64

from rlx_dialect.attributes import CompareKind, ReduceKind
from rlx_dialect.constants import dense
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import (
    CastOp,
    CompareOp,
    GatherBackwardOp,
    GatherOp,
    GroupedMatMulOp,
    ReshapeOp,
    WhereOp,
)
from rlx_dialect.shapes import Shaped, shaped


@plain_form(GroupedMatMulOp)
def grouped_matmul(op: GroupedMatMulOp) -> Decomposition:
    """A matrix for each row, and a product of one row."""
    to = Plain()
    *rows, width = shaped(op.input).dims
    weights = to.add(GatherOp(op.weights, op.indices, axis=0)).result
    single = to.add(ReshapeOp(op.input, (*rows, 1, width), to.sizes(op.input))).result
    product = to.matmul(single, weights, accumulate=op.accumulate)
    columns = shaped(product).dims[-1]
    sizes = [*to.sizes(op.indices), *([to.size(op.weights, 2)] if columns < 0 else [])]
    return to.done(to.add(ReshapeOp(product, (*shaped(op.indices).dims, columns), sizes)).result)


@plain_form(GatherBackwardOp)
def gather_backward(op: GatherBackwardOp) -> Decomposition:
    """For each place of the table the sum over all indices of what belongs to it, zero for the rest."""
    import numpy as np

    to = Plain()
    gradient, indices = to.widened(op.gradient), op.indices
    dims, taken = shaped(gradient).dims, shaped(indices).rank
    axis, size = op.axis.value.data % (len(dims) - taken + 1), op.size.value.data
    if not isinstance(shaped(indices).element, IndexType):
        indices = to.add(CastOp(indices, i64)).result  # places beyond a narrow type would come out as others
    after = len(dims) - taken - axis
    element = shaped(indices).element
    places = (size, *(1,) * (taken + after))
    numbers = np.arange(size, dtype=numpy_dtype(element)).reshape(places)
    table = to.add(ConstantOp(dense(Shaped(places, element).type, numbers))).result
    laid = to.add(ReshapeOp(indices, (*shaped(indices).dims, *(1,) * after), to.sizes(indices))).result
    here = to.add(CompareOp(CompareKind.EQ, laid, table)).result
    single = to.add(ReshapeOp(gradient, (*dims[:axis], 1, *dims[axis:]), to.sizes(gradient))).result
    chosen = to.add(WhereOp(here, single, to.scalar(0.0, gradient))).result
    axes = tuple(range(axis + 1, axis + 1 + taken))
    total = to.reduce(ReduceKind.SUM, chosen, axes, keep_dims=False) if axes else chosen
    return to.done(to.narrowed(total, op.result))
