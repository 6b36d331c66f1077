"""
The small protocol that every formula is written against.

A formula computes on `Num`s: one number, or one array of numbers, of a machine. A machine knows one float format and
turns each primitive into something of its own: an op of linalg, StableHLO or the dialect, a call of MLX, an array of
NumPy. What it has as a function of its own it may say in `native`, used for that function, inside other formulas too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from xdsl.utils.str_enum import StrEnum

HandleT = TypeVar("HandleT")
"""What a machine computes with: an SSA value, an array, a piece of source text."""


@dataclass(frozen=True)
class FloatFormat:
    """An IEEE 754 binary format: its width and the width of its fraction, in bits."""

    bits: int
    fraction: int

    @property
    def bias(self) -> int:
        """What the exponent field of 1.0 holds."""
        return (1 << (self.bits - self.fraction - 2)) - 1

    @property
    def smallest_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    @property
    def largest(self) -> float:
        return (2.0 - 2.0**-self.fraction) * 2.0**self.bias


F32 = FloatFormat(bits=32, fraction=23)
F64 = FloatFormat(bits=64, fraction=52)


class Sort(StrEnum):
    """What a `Num` holds: a float of the machine's format, a signed integer of the same width, a truth value."""

    FLOAT = "float"
    INTEGER = "integer"
    TRUTH = "truth"


class Primitive(StrEnum):
    """
    What every machine does itself. The names say the sort of the operands: floats, or what the prefix says.

    Floats follow IEEE 754; `LESS` and its kin are false for NaN, `DIFFERS` is true. `FMA` may round twice unless the
    machine says `exact_fma`. Integers wrap; `INTEGER_SHIFT_RIGHT` keeps the sign, `INTEGER_SHIFT_RIGHT_LOGICAL` brings
    zeros; amounts are in [0, width). `TO_INTEGER` gets only whole numbers in range. `BITS` and `FROM_BITS` keep bits.
    """

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    NEG = "neg"
    ABS = "abs"
    FMA = "fma"
    SQRT = "sqrt"
    FLOOR = "floor"
    ROUND_EVEN = "round_even"
    COPYSIGN = "copysign"
    LESS = "less"
    LESS_EQUAL = "less_equal"
    EQUAL = "equal"
    DIFFERS = "differs"
    IS_NAN = "is_nan"
    SELECT = "select"
    """`SELECT condition a b`, of floats."""
    TO_INTEGER = "to_integer"
    BITS = "bits"

    INTEGER_ADD = "integer_add"
    INTEGER_SUB = "integer_sub"
    INTEGER_MUL = "integer_mul"
    INTEGER_AND = "integer_and"
    INTEGER_OR = "integer_or"
    INTEGER_XOR = "integer_xor"
    INTEGER_SHIFT_LEFT = "integer_shift_left"
    INTEGER_SHIFT_RIGHT = "integer_shift_right"
    INTEGER_SHIFT_RIGHT_LOGICAL = "integer_shift_right_logical"
    INTEGER_LESS = "integer_less"
    INTEGER_EQUAL = "integer_equal"
    INTEGER_SELECT = "integer_select"
    TO_FLOAT = "to_float"
    FROM_BITS = "from_bits"

    TRUTH_AND = "truth_and"
    TRUTH_OR = "truth_or"
    TRUTH_NOT = "truth_not"


RESULTS = {
    **dict.fromkeys(Primitive, Sort.FLOAT),
    **{p: Sort.INTEGER for p in Primitive if p.value.startswith("integer_")},
    **dict.fromkeys((Primitive.TO_INTEGER, Primitive.BITS), Sort.INTEGER),
    **{p: Sort.TRUTH for p in Primitive if p.value.startswith("truth_")},
    **dict.fromkeys((Primitive.LESS, Primitive.LESS_EQUAL, Primitive.EQUAL, Primitive.DIFFERS), Sort.TRUTH),
    **dict.fromkeys((Primitive.IS_NAN, Primitive.INTEGER_LESS, Primitive.INTEGER_EQUAL), Sort.TRUTH),
}
"""The sort of each primitive's result."""


class Machine(ABC, Generic[HandleT]):
    """A target of formulas. Narrower floats are widened before a formula and rounded once after it."""

    format: FloatFormat
    """The format of its floats."""

    has_bits: bool = True
    """Whether it has the primitives of integers; one without must have what needs them (`registry.apply`) natively."""

    exact_fma: bool = False
    """Whether `FMA` rounds once, whatever a compiler does later."""

    @abstractmethod
    def emit(self, primitive: Primitive, *operands: HandleT) -> HandleT:
        """The result of `primitive`."""

    @abstractmethod
    def constant(self, value: float, sort: Sort, like: HandleT) -> HandleT:
        """`value` as a constant of `sort` and of the shape of `like`. Integers are in the signed range of the width."""

    branches: bool = False
    """Whether it has `branch`."""

    def branch(
        self, condition: HandleT, common: Callable[[], Sequence[HandleT]], rare: Callable[[], Sequence[HandleT]]
    ) -> Sequence[HandleT]:
        """The numbers of `common` where `condition` holds, as it nearly always does, else those of `rare`."""
        raise NotImplementedError

    def native(self, function: str) -> Callable[..., HandleT] | None:
        """What computes `function`, with its parameters as they are by default, here without a formula, or None."""
        return None

    def is_cheap(self, function: str) -> bool:
        """Whether `native` computes the function in less time than a part of its formula takes."""
        return self.native(function) is not None


Operand: TypeAlias = "Num | float"
"""A `Num`, or a Python number, which becomes a constant."""


@dataclass(frozen=True, eq=False)
class Num:
    """A value of a machine. The other side of an operator may be a Python number."""

    machine: Machine[Any]
    handle: Any
    sort: Sort = Sort.FLOAT

    def __call__(self, primitive: Primitive, *others: Operand) -> Num:
        """The result of `primitive` on this value and `others`."""
        operands = (self, *(self.lift(other) for other in others))
        return _emit(self.machine, primitive, *operands)

    def lift(self, value: Operand) -> Num:
        """`value` itself, or as a constant of this sort and shape."""
        if isinstance(value, Num):
            return value
        return Num(self.machine, self.machine.constant(value, self.sort, self.handle), self.sort)

    def _either(self, primitive: Primitive, *others: Operand) -> Num:
        """The float or the integer form of a primitive, by the sort of this value."""
        integer = self.sort is Sort.INTEGER
        return self(Primitive(f"integer_{primitive.value}") if integer else primitive, *others)

    def _logical(self, name: str, other: Operand) -> Num:
        return self(Primitive(f"{self.sort.value}_{name}"), other)

    def __add__(self, other: Operand) -> Num:
        return self._either(Primitive.ADD, other)

    def __radd__(self, other: float) -> Num:
        return self.lift(other) + self

    def __sub__(self, other: Operand) -> Num:
        return self._either(Primitive.SUB, other)

    def __rsub__(self, other: float) -> Num:
        return self.lift(other) - self

    def __mul__(self, other: Operand) -> Num:
        return self._either(Primitive.MUL, other)

    def __rmul__(self, other: float) -> Num:
        return self * other

    def __truediv__(self, other: Operand) -> Num:
        return self(Primitive.DIV, other)

    def __rtruediv__(self, other: float) -> Num:
        return self.lift(other) / self

    def __neg__(self) -> Num:
        return 0 - self if self.sort is Sort.INTEGER else self(Primitive.NEG)

    def __abs__(self) -> Num:
        return self(Primitive.ABS)

    def __lt__(self, other: Operand) -> Num:
        return self._either(Primitive.LESS, other)

    def __gt__(self, other: Operand) -> Num:
        return self.lift(other) < self

    def __le__(self, other: Operand) -> Num:
        return self(Primitive.LESS_EQUAL, other)

    def __ge__(self, other: Operand) -> Num:
        return self.lift(other) <= self

    def equals(self, other: Operand) -> Num:
        return self._either(Primitive.EQUAL, other)

    def differs(self, other: Operand) -> Num:
        return self(Primitive.DIFFERS, other)

    def __and__(self, other: Operand) -> Num:
        return self._logical("and", other)

    def __or__(self, other: Operand) -> Num:
        return self._logical("or", other)

    def __xor__(self, other: Operand) -> Num:
        return self._logical("xor", other)

    def __invert__(self) -> Num:
        return self ^ -1 if self.sort is Sort.INTEGER else self(Primitive.TRUTH_NOT)

    def __lshift__(self, amount: Operand) -> Num:
        return self(Primitive.INTEGER_SHIFT_LEFT, amount)

    def __rshift__(self, amount: Operand) -> Num:
        """With copies of the sign from the left."""
        return self(Primitive.INTEGER_SHIFT_RIGHT, amount)

    def unsigned_shift(self, amount: Operand) -> Num:
        """To the right, with zeros from the left."""
        return self(Primitive.INTEGER_SHIFT_RIGHT_LOGICAL, amount)


def _emit(machine: Machine[Any], primitive: Primitive, *operands: Num) -> Num:
    return Num(machine, machine.emit(primitive, *(operand.handle for operand in operands)), RESULTS[primitive])


def where(condition: Num, a: Operand, b: Operand) -> Num:
    """`a` where `condition` holds, else `b`, both computed; at least one is a `Num`."""
    example = a if isinstance(a, Num) else b
    assert isinstance(example, Num)
    primitive = Primitive.INTEGER_SELECT if example.sort is Sort.INTEGER else Primitive.SELECT
    return condition(primitive, example.lift(a), example.lift(b))


def usually(
    condition: Callable[[], Num], common: Callable[[], Sequence[Num]], rare: Callable[[], Sequence[Num]], like: Num
) -> Sequence[Num]:
    """
    The values of `rare`, which are right everywhere.

    Where the machine of `like` has branches and the condition holds, they are those of `common`, which cost less.
    """
    machine = like.machine
    if not machine.branches:
        return rare()
    sorts: list[Sort] = []

    def handles(values: Sequence[Num]) -> list[Any]:
        sorts[:] = [value.sort for value in values]
        return [value.handle for value in values]

    results = machine.branch(condition().handle, lambda: handles(common()), lambda: handles(rare()))
    return [Num(machine, handle, sort) for handle, sort in zip(results, sorts, strict=True)]


def fma(x: Num, factor: Operand, term: Operand) -> Num:
    """`x * factor + term`, rounded once where the machine can."""
    return x(Primitive.FMA, factor, term)


def square_root(x: Num) -> Num:
    return x(Primitive.SQRT)


def round_down(x: Num) -> Num:
    return x(Primitive.FLOOR)


def round_even(x: Num) -> Num:
    """The nearest whole number, the even one of two."""
    return x(Primitive.ROUND_EVEN)


def copysign(magnitude: Num, sign: Operand) -> Num:
    """The magnitude of one with the sign of the other, zeros and NaN included."""
    return magnitude(Primitive.COPYSIGN, sign)


def is_nan(x: Num) -> Num:
    return x(Primitive.IS_NAN)


def to_integer(x: Num) -> Num:
    """The integer that a whole `x` is."""
    return x(Primitive.TO_INTEGER)


def to_float(i: Num) -> Num:
    """The float nearest to an integer."""
    return i(Primitive.TO_FLOAT)


def bits(x: Num) -> Num:
    """The bits of a float as an integer."""
    return x(Primitive.BITS)


def from_bits(i: Num) -> Num:
    """The float with these bits."""
    return i(Primitive.FROM_BITS)
