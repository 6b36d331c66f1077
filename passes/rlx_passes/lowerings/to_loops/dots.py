"""Products of a few rows with rows of rhs, as they lie in memory: the sums are vectors, added up at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from rlx_passes.lowerings.to_loops.contraction import Contraction, Operand
from rlx_passes.lowerings.to_loops.nest import Index, Nest
from rlx_passes.pipeline.chip import Chip

_MOST = 4
"""More rows than these are tiles."""


@dataclass(frozen=True)
class Dots:
    """The loops of a product with a known, small number of rows."""

    nest: Nest
    form: Contraction
    sizes: Mapping[int, Index]
    chip: Chip
    rows: int

    @staticmethod
    def of(nest: Nest, form: Contraction, sizes: Mapping[int, Index], chip: Chip) -> Dots | None:
        """The schedule where it fits: lhs and rhs have rows along `k`."""
        rows = form.size(form.m)
        if rows is None or not 1 <= rows <= _MOST or not (form.rhs.is_row(form.k) and form.lhs.is_row(form.k)):
            return None
        return Dots(nest, form, sizes, chip, rows)

    @property
    def n(self) -> Index:
        return 1 if self.form.n is None else self.sizes[self.form.n]

    @property
    def k(self) -> Index:
        return 1 if self.form.k is None else self.sizes[self.form.k]

    @property
    def lanes(self) -> int:
        return self.chip.lanes(self.form.element.bitwidth)

    @property
    def together(self) -> int:
        """How many rows of rhs are read at a time; their sums fill half of the registers."""
        return self.chip.registers // 2 // self.rows

    def build(self, at: Mapping[int, Index], *, fresh: bool) -> None:
        """The product at one place of the loops around it."""
        nest = self.nest
        whole = nest.multiply(nest.divide(self.n, self.together), self.together)
        with nest.loop(whole, self.together) as loop:
            self._dots(at, loop.index, self.together, fresh=fresh)
        if not (isinstance(whole, int) and whole == self.n):
            with nest.loop(self.n, start=whole) as loop:
                self._dots(at, loop.index, 1, fresh=fresh)

    def _load(
        self, operand: Operand, at: Mapping[int, Index], lanes: int, m: Index = 0, n: Index = 0, k: Index = 0
    ) -> SSAValue:
        value = self.nest.load(operand.value, self._at(operand, at, m, n, k), lanes)
        return self.nest.widen(value, operand.widening, self.form.element)

    def _at(self, operand: Operand, at: Mapping[int, Index], m: Index = 0, n: Index = 0, k: Index = 0) -> list[Index]:
        own = {self.form.m: m, self.form.n: n, self.form.k: k}
        return [own[loop] if loop in own else at[loop] for loop in operand.axes]

    def _add(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        return self.nest.multiply_add(a, b, c, fused=self.chip.fma)

    def _dots(self, at: Mapping[int, Index], j: Index, count: int, *, fresh: bool) -> None:
        nest, form, lanes = self.nest, self.form, self.lanes
        columns = [nest.add(j, number) for number in range(count)]

        def add(k: Index, wide: int, sums: Sequence[SSAValue]) -> list[SSAValue]:
            left = [self._load(form.lhs, at, wide, m=row, k=k) for row in range(self.rows)]
            right = [self._load(form.rhs, at, wide, n=column, k=k) for column in columns]
            pairs = ((a, b) for a in left for b in right)
            return [self._add(a, b, total) for (a, b), total in zip(pairs, sums)]

        whole = nest.multiply(nest.divide(self.k, lanes), lanes)
        zeros = [nest.zero(form.element, lanes)] * (self.rows * count)
        with nest.loop(whole, lanes, zeros) as loop:
            loop.yielded = add(loop.index, lanes, loop.carried)
        sums: Sequence[SSAValue] = [nest.total(each) for each in loop.results]
        if not (isinstance(whole, int) and whole == self.k):
            with nest.loop(self.k, carried=sums, start=whole) as loop:
                loop.yielded = add(loop.index, 0, loop.carried)
            sums = loop.results
        places = [self._at(form.out, at, row, column) for row in range(self.rows) for column in columns]
        for total, place in zip(sums, places):
            nest.store(total if fresh else nest.plus(nest.load(form.out.value, place), total), form.out.value, place)
