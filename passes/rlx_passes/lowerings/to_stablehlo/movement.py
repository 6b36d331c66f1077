"""Slices and what tensors are made of by their dims alone; complex numbers and their parts."""

from xdsl.ir import SSAValue

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
from rlx_passes.lowerings.to_stablehlo.vocabulary import static
from rlx_passes.rewriting.conversion import Emitter, Rules


def _slice(op: SliceOp, emit: Emitter) -> SSAValue:
    """A step back is one forward, and the axis reversed."""
    dims, back = static(op.result).dims, list[int]()
    starts, limits, steps = list[int](), list[int](), list[int]()
    for axis, (start, step, length) in enumerate(zip(op.starts.get_values(), op.steps.get_values(), dims)):
        last = start + (length - 1) * step
        first, end = (0, 0) if not length else (min(start, last), max(start, last) + 1)
        starts.append(first)
        limits.append(end)
        steps.append(abs(step))
        if step < 0:
            back.append(axis)
    static(op.input)
    part = emit(stable.SliceOp(op.input, starts, limits, steps))
    return emit(stable.ReverseOp(part, back)) if back else part


def _dynamic_slice(op: DynamicSliceOp, emit: Emitter) -> SSAValue:
    static(op.input)
    return emit(stable_indexing.DynamicSliceOp(op.input, op.starts, op.lengths.get_values()))


def _dynamic_update_slice(op: DynamicUpdateSliceOp, emit: Emitter) -> SSAValue:
    static(op.input)
    static(op.update)
    return emit(stable_indexing.DynamicUpdateSliceOp(op.input, op.update, op.starts))


def _reverse(op: ReverseOp, emit: Emitter) -> SSAValue:
    return emit(stable.ReverseOp(op.input, normalize_axes(op.axes.get_values(), static(op.input).rank)))


def _iota(op: IotaOp, emit: Emitter) -> SSAValue:
    result = static(op.result)
    return emit(stable.IotaOp(normalize_axis(op.axis.value.data, result.rank), result.type))


def _complex(op: ComplexOp, emit: Emitter) -> SSAValue:
    return emit(binary.ComplexOp.create(operands=[op.real, op.imag], result_types=[static(op.result).type]))


def _real(op: RealOp, emit: Emitter) -> SSAValue:
    return emit(unary.RealOp(op.input, static(op.result).type))


def _imag(op: ImagOp, emit: Emitter) -> SSAValue:
    return emit(unary.ImagOp(op.input, static(op.result).type))


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
