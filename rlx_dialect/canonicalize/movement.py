"""Ops that move elements and move none, or undo or continue the one before."""

from collections.abc import Callable

from typing_extensions import ParamSpec
from xdsl.ir import Operation, SSAValue

from rlx_dialect.canonicalize.rule import Rules
from rlx_dialect.constants import scalar
from rlx_dialect.ops.movement import PadOp, ReverseOp, RollOp, TileOp
from rlx_dialect.ops.shape import ConcatOp, ExpandOp, NarrowOp, ReshapeOp, TransposeOp
from rlx_dialect.ops.slicing import DynamicSliceOp, SliceOp
from rlx_dialect.shapes import (
    DYNAMIC,
    ShapeError,
    normalize_axes,
    normalize_axis,
    require_broadcasts_to,
    reshape,
    shaped,
)


def kept_reshape(op: ReshapeOp) -> SSAValue | None:
    """A reshape to the same dims. Two unknown sizes might differ, and a 0 beside an unknown one too."""
    dims = shaped(op.result).dims
    certain = DYNAMIC not in dims or (dims.count(DYNAMIC) == 1 and 0 not in dims)
    return op.input if op.input.type == op.result.type and certain else None


def joined_reshape(op: ReshapeOp) -> Operation | None:
    """A reshape of a reshape reads what that one read."""
    inner, result = op.input.owner, shaped(op.result)
    if not isinstance(inner, ReshapeOp) or not _holds(reshape, shaped(inner.input), result):
        return None
    return ReshapeOp(inner.input, result.dims, op.sizes)


def kept_expand(op: ExpandOp) -> SSAValue | None:
    """An expand to the dims that are there: an unknown size never stretches."""
    return op.input if op.input.type == op.result.type else None


def joined_expand(op: ExpandOp) -> Operation | None:
    """An expand of an expand reads what that one read."""
    inner, dims = op.input.owner, shaped(op.result).dims
    if not isinstance(inner, ExpandOp) or not _holds(require_broadcasts_to, shaped(inner.input), dims, "input"):
        return None
    return ExpandOp(inner.input, dims, op.sizes)


def kept_transpose(op: TransposeOp) -> SSAValue | None:
    order = op.permutation.get_values()
    return op.input if all(axis == place for place, axis in enumerate(order)) else None


def undone_transpose(op: TransposeOp) -> SSAValue | None:
    """A transpose back."""
    inner = op.input.owner
    return inner.input if isinstance(inner, TransposeOp) and _order(op, inner) == sorted(_order(op, inner)) else None


def joined_transpose(op: TransposeOp) -> Operation | None:
    """A transpose of a transpose is one."""
    inner = op.input.owner
    return TransposeOp(inner.input, _order(op, inner)) if isinstance(inner, TransposeOp) else None


def _order(outer: TransposeOp, inner: TransposeOp) -> list[int]:
    """Where each dim of the outer result comes from."""
    first = inner.permutation.get_values()
    return [first[axis] for axis in outer.permutation.get_values()]


def kept_narrow(op: NarrowOp) -> SSAValue | None:
    """All entries of an axis whose size is known."""
    value = shaped(op.input)
    axis = normalize_axis(op.axis.value.data, value.rank)
    return op.input if value.dims[axis] == op.length.value.data else None


def joined_narrow(op: NarrowOp) -> Operation | None:
    """A narrow of a narrow of the same axis starts where both say."""
    inner = op.input.owner
    if not isinstance(inner, NarrowOp):
        return None
    rank = shaped(op.input).rank
    axis = normalize_axis(op.axis.value.data, rank)
    if normalize_axis(inner.axis.value.data, rank) != axis:
        return None
    start = inner.start.value.data + op.start.value.data
    return NarrowOp(inner.input, axis=axis, start=start, length=op.length.value.data)


def kept_slice(op: SliceOp) -> SSAValue | None:
    """Every entry of every axis, all sizes known."""
    whole = not any(op.starts.get_values()) and all(step == 1 for step in op.steps.get_values())
    return op.input if whole and op.input.type == op.result.type and shaped(op.input).static else None


def fixed_slice(op: DynamicSliceOp) -> SSAValue | Operation | None:
    """Starts that are constants say which slice it is."""
    dims, lengths = shaped(op.input).dims, op.lengths.get_values()
    starts = [scalar(start) for start in op.starts]
    if DYNAMIC in dims or any(start is None for start in starts):
        return None
    places = [max(0, min(int(start or 0), dim - size)) for start, dim, size in zip(starts, dims, lengths)]
    parts = [axis for axis, (dim, size) in enumerate(zip(dims, lengths)) if dim != size]
    if len(parts) > 1:
        return SliceOp(op.input, lengths, starts=places)
    return NarrowOp(op.input, axis=parts[0], start=places[parts[0]], length=lengths[parts[0]]) if parts else op.input


def only_input(op: ConcatOp) -> SSAValue | None:
    """A concat of one input, or of one that is not empty."""
    axis = op.axis.value.data
    filled = [value for value in op.inputs if shaped(value).dims[axis] != 0]
    return filled[0] if len(filled) == 1 else op.inputs[0] if len(op.inputs) == 1 else None


def kept_pad(op: PadOp) -> SSAValue | None:
    return None if any(op.low.get_values()) or any(op.high.get_values()) else op.input


def kept_tile(op: TileOp) -> SSAValue | None:
    return op.input if all(times == 1 for times in op.repeats.get_values()) else None


def kept_roll(op: RollOp) -> SSAValue | None:
    return None if any(op.shifts.get_values()) else op.input


def undone_reverse(op: ReverseOp) -> SSAValue | Operation | None:
    """No axis is reversed, or those that the op before reversed; an axis that both reverse is not."""
    axes = _axes(op)
    if not axes:
        return op.input
    inner = op.input.owner
    if not isinstance(inner, ReverseOp):
        return None
    left = sorted(axes ^ _axes(inner))
    return ReverseOp(inner.input, left) if left else inner.input


P = ParamSpec("P")


def _holds(check: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Whether a shape rule holds. Two moves may each be right where an unknown size hides that both cannot be."""
    try:
        check(*args, **kwargs)
    except ShapeError:
        return False
    return True


def _axes(op: ReverseOp) -> set[int]:
    return set(normalize_axes(op.axes.get_values(), shaped(op.input).rank))


RULES: Rules = {
    ConcatOp: (only_input,),
    DynamicSliceOp: (fixed_slice,),
    ExpandOp: (kept_expand, joined_expand),
    NarrowOp: (kept_narrow, joined_narrow),
    PadOp: (kept_pad,),
    ReshapeOp: (kept_reshape, joined_reshape),
    ReverseOp: (undone_reverse,),
    RollOp: (kept_roll,),
    SliceOp: (kept_slice,),
    TileOp: (kept_tile,),
    TransposeOp: (kept_transpose, undone_transpose, joined_transpose),
}
