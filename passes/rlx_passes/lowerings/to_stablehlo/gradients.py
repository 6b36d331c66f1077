"""The gradient that has no plain form, that of a gather. Sums go on in f32 for narrower floats."""

from xdsl.ir import Region, SSAValue

from rlx_dialect.ops import GatherBackwardOp
from rlx_dialect.shapes import Shaped, normalize_axis
from rlx_passes.dialects.stablehlo.attributes import ScatterDimensionNumbers
from rlx_passes.dialects.stablehlo.elementwise_binary import AddOp
from rlx_passes.dialects.stablehlo.indexing import ScatterOp
from rlx_passes.dialects.stablehlo.reduction import combining_body
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.vocabulary import accumulator, cast_to, splat
from rlx_passes.rewriting.conversion import Rules


def _gather_backward(op: GatherBackwardOp, emit: StableEmitter) -> SSAValue:
    """The slices added into zeros."""
    gradient, indices, result = sized(op.gradient), sized(op.indices), sized(op.result)
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


RULES: Rules = {GatherBackwardOp: _gather_backward}
