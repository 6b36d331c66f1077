"""Linalg ops that go over the same rows of the same memory, found so that blocks of rows may run at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from rlx_passes.lowerings.to_loops.expand_math import is_function
from rlx_passes.lowerings.to_loops.memrefs import type_of
from rlx_passes.lowerings.to_loops.nests import dims_of
from rlx_passes.lowerings.to_loops.origins import Known, origin, size_of

FUNCTION = 24
"""Ops that a function of the math dialect counts as."""
ROWS, ROWS_OF_PRODUCTS = 8, 192
"""So many must be left where a group gives up an axis, without and with products in it."""

Axes = tuple[int | None, ...]


@dataclass(frozen=True)
class Access:
    """What an op does to a memory: for each axis of rows the axis of the memory along which it goes, if it does."""

    root: SSAValue
    axes: Axes
    writes: bool

    def hinders(self, other: Access, count: int) -> bool:
        """Whether rounds of rows could meet, by `count` axes of rows."""
        if not (self.writes or other.writes):
            return False
        mine, theirs = self.axes[:count], other.axes[:count]
        return None in mine or mine != theirs


@dataclass(eq=False)
class Kernel:
    """A linalg op over memory; `start` fills what it adds to."""

    op: linalg.GenericOp | linalg.FillOp
    start: linalg.FillOp | None = None
    maps: list[AffineMap] = field(init=False)
    sizes: list[Known] = field(init=False)
    rows: tuple[int, ...] = ()
    """The loop of each axis of rows."""

    def __post_init__(self) -> None:
        if isinstance(self.op, linalg.FillOp):
            rank = len(type_of(self.out).get_shape())
            self.maps = [AffineMap(rank, 0, ()), AffineMap.identity(rank)]
            self.parallel = set(range(rank))
        else:
            self.maps = [each.data for each in self.op.indexing_maps]
            kinds = [each.data for each in self.op.iterator_types]
            self.parallel = {i for i, kind in enumerate(kinds) if kind is IteratorType.PARALLEL}
        self.sizes = list(self._sizes())

    def _sizes(self) -> Iterator[Known]:
        for number in range(self.maps[-1].num_dims):
            yield next(
                (
                    size_of(value, axis)
                    for value, map in self.memories()
                    for axis, expr in enumerate(map.results)
                    if expr == AffineDimExpr(number)
                ),
                1,
            )

    @property
    def out(self) -> SSAValue:
        return self.op.outputs[0]

    def memories(self) -> Iterator[tuple[SSAValue, AffineMap]]:
        """The memrefs that the op takes, each with its indices; the one that it writes comes last."""
        for value, map in zip(self.op.operands, self.maps, strict=True):
            if isinstance(value.type, MemRefType):
                yield value, map

    def taken(self) -> Iterator[SSAValue]:
        """The memrefs that the body reads at places of its own choice."""
        if isinstance(self.op, linalg.GenericOp):
            for inside in self.op.body.block.ops:
                if isinstance(inside, memref.LoadOp):
                    yield inside.memref

    def divisible(self) -> set[int]:
        """The loops that may run in parts: over what is written, and every index is the loop or does not know it."""
        loops = {expr.position for expr in self.maps[-1].results if isinstance(expr, AffineDimExpr)} & self.parallel
        for _, map in self.memories():
            for expr in map.results:
                if not isinstance(expr, AffineDimExpr):
                    loops -= dims_of(expr)
        return loops

    def accesses(self, rows: Sequence[int]) -> list[Access]:
        """What the op does to memory where `rows` are its loops over rows."""
        found: list[Access] = []
        for value, map in self.memories():
            source = origin(value)
            axes = [
                next(
                    (source.axes.get(axis) for axis, expr in enumerate(map.results) if expr == AffineDimExpr(row)), None
                )
                for row in rows
            ]
            found.append(Access(source.root, tuple(axes), value is self.out))
        nowhere = (None,) * len(rows)
        return [*found, *(Access(origin(value).root, nowhere, writes=False) for value in self.taken())]

    def is_product(self) -> bool:
        """Whether it sums over several operands, of which one is read again in another round."""
        loops = [set[int]().union(*map(dims_of, each.results)) for each in self.maps[: len(self.op.operands) - 1]]
        summed = [each for each in loops if each - self.parallel]
        return len(summed) > 1 and any(self.parallel - each for each in summed)

    def work(self) -> float:
        """Nanoseconds, roughly; an unknown size counts as 256."""
        rounds = prod(size if isinstance(size, int) else 256 for size in self.sizes)
        body = () if isinstance(self.op, linalg.FillOp) else self.op.body.block.ops
        ops = 1 + sum(FUNCTION if is_function(op) else 1 for op in body)
        return rounds * (0.06 if self.is_product() else 0.1 + 0.05 * ops)


@dataclass(eq=False)
class Group:
    """Ops one after the other that go over the same rows; `sizes` are those of the axes of rows."""

    kernels: list[Kernel] = field(default_factory=list[Kernel])
    sizes: tuple[Known, ...] = ()
    accesses: list[Access] = field(default_factory=list[Access])

    def take(self, kernel: Kernel) -> bool:
        """Take one more op, unless it goes over other rows or hinders those that are here."""
        if not self.kernels:
            rows = _leading(kernel)
            count = len(rows)
        else:
            rows = self._related(kernel)
            count = self._shared(kernel, rows)
            if not count or (count < len(self.sizes) and not self._may_shrink(kernel, count)):
                return False
        rows = rows[:count]
        accesses = kernel.accesses(rows)
        if any(new.hinders(old, count) for new in accesses for old in self.accesses if new.root is old.root):
            return False
        kernel.rows = tuple(rows)
        self.kernels.append(kernel)
        for each in self.kernels:
            each.rows = each.rows[:count]
        self.sizes = tuple(kernel.sizes[row] for row in rows)
        self.accesses = [*(Access(old.root, old.axes[:count], old.writes) for old in self.accesses), *accesses]
        return True

    def _related(self, kernel: Kernel) -> list[int]:
        """The loops of `kernel` that go along the rows of memory that is written here; its leading ones without any."""
        found: list[int | None] = [None] * len(self.sizes)
        met = False
        for value, map in kernel.memories():
            source = origin(value)
            for old in self.accesses:
                if old.root is not source.root or not old.writes:
                    continue
                met = True
                for number, axis in enumerate(old.axes):
                    for mine, expr in enumerate(map.results):
                        if axis is not None and source.axes.get(mine) == axis and isinstance(expr, AffineDimExpr):
                            found[number] = expr.position
        if not met:
            return _leading(kernel)[: len(self.sizes)]
        rows: list[int] = []
        for loop in found:
            if loop is None or loop in rows:
                break
            rows.append(loop)
        return rows

    def _shared(self, kernel: Kernel, rows: Sequence[int]) -> int:
        """How many axes of rows `kernel` has too."""
        divisible = kernel.divisible()
        count = 0
        for row, size in zip(rows, self.sizes, strict=False):
            if row not in divisible or kernel.sizes[row] != size:
                break
            count += 1
        return count

    def _may_shrink(self, kernel: Kernel, count: int) -> bool:
        """Whether enough rows are left by `count` axes."""
        sizes = [size for size in self.sizes[:count] if isinstance(size, int)]
        products = any(each.is_product() for each in (*self.kernels, kernel))
        return len(sizes) == count and prod(sizes) >= (ROWS_OF_PRODUCTS if products else ROWS)


def _leading(kernel: Kernel) -> list[int]:
    """The loops along the first axes of what an op writes."""
    divisible = kernel.divisible()
    rows: list[int] = []
    for expr in kernel.maps[-1].results:
        if not isinstance(expr, AffineDimExpr) or expr.position not in divisible or expr.position in rows:
            break
        rows.append(expr.position)
    return rows


PURE = (
    *(arith.ConstantOp, memref.DimOp, memref.AllocOp, memref.GetGlobalOp, memref.SubviewOp, memref.CastOp),
    *(memref.ExpandShapeOp, memref.CollapseShapeOp, memref.ReinterpretCastOp),
)


def is_movable(op: Operation) -> bool:
    """Whether an op may go before linalg ops that stand before it."""
    return isinstance(op, PURE) or (op.name.startswith("arith.") and not op.regions)
