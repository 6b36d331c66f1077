"""Nests of loops, one for each linalg op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, FloatAttr, IndexType, UnitAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.arith_machine import USUAL
from rlx_passes.lowerings.to_loops.memrefs import Emit, Size, as_value, index, sizes, type_of

REASSOCIATED = arith.FastMathFlagsAttr([FastMathFlag.REASSOC])
SUMS = (arith.AddfOp, arith.MulfOp)
"""What may be done in any order where it is done over many elements."""
INDEPENDENT = "rlx.independent"
"""On a loop of which no round reads what another writes."""
STRETCH = 1024
"""So many floats are summed up at a time."""
OF_INDICES = {AffineBinaryOpKind.Add: arith.AddiOp, AffineBinaryOpKind.Mul: arith.MuliOp}


@dataclass
class Nest:
    """
    Loops of known bounds around code that is written by `emit`, the outermost first.

    `counters` are the loop variables, by the number of the loop as the op counts them.
    """

    emit: Emit
    counters: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    innermost: scf.ForOp | None = None

    def enter(self, number: int, size: Size, carried: Sequence[SSAValue] = ()) -> scf.ForOp:
        """Open a loop of `size` rounds in the innermost one; what it carries is yielded by `leave`."""
        emit = self.emit
        first, last, step = index(0, emit), as_value(size, emit), index(1, emit)
        body = Block(arg_types=[IndexType(), *(value.type for value in carried)])
        loop = scf.ForOp(first, last, step, carried, body)
        emit(loop)
        self.counters[number] = body.args[0]
        self.emit, self.innermost = body.add_op, loop
        return loop


def leave(loop: scf.ForOp, *carried: SSAValue) -> None:
    """Close a loop."""
    loop.body.block.add_op(scf.YieldOp(*carried))


def affine(expr: AffineExpr, counters: dict[int, SSAValue], emit: Emit) -> SSAValue:
    """The value of an index expression."""
    if isinstance(expr, AffineDimExpr):
        return counters[expr.position]
    if isinstance(expr, AffineConstantExpr):
        return index(expr.value, emit)
    assert isinstance(expr, AffineBinaryOpExpr)
    kind = OF_INDICES.get(expr.kind)
    if kind is None:
        raise Refusal(f"has an index {expr} that is no sum or product", what="a linalg op")
    op = kind(affine(expr.lhs, counters, emit), affine(expr.rhs, counters, emit))
    emit(op)
    return op.result


def bounds(op: linalg.GenericOp, emit: Emit) -> list[Size]:
    """The rounds of each loop of `op`, told by the operand that has an axis for it; a number where one has it."""
    found: dict[int, Size] = {}
    for value, map in zip(op.operands, op.indexing_maps, strict=True):
        shape = type_of(value).get_shape() if map.data.results else ()
        for axis, expr in enumerate(map.data.results):
            if isinstance(expr, AffineDimExpr) and not isinstance(found.get(expr.position), int):
                if shape[axis] != DYNAMIC_INDEX:
                    found[expr.position] = shape[axis]
                elif expr.position not in found:
                    found[expr.position] = sizes(value, emit)[axis]
    count = len(op.iterator_types)
    if len(found) < count:
        raise Refusal("has a loop of which no operand tells the size", op=op, what="'linalg.generic'")
    return [found[number] for number in range(count)]


STRIDE = 4
"""So many operands that are walked along, with neighbours side by side, make up for one that is walked across."""


def loop_order(op: linalg.GenericOp) -> list[int]:
    """The loops of `op` from the outermost in: reductions inside, but innermost the one that runs along memory."""
    kinds = [each.data for each in op.iterator_types]
    order = sorted(range(len(kinds)), key=lambda number: kinds[number] is not IteratorType.PARALLEL)
    if not order:
        return order
    along = [0] * len(kinds)
    for i, map in enumerate(op.indexing_maps):
        results = map.data.results
        weight = 2 if i == len(op.operands) - 1 else 1
        for axis, expr in enumerate(results):
            for number in dims_of(expr):
                beside = axis == len(results) - 1 and isinstance(expr, AffineDimExpr)
                along[number] += weight if beside else -STRIDE * weight
    best = max(reversed(order), key=lambda number: along[number])
    return [*(number for number in order if number != best), best]


def dims_of(expr: AffineExpr) -> set[int]:
    """The loops that an index expression reads."""
    if isinstance(expr, AffineDimExpr):
        return {expr.position}
    if isinstance(expr, AffineBinaryOpExpr):
        return dims_of(expr.lhs) | dims_of(expr.rhs)
    return set()


def generic_nest(op: linalg.GenericOp, emit: Emit) -> None:
    """The loops of a `linalg.generic` over memrefs; those that only sum up carry the sum."""
    kinds = [each.data for each in op.iterator_types]
    rounds = bounds(op, emit)
    order = loop_order(op)
    keeps = bool(op.body.block.args[-1].uses)
    inner = 0
    while keeps and inner < len(order) and kinds[order[-1 - inner]] is IteratorType.REDUCTION:
        inner += 1
    nest = Nest(emit)
    for number in order[: len(order) - inner]:
        nest.enter(number, rounds[number])
    maps = [each.data for each in op.indexing_maps]
    target = op.outputs[0]
    if not inner:
        _mark(op, nest)
        old = _load(target, maps[-1], nest) if keeps else None
        _store(_body(op, maps, old, nest), target, maps[-1], nest)
    else:
        outside = nest.emit
        places = [affine(expr, nest.counters, outside) for expr in maps[-1].results]
        start = memref.LoadOp.get(target, places)
        outside(start)
        value = _reduced(op, maps, start.res, [(number, rounds[number]) for number in order[-inner:]], nest)
        outside(memref.StoreOp.get(value, target, places))
    _close(nest, order[: len(order) - inner])


def _mark(op: linalg.GenericOp, nest: Nest) -> None:
    """Say of the loop around a body with a rare case that its rounds are independent, where they are."""
    loop = nest.innermost
    if loop is None or any(kind.data is not IteratorType.PARALLEL for kind in op.iterator_types):
        return
    if any(USUAL in inside.attributes for inside in op.body.block.ops):
        loop.attributes[INDEPENDENT] = UnitAttr()


def _reduced(
    op: linalg.GenericOp, maps: Sequence[AffineMap], start: SSAValue, loops: list[tuple[int, Size]], nest: Nest
) -> SSAValue:
    """
    What the innermost loops make of `start`.

    A sum of floats starts anew in each loop, of at most `STRETCH` rounds, so that its error does not grow with all that
    is summed up.
    """
    sums = _adds_up(op)
    levels: list[tuple[scf.ForOp, Emit, SSAValue]] = []
    carried = start

    def enter(number: int, size: Size) -> None:
        nonlocal carried
        outer, before = nest.emit, carried
        if sums and levels:
            zero = arith.ConstantOp(FloatAttr(0.0, cast("AnyFloat", carried.type)))
            outer(zero)
            carried = zero.result
        loop = nest.enter(number, size, [carried])
        levels.append((loop, outer, before))
        carried = loop.body.block.args[1]

    for number, size in loops:
        if not sums or (isinstance(size, int) and size <= 2 * STRETCH):
            enter(number, size)
            continue
        stretches, offset, least = _stretches(size, nest.emit)
        enter(number, stretches)
        first = nest.counters[number]
        enter(number, least(first, nest.emit))
        nest.counters[number] = offset(first, nest.counters[number], nest.emit)
    value = _body(op, maps, carried, nest)
    if isinstance(value.owner, SUMS):
        value.owner.properties["fastmath"] = REASSOCIATED
    for depth, (loop, outer, before) in reversed(list(enumerate(levels))):
        leave(loop, value)
        value = loop.results[0]
        if sums and depth:
            total = arith.AddfOp(before, value)
            outer(total)
            value = total.result
    return value


def _adds_up(op: linalg.GenericOp) -> bool:
    """Whether all that a body does with what it found is to add a float to it."""
    block = op.body.block
    last = block.last_op
    assert last is not None
    found = block.args[-1]
    return isinstance(last.operands[0].owner, arith.AddfOp) and [use.operation for use in found.uses] == [
        last.operands[0].owner
    ]


Offset = Callable[[SSAValue, SSAValue, Emit], SSAValue]
Least = Callable[[SSAValue, Emit], SSAValue]


def _stretches(size: Size, emit: Emit) -> tuple[Size, Offset, Least]:
    """How many stretches a long loop has; the round that is meant by one of a stretch; the rounds of a stretch."""
    if isinstance(size, int):
        count: Size = -(-size // STRETCH)
    else:
        more = arith.AddiOp(size, index(STRETCH - 1, emit))
        emit(more)
        divided = arith.DivUIOp(more.result, index(STRETCH, emit))
        emit(divided)
        count = divided.result

    def start(stretch: SSAValue, emit: Emit) -> SSAValue:
        times = arith.MuliOp(stretch, index(STRETCH, emit))
        emit(times)
        return times.result

    def offset(stretch: SSAValue, round: SSAValue, emit: Emit) -> SSAValue:
        plus = arith.AddiOp(start(stretch, emit), round)
        emit(plus)
        return plus.result

    def least(stretch: SSAValue, emit: Emit) -> SSAValue:
        left = arith.SubiOp(as_value(size, emit), start(stretch, emit))
        emit(left)
        fewer = arith.MinUIOp(left.result, index(STRETCH, emit))
        emit(fewer)
        return fewer.result

    return count, offset, least


def _close(nest: Nest, numbers: Sequence[int]) -> None:
    for number in numbers:
        block = nest.counters[number].owner
        assert isinstance(block, Block)
        block.add_op(scf.YieldOp())


def _load(source: SSAValue, map: AffineMap, nest: Nest) -> SSAValue:
    load = memref.LoadOp.get(source, [affine(expr, nest.counters, nest.emit) for expr in map.results])
    nest.emit(load)
    return load.res


def _store(value: SSAValue, target: SSAValue, map: AffineMap, nest: Nest) -> None:
    nest.emit(memref.StoreOp.get(value, target, [affine(expr, nest.counters, nest.emit) for expr in map.results]))


def _body(op: linalg.GenericOp, maps: Sequence[AffineMap], old: SSAValue | None, nest: Nest) -> SSAValue:
    """What the body yields, of the elements at the counters and of what was there."""
    values: dict[SSAValue, SSAValue] = {}
    for argument, source, map in zip(op.body.block.args, op.operands, maps, strict=True):
        if argument is op.body.block.args[-1]:
            if old is not None:
                values[argument] = old
        elif argument.uses:
            values[argument] = _load(source, map, nest)
    for inside in op.body.block.ops:
        if isinstance(inside, linalg.IndexOp):
            values[inside.result] = nest.counters[inside.dim.value.data]
        elif isinstance(inside, linalg.YieldOp):
            (given,) = inside.operands
            return values.get(given) or given
        else:
            new = inside.clone(values)
            nest.emit(new)
            values.update(zip(inside.results, new.results, strict=True))
    raise AssertionError("a body without a yield")


def fill_nest(op: linalg.FillOp, emit: Emit) -> None:
    """The loops of a `linalg.fill`."""
    _each(op.outputs[0], emit, lambda places, inner: inner(memref.StoreOp.get(op.inputs[0], op.outputs[0], places)))


def copy_nest(op: memref.CopyOp, emit: Emit) -> None:
    """The loops of a `memref.copy`."""

    def copy(places: Sequence[SSAValue], inner: Emit) -> None:
        load = memref.LoadOp.get(op.source, places)
        inner(load)
        inner(memref.StoreOp.get(load.res, op.destination, places))

    _each(op.destination, emit, copy)


def _each(target: SSAValue, emit: Emit, write: Callable[[Sequence[SSAValue], Emit], None]) -> None:
    """Loops over all elements of a memref."""
    nest = Nest(emit)
    shape = sizes(target, emit)
    for number, size in enumerate(shape):
        nest.enter(number, size)
    write([nest.counters[number] for number in range(len(shape))], nest.emit)
    _close(nest, range(len(shape)))
