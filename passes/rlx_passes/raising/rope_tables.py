"""The tables of a rotary embedding: where cosines and sines are in a program, and as the op takes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from xdsl.ir import SSAValue

from rlx_dialect.attributes import RopeStyle, RopeTable
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.decompose.position import unpaired
from rlx_dialect.ops import ReshapeOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.raising.forms import Element
from rlx_passes.raising.last_axes import Reading
from rlx_passes.rewriting.legality import dims_of, require
from rlx_passes.rewriting.miss import Miss, Reason

Elements: TypeAlias = "tuple[Element, ...]"


@dataclass(frozen=True)
class Table:
    """A value of the program whose elements along its last `axes` axes are those of a table, in order."""

    value: SSAValue
    axes: int


class Found(NamedTuple):
    """`half` has an element per pair, `full` one per element; `sides` first elements of all pairs, then second ones."""

    half: Table | None
    full: Table | None
    sides: tuple[Table, Table] | None

    @property
    def parts(self) -> tuple[Table, ...]:
        if self.full is not None:
            return (self.full,)
        return self.sides or ()


class Place(NamedTuple):
    """The axis of the base along which a table's rows lie, and whether each index of dim 0 has rows of its own."""

    axis: int
    batched: bool


def pairs(n_rot: int, style: RopeStyle) -> list[tuple[int, int]]:
    """The elements of a head that turn together."""
    half = n_rot // 2
    return [(i, i + half) if style is RopeStyle.NEOX else (2 * i, 2 * i + 1) for i in range(half)]


def tables_of(reading: Reading) -> dict[Elements, Table]:
    """The tables among the values read, by their elements; of two alike the one from which the other comes."""
    known: dict[Elements, Table] = {}
    for value, axes, elements in reading.tables():
        known.setdefault(elements, Table(value, axes))
    return known


def found(known: Mapping[Elements, Table], entries: Elements, style: RopeStyle) -> Found:
    """The table that has `entries` for the elements of a head."""
    together = pairs(len(entries), style)
    first, second = (tuple(entries[pair[side]] for pair in together) for side in (0, 1))
    left, right = known.get(first), known.get(second)
    sides = (left, right) if left is not None and right is not None else None
    return Found(left if first == second else None, known.get(entries), sides)


def chosen(cos: Found, sin: Found, blocker: SSAValue) -> tuple[RopeTable, tuple[Table, ...], tuple[Table, ...]]:
    """The kind of both tables, and what each is made of: one value, or one per side. Raises `Miss` for a gap."""
    if cos.half is not None and sin.half is not None:
        return RopeTable.HALF, (cos.half,), (sin.half,)
    require(bool(cos.parts) and bool(sin.parts), Reason.NOT_PRODUCED_BY, blocker, detail="no value holds the table")
    return RopeTable.FULL, cos.parts, sin.parts


def placed(base: SSAValue, tables: Sequence[Table]) -> Place:
    """Along which axes of `base` all of `tables` lie. Raises `Miss` where they lie along others than the op has."""
    dims = dims_of(base)[:-1]
    along: set[int] = set()
    for table in tables:
        outer = dims_of(table.value)[: len(dims_of(table.value)) - table.axes]
        extra = len(outer) - len(dims)
        along |= {axis - extra for axis, d in enumerate(outer) if d != 1}
    axes = sorted(along)
    if len(axes) == 2 and axes[0] == 0:
        return Place(axes[1], batched=True)
    if not axes:
        axes = [axis for axis, d in enumerate(dims) if d == 1][-1:]
    if len(axes) != 1 or axes[0] < 0:
        raise Miss(Reason.AXIS, base, detail=f"the tables lie along the axes {axes}")
    return Place(axes[0], batched=False)


def laid(to: Plain, base: SSAValue, place: Place, parts: Sequence[Table], style: RopeStyle) -> SSAValue:
    """The table of `parts` as `[S, W]`, or `[B, S, W]` where it is batched."""
    sides = [_rows(to, base, place, part) for part in parts]
    return sides[0] if len(sides) == 1 else unpaired(to, sides[0], sides[1], style)


def _rows(to: Plain, base: SSAValue, place: Place, table: Table) -> SSAValue:
    value, dims = table.value, dims_of(table.value)
    outer = (1,) * len(dims_of(base)) + dims[: len(dims) - table.axes]
    rank = len(dims_of(base)) - 1
    at = outer[len(outer) - rank :]
    width = 1
    for d in dims[len(dims) - table.axes :]:
        width *= d
    wanted = (*((at[0],) if place.batched else ()), at[place.axis], width)
    while isinstance(value.owner, ReshapeOp) and DYNAMIC not in dims_of(value) and dims_of(value) != wanted:
        value = value.owner.input
    if dims_of(value) == wanted:
        return value
    return to.add(ReshapeOp(table.value, wanted, to.sizes(table.value))).result
