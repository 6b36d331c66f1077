"""Contractions found in linalg ops: what each loop does, and which operand each axis of a loop walks through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    Float16Type,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    i1,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

Widening = type[arith.ExtFOp] | type[arith.ExtSIOp] | type[arith.ExtUIOp]

_MULTIPLY = (arith.MulfOp, arith.MuliOp)
_ADD = (arith.AddfOp, arith.AddiOp)
_WIDENINGS: tuple[Widening, ...] = (arith.ExtFOp, arith.ExtSIOp, arith.ExtUIOp)


@dataclass(frozen=True)
class Taps:
    """
    How a kernel goes over flat memory: number `k` of a sum is tap `k mod count` of channel `k floordiv count`.

    It reads that channel `shift` elements on from the column; `shift` is of dim 0, a number that tells the tap.
    """

    count: int
    shift: AffineExpr


@dataclass(frozen=True)
class Operand:
    """
    A memref, the loop that walks along each of its axes, and what makes an element as wide as the sum.

    With `panels` it is a matrix laid out ahead, so many columns at a time: panels of rows of these. With `taps` the
    axis of the sum is one of channels, and the last one is read from a column and its shift on.
    """

    value: SSAValue
    axes: tuple[int, ...]
    widening: Widening | None = None
    panels: int = 0
    taps: Taps | None = None

    @property
    def type(self) -> MemRefType[Attribute]:
        return cast("MemRefType[Attribute]", self.value.type)

    def sizes(self) -> Sequence[int]:
        """The size of each axis, negative where it is not known; how many columns of the last panel count is not."""
        shape = self.type.get_shape()
        if self.taps is not None:
            # The channels and the columns: how many of these are read is not its own to say.
            return (*shape[:-2], shape[-2] * self.taps.count, DYNAMIC_INDEX)
        return (shape[1], DYNAMIC_INDEX) if self.panels else shape

    def strides(self) -> Sequence[int | None]:
        """The stride of each axis in elements, None where a run decides it, or in panels."""
        if self.panels:
            return [None] * len(self.axes)
        match self.type.layout:
            case NoneAttr():
                return _dense_strides(self.type.get_shape())
            case StridedLayoutAttr() as layout:
                return layout.get_strides()
            case _:
                return [None] * len(self.axes)

    def stride(self, loop: int | None) -> int | None:
        """How far apart neighbours along a loop lie; 0 where the operand has no such axis."""
        return self.strides()[self.axes.index(loop)] if loop in self.axes else 0

    def is_row(self, loop: int | None) -> bool:
        """Whether a vector along a loop can be read and written at once; xDSL widens no vectors of integers."""
        return self.is_dense(loop) and self.widening in (None, arith.ExtFOp)

    def is_dense(self, loop: int | None) -> bool:
        """Whether neighbours along a loop lie side by side."""
        return loop is not None and self.axes[-1:] == (loop,) and self.stride(loop) == 1


@dataclass(frozen=True)
class Contraction:
    """
    `out[..., m, n] += sum over k of lhs[..., m, k] * rhs[..., k, n]`.

    `m`, `n` and `k` are loops of the op, None for one that is not there and has size 1. `around` are the other loops
    that the result has, `summed` those that it has not. `sizes` is by loop, None for a size of a run.
    """

    lhs: Operand
    rhs: Operand
    out: Operand
    m: int | None
    n: int | None
    k: int | None
    around: tuple[int, ...]
    summed: tuple[int, ...]
    sizes: tuple[int | None, ...]

    def size(self, loop: int | None) -> int | None:
        return 1 if loop is None else self.sizes[loop]

    @property
    def element(self) -> AnyFloat | IntegerType:
        """The type that sums go on in."""
        return cast("AnyFloat | IntegerType", self.out.type.element_type)

    def swapped(self) -> Contraction:
        """The same with rows for columns."""
        return replace(self, lhs=self.rhs, rhs=self.lhs, m=self.n, n=self.m)


def contraction_of(op: Operation) -> Contraction | None:
    """The contraction that a `linalg.matmul` or `linalg.generic` on memrefs is, if it is one that has a schedule."""
    if not isinstance(op, linalg.MatmulOp | linalg.GenericOp) or len(op.inputs) != 2 or len(op.outputs) != 1:
        return None
    values = (*op.inputs, *op.outputs)
    if op.results or not all(isinstance(value.type, MemRefType) for value in values):
        return None
    maps = [each.data for each in op.indexing_maps]
    axes = [_axes(map) for map in maps]
    panels = [panels_in(map) for map in maps]
    for at, found in enumerate(panels):
        axes[at] = found[:2] if found is not None else axes[at]
    windows = [taps_in(map) for map in maps]
    for at, found in enumerate(windows):
        axes[at] = found[0] if found is not None else axes[at]
    widened = widenings(op.body.block) if isinstance(op, linalg.GenericOp) else _named_widenings(values)
    if None in axes or widened is None:
        return None
    widths = [found[2] if found is not None else 0 for found in panels]
    taps = [found[1] if found is not None else None for found in windows]
    lhs, rhs = (Operand(*each) for each in zip(op.inputs, cast("list[tuple[int, ...]]", axes), widened, widths, taps))
    out = Operand(op.outputs[0], cast("tuple[int, ...]", axes[2]))
    if not is_summed(out.type.element_type):
        return None
    return _with_roles(lhs, rhs, out, op.indexing_maps.data[0].data.num_dims)


def is_summed(element: Attribute) -> bool:
    """Whether sums of this type go on in registers."""
    return isinstance(element, AnyFloat | IntegerType) and not isinstance(element, Float16Type) and element != i1


def _dense_strides(shape: Sequence[int]) -> Sequence[int | None]:
    strides: list[int | None] = [1] if shape else []
    for dim in reversed(shape[1:]):
        strides.append(None if dim < 0 or (last := strides[-1]) is None else last * dim)
    return strides[::-1]


def _axes(map: AffineMap) -> tuple[int, ...] | None:
    """The loop along each axis, if each axis has one of its own."""
    axes = tuple(each.position for each in map.results if isinstance(each, AffineDimExpr))
    return axes if len(axes) == len(set(axes)) == len(map.results) else None


def in_panels(loops: int, k: int, n: int, columns: int) -> AffineMap:
    """Where an element of a matrix laid out ahead is, by the loops of its rows and columns."""
    column = AffineExpr.dimension(n)
    return AffineMap(loops, 0, (column // columns, AffineExpr.dimension(k), column % columns))


def panels_in(map: AffineMap) -> tuple[int, int, int] | None:
    """The `k`, `n` and `columns` of a map that `in_panels` made."""
    match map.results:
        case (
            AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, AffineDimExpr(n), AffineConstantExpr(columns)),
            AffineDimExpr(k),
            AffineBinaryOpExpr(),
        ):
            return (k, n, columns) if map == in_panels(map.num_dims, k, n, columns) else None
        case _:
            return None


def with_taps(loops: int, outer: Sequence[int], k: int, n: int, taps: Taps) -> AffineMap:
    """Where number `k` of the sum of column `n` is in memory whose axes are `outer`, channels and columns."""
    number = AffineExpr.dimension(k)
    shift = taps.shift.replace_dims_and_symbols([number], [])
    axes = (*(AffineExpr.dimension(loop) for loop in outer), number // taps.count, AffineExpr.dimension(n) + shift)
    return AffineMap(loops, 0, axes)


def taps_in(map: AffineMap) -> tuple[tuple[int, ...], Taps] | None:
    """The loops along the axes, and the taps, of a map that `with_taps` made."""
    match map.results:
        case (
            *outer,
            AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, AffineDimExpr(k), AffineConstantExpr(count)),
            AffineBinaryOpExpr() as last,
        ):
            terms = _terms(last)
            columns = [each.position for each in terms if isinstance(each, AffineDimExpr)]
            moved = [each for each in terms if not isinstance(each, AffineDimExpr)]
            leading = tuple(each.position for each in outer if isinstance(each, AffineDimExpr))
            if len(columns) != 1 or not moved or len(leading) < len(outer):
                return None
            if any(each.used_dims() != {k} for each in moved):
                return None
            taps = [AffineExpr.dimension(0)] * map.num_dims
            shift = sum((each.replace_dims_and_symbols(taps, []) for each in moved), AffineExpr.constant(0))
            if any(shift.eval([tap], []) != shift.eval([tap + count], []) for tap in range(count)):
                return None
            return (*leading, k, *columns), Taps(count, shift)
        case _:
            return None


def _terms(expr: AffineExpr) -> list[AffineExpr]:
    """What is added up in an expression."""
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Add:
        return [*_terms(expr.lhs), *_terms(expr.rhs)]
    return [expr]


def _named_widenings(values: Sequence[SSAValue]) -> tuple[Widening | None, ...] | None:
    elements = [cast("MemRefType[Attribute]", value.type).element_type for value in values]
    return (None, None) if len(set(elements)) == 1 else None


def widenings(body: Block) -> tuple[Widening | None, ...] | None:
    """How a body that adds a product to its last argument widens the other two; None for another body."""
    last = body.last_op
    if last is None or len(last.operands) != 1 or not isinstance(add := last.operands[0].owner, _ADD):
        return None
    terms = [value for value in add.operands if value != body.args[2]]
    if len(terms) != 1 or not isinstance(multiply := terms[0].owner, _MULTIPLY):
        return None
    found: dict[int, Widening | None] = {}
    for factor in multiply.operands:
        widening = next((each for each in _WIDENINGS if isinstance(factor.owner, each)), None)
        source = factor.owner.operands[0] if widening and isinstance(factor.owner, Operation) else factor
        if not isinstance(source, BlockArgument) or source.block is not body:
            return None
        found[source.index] = widening
    return (found[0], found[1]) if set(found) == {0, 1} else None


def _with_roles(lhs: Operand, rhs: Operand, out: Operand, loops: int) -> Contraction | None:
    sizes: list[int | None] = [None] * loops
    for operand in (lhs, rhs, out):
        for axis, size in zip(operand.axes, operand.sizes()):
            sizes[axis] = size if size >= 0 else sizes[axis]
    roles: dict[tuple[bool, bool, bool], list[int]] = {}
    for loop in range(loops):
        roles.setdefault((loop in lhs.axes, loop in rhs.axes, loop in out.axes), []).append(loop)
    batch, rows = roles.pop((True, True, True), []), roles.pop((True, False, True), [])
    columns, sums = roles.pop((False, True, True), []), roles.pop((True, True, False), [])
    if roles or not sums or not (rows or columns):
        return None
    # Of several loops with one role, the one along which memory is walked in steps of one, else the last.
    m = max(rows, key=lambda loop: (out.is_row(loop), lhs.is_row(loop), loop), default=None)
    n = max(columns, key=lambda loop: (out.is_row(loop), rhs.is_row(loop), loop), default=None)
    k = max(sums, key=lambda loop: (rhs.is_row(loop), lhs.is_row(loop), loop))
    around = tuple(loop for loop in sorted((*batch, *rows, *columns)) if loop not in (m, n))
    summed = tuple(loop for loop in sums if loop != k)
    found = Contraction(lhs, rhs, out, m, n, k, around, summed, tuple(sizes))
    return found.swapped() if n is None or out.is_row(m) else found
