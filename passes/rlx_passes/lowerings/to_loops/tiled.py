"""A product in blocks that fit caches, of tiles whose sums stay in registers."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import Attribute, SSAValue

from rlx_passes.lowerings.to_loops.contraction import Contraction, Operand
from rlx_passes.lowerings.to_loops.nest import Condition, Index, Nest
from rlx_passes.lowerings.to_loops.schedule import Schedule


@dataclass(frozen=True)
class _Block:
    """Where a block starts, how many products of a sum are in it, and whether out holds nothing yet."""

    at: Mapping[int, Index]
    i: Index
    j: Index
    p: Index
    depth: Index
    fresh: Condition


@dataclass
class _Products:
    """One round of the loop over a sum: its number in the block, where it reads rhs, and what goes round."""

    index: Index
    channel: Index
    shift: Index
    carried: Sequence[SSAValue]
    yielded: Sequence[SSAValue] = ()
    results: Sequence[SSAValue] = ()


class Tiled:
    """
    The loops of one product: blocks of columns, of products and of rows, in these tiles, in these panels of rhs.

    Scratch memory is as large as a block, and made before the loops around.
    """

    def __init__(
        self,
        nest: Nest,
        form: Contraction,
        sizes: Mapping[int, Index] | Sequence[Index],
        plan: Schedule,
        fused: bool,
        packed: SSAValue | None,
    ) -> None:
        self.nest, self.form, self.plan, self.fused, self.packed = nest, form, plan, fused, packed
        self.m, self.n, self.k = (1 if loop is None else sizes[loop] for loop in (form.m, form.n, form.k))
        self.whole_rows = isinstance(self.m, int) and self.m % plan.rows == 0
        self.whole_columns = isinstance(self.n, int) and self.n % plan.columns == 0
        self.in_place = packed is None and not plan.packs_rhs
        self.first: Index = 0
        self.scratch: list[SSAValue] = []

    def begin(self) -> None:
        """Make scratch memory."""
        plan, form = self.plan, self.form
        if plan.packs_rhs:
            self.panels = self._scratch(plan.width // plan.columns, plan.depth, plan.columns)
        if plan.packs_lhs:
            tiles = plan.height // plan.rows
            self.by_tile = form.lhs.is_dense(form.m)
            shape = (tiles, plan.depth, plan.rows) if self.by_tile else (plan.height, plan.depth)
            self.lhs = self._scratch(*shape)
        if not (self.whole_rows and self.whole_columns and form.out.is_row(form.n)):
            self.edge = self._scratch(plan.rows, plan.columns)

    def _scratch(self, *shape: int) -> SSAValue:
        self.scratch.append(self.nest.scratch(self.form.element, *shape))
        return self.scratch[-1]

    def finish(self) -> None:
        """Give scratch memory back."""
        for buffer in self.scratch:
            self.nest.free(buffer)

    def build(self, at: Mapping[int, Index], *, fresh: bool) -> None:
        """The product at one place of the loops around it."""
        nest, plan = self.nest, self.plan
        with nest.loop(self.n, plan.width) as columns, nest.loop(self.k, plan.depth) as sums:
            width = self._rest(self.n, plan.width, columns.index)
            depth = self._rest(self.k, plan.depth, sums.index)
            first = nest.compare(sums.index, "eq", 0) if fresh else False
            block = _Block(at, 0, columns.index, sums.index, depth, first)
            if plan.packs_rhs:
                self._pack_rhs(block, width)
            with nest.loop(self.m, plan.height) as rows:
                height = self._rest(self.m, plan.height, rows.index)
                block = _Block(at, rows.index, columns.index, sums.index, depth, first)
                if plan.packs_lhs:
                    self._pack_lhs(block, height)
                tiles, panels = self._count(height, plan.rows), self._count(width, plan.columns)
                with nest.loop(tiles) as tile, nest.loop(panels) as panel:
                    self._tile(block, tile.index, panel.index)

    def _rest(self, size: Index, block: int, start: Index) -> Index:
        """How much of a block is there."""
        if isinstance(size, int) and size % block == 0:
            return block
        return self.nest.least(block, self.nest.subtract(size, start))

    def _count(self, size: Index, of: int) -> Index:
        return self.nest.divide(self.nest.add(size, of - 1), of)

    def _at(self, operand: Operand, block: _Block, m: Index = 0, n: Index = 0, k: Index = 0) -> list[Index]:
        own = {self.form.m: m, self.form.n: n, self.form.k: k}
        return [own[loop] if loop in own else block.at[loop] for loop in operand.axes]

    # Operands laid out anew, as elements of the sum.

    def lay_out(self, into: SSAValue, columns: int, rounds: int) -> None:
        """All of rhs in panels, instead of a product: in rounds of `columns`, which may run at once."""
        nest = self.nest
        self.panels = into
        with nest.rounds(rounds) as number:
            self.first = nest.multiply(number, columns // self.plan.columns)
            start = nest.multiply(number, columns)
            width = self.n if rounds == 1 else self._rest(self.n, columns, start)
            self._pack_rhs(_Block({}, 0, start, 0, self.k, False), width)

    def _pack_rhs(self, block: _Block, width: Index) -> None:
        nest, form, plan = self.nest, self.form, self.plan
        rhs = form.rhs

        def copy(panel: Index, row: Index, column: Index, lanes: int = 0) -> None:
            n = nest.add(block.j, nest.add(nest.multiply(panel, plan.columns), column))
            value = nest.load(rhs.value, self._at(rhs, block, n=n, k=nest.add(block.p, row)), lanes)
            nest.store(
                nest.widen(value, rhs.widening, form.element), self.panels, [nest.add(self.first, panel), row, column]
            )

        if rhs.is_row(form.n):
            full = nest.divide(width, plan.columns)
            with nest.loop(block.depth) as row:
                with nest.loop(full) as panel:
                    for vector in range(plan.vectors):
                        copy(panel.index, row.index, vector * plan.lanes, plan.lanes)
                if not self.whole_columns:
                    with nest.loop(nest.subtract(width, nest.multiply(full, plan.columns))) as column:
                        copy(full, row.index, column.index)
            return
        with nest.loop(self._count(width, plan.columns)) as panel:
            if self._turns():
                self._turn(block, panel.index)
                return
            there = self._part(plan.columns, width, nest.multiply(panel.index, plan.columns), self.whole_columns)
            if rhs.is_dense(form.n):
                with nest.loop(block.depth) as row, nest.loop(there) as column:
                    copy(panel.index, row.index, column.index)
            else:
                with nest.loop(there) as column, nest.loop(block.depth) as row:
                    copy(panel.index, row.index, column.index)

    def _turns(self) -> bool:
        """Whether rhs has rows along `k` that are turned a square of vectors at a time."""
        form, lanes = self.form, self.plan.lanes
        size = form.size(form.k)
        # The last square of a block ends where the block ends, so it must fit.
        return form.rhs.is_row(form.k) and size is not None and min(size % self.plan.depth or lanes, size) >= lanes

    def _turn(self, block: _Block, panel: Index) -> None:
        nest, form, lanes = self.nest, self.form, self.plan.lanes
        start = nest.add(block.j, nest.multiply(panel, self.plan.columns))
        with nest.loop(block.depth, lanes) as rows, nest.loop(self.plan.columns, lanes) as columns:
            row = nest.least(rows.index, nest.subtract(block.depth, lanes))
            k = nest.add(block.p, row)
            values: list[SSAValue] = []
            for lane in range(lanes):
                n = nest.add(start, nest.add(columns.index, lane))
                if not self.whole_columns:
                    # Columns that are not there are like the last one: what is summed of them is not stored.
                    n = nest.least(n, nest.subtract(self.n, 1))
                value = nest.load(form.rhs.value, self._at(form.rhs, block, n=n, k=k), lanes)
                values.append(nest.widen(value, form.rhs.widening, form.element))
            for lane, value in enumerate(nest.transposed(values)):
                nest.store(value, self.panels, [nest.add(self.first, panel), nest.add(row, lane), columns.index])

    def _part(self, most: int, size: Index, start: Index, whole: bool) -> Index:
        """How many of `most` there are from `start` on."""
        return most if whole else self.nest.least(most, self.nest.subtract(size, start))

    def _pack_tiles(self, block: _Block, height: Index) -> None:
        """The rows of a tile next to each other, as they are in lhs."""
        nest, lhs = self.nest, self.form.lhs
        with nest.loop(self._count(height, self.plan.rows)) as tile:
            rows = self._rows(block, tile.index)
            with nest.loop(block.depth) as loop:
                for number, row in enumerate(rows):
                    value = nest.load(lhs.value, self._at(lhs, block, m=row, k=nest.add(block.p, loop.index)))
                    value = nest.widen(value, lhs.widening, self.form.element)
                    nest.store(value, self.lhs, [tile.index, loop.index, number])

    def _rows(self, block: _Block, tile: Index) -> list[Index]:
        """The rows of a tile; where one is not there it is the last one, which is summed and not stored."""
        nest, plan = self.nest, self.plan
        first = nest.add(block.i, nest.multiply(tile, plan.rows))
        rows = [nest.add(first, row) for row in range(plan.rows)]
        if self.whole_rows:
            return rows
        return [first, *(nest.least(row, nest.subtract(self.m, 1)) for row in rows[1:])]

    def _pack_lhs(self, block: _Block, height: Index) -> None:
        if self.by_tile:
            return self._pack_tiles(block, height)
        nest, form = self.nest, self.form
        lhs, lanes = form.lhs, self.plan.lanes

        def copy(row: Index, column: Index, lanes: int = 0) -> None:
            m, k = nest.add(block.i, row), nest.add(block.p, column)
            value = nest.load(lhs.value, self._at(lhs, block, m=m, k=k), lanes)
            nest.store(nest.widen(value, lhs.widening, form.element), self.lhs, [row, column])

        with nest.loop(height) as row:
            done: Index = 0
            if lhs.is_row(form.k):
                done = nest.multiply(nest.divide(block.depth, lanes), lanes)
                with nest.loop(done, lanes) as column:
                    copy(row.index, column.index, lanes)
            if done != block.depth:
                with nest.loop(block.depth, start=done) as column:
                    copy(row.index, column.index)

    # One tile.

    def _tile(self, block: _Block, tile: Index, panel: Index) -> None:
        nest, plan, out = self.nest, self.plan, self.form.out
        j = nest.add(block.j, nest.multiply(panel, plan.columns))
        begin = j
        if self.in_place and not self.whole_columns:
            # The last panel that is read in place ends where rhs ends, and sums some columns again.
            begin = nest.least(j, nest.subtract(self.n, plan.columns))
        rows = self._rows(block, tile)
        i = rows[0]
        sums = self._sums(block, tile, rows, panel, begin)
        places = [(row, vector * plan.lanes) for row in range(plan.rows) for vector in range(plan.vectors)]

        def store(*, over: bool) -> None:
            for value, (row, column) in zip(sums, places):
                put(value, self._at(out, block, m=rows[row], n=nest.add(begin, column)), over=over)

        def put(value: SSAValue, place: list[Index], *, over: bool) -> None:
            if not over:
                lanes = plan.lanes if isinstance(value.type, VectorType) else 0
                value = nest.plus(nest.load(out.value, place, lanes), value)
            nest.store(value, out.value, place)

        def store_part() -> None:
            for value, (row, column) in zip(sums, places):
                nest.store(value, self.edge, [row, column])
            height = self._part(plan.rows, self.m, i, self.whole_rows)
            width = self._part(plan.columns, self.n, begin, self.whole_columns)
            with nest.loop(height) as row, nest.loop(width, start=nest.subtract(j, begin)) as column:
                place = self._at(out, block, m=nest.add(i, row.index), n=nest.add(begin, column.index))
                value = nest.load(self.edge, [row.index, column.index])
                nest.choose(block.fresh, lambda: put(value, place, over=True), lambda: put(value, place, over=False))

        def store_whole() -> None:
            nest.choose(block.fresh, lambda: store(over=True), lambda: store(over=False))

        nest.choose(self._is_whole(i, j), store_whole, store_part)

    def _is_whole(self, i: Index, j: Index) -> Condition:
        """Whether a tile is stored as it is."""
        nest, plan = self.nest, self.plan
        whole: Condition = self.form.out.is_row(self.form.n)
        if whole and not self.whole_rows:
            whole = nest.both(whole, nest.compare(nest.add(i, plan.rows), "sle", self.m))
        if whole is not False and not self.whole_columns:
            whole = nest.both(whole, nest.compare(nest.add(j, plan.columns), "sle", self.n))
        return whole

    def _sums(self, block: _Block, tile: Index, rows: list[Index], panel: Index, begin: Index) -> list[SSAValue]:
        nest, form, plan = self.nest, self.form, self.plan
        zeros = [nest.zero(form.element, plan.lanes)] * (plan.rows * plan.vectors)
        if plan.packs_lhs:
            rows = [nest.add(nest.multiply(tile, plan.rows), row) for row in range(plan.rows)]
        with self._products(block, zeros) as loop:
            k = nest.add(block.p, loop.index)
            right: list[SSAValue] = []
            for column in range(0, plan.columns, plan.lanes):
                if self.in_place:
                    n = nest.add(nest.add(begin, column), loop.shift)
                    value = nest.load(form.rhs.value, self._at(form.rhs, block, n=n, k=loop.channel), plan.lanes)
                    right.append(nest.widen(value, form.rhs.widening, form.element))
                elif self.packed is not None:
                    right.append(self._packed(self.packed, k, begin, column))
                else:
                    right.append(nest.load(self.panels, [panel, loop.index, column], plan.lanes))
            sums: list[SSAValue] = []
            for number, row in enumerate(rows):
                if plan.packs_lhs:
                    place = [tile, loop.index, number] if self.by_tile else [row, loop.index]
                    value = nest.load(self.lhs, place)
                else:
                    value = nest.load(form.lhs.value, self._at(form.lhs, block, m=row, k=k))
                    value = nest.widen(value, form.lhs.widening, form.element)
                value = nest.spread(value, plan.lanes)
                for vector in right:
                    before = loop.carried[len(sums)]
                    sums.append(nest.multiply_add(value, vector, before, fused=self.fused))
            loop.yielded = sums
        return list(loop.results)

    @contextmanager
    def _products(self, block: _Block, carried: Sequence[SSAValue]) -> Generator[_Products]:
        """The loop over the products of a block: one over channels and one over taps, where rhs has these."""
        nest, taps = self.nest, self.form.rhs.taps
        if taps is None:
            with nest.loop(block.depth, carried=carried) as loop:
                inside = _Products(loop.index, nest.add(block.p, loop.index), 0, loop.carried)
                yield inside
                loop.yielded = inside.yielded
            inside.results = loop.results
            return
        channels, first = nest.divide(block.depth, taps.count), nest.divide(block.p, taps.count)
        with nest.loop(channels, carried=carried) as outer:
            start = nest.multiply(outer.index, taps.count)
            with nest.loop(taps.count, carried=outer.carried) as loop:
                channel, shift = nest.add(first, outer.index), nest.affine(taps.shift, [loop.index])
                inside = _Products(nest.add(start, loop.index), channel, shift, loop.carried)
                yield inside
                loop.yielded = inside.yielded
            outer.yielded = loop.results
        inside.results = outer.results

    def _packed(self, packed: SSAValue, k: Index, begin: Index, column: int) -> SSAValue:
        """A vector of rhs that was laid out ahead; a tile may be as wide as several panels."""
        nest, form = self.nest, self.form
        type = cast("MemRefType[Attribute]", packed.type)
        count, _, width = type.get_shape()
        panel = nest.add(nest.divide(begin, width), column // width)
        if column >= width and not self.whole_columns:
            panel = nest.least(panel, count - 1)
        value = nest.load(packed, [panel, k, column % width], self.plan.lanes)
        return nest.widen(value, form.rhs.widening if type.element_type != form.element else None, form.element)
