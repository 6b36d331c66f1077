"""Gradients that have no plain form: those of prefix sums and of gathers. Sums go on in f32 for narrower floats."""

from xdsl.ir import Region, SSAValue

from rlx_dialect.ops import CumsumBackwardOp, GatherBackwardOp
from rlx_dialect.shapes import Shaped, normalize_axis, shaped
from rlx_passes.dialects.stablehlo.attributes import ScatterDimensionNumbers
from rlx_passes.dialects.stablehlo.data_movement import PadOp
from rlx_passes.dialects.stablehlo.elementwise_binary import AddOp
from rlx_passes.dialects.stablehlo.indexing import ScatterOp
from rlx_passes.dialects.stablehlo.reduction import ReduceWindowOp, combining_body
from rlx_passes.lowerings.to_stablehlo.vocabulary import accumulator, cast_to, splat, static
from rlx_passes.rewriting.conversion import Emitter, Rules


def _cumsum_backward(op: CumsumBackwardOp, emit: Emitter) -> SSAValue:
    """A window as long as the axis that begins, or with `reverse` ends, at each place; `exclusive` moves it one on."""
    source = static(op.gradient)
    axis, wide = normalize_axis(op.axis.value.data, source.rank), accumulator(source.element, None)
    size, from_start = source.dims[axis], op.reverse is not None
    if 0 in source.dims:
        return op.gradient
    zero = splat(emit, Shaped((), wide), 0)
    window = [size if i == axis else 1 for i in range(source.rank)]
    behind = (size - 1, 0) if from_start else (0, size - 1)
    padding = [behind if i == axis else (0, 0) for i in range(source.rank)]
    sums = emit(ReduceWindowOp(cast_to(emit, op.gradient, wide), zero, window, padding, AddOp))
    if op.exclusive is not None:
        low = [(1 if from_start else -1) if i == axis else 0 for i in range(source.rank)]
        sums = emit(PadOp(sums, zero, low, [-edge for edge in low], [0] * source.rank, shaped(sums).type))
    return cast_to(emit, sums, source.element)


def _gather_backward(op: GatherBackwardOp, emit: Emitter) -> SSAValue:
    """The slices added into zeros."""
    gradient, indices, result = static(op.gradient), static(op.indices), static(op.result)
    wide = accumulator(gradient.element, None)
    axis = normalize_axis(op.axis.value.data, result.rank)
    numbers = ScatterDimensionNumbers(
        update_window_dims=(*range(axis), *range(axis + indices.rank, gradient.rank)),
        inserted_window_dims=(axis,),
        scatter_dims_to_operand_dims=(axis,),
        index_vector_dim=indices.rank,
    )
    zeros = splat(emit, Shaped(result.dims, wide), 0)
    body: Region = combining_body(wide, AddOp)
    added = emit(ScatterOp(zeros, op.indices, cast_to(emit, op.gradient, wide), numbers, body))
    return cast_to(emit, added, result.element)


RULES: Rules = {CumsumBackwardOp: _cumsum_backward, GatherBackwardOp: _gather_backward}
