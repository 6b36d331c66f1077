"""Arithmetic on one element, inside the body of a linalg op: Python operators that build arith and math ops."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects import arith, complex
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    FixedBitwidthType,
    Float8E4M3FNType,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    bf16,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_dialect.attributes import CompareKind
from rlx_dialect.dtypes import is_unsigned
from rlx_dialect.formulas import Num
from rlx_dialect.formulas.machine import is_nan
from rlx_dialect.formulas.precise import to_odd
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.arith_machine import CPU_LINALG, Natives

Number = int | float

Body = (
    Callable[["Scalar"], "Scalar"]
    | Callable[["Scalar", "Scalar"], "Scalar"]
    | Callable[["Scalar", "Scalar", "Scalar"], "Scalar"]
    | Callable[["Scalar", "Scalar", "Scalar", "Scalar"], "Scalar"]
    | Callable[["Scalar", "Scalar", "Scalar", "Scalar", "Scalar"], "Scalar"]
)
"""A body of some number of scalars; written out by number, so that the type checker knows what a lambda is given."""


def applied(body: Body, scalars: Iterable[Scalar]) -> Scalar:
    """`body(*scalars)`; the number of inputs of an op and of its body's scalars are equal by construction."""
    return cast("Callable[..., Scalar]", body)(*scalars)


def is_complex(type: Attribute) -> bool:
    return isinstance(type, ComplexType)


def _is_integer(type: Attribute) -> bool:
    return isinstance(type, IntegerType)


def signless(type: Attribute) -> Attribute:
    """The type that arith knows for a value of `type`."""
    return IntegerType(_width(type)) if _is_integer(type) else type


def _width(type: Attribute) -> int:
    return cast("IntegerType", type).bitwidth


def computed(type: Attribute) -> Attribute:
    """The type in which one element of `type` is computed: floats narrower than f32 go through f32."""
    return f32 if isinstance(type, AnyFloat) and bits(type) < 32 else type


def bits(type: Attribute) -> int:
    """The width of a number's type; that of an index counts as 64."""
    return type.bitwidth if isinstance(type, FixedBitwidthType) else 64


_FLOAT_COMPARE = {
    CompareKind.EQ: "oeq",
    CompareKind.NE: "une",
    CompareKind.LT: "olt",
    CompareKind.LE: "ole",
    CompareKind.GT: "ogt",
    CompareKind.GE: "oge",
}


@dataclass(frozen=True)
class Scalar:
    """
    One element: a value in `block`, and the type it stands for.

    `type` keeps the signedness that the value's own, signless, type has lost. The other side of an operator may be a
    Python number, which becomes a constant of this type. `natives` says what functions of floats become.
    """

    block: Block
    value: SSAValue
    type: Attribute
    natives: Natives = CPU_LINALG

    def build(self, op: Operation, type: Attribute | None = None) -> Scalar:
        """The result of `op`, put into the block, as a scalar of `type` (this one's by default)."""
        return replace(self, value=self._put(op), type=self.type if type is None else type)

    def _put(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def constant(self, value: Number) -> Scalar:
        """`value` in this scalar's type."""
        return replace(self, value=constant(self.block, self.type, value).value)

    def lift(self, other: Scalar | Number) -> Scalar:
        return other if isinstance(other, Scalar) else self.constant(other)

    @property
    def is_float(self) -> bool:
        return isinstance(self.type, AnyFloat)

    @property
    def unsigned(self) -> bool:
        return is_unsigned(self.type)

    def _choose(
        self,
        other: Scalar | Number,
        on_floats: Callable[[SSAValue, SSAValue], Operation],
        signed: Callable[[SSAValue, SSAValue], Operation],
        unsigned: Callable[[SSAValue, SSAValue], Operation] | None = None,
        on_complex: Callable[[SSAValue, SSAValue], Operation] | None = None,
    ) -> Scalar:
        right = self.lift(other).value
        if is_complex(self.type):
            if on_complex is None:
                raise Refusal(f"has no form in linalg: {self.type} has no order")
            return self.build(on_complex(self.value, right))
        if self.is_float:
            return self.build(on_floats(self.value, right))
        return self.build((unsigned if unsigned and self.unsigned else signed)(self.value, right))

    def __add__(self, other: Scalar | Number) -> Scalar:
        """The sum; that of truth values is `or`."""
        if self.type == i1:
            return self | self.lift(other)
        return self._choose(other, arith.AddfOp, arith.AddiOp, None, complex.AddOp)

    def __sub__(self, other: Scalar | Number) -> Scalar:
        return self._choose(other, arith.SubfOp, arith.SubiOp, None, complex.SubOp)

    def __mul__(self, other: Scalar | Number) -> Scalar:
        return self._choose(other, arith.MulfOp, arith.MuliOp, None, complex.MulOp)

    def __truediv__(self, other: Scalar | Number) -> Scalar:
        """The quotient; that of integers is towards zero, 0 for a zero divisor, and wraps."""
        if not _is_integer(self.type):
            return self._choose(other, arith.DivfOp, arith.DivSIOp, arith.DivUIOp, complex.DivOp)
        if self.type == i1:
            return self & self.lift(other)
        if self.unsigned:
            return self._divided(arith.DivUIOp, other)
        # The machine has no quotient of the lowest number by -1.
        wraps = self.lift(other).equals(-1)
        return wraps.where(-self, self._divided(arith.DivSIOp, wraps.where(1, self.lift(other))))

    def remainder(self, other: Scalar) -> Scalar:
        """The rest of an integer division, with the sign of this one; 0 for a zero divisor."""
        if self.type == i1:
            return self ^ self
        if self.unsigned:
            return self._divided(arith.RemUIOp, other)
        return self._divided(arith.RemSIOp, other.equals(-1).where(1, other))

    def _divided(self, op: Callable[[SSAValue, SSAValue], Operation], other: Scalar | Number) -> Scalar:
        """A division of integers, 0 where the divisor is 0, for which many machines have no answer but a signal."""
        if not isinstance(other, Scalar) and other != 0:
            return self.build(op(self.value, self.constant(other).value))
        divisor = self.lift(other)
        none = divisor.equals(0)
        return none.where(0, self.build(op(self.value, none.where(1, divisor).value)))

    def __radd__(self, other: Number) -> Scalar:
        return self.constant(other) + self

    def __rsub__(self, other: Number) -> Scalar:
        return self.constant(other) - self

    def __rmul__(self, other: Number) -> Scalar:
        return self.constant(other) * self

    def __rtruediv__(self, other: Number) -> Scalar:
        return self.constant(other) / self

    def __neg__(self) -> Scalar:
        if is_complex(self.type):
            return self.build(complex.NegOp(self.value))
        return self.build(arith.NegfOp(self.value)) if self.is_float else self.constant(0) - self

    def maximum(self, other: Scalar | Number) -> Scalar:
        """The greater one; NaN when either is NaN."""
        return self._choose(other, arith.MaximumfOp, arith.MaxSIOp, arith.MaxUIOp)

    def minimum(self, other: Scalar | Number) -> Scalar:
        """The smaller one; NaN when either is NaN."""
        return self._choose(other, arith.MinimumfOp, arith.MinSIOp, arith.MinUIOp)

    # Integers and truth values.

    def __and__(self, other: Scalar) -> Scalar:
        return self.build(arith.AndIOp(self.value, other.value))

    def __or__(self, other: Scalar) -> Scalar:
        return self.build(arith.OrIOp(self.value, other.value))

    def __xor__(self, other: Scalar) -> Scalar:
        return self.build(arith.XOrIOp(self.value, other.value))

    def __invert__(self) -> Scalar:
        return self ^ self.constant(-1 if self.type != i1 else 1)

    def compare(self, kind: CompareKind, other: Scalar | Number) -> Scalar:
        """The truth value of `self kind other`; with NaN only `ne` holds."""
        right = self.lift(other).value
        if is_complex(self.type):
            return self._compare_complex(kind, right)
        if self.is_float:
            return self.build(arith.CmpfOp(self.value, right, _FLOAT_COMPARE[kind]), i1)
        sign = "" if kind in (CompareKind.EQ, CompareKind.NE) else "u" if self.unsigned else "s"
        return self.build(arith.CmpiOp(self.value, right, f"{sign}{kind.value}"), i1)

    def _compare_complex(self, kind: CompareKind, right: SSAValue) -> Scalar:
        if kind not in (CompareKind.EQ, CompareKind.NE):
            raise Refusal(f"has no form in linalg: {self.type} has no order: compare {kind.value}")
        theirs = replace(self, value=right)
        same = self.real().compare(kind, theirs.real())
        other = self.imaginary().compare(kind, theirs.imaginary())
        return same & other if kind is CompareKind.EQ else same | other

    def __lt__(self, other: Scalar | Number) -> Scalar:
        return self.compare(CompareKind.LT, other)

    def __le__(self, other: Scalar | Number) -> Scalar:
        return self.compare(CompareKind.LE, other)

    def __gt__(self, other: Scalar | Number) -> Scalar:
        return self.compare(CompareKind.GT, other)

    def __ge__(self, other: Scalar | Number) -> Scalar:
        return self.compare(CompareKind.GE, other)

    def equals(self, other: Scalar | Number) -> Scalar:
        return self.compare(CompareKind.EQ, other)

    def differs(self, other: Scalar | Number) -> Scalar:
        return self.compare(CompareKind.NE, other)

    def where(self, on_true: Scalar | Number, on_false: Scalar | Number) -> Scalar:
        """`on_true` where this truth value holds; at least one of the two is a scalar."""
        like = on_true if isinstance(on_true, Scalar) else on_false
        if not isinstance(like, Scalar):
            raise TypeError("one side of where must be a scalar")
        return like.build(arith.SelectOp(self.value, like.lift(on_true).value, like.lift(on_false).value))

    # Real functions.

    def function(self, name: str, *others: Scalar) -> Scalar:
        """The function of that name of the formulas, of floats of f32 or f64."""
        operands = (self.value, *(other.value for other in others))
        return replace(self, value=self.natives.apply(name, self._put, *operands))

    def combined(self, formula: Callable[..., Num], *others: Scalar) -> Scalar:
        """A formula of f32 or f64 that has no name."""
        machine = self.natives.machine(self._put, self.value)
        return replace(self, value=formula(*(Num(machine, each.value) for each in (self, *others))).handle)

    def derivative(self, name: str) -> Scalar:
        """The derivative of that function here."""
        return replace(self, value=self.natives.apply_derivative(name, self._put, self.value))

    def exp(self) -> Scalar:
        return self.function("exp")

    def real(self) -> Scalar:
        return self.build(complex.ReOp(self.value), component(self.type))

    def imaginary(self) -> Scalar:
        return self.build(complex.ImOp(self.value), component(self.type))

    def to(self, type: Attribute) -> Scalar:
        """This value as `type`, by the rules of `rlx.cast`."""
        if type == self.type:
            return self
        if type == i1:
            return self.differs(0)
        if is_complex(type):
            return self._to_complex(type)
        if is_complex(self.type):
            return self.real().to(type)
        if isinstance(type, IndexType) or isinstance(self.type, IndexType):
            return self._to_or_from_index(type)
        if self.is_float:
            return self._from_float(type)
        if isinstance(type, AnyFloat):
            wide = computed(type)
            op = arith.UIToFPOp if self.unsigned else arith.SIToFPOp
            whole = self.build(op(self.value, cast("AnyFloat", wide)), wide)
            # Next to each other the two steps would be folded into one, a call of a library that is not there.
            return (whole + 0.0 if type == bf16 else whole).to(type)
        return self._resize(type)

    def _to_complex(self, type: Attribute) -> Scalar:
        part = component(type)
        if is_complex(self.type):
            real, imaginary = self.real().to(part), self.imaginary().to(part)
        else:
            real, imaginary = self.to(part), constant(self.block, part, 0)
        return self.build(complex.CreateOp(real.value, imaginary.value, cast("ComplexType", type)), type)

    def _to_or_from_index(self, type: Attribute) -> Scalar:
        if isinstance(self.type, IndexType):
            return self.build(arith.IndexCastOp(self.value, i64), i64).to(type)
        wide = self.to(i64)
        return self.build(arith.IndexCastOp(wide.value, type), type)

    def _from_float(self, type: Attribute) -> Scalar:
        if isinstance(type, AnyFloat):
            if bits(type) > bits(self.type):
                wide = self.build(arith.ExtFOp(self.value, type), type)
                lost = self.natives.strict and isinstance(self.type, Float8E4M3FNType)
                return self._is_lost().where(float("nan"), wide) if lost else wide
            if bits(type) == bits(self.type):
                return self.to(f32).to(type)
            if bits(self.type) == 64 and bits(type) < 32:
                return self.combined(to_odd).to(f32).to(type)
            return self.build(arith.TruncFOp(self.value, type), type)
        return self._to_integer(type) if bits(self.type) >= 32 else self.to(f32)._to_integer(type)

    def _to_integer(self, type: Attribute) -> Scalar:
        """Truncated; NaN as 0, and what does not fit as the nearest number that does."""
        digits = 53 if bits(self.type) == 64 else 24
        width = _width(type) if is_unsigned(type) else _width(type) - 1
        least, most = 0 if is_unsigned(type) else -(1 << width), (1 << width) - 1
        top = most if width <= digits else (1 << width) - (1 << (width - digits))
        inside = (self > least).where(self, least)
        inside = (inside < top).where(inside, top)
        op = arith.FPToUIOp if is_unsigned(type) else arith.FPToSIOp
        whole = self.build(op(inside.value, _integer(type)), type)
        if top < most:
            whole = (self > top).where(most, whole)
        return replace(self.combined(is_nan), type=i1).where(0, whole) if least else whole

    def _is_lost(self) -> Scalar:
        """Whether this float of 8 bits without infinities is NaN, which IREE 3.13 takes for 480."""
        pattern = self.build(arith.BitcastOp(self.value, IntegerType(8)), IntegerType(8))
        return (pattern & pattern.constant(127)).equals(127)

    def _resize(self, type: Attribute) -> Scalar:
        if bits(type) == bits(self.type):
            return replace(self, type=type)
        if bits(type) < bits(self.type):
            return self.build(arith.TruncIOp(self.value, _integer(type)), type)
        op = arith.ExtUIOp if self.unsigned else arith.ExtSIOp
        return self.build(op(self.value, _integer(type)), type)


def component(type: Attribute) -> Attribute:
    """The type of the real and of the imaginary part."""
    if not is_complex(type):
        raise Refusal(f"has no form in linalg: {type} has no real part")
    return cast("ComplexType[AnyFloat]", type).element_type


def _integer(type: Attribute) -> IntegerType:
    """The signless integer type for `type`, which is an integer's."""
    return cast("IntegerType", signless(type))


def constant(block: Block, type: Attribute, value: Number) -> Scalar:
    """`value` as a constant of `type` in `block`."""
    if is_complex(type):
        return constant(block, component(type), value).to(type)
    plain = signless(type)
    if isinstance(plain, AnyFloat):
        op = arith.ConstantOp(FloatAttr(float(value), plain))
    elif isinstance(plain, IndexType):
        op = arith.ConstantOp(IntegerAttr(int(value), plain))
    elif _is_integer(plain):
        op = arith.ConstantOp(IntegerAttr(_wrapped(int(value), _width(plain)), _integer(plain)))
    else:
        raise Refusal(f"has no form in linalg: element type {type} has no arithmetic in linalg")
    block.add_op(op)
    return Scalar(block, op.result, type)


def _wrapped(value: int, width: int) -> int:
    """The signless spelling of `value`: the same bits, read as a signed number; a truth value stays 0 or 1."""
    value &= (1 << width) - 1
    return value - (1 << width) if width > 1 and value >> (width - 1) else value
