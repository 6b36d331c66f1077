"""Slices and pads whose bounds a program works out as it runs."""

from collections.abc import Sequence

from xdsl.dialects.arith import AddiOp, ConstantOp, DivUIOp, MaxSIOp, MuliOp, SubiOp
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.constants import splat
from rlx_dialect.ops import BinaryOp, CompareOp, ConcatOp, ExpandOp, GatherOp, IotaOp, ReshapeOp, SliceOp, WhereOp
from rlx_dialect.shapes import DYNAMIC, Shaped, shaped
from rlx_passes.frontends.stablehlo.sizes import dim, element, index, scalar_of
from rlx_passes.rewriting.conversion import Emitter

Bound = int | SSAValue
"""A number, or an index value."""


def bound(emit: Emitter, numbers: SSAValue, at: int) -> Bound:
    """Element `at` of a vector of integers."""
    found = element(emit, numbers, at)
    match found.owner:
        case ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case _:
            return found


def cut(
    emit: Emitter, value: SSAValue, starts: Sequence[Bound], limits: Sequence[Bound], steps: Sequence[int]
) -> SSAValue:
    """Every so many elements of each axis from a start to before a limit. An axis is gathered from where a run says."""
    kept: list[tuple[int, Bound, int]] = []
    for axis, (start, limit, step) in enumerate(zip(starts, limits, steps)):
        whole = isinstance(start, SSAValue)
        kept.append((0, _whole(emit, value, axis), 1) if whole else (start, _length(emit, start, limit, step), step))
    dims = [DYNAMIC if isinstance(length, SSAValue) else length for _, length, _ in kept]
    sizes = [length for _, length, _ in kept if isinstance(length, SSAValue)]
    value = emit(SliceOp(value, dims, sizes, starts=[at for at, _, _ in kept], steps=[by for _, _, by in kept]))
    for axis, (start, limit, step) in enumerate(zip(starts, limits, steps)):
        if isinstance(start, SSAValue):
            value = emit(GatherOp(value, _places(emit, start, _length(emit, start, limit, step), step), axis=axis))
    return value


def widened(emit: Emitter, value: SSAValue, padding: SSAValue, low: Sequence[Bound], high: Sequence[Bound]) -> SSAValue:
    """`value` with `padding` before and after its elements; an edge below 0 is cut off."""
    starts, rests = ([_cut_off(edge) for edge in edges] for edges in (low, high))
    if any((*starts, *rests)):
        limits = [_less(emit, _whole(emit, value, axis), by) for axis, by in enumerate(rests)]
        value = cut(emit, value, starts, limits, [1] * len(starts))
    for axis, edges in enumerate(zip(low, high)):
        before, after = (_edge(emit, value, padding, axis, edge) for edge in edges)
        parts = [*before, value, *after]
        value = emit(ConcatOp(parts, axis=axis)) if len(parts) > 1 else value
    return value


def _cut_off(edge: Bound) -> int:
    return max(-edge, 0) if isinstance(edge, int) else 0


def _less(emit: Emitter, size: Bound, by: int) -> Bound:
    if by == 0 or isinstance(size, int):
        return size if isinstance(size, SSAValue) else size - by
    return emit(SubiOp(size, index(emit, by)))


def spread(emit: Emitter, value: SSAValue, padding: SSAValue, axis: int, gap: int) -> SSAValue:
    """`value` with `gap` times `padding` between its elements."""
    size, rank = _whole(emit, value, axis), shaped(value).rank
    if isinstance(size, int):
        length: Bound = max(size * (gap + 1) - gap, 0)
    else:
        wide = emit(SubiOp(emit(MuliOp(size, index(emit, gap + 1))), index(emit, gap)))
        length = emit(MaxSIOp(wide, index(emit, 0)))
    lengths, dims = ([], length) if isinstance(length, int) else ([length], DYNAMIC)
    at = emit(IotaOp(Shaped((dims,), i64), lengths, axis=0))
    step, zero = (emit(ConstantOp(splat(Shaped((), i64).type, number))) for number in (gap + 1, 0))
    taken = emit(GatherOp(value, emit(BinaryOp(BinaryKind.DIV, at, step)), axis=axis))
    kept = emit(CompareOp(CompareKind.EQ, emit(BinaryOp(BinaryKind.MOD, at, step)), zero))
    along = emit(ReshapeOp(kept, (dims, *[1] * (rank - 1 - axis)), lengths)) if axis < rank - 1 else kept
    return emit(WhereOp(along, taken, padding))


def _edge(emit: Emitter, value: SSAValue, padding: SSAValue, axis: int, count: Bound) -> list[SSAValue]:
    if isinstance(count, int) and count <= 0:
        return []
    lengths = [count if i == axis else _whole(emit, value, i) for i in range(shaped(value).rank)]
    dims = [DYNAMIC if isinstance(length, SSAValue) else length for length in lengths]
    return [emit(ExpandOp(padding, dims, [length for length in lengths if isinstance(length, SSAValue)]))]


def _whole(emit: Emitter, value: SSAValue, axis: int) -> Bound:
    size = shaped(value).dims[axis]
    return dim(emit, value, axis) if size == DYNAMIC else size


def _length(emit: Emitter, start: Bound, limit: Bound, step: int) -> Bound:
    if isinstance(start, int) and isinstance(limit, int):
        return -(-(limit - start) // step)
    first, end = (index(emit, each) if isinstance(each, int) else each for each in (start, limit))
    length = end if start == 0 else emit(SubiOp(end, first))
    if step == 1:
        return length
    return emit(DivUIOp(emit(AddiOp(length, index(emit, step - 1))), index(emit, step)))


def _places(emit: Emitter, start: SSAValue, length: Bound, step: int) -> SSAValue:
    """`length` numbers from `start`, `step` apart."""
    size, sizes = (length, []) if isinstance(length, int) else (DYNAMIC, [length])
    at = emit(IotaOp(Shaped((size,), i64), sizes, axis=0))
    if step != 1:
        at = emit(BinaryOp(BinaryKind.MUL, at, emit(ConstantOp(splat(Shaped((), i64).type, step)))))
    return emit(BinaryOp(BinaryKind.ADD, at, scalar_of(emit, start, i64)))
