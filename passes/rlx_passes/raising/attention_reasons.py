"""Masks that hide keys for several reasons at once, and the reasons one by one."""

from collections.abc import Iterable
from dataclasses import replace
from math import inf

from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.constants import scalar
from rlx_dialect.ops import BinaryOp, CompareOp, LogicalNotOp, WhereOp
from rlx_dialect.shapes import DYNAMIC, Dims
from rlx_passes.raising.attention_masks import (
    HIDING,
    Extent,
    Hiding,
    band,
    constant_hiding,
    hiding,
    is_lost,
    name_of,
    seen_through,
)
from rlx_passes.raising.attention_scores import Added, Mask, Replaced
from rlx_passes.rewriting.constants import LOWEST, is_truth
from rlx_passes.rewriting.legality import broadcast_source, dims_of, tensor_type
from rlx_passes.rewriting.miss import Miss


def halves(found: Hiding) -> tuple[Hiding, ...]:
    """The conditions that all hold where this one does; none where it is not made of others."""
    op, kind = found.condition.owner, BinaryKind.BIT_OR if found.inverted else BinaryKind.BIT_AND
    if not isinstance(op, BinaryOp | LogicalNotOp) or not is_truth(found.condition):
        return ()
    if isinstance(op, LogicalNotOp):
        values, found = (op.input,), replace(found, inverted=not found.inverted)
    elif op.binary is kind:
        values = (op.lhs, op.rhs)
    else:
        return ()
    parts: list[Hiding] = []
    for inner, dims in map(seen_through, values):
        met = lifted(dims, dims_of(found.condition), found.dims)
        if met is None:
            return ()
        parts.append(replace(found, condition=inner, dims=met))
    return tuple(parts)


def lifted(dims: Dims, before: Dims, after: Dims) -> Dims | None:
    """
    The dims of an operand under a result that is reshaped from `before` to `after`; None where that does more than
    bring in dims of 1.
    """
    if before == after:
        return dims
    if before.count(DYNAMIC) > 1:
        return None
    rest, own = list(before), [1] * (len(before) - len(dims)) + list(dims)
    found: list[int] = []
    for size in reversed(after):
        if rest and rest[-1] == size:
            rest.pop()
            found.append(own.pop())
        elif size == 1:
            found.append(1)
        else:
            return None
    return tuple(reversed(found)) if all(size == 1 for size in rest) else None


def separate(mask: Mask, extent: Extent) -> tuple[Mask, ...]:
    """
    The masks that hide in turn what `mask` hides at once, outermost first, if one of them shows a band; else `mask`.

    A bias that is a number beside which scores are lost where a condition says so, and another bias elsewhere, replaces
    scores after that bias was added.
    """
    parts = layers(mask, extent)
    if len(parts) < 2:
        return (mask,)
    try:
        found = [hiding(part, extent) for part in parts]
    except Miss:
        return (mask,)
    banded = any(
        isinstance(each, Hiding) and any(band(part, extent) is not None for part in split(each, extent))
        for each in found
    )
    return parts if banded else (mask,)


def layers(mask: Mask, extent: Extent) -> tuple[Mask, ...]:
    """The masks of which one is made, outermost first."""
    if isinstance(mask, Replaced):
        condition = broadcast_source(mask.condition)
        op, kind = condition.owner, BinaryKind.BIT_OR if mask.inverted else BinaryKind.BIT_AND
        if not isinstance(op, BinaryOp) or op.binary is not kind or not is_truth(condition):
            return (mask,)
        return tuple(part for half in op.operands for part in layers(replace(mask, condition=half), extent))
    bias = broadcast_source(mask.bias)
    where = bias.owner
    if not isinstance(where, WhereOp):
        return (mask,)
    on_true, on_false = scalar(where.on_true), scalar(where.on_false)
    if (on_true is None) == (on_false is None):
        return (mask,)
    inverted = on_true is not None
    number, inner = (on_true, where.on_false) if on_true is not None else (on_false, where.on_true)
    element = tensor_type(bias).element_type
    assert number is not None
    if number != -inf and not (number <= max(HIDING, LOWEST.get(name_of(element), -inf)) and is_lost(number, element)):
        return (mask,)
    beside = Added(inner)
    kept = unhidden(where.condition, inner, number) if inverted else None
    outer = Replaced(where.condition, inverted, number) if kept is None else Replaced(kept, True, number)
    return (*layers(outer, extent), *layers(beside, extent))


def unhidden(condition: SSAValue, bias: SSAValue, number: float) -> SSAValue | None:
    """
    Of `bias + x == 0`, a condition on a constant bias of zeros and `number`, the x: where the bias hides nothing, it is
    x alone that is compared. None for any other condition.
    """
    test = condition.owner
    if not isinstance(test, CompareOp) or test.comparison is not CompareKind.EQ or scalar(test.rhs) != 0:
        return None
    total = test.lhs.owner
    if not isinstance(total, BinaryOp) or total.binary is not BinaryKind.ADD:
        return None
    hides = constant_hiding(bias)
    if hides is None or hides.number != number:
        return None
    for same, other in ((total.lhs, total.rhs), (total.rhs, total.lhs)):
        if seen_through(same) == seen_through(bias):
            return other
    return None


def split(found: Hiding, extent: Extent) -> tuple[Hiding, ...]:
    """The parts of a condition that holds where several hold, if one of them is a band; else the condition as it is."""
    if extent.order or found.stretched:
        return (found,)
    parts = tuple(part for half in halves(found) for part in split(half, extent))
    return parts if any(band(part, extent) is not None for part in parts) else (found,)


def conjunction(values: Iterable[SSAValue], new: list[Operation]) -> SSAValue:
    """Where all of the conditions hold; there is at least one."""
    first, *rest = values
    for value in rest:
        op = BinaryOp(BinaryKind.BIT_AND, first, value)
        new.append(op)
        first = op.result
    return first
