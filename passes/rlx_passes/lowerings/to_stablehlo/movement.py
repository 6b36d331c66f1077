"""Slices and what tensors are made of by their dims alone; complex numbers and their parts."""

from xdsl.ir import SSAValue

from rlx_dialect.dims import Size, larger, smaller
from rlx_dialect.ops import (
    ComplexOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    ImagOp,
    IotaOp,
    RealOp,
    ReverseOp,
    SliceOp,
)
from rlx_dialect.shapes import normalize_axes, normalize_axis
from rlx_passes.dialects.stablehlo import data_movement as stable
from rlx_passes.dialects.stablehlo import elementwise_binary as binary
from rlx_passes.dialects.stablehlo import elementwise_unary as unary
from rlx_passes.dialects.stablehlo import indexing as stable_indexing
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.vocabulary import cut, part, places
from rlx_passes.rewriting.conversion import Rules


def _slice(op: SliceOp, emit: StableEmitter) -> SSAValue:
    """A step back is one forward, and the axis reversed."""
    dims, back = sized(op.result).dims, list[int]()
    starts, limits, steps = list[Size](), list[Size](), list[int]()
    for axis, (start, step, length) in enumerate(zip(op.starts.get_values(), op.steps.get_values(), dims)):
        last = start + (length - 1) * step
        if step > 0:
            first, end = start, larger(start, last + 1)
        else:
            first, end = smaller(last, start + 1), start + 1
        if length == 0:
            first, end = 0, 0
        starts.append(first)
        limits.append(end)
        steps.append(abs(step))
        if step < 0:
            back.append(axis)
    found = cut(emit, op.input, starts, limits, steps, dims)
    return emit(stable.ReverseOp(found, back)) if back else found


def _dynamic_slice(op: DynamicSliceOp, emit: StableEmitter) -> SSAValue:
    return part(emit, op.input, op.starts, sized(op.result).dims)


def _dynamic_update_slice(op: DynamicUpdateSliceOp, emit: StableEmitter) -> SSAValue:
    return emit(stable_indexing.DynamicUpdateSliceOp(op.input, op.update, op.starts))


def _reverse(op: ReverseOp, emit: StableEmitter) -> SSAValue:
    return emit(stable.ReverseOp(op.input, normalize_axes(op.axes.get_values(), sized(op.input).rank)))


def _iota(op: IotaOp, emit: StableEmitter) -> SSAValue:
    result = sized(op.result)
    return places(emit, normalize_axis(op.axis.value.data, result.rank), result)


def _complex(op: ComplexOp, emit: StableEmitter) -> SSAValue:
    return emit(binary.ComplexOp.create(operands=[op.real, op.imag], result_types=[sized(op.result).type]))


def _real(op: RealOp, emit: StableEmitter) -> SSAValue:
    return emit(unary.RealOp(op.input, sized(op.result).type))


def _imag(op: ImagOp, emit: StableEmitter) -> SSAValue:
    return emit(unary.ImagOp(op.input, sized(op.result).type))


RULES: Rules = {
    ComplexOp: _complex,
    DynamicSliceOp: _dynamic_slice,
    DynamicUpdateSliceOp: _dynamic_update_slice,
    ImagOp: _imag,
    IotaOp: _iota,
    RealOp: _real,
    ReverseOp: _reverse,
    SliceOp: _slice,
}
