"""Queries, keys and values as an attention reads them: with transposes, head splits, repeats and scales removed."""

from dataclasses import dataclass, replace

from xdsl.ir import Attribute, Operation, SSAValue

from rlx_dialect.known_sizes import size_in, size_of
from rlx_dialect.ops import BinaryOp, CastOp, ExpandOp, ReshapeOp, TransposeOp
from rlx_dialect.shapes import DYNAMIC, Dims
from rlx_passes.raising.attention_scores import multiplied
from rlx_passes.raising.trail import is_widening
from rlx_passes.rewriting.legality import dims_of, require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason

DEPTH = 12
"""How many ops may stand between a projection and the product that reads it."""

BY_HEAD, BY_PLACE = "bhsd", "bshd"


@dataclass(frozen=True)
class Operand:
    """
    One side of an attention.

    `value` has the axes `axes`, a letter each: b batch, h head, s place, d width; times `scale` it is what is read.
    `by_head` is a value of the program that lies `bhsd`, or `bsd` where there are no heads, with the same elements, if
    any. `packed` is `value` before its heads were split, `[b, s, h * d]`, and without constants that it was multiplied
    by: where there were some, `value` is what `split_again` makes.
    """

    value: SSAValue
    axes: str
    scale: float
    by_head: SSAValue | None
    packed: SSAValue | None

    def size(self, letter: str) -> int:
        return dims_of(self.value)[self.axes.index(letter)]


def operand(value: SSAValue, axes: str, *, repeats: bool, scales: bool, element: Attribute | None = None) -> Operand:
    """
    `value`, whose axes are `axes`, seen through transposes, with `scales` through scales by constants, with `repeats`
    through repeated heads, with `element` through a cast from that type to a wider one.

    Raises `Miss` where its axes come to lie in an order that no layout has.
    """
    start = axes
    scale, by_head, moved = 1.0, None, False
    for _ in range(DEPTH):
        if axes in (BY_HEAD, "bsd"):
            by_head = value
        owner = value.owner
        if isinstance(owner, TransposeOp):
            axes, moved = before(owner, axes), True
            value = owner.input
        elif isinstance(owner, CastOp) and is_widening(owner) and tensor_type(owner.input).element_type == element:
            value, by_head = owner.input, None
        elif scales and isinstance(owner, BinaryOp) and (found := scaling(owner)):
            value, by_head = found[0], None
            scale *= found[1]
        elif (joined := joined_heads(value, axes)) is not None:
            value, axes, by_head = joined, axes.replace("kg", "h"), None
        elif repeats and (single := repeated(value, axes)) is not None:
            value, by_head = single, None
        else:
            break
    if axes == BY_HEAD:
        by_head = value
    require(element is None or tensor_type(value).element_type == element, Reason.DTYPE, value)
    known = {BY_HEAD, BY_PLACE, "bsd", "sbd", "sd"}
    require(axes in known or (not moved and axes == start), Reason.LAYOUT, value, detail=lambda: f"its axes lie {axes}")
    packed, factor = unpacked(value, axes, scales)
    return Operand(value, axes, scale * factor, by_head if factor == 1 else None, packed)


def joined_heads(value: SSAValue, axes: str) -> SSAValue | None:
    """
    The value whose heads `h` are split in `value` into `k` groups of `g`, both of which `axes` holds side by side.

    A group that is a stretched 1 counts as 1: the heads of keys that each of a group reads.
    """
    if "kg" not in axes:
        return None
    at = axes.index("kg")
    while isinstance(value.owner, ExpandOp):
        single = value.owner.input
        if dims_of(single) != (*dims_of(value)[: at + 1], 1, *dims_of(value)[at + 2 :]):
            return None
        value = single
    split, dims = value.owner, dims_of(value)
    if not isinstance(split, ReshapeOp) or DYNAMIC in dims[at : at + 2] or dims.count(DYNAMIC) > 1 or 0 in dims:
        return None
    joined = (*dims[:at], dims[at] * dims[at + 1], *dims[at + 2 :])
    return split.input if dims_of(split.input) == joined else None


def before(transpose: TransposeOp, axes: str) -> str:
    """The letters of the input's axes, those of the result being `axes`."""
    letters = [""] * len(axes)
    for letter, axis in zip(axes, transpose.permutation.get_values()):
        letters[axis] = letter
    return "".join(letters)


def scaling(op: BinaryOp) -> tuple[SSAValue, float] | None:
    """What `op` multiplies by a constant number, of the same dims as its result, and the number."""
    try:
        value, factor = multiplied(op)
    except Miss:
        return None
    return (value, factor) if value.type == op.result.type else None


def repeated(value: SSAValue, axes: str) -> SSAValue | None:
    """
    The value of which each head appears several times in a row in `value`: `[.., K, ..]` as `[.., K, 1, ..]`, stretched
    to `[.., K, G, ..]`, as `[.., K * G, ..]`. Heads that are repeated as a whole, `[.., G, K, ..]`, are another order.
    """
    if "h" not in axes:
        return None
    at = axes.index("h")
    joined = value.owner
    if not isinstance(joined, ReshapeOp) or not isinstance(joined.input.owner, ExpandOp):
        return None
    stretched = joined.input.owner
    wide, split = dims_of(stretched.result), dims_of(stretched.input)
    after = dims_of(value)
    if len(wide) != len(after) + 1 or len(split) != len(wide) or DYNAMIC in (*wide[at : at + 2], split[at]):
        return None
    if after != (*wide[:at], wide[at] * wide[at + 1], *wide[at + 2 :]) or split != (
        *wide[: at + 1],
        1,
        *wide[at + 2 :],
    ):
        return None
    single = stretched.input
    wanted = (*split[: at + 1], *split[at + 2 :])
    while isinstance(single.owner, ReshapeOp) and dims_of(single) != wanted:
        single = single.owner.input
    known = dims_of(single) == wanted and wanted.count(DYNAMIC) <= 1
    return single if known else None


def unpacked(value: SSAValue, axes: str, scales: bool) -> tuple[SSAValue | None, float]:
    """The `[b, s, h * d]` whose head split `value` is, constant scales removed, and the scale; None for any other."""
    split = value.owner
    if axes != BY_PLACE or not isinstance(split, ReshapeOp):
        return None, 1.0
    packed, dims = split.input, dims_of(value)
    heads, width = dims[2:]
    if DYNAMIC in (heads, width) or len(dims_of(packed)) != 3 or dims_of(packed)[2] != heads * width:
        return None, 1.0
    if not same_leading(split, dims_of(packed)[:2], dims[:2]):
        return None, 1.0
    scale = 1.0
    while scales and isinstance(packed.owner, BinaryOp) and (found := scaling(packed.owner)):
        packed = found[0]
        scale *= found[1]
    return packed, scale


def split_again(side: Operand, new: list[Operation]) -> Operand:
    """The side, its heads split without the scale that `packed` was seen through; what splits them goes to `new`."""
    split = side.value.owner
    if side.packed is None or not isinstance(split, ReshapeOp) or split.input is side.packed:
        return side
    op = ReshapeOp(side.packed, dims_of(side.value), split.sizes)
    new.append(op)
    return replace(side, value=op.result)


def same_leading(reshape: ReshapeOp, before: Dims, after: Dims) -> bool:
    """Whether a reshape that splits or joins the rest keeps the leading dims, run-time sizes included."""
    if before != after:
        return False
    if before.count(DYNAMIC) <= 1 and 0 not in before:
        return True
    sizes = iter(reshape.sizes)
    return all(d != DYNAMIC or is_size(next(sizes), reshape.input, axis) for axis, d in enumerate(after))


def is_size(size: SSAValue, of: SSAValue, axis: int) -> bool:
    """Whether `size` is the size of that axis whenever the program runs."""
    return size_in(size) == size_of(of, axis)


def as_by_head(side: Operand, new: list[Operation]) -> SSAValue:
    """The value as `bhsd`, by a transpose appended to `new` unless the program has it."""
    if side.by_head is not None:
        return side.by_head
    if side.axes == BY_HEAD:
        return side.value
    op = TransposeOp(side.value, [side.axes.index(letter) for letter in BY_HEAD])
    new.append(op)
    return op.result


def as_single_head(side: Operand, new: list[Operation]) -> SSAValue:
    """A value without a head axis as `bsd` or `sd`."""
    wanted = "bsd" if len(side.axes) == 3 else "sd"
    if side.axes == wanted:
        return side.value
    if side.by_head is not None:
        return side.by_head
    op = TransposeOp(side.value, [side.axes.index(letter) for letter in wanted])
    new.append(op)
    return op.result
