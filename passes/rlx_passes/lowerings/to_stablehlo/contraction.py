"""Products: summed in the accumulate type through the result type of `dot_general`, then rounded."""

from functools import partial

from xdsl.ir import SSAValue

from rlx_dialect.ops import DotGeneralOp, GroupedMatMulOp, MatMulOp
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.dialects.stablehlo.attributes import ComparisonDirection, DotDimensionNumbers, Precision
from rlx_passes.dialects.stablehlo.elementwise_binary import AddOp, CompareOp, SelectOp
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.vocabulary import (
    accumulator,
    broadcast_to,
    cast_to,
    dot,
    places,
    reduce_over,
    splat,
    stretched,
)
from rlx_passes.rewriting.conversion import Rules


def _matmul(precision: Precision, op: MatMulOp, emit: StableEmitter) -> SSAValue:
    """A right side of rank 2 needs no batch dims; else both sides are stretched to the same ones."""
    result, lhs, rhs = sized(op.result), op.lhs, op.rhs
    leading = 0 if shaped(rhs).rank == 2 else result.rank - 2
    if leading:
        lhs = broadcast_to(emit, lhs, (*result.dims[:-2], *sized(lhs).dims[-2:]))
        rhs = broadcast_to(emit, rhs, (*result.dims[:-2], *sized(rhs).dims[-2:]))
    batch = tuple(range(leading))
    numbers = DotDimensionNumbers(batch, batch, (shaped(lhs).rank - 1,), (leading,))
    wide = accumulator(result.element, op.accumulate)
    return cast_to(emit, dot(emit, lhs, rhs, numbers, result.dims, wide, precision), result.element)


def _dot_general(precision: Precision, op: DotGeneralOp, emit: StableEmitter) -> SSAValue:
    result = sized(op.result)
    numbers = DotDimensionNumbers(
        op.lhs_batch.get_values(),
        op.rhs_batch.get_values(),
        op.lhs_contracting.get_values(),
        op.rhs_contracting.get_values(),
    )
    wide = accumulator(result.element, op.accumulate)
    return cast_to(emit, dot(emit, op.lhs, op.rhs, numbers, result.dims, wide, precision), result.element)


def _grouped_matmul(precision: Precision, op: GroupedMatMulOp, emit: StableEmitter) -> SSAValue:
    """
    The product with every matrix, of which a row keeps its own: picking matrices first would copy one for each row.
    """
    result, (count, _, _) = sized(op.result), sized(op.weights).dims
    axis, wide = result.rank - 1, accumulator(result.element, op.accumulate)
    every = Shaped((*result.dims[:-1], count, result.dims[-1]), wide)
    numbers = DotDimensionNumbers((), (), (axis,), (1,))
    products = dot(emit, op.input, op.weights, numbers, every.dims, wide, precision)
    plane = Shaped(every.dims, sized(op.indices).element)
    picked = stretched(emit, op.indices, range(axis), plane)
    chosen = emit(CompareOp(ComparisonDirection.EQ, picked, places(emit, axis, plane)))
    kept = emit(SelectOp(chosen, products, splat(emit, every, 0)))
    return cast_to(emit, reduce_over(emit, kept, [axis], AddOp, 0), result.element)


def rules(precision: Precision) -> Rules:
    """The rules of this chapter; products are made with `precision`."""
    return {
        MatMulOp: partial(_matmul, precision),
        DotGeneralOp: partial(_dot_general, precision),
        GroupedMatMulOp: partial(_grouped_matmul, precision),
    }
