"""The input of a convolution with strides, every `stride`-th element of its axes side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from rlx_passes.lowerings.to_loops.convolutions import Convolution
from rlx_passes.lowerings.to_loops.memrefs import Emit, expanded, part, type_of


@dataclass(frozen=True)
class _Padding:
    """Memory that holds `source` from `starts` on, and what `fill` put there around it; nobody else uses it."""

    source: SSAValue
    starts: Sequence[int]
    fill: linalg.FillOp
    copy: memref.CopyOp


def in_phases(form: Convolution, emit: Emit) -> SSAValue:
    """
    Memory like the input, of the phases of all spatial axes and then of their elements.

    An input that was only padded for the convolution is copied from where it was instead, and padded here.
    """
    rank, shape = len(form.axes), type_of(form.input).get_shape()
    around = _padding(form.input)
    source, starts = (form.input, [0] * rank) if around is None else (around.source, around.starts[-rank:])
    type = type_of(source)
    leading = list(type.get_shape()[:-rank])
    phases, lengths = [axis.phases for axis in form.axes], [axis.length for axis in form.axes]
    alloc = memref.AllocOp([], [], MemRefType(type.element_type, [*leading, *phases, *lengths]))
    if around is not None:
        emit = _before(around.copy)
    emit(alloc)
    if around is not None:
        emit(linalg.FillOp(list(around.fill.inputs), [alloc.memref], []))
    first = [0] * len(leading)
    for phase in product(*map(range, phases)):
        # Of each axis: the first element of the phase that is there, where it is in the source, and how many there are.
        places = [max(-(-(start - at) // a.stride), 0) for a, at, start in zip(form.axes, phase, starts, strict=True)]
        read = [p * a.stride + at - start for a, p, at, start in zip(form.axes, places, phase, starts, strict=True)]
        sizes = [
            min(a.length - p, -(-(size - r) // a.stride))
            for a, p, r, size in zip(form.axes, places, read, type.get_shape()[-rank:], strict=True)
        ]
        if min(sizes) > 0:
            steps = [1] * len(leading) + [axis.stride for axis in form.axes]
            taken = part(source, [*first, *read], [*leading, *sizes], steps, emit)
            at, one = [*first, *phase, *places], [*leading, *[1] * rank, *sizes]
            dropped = frozenset(range(len(leading), len(leading) + rank))
            emit(memref.CopyOp(taken, part(alloc.memref, at, one, [1] * len(at), emit, dropped=dropped)))
    result = alloc.memref
    if len(leading) == 2:
        groups = [[0], [1, 2], *([axis] for axis in range(3, 3 + 2 * rank))]
        result = expanded(result, groups, [*shape[:3], *phases, *lengths], emit)
    if around is not None:
        padded = form.input
        form.op.operands[0] = result
        _erase(padded, around)
    return result


def _erase(padded: SSAValue, around: _Padding) -> None:
    """Erase the padding of what nobody reads any more."""
    inside, view = around.copy.destination.owner, padded.owner
    whole = view.src.owner if isinstance(view, memref.ExpandShapeOp) else view
    for op in dict.fromkeys((around.copy, inside, around.fill, view, whole)):
        if isinstance(op, Operation):
            op.detach()
            op.erase()


def _before(op: Operation) -> Emit:
    """Puts ops before `op`: there nobody has written to what it reads."""
    block = op.parent
    assert block is not None
    return lambda new: block.insert_op_before(new, op)


def _padding(value: SSAValue) -> _Padding | None:
    """How `value` was padded, if only one op reads it."""
    view = value.owner if isinstance(value.owner, memref.ExpandShapeOp) else None
    whole = value if view is None else view.src
    users = [use.operation for use in whole.uses]
    fills = [op for op in users if isinstance(op, linalg.FillOp)]
    parts = [op for op in users if isinstance(op, memref.SubviewOp)]
    known = len(users) == 3 and len(fills) == len(parts) == len(list(value.uses)) - (2 if view is None else 0) == 1
    if not isinstance(whole.owner, memref.AllocOp) or not known:
        return None
    (inside,) = parts
    copies = [use.operation for use in inside.result.uses]
    if len(copies) != 1 or not isinstance(copy := copies[0], memref.CopyOp) or copy.destination is not inside.result:
        return None
    numbers = [[int(each) for each in list.get_values()] for list in (inside.static_strides, inside.static_offsets)]
    if set(numbers[0]) != {1} or inside.offsets or not _comes_first(fills[0], copy):
        return None
    return _Padding(copy.source, numbers[1], fills[0], copy)


def _comes_first(fill: Operation, copy: Operation) -> bool:
    """Whether a fill is before a copy in their block."""
    before = copy.prev_op
    while before is not None and before is not fill:
        before = before.prev_op
    return before is fill
