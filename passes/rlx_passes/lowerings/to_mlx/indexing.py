"""Ops whose elements are read or written at places that are reckoned."""

from collections.abc import Mapping

from xdsl.dialects.builtin import i1, i32
from xdsl.ir import SSAValue

from rlx_dialect.attributes import ScatterReduction, word_of
from rlx_dialect.ops import (
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    GeneralGatherOp,
    GeneralScatterOp,
    IotaOp,
    ReverseOp,
    SliceOp,
)
from rlx_dialect.shape_rules.indexing import GatherNumbers
from rlx_dialect.shapes import normalize_axis, shaped
from rlx_passes.lowerings.to_mlx.calls import Calls, Keyword, wide_element
from rlx_passes.rewriting.conversion import Rules


def _iota(op: IotaOp, calls: Calls) -> SSAValue:
    to = shaped(op.result)
    axis = normalize_axis(op.axis.value.data, to.rank)
    return calls.call("lib.iota", *op.sizes, to=to, shape=to.dims, axis=axis, dtype=to.element)


def _slice(op: SliceOp, calls: Calls) -> SSAValue:
    to, starts, steps = shaped(op.result), op.starts.get_values(), op.steps.get_values()
    return calls.call("lib.strided", op.input, *op.sizes, to=to, starts=starts, steps=steps, shape=to.dims)


def _reverse(op: ReverseOp, calls: Calls) -> SSAValue:
    to = shaped(op.result)
    axes = [normalize_axis(axis, to.rank) for axis in op.axes.get_values()]
    return calls.call("lib.reverse", op.input, to=to, axes=axes)


def _dynamic_slice(op: DynamicSliceOp, calls: Calls) -> SSAValue:
    lengths = op.lengths.get_values()
    return calls.call("lib.dynamic_slice", op.input, *op.starts, to=shaped(op.result), lengths=lengths)


def _dynamic_update_slice(op: DynamicUpdateSliceOp, calls: Calls) -> SSAValue:
    return calls.call("lib.dynamic_update_slice", op.input, op.update, *op.starts, to=shaped(op.result))


def _numbers(numbers: GatherNumbers) -> Mapping[str, Keyword]:
    return {
        "offset": numbers.offset,
        "collapsed": numbers.collapsed,
        "batching": numbers.input_batching,
        "indices_batching": numbers.indices_batching,
        "start_map": numbers.start_map,
        "vector_dim": numbers.vector_dim,
    }


def _general_gather(op: GeneralGatherOp, calls: Calls) -> SSAValue:
    keywords = {**_numbers(op.numbers), "slice_sizes": op.slice_sizes.get_values()}
    return calls.call("lib.general_gather", op.input, op.indices, to=shaped(op.result), **keywords)


def _general_scatter(op: GeneralScatterOp, calls: Calls) -> SSAValue:
    """Sums and products of halves go on in f32; truth values are numbers meanwhile."""
    to, reduction = shaped(op.result), word_of(op.reduction, ScatterReduction)
    wide = i32 if to.element == i1 else to.element
    if reduction in (ScatterReduction.ADD, ScatterReduction.MUL):
        wide = wide_element(wide)
    input, updates = calls.astype(op.input, wide), calls.astype(op.updates, wide)
    keywords = {**_numbers(op.numbers.as_gather), "reduction": reduction.value}
    made = calls.call("lib.general_scatter", input, op.indices, updates, to=shaped(input), **keywords)
    return calls.astype(made, to.element)


RULES: Rules = {
    IotaOp: _iota,
    SliceOp: _slice,
    ReverseOp: _reverse,
    DynamicSliceOp: _dynamic_slice,
    DynamicUpdateSliceOp: _dynamic_update_slice,
    GeneralGatherOp: _general_gather,
    GeneralScatterOp: _general_scatter,
}
