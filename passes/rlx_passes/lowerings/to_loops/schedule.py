"""How a product is cut, from the numbers of a chip: tiles of sums in registers, blocks of operands in caches."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from rlx_passes.lowerings.to_loops.contraction import Contraction
from rlx_passes.pipeline.chip import Chip

MANY = 1 << 10
"""What a size of a run is taken for."""

_ALL = 1 << 40
"""A block that no size exceeds."""

_AROUND = 0.5
"""Cycles a product of a tile that go into what is around it: the loop, and sums that come and go."""

_FEW = 4
"""An operand that no more tiles read than these is not laid out anew."""

_MANY_READS = 64
"""From so many tiles on, panels of rhs may come from the last cache."""

_ROWS = 8
"""How many rows of rhs may pass by at a time; a cache has seldom fewer ways."""


@dataclass(frozen=True)
class Schedule:
    """
    Tiles of `rows` by `vectors` vectors of `lanes` sums; blocks of `height` rows, `depth` products and `width` columns.

    A block that is as large as the product stands for none. `height` is a multiple of `rows`, `width` of `columns`.
    """

    rows: int
    vectors: int
    lanes: int
    height: int
    depth: int
    width: int
    packs_lhs: bool
    packs_rhs: bool

    @property
    def columns(self) -> int:
        return self.vectors * self.lanes


def schedule_of(form: Contraction, chip: Chip, *, packed: int | None = None, most: int | None = None) -> Schedule:
    """
    The schedule of a product on a chip.

    `packed` is how wide the panels are that rhs comes in, `most` what rows come up to that only a run knows.
    """
    bits = form.element.bitwidth
    m, n, k = (form.size(loop) for loop in (form.m, form.n, form.k))
    m = most if m is None else m
    lanes = chip.lanes(bits)
    if n is not None and packed is None:
        lanes = min(lanes, 1 << max(n, 1).bit_length() - 1)
    rows, vectors = tile(chip, lanes, m or MANY, n or MANY, packed)
    columns, element = vectors * lanes, bits // 8
    reads = ceil((m or MANY) / rows)
    fits = n is not None and k is not None and n * k * element <= chip.l1 // 2
    taps = form.rhs.taps
    in_place = form.rhs.is_row(form.n) and n is not None and (fits or reads <= _FEW) and packed is None
    in_place = in_place or taps is not None
    packs_lhs = not (form.lhs.widening is None and form.lhs.is_row(form.k)) and (n or MANY) > _FEW * columns
    if in_place and not fits and taps is None:
        # Sums come and go, a few rows of rhs pass by, each as it lies in memory.
        depth, width = _ROWS, _block(n, chip.l2 // 2 // ((m or MANY) * element), columns)
    else:
        # The rows of lhs that a tile reads stay in the first cache while panels of rhs come from one further out.
        depth = _block(k, chip.l1 * 3 // 8 // (rows * element), 8 if taps is None else taps.count)
        width = _block(n, (chip.l3 if reads >= _MANY_READS else chip.l2) // 2 // (depth * element), columns)
    height = _block(m, chip.l2 // 2 // (depth * element) if packs_lhs else m or _ALL, rows)
    return Schedule(rows, vectors, lanes, height, depth, width, packs_lhs, not in_place and packed is None)


def few_rows(form: Contraction, chip: Chip, packed: int | None = None) -> tuple[int, ...]:
    """Up to how many rows, from few to many, there are schedules of their own where a run tells how many there are."""
    if form.m is None or form.sizes[form.m] is not None:
        return ()
    many = schedule_of(form, chip, packed=packed)
    most = _FEW * many.rows
    if packed is None and (not many.packs_rhs or schedule_of(form, chip, most=most).packs_rhs):
        return ()
    return (1,) if packed is not None else (1, most)


def tile(chip: Chip, lanes: int, m: int, n: int, columns: int | None = None) -> tuple[int, int]:
    """Rows and vectors of the tile with the fewest cycles over `m` rows and `n` columns, in steps of `columns`."""
    best, choice = float("inf"), (1, 1)
    step = 1 if columns is None else columns // lanes
    widths = range(step, max(min(4, n // lanes), step) + 1, step)
    for vectors in widths:
        # Sums, vectors of rhs, an element of lhs, the product where it is no part of the addition, and one to spare.
        most = (chip.registers - vectors - (2 if chip.fma else 3)) // vectors
        for rows in range(1, min(most, m) + 1):
            work = max(rows * vectors / chip.fma_per_cycle, (rows + vectors) / chip.loads_per_cycle, chip.fma_latency)
            cycles = ceil(m / rows) * ceil(n / (vectors * lanes)) * (work + _AROUND)
            if cycles < best or (cycles == best and rows * vectors > choice[0] * choice[1]):
                best, choice = cycles, (rows, vectors)
    return choice


def _block(size: int | None, most: int, multiple: int) -> int:
    """At most `most` of a size, a multiple of `multiple`; where several blocks are needed they are about equal."""
    most = max(most // multiple, 1) * multiple
    if size is None:
        return most
    size = max(size, 1)
    count = 1 if size <= most * 5 // 4 else ceil(size / most)
    return ceil(size / count / multiple) * multiple
