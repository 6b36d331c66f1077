"""Loops as they are written by hand: nested, with numbers folded, put into a program at the end."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from rlx_passes.lowerings.to_loops.contraction import Widening

Index = int | SSAValue
"""A number that is known, or an index value."""

Condition = bool | SSAValue


@dataclass
class Loop:
    """A loop while its body is written: `carried` come in, `yielded` go round, and are `results` after it."""

    index: Index
    carried: Sequence[SSAValue]
    yielded: Sequence[SSAValue] = ()
    results: Sequence[SSAValue] = ()


@dataclass
class Nest:
    """Builds ops at the end of `block`, which is in no program before `insert_before`."""

    block: Block = field(default_factory=Block)
    _constants: dict[Attribute, arith.ConstantOp] = field(default_factory=dict[Attribute, arith.ConstantOp])
    _indices: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])

    def __call__(self, op: Operation) -> SSAValue:
        """Take `op` as the next one; its first result."""
        self.block.add_op(op)
        return op.results[0]

    def insert_before(self, op: Operation) -> None:
        """Put all that was built into the program, before `op`."""
        built = list(self.block.ops)
        for each in built:
            each.detach()
        cast(Block, op.parent).insert_ops_before([*self._constants.values(), *built], op)

    # Numbers.

    def value(self, index: Index) -> SSAValue:
        """An index as a value; constants come first of all."""
        if isinstance(index, SSAValue):
            return index
        if index not in self._indices:
            self._indices[index] = self._constant(IntegerAttr(index, IndexType()))
        return self._indices[index]

    def _constant(self, value: IntegerAttr | FloatAttr[AnyFloat] | DenseIntOrFPElementsAttr) -> SSAValue:
        if value not in self._constants:
            self._constants[value] = arith.ConstantOp(value)
        return self._constants[value].result

    def add(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        return a if b == 0 else b if a == 0 else self(arith.AddiOp(self.value(a), self.value(b)))

    def subtract(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        return a if b == 0 else self(arith.SubiOp(self.value(a), self.value(b)))

    def divide(self, a: Index, b: int) -> Index:
        """The quotient of a number that is not negative, rounded down."""
        if isinstance(a, int):
            return a // b
        return a if b == 1 else self(arith.DivUIOp(a, self.value(b)))

    def multiply(self, a: Index, b: int) -> Index:
        if isinstance(a, int):
            return a * b
        return a if b == 1 else self(arith.MuliOp(a, self.value(b)))

    def affine(self, expr: AffineExpr, dims: Sequence[Index]) -> Index:
        """The value of an expression of numbers that are not negative."""
        match expr:
            case AffineDimExpr(position):
                return dims[position]
            case AffineConstantExpr(value):
                return value
            case AffineBinaryOpExpr(kind, lhs, AffineConstantExpr(by)) if kind is not AffineBinaryOpKind.Add:
                number = self.affine(lhs, dims)
                if kind is AffineBinaryOpKind.Mul:
                    return self.multiply(number, by)
                if kind is AffineBinaryOpKind.FloorDiv:
                    return self.divide(number, by)
                assert kind is AffineBinaryOpKind.Mod
                return number % by if isinstance(number, int) else self(arith.RemUIOp(number, self.value(by)))
            case AffineBinaryOpExpr(AffineBinaryOpKind.Add, lhs, rhs):
                return self.add(self.affine(lhs, dims), self.affine(rhs, dims))
            case _:
                raise AssertionError(f"no expression of numbers: {expr}")

    def least(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return self(arith.MinSIOp(self.value(a), self.value(b)))

    def compare(self, a: Index, how: str, b: Index) -> Condition:
        """`how` is `eq`, or `sle` and its like."""
        if isinstance(a, int) and isinstance(b, int):
            return {"eq": a == b, "sle": a <= b, "slt": a < b}[how]
        return self(arith.CmpiOp(self.value(a), self.value(b), how))

    def both(self, a: Condition, b: Condition) -> Condition:
        if isinstance(a, bool) or isinstance(b, bool):
            return b if a is True else a if b is True else False
        return self(arith.AndIOp(a, b))

    # Control flow.

    @contextmanager
    def loop(self, end: Index, step: int = 1, carried: Sequence[SSAValue] = (), start: Index = 0) -> Generator[Loop]:
        """A loop from `start` to before `end`; one that makes one round is no loop."""
        if isinstance(start, int) and isinstance(end, int) and 0 < end - start <= step:
            yield (loop := Loop(start, carried))
            loop.results = loop.yielded
            return
        outer = self.block
        self.block = body = Block(arg_types=[IndexType(), *(each.type for each in carried)])
        yield (loop := Loop(body.args[0], body.args[1:]))
        body.add_op(_yield(loop.yielded))
        self.block = outer
        bounds = [self.value(bound) for bound in (start, end, step)]
        outer.add_op(op := scf.ForOp(bounds[0], bounds[1], bounds[2], carried, body))
        loop.results = op.results

    @contextmanager
    def rounds(self, count: int) -> Generator[Index]:
        """A loop whose rounds may run at once, each worth a thread."""
        if count == 1:
            yield 0
            return
        outer = self.block
        self.block = body = Block(arg_types=[IndexType()])
        yield body.args[0]
        body.add_op(scf.ReduceOp([], []))
        self.block = outer
        outer.add_op(op := scf.ParallelOp([self.value(0)], [self.value(count)], [self.value(1)], [body]))
        op.attributes["grain"] = IntegerAttr(1, i64)

    def choose(self, condition: Condition, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """One of two, the other not even built where the condition is known."""
        if isinstance(condition, bool):
            return then() if condition else otherwise()
        outer, blocks = self.block, (Block(), Block())
        for self.block, build in zip(blocks, (then, otherwise)):
            build()
            self.block.add_op(_yield(()))
        self.block = outer
        outer.add_op(scf.IfOp(condition, (), [blocks[0]], [blocks[1]]))

    # Memory.

    def scratch(self, element: Attribute, *shape: int) -> SSAValue:
        return self(memref.AllocOp.get(element, 64, shape))

    def free(self, buffer: SSAValue) -> None:
        self.block.add_op(memref.DeallocOp.get(buffer))

    def size(self, value: SSAValue, axis: int) -> Index:
        dim = cast("MemRefType[Attribute]", value.type).get_shape()[axis]
        return dim if dim >= 0 else self(memref.DimOp(value, self.value(axis)))

    def load(self, value: SSAValue, at: Sequence[Index], lanes: int = 0) -> SSAValue:
        """An element, or a vector of that many along the last axis."""
        indices = [self.value(index) for index in at]
        if not lanes:
            return self(memref.LoadOp.get(value, indices))
        element = cast("MemRefType[Attribute]", value.type).element_type
        return self(vector.LoadOp(value, indices, _vector_of(element, lanes)))

    def store(self, value: SSAValue, into: SSAValue, at: Sequence[Index]) -> None:
        indices = [self.value(index) for index in at]
        wide = isinstance(value.type, VectorType)
        self.block.add_op((vector.StoreOp(value, into, indices)) if wide else memref.StoreOp.get(value, into, indices))

    # Arithmetic on numbers and vectors of them.

    def widen(self, value: SSAValue, how: Widening | None, element: Attribute) -> SSAValue:
        if how is None:
            return value
        if (narrow := _vector(value)) is not None:
            element = VectorType(element, narrow.get_shape())
        return self(how.create(operands=[value], result_types=[element]))

    def spread(self, value: SSAValue, lanes: int) -> SSAValue:
        """A number in all lanes; itself for no vector."""
        return self(vector.BroadcastOp(value, _vector_of(value.type, lanes))) if lanes else value

    def zero(self, element: AnyFloat | IntegerType, lanes: int = 0) -> SSAValue:
        if isinstance(element, IntegerType):
            if lanes:
                return self._constant(DenseIntOrFPElementsAttr.from_list(VectorType(element, [lanes]), [0]))
            return self._constant(IntegerAttr(0, element))
        if lanes:
            return self._constant(DenseIntOrFPElementsAttr.from_list(VectorType(element, [lanes]), [0.0]))
        return self._constant(FloatAttr(0.0, element))

    def transposed(self, rows: Sequence[SSAValue]) -> list[SSAValue]:
        """As many vectors as each has lanes, a power of two, with rows for columns."""
        rows, lanes = list(rows), range(len(rows))
        step = 1
        while step < len(rows):
            # Blocks of `step` by `step` off the diagonal change places.
            upper = [j + (len(rows) - step if j & step else 0) for j in lanes]
            lower = [j + (len(rows) if j & step else step) for j in lanes]
            for i in lanes:
                if not i & step:
                    pair = rows[i], rows[i + step]
                    rows[i], rows[i + step] = (self._shuffle(*pair, mask) for mask in (upper, lower))
            step *= 2
        return rows

    def _shuffle(self, a: SSAValue, b: SSAValue, mask: Sequence[int]) -> SSAValue:
        return self(
            vector.ShuffleOp(
                a, b, DenseArrayBase.from_list(i64, mask), result_type=cast("VectorType[Attribute]", a.type)
            )
        )

    def plus(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self((arith.AddiOp if _is_integer(a) else arith.AddfOp)(a, b))

    def total(self, value: SSAValue) -> SSAValue:
        """The sum of the elements of a vector, in any order."""
        kind = vector.CombiningKindAttr(vector.CombiningKindFlag.ADD)
        properties = {"kind": kind, "fastmath": arith.FastMathFlagsAttr([FastMathFlag.REASSOC])}
        element = cast("VectorType[Attribute]", value.type).element_type
        return self(vector.ReductionOp.build(operands=[value, None], result_types=[element], properties=properties))

    def multiply_add(self, a: SSAValue, b: SSAValue, c: SSAValue, *, fused: bool) -> SSAValue:
        """`a * b + c`, rounded once if `fused`."""
        if _is_integer(a):
            return self(arith.AddiOp(c, self(arith.MuliOp(a, b))))
        if fused and isinstance(a.type, VectorType):
            return self(vector.FMAOp(a, b, c))
        return self(arith.AddfOp(c, self(arith.MulfOp(a, b))))


@lru_cache(maxsize=64)
def _vector_of(element: Attribute, lanes: int) -> VectorType[Attribute]:
    return VectorType(element, [lanes])


def _yield(values: Sequence[SSAValue]) -> Operation:
    return scf.YieldOp.create(operands=values)


def _is_integer(value: SSAValue) -> bool:
    wide = _vector(value)
    return isinstance(value.type if wide is None else wide.element_type, IntegerType)


def _vector(value: SSAValue) -> VectorType[Attribute] | None:
    wide = isinstance(value.type, VectorType)
    return cast("VectorType[Attribute]", value.type) if wide else None
