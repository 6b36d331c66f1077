"""The rules that give ops their plain form, a plain form in the making, and code that the rules share."""

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import Any, NamedTuple, TypeVar

from xdsl.dialects.arith import AddiOp, ConstantOp, DivUIOp, IndexCastOp, MaxSIOp, MinSIOp, MuliOp, SubiOp
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerAttr, TensorType, f32, i64
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, ReduceKind
from rlx_dialect.constants import splat
from rlx_dialect.dims import Atom, AxisSize, Dim, Larger, Quotient, Size, Smaller, reckoned
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ExpandOp,
    GatherOp,
    IotaOp,
    MatMulOp,
    NarrowOp,
    ReduceOp,
    ReshapeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC, Shaped, shaped

OpT = TypeVar("OpT", bound=Operation)

_ARITHMETIC = {"+": AddiOp, "-": SubiOp, "*": MuliOp, "//": DivUIOp, "max": MaxSIOp, "min": MinSIOp}


def is_half(element: Attribute) -> bool:
    """Whether sums of these floats go on in a wider type."""
    return isinstance(element, AnyFloat) and element.bitwidth < 32


class Decomposition(NamedTuple):
    """New ops in order, not yet inserted, and the value that replaces each result of the op."""

    ops: Sequence[Operation]
    results: Sequence[SSAValue]


RULES: dict[type[Operation], Callable[[Any], Decomposition | None]] = {}
"""The rules of the chapters that are loaded, by op."""
WIDE: dict[type[Operation], Callable[[Any], Decomposition]] = {}
"""Those for code, where it goes on in wider floats between the ops that a fusion absorbed."""
FUSED: list[type[Operation]] = []
"""The ops among them that a fusion makes."""

FormT = TypeVar("FormT", bound=Decomposition | None)


def plain_form(*ops: type[OpT], fused: bool = False) -> Callable[[Callable[[OpT], FormT]], Callable[[OpT], FormT]]:
    """
    Marks the rule that gives `ops` in plain ops: from the op to its decomposition, or to None where that would need a
    size known at run time only. Every backend then lowers the ops, and the unfuse passes take apart those that are
    `fused`. Ops of other packages join in the same way.
    """

    def register(rule: Callable[[OpT], FormT]) -> Callable[[OpT], FormT]:
        RULES.update(dict.fromkeys(ops, rule))
        FUSED.extend(ops if fused else ())
        return rule

    return register


WideRule = Callable[[OpT, "Plain"], Decomposition]


def wide_form(op: type[OpT]) -> Callable[[WideRule[OpT]], WideRule[OpT]]:
    """
    Marks the rule of a fused op, from it and an empty `Plain`, that has two forms: as it was written, and for code with
    halves as f32 from the operands that are `taken` to the results that are `given`.
    """

    def register(rule: WideRule[OpT]) -> WideRule[OpT]:
        plain_form(op, fused=True)(lambda each: rule(each, Plain()))
        WIDE[op] = lambda each: rule(each, Plain(wide=True))
        return rule

    return register


class Plain:
    """Ops in the order they were added."""

    def __init__(self, *, wide: bool = False) -> None:
        self.ops: list[Operation] = []
        self._wide = wide

    def add(self, op: OpT) -> OpT:
        self.ops.append(op)
        return op

    def done(self, *results: SSAValue) -> Decomposition:
        return Decomposition(self.ops, results)

    def binary(self, kind: BinaryKind, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.add(BinaryOp(kind, lhs, rhs)).result

    def plus(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.binary(BinaryKind.ADD, lhs, rhs)

    def minus(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.binary(BinaryKind.SUB, lhs, rhs)

    def times(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.binary(BinaryKind.MUL, lhs, rhs)

    def activated(self, kind: Activation, value: SSAValue) -> SSAValue:
        return self.add(ActivationOp(kind, value)).result

    def compare(self, kind: CompareKind, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.add(CompareOp(kind, lhs, rhs)).result

    def where(self, condition: SSAValue, held: SSAValue, otherwise: SSAValue) -> SSAValue:
        return self.add(WhereOp(condition, held, otherwise)).result

    def matmul(
        self, lhs: SSAValue, rhs: SSAValue, bias: SSAValue | None = None, accumulate: TypeAttribute | None = None
    ) -> SSAValue:
        """`lhs @ rhs`, plus the bias where there is one."""
        product = self.add(MatMulOp(lhs, rhs, accumulate=accumulate)).result
        return product if bias is None else self.plus(product, bias)

    def reduce(self, kind: ReduceKind, value: SSAValue, axes: Sequence[int], keep_dims: bool = True) -> SSAValue:
        """`kind` over `axes`, which stay as 1; in the element type of `value`."""
        element = shaped(value).element
        accumulate = element if isinstance(element, TypeAttribute) and is_half(element) else None
        return self.add(ReduceOp(kind, value, axes, keep_dims=keep_dims, accumulate=accumulate)).result

    def widened(self, value: SSAValue, accumulate: TypeAttribute | None = None) -> SSAValue:
        """A float `value` in the type that an op with `accumulate` goes on in: without it f32 for narrower floats."""
        element = shaped(value).element
        wide = accumulate or (f32 if is_half(element) else element)
        return value if wide == element else self.add(CastOp(value, wide)).result

    def narrowed(self, value: SSAValue, like: SSAValue) -> SSAValue:
        """`value` in the element type of `like`."""
        element = shaped(like).element
        return value if shaped(value).element == element else self.add(CastOp(value, element)).result

    def taken(self, *values: SSAValue) -> Sequence[SSAValue]:
        """Operands, widened where this is the form for code."""
        return [self.widened(value) if self._wide else value for value in values]

    def given(self, *values: SSAValue, like: SSAValue) -> Decomposition:
        """Results in the element type of `like`."""
        return self.done(*(self.narrowed(value, like) for value in values))

    def along(self, vector: SSAValue, axis: int, rank: int) -> SSAValue:
        """A vector laid along `axis` of values of `rank` dims, so that it broadcasts to them."""
        axis %= rank
        if axis == rank - 1:
            return vector
        dims = (*shaped(vector).dims, *(1,) * (rank - 1 - axis))
        return self.add(ReshapeOp(vector, dims, self.sizes(vector))).result

    def scalar(self, value: float, like: SSAValue) -> SSAValue:
        """A constant of rank 0 with the element type of `like`."""
        return self.add(ConstantOp(splat(Shaped((), shaped(like).element).type, value))).result

    def not_finite(self, value: SSAValue) -> SSAValue:
        """Whether an element is NaN or infinite, asked so that no compiler takes it for what cannot be."""
        size = self.activated(Activation.ABS, value)
        endless = self.compare(CompareKind.EQ, size, self.scalar(float("inf"), size))
        return self.binary(BinaryKind.BIT_OR, self.compare(CompareKind.NE, value, value), endless)

    def row(self, value: float, like: SSAValue, axis: int) -> SSAValue:
        """A vector of equal elements, as long as dim `axis` of `like` is."""
        size, element = shaped(like).dims[axis], shaped(like).element
        if size != DYNAMIC:
            return self.add(ConstantOp(splat(Shaped((size,), element).type, value))).result
        return self.add(ExpandOp(self.scalar(value, like), (size,), (self.size(like, axis),))).result

    def size(self, value: SSAValue, axis: int) -> SSAValue:
        """Dim `axis` of `value` when the program runs, as an index."""
        from xdsl.dialects.tensor import DimOp

        return self.add(DimOp(value, self.index(axis % shaped(value).rank))).result

    def index(self, number: int) -> SSAValue:
        """A number as an index."""
        return self.add(ConstantOp(IntegerAttr(number, IndexType()))).result

    def number(self, size: SSAValue) -> SSAValue:
        """A size as a tensor `[1]` of i64."""
        from xdsl.dialects.tensor import FromElementsOp

        cast = self.add(IndexCastOp(size, i64)).result
        return self.add(FromElementsOp.build(operands=[[cast]], result_types=[TensorType(i64, [1])])).result

    def made(self, size: int | Dim) -> SSAValue:
        """A size that a shape rule reckons from axes, as an index."""
        made = size if isinstance(size, int) else reckoned(size, self._atom, self._apply)
        return self.index(made) if isinstance(made, int) else made

    def counted(self, size: int | Dim) -> SSAValue:
        """The numbers from 0 to before a size, as a vector of i64."""
        dim, sizes = (size, []) if isinstance(size, int) else (DYNAMIC, [self.made(size)])
        return self.add(IotaOp(Shaped((dim,), i64), sizes, axis=0)).result

    def _atom(self, atom: Atom) -> int | SSAValue:
        match atom:
            case AxisSize(value, axis):
                return self.size(value, axis)
            case Quotient(dividend, divisor):
                return self._apply("//", self.made(dividend), self.made(divisor))
            case Larger(sizes) | Smaller(sizes):
                kind = "max" if isinstance(atom, Larger) else "min"
                return reduce(lambda a, b: self._apply(kind, a, b), map(self.made, sorted(sizes, key=str)))
            case _:
                raise TypeError(f"{atom} is no size of a tensor")

    def _apply(self, operator: str, a: int | SSAValue, b: int | SSAValue) -> SSAValue:
        left, right = (self.index(each) if isinstance(each, int) else each for each in (a, b))
        return self.add(_ARITHMETIC[operator](left, right)).result

    def first(self, value: SSAValue, size: Size) -> SSAValue:
        """The first elements of the last axis, which has as many."""
        if isinstance(size, int):
            return self.add(NarrowOp(value, axis=-1, start=0, length=size)).result
        return self.add(GatherOp(value, self.counted(size), axis=-1)).result

    def flat(self, value: SSAValue) -> SSAValue:
        """All elements of `value` as a vector."""
        return self.merged(value, shaped(value).rank)

    def merged(self, value: SSAValue, axes: int) -> SSAValue:
        """`value` with its first `axes` axes as one."""
        own = own_sizes(value)
        return self.laid(value, (prod(own[:axes]), *own[axes:]))

    def laid(self, value: SSAValue, sizes: Sequence[Size]) -> SSAValue:
        """`value` under other sizes."""
        dims = tuple(size if isinstance(size, int) else DYNAMIC for size in sizes)
        return self.add(ReshapeOp(value, dims, [self.made(d) for d in sizes if not isinstance(d, int)])).result

    def sizes(self, value: SSAValue) -> list[SSAValue]:
        """The dims of `value` that are not known, as `rlx.reshape` and `rlx.expand` want them."""
        return [self.size(value, axis) for axis, d in enumerate(shaped(value).dims) if d == DYNAMIC]
