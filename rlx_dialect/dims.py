"""
Sizes that only a run knows: polynomials over atoms, equal where they are equal in every run as far as arithmetic tells.

Sizes are not negative. An operation whose atoms cancel out gives a number, so that what is known stays a Python int.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd
from typing import TypeVar, overload

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, OpResult, SSAValue

from rlx_dialect.signature import dims_of_argument


class Undecided(ArithmeticError):
    """What depends on sizes that only a run knows."""


@dataclass(frozen=True)
class Symbol:
    """A size with nothing but a name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class AxisSize:
    """The size of an axis of a tensor."""

    tensor: SSAValue
    axis: int

    def __str__(self) -> str:
        """Its name in `rlx.dims`, else `?`."""
        if isinstance(self.tensor, BlockArgument) and isinstance(func := self.tensor.owner.parent_op(), FuncOp):
            names = dims_of_argument(func, self.tensor.index)
            return "?" if names is None else str(names[self.axis])
        return "?"


@dataclass(frozen=True)
class IndexSize:
    """An index value of the program, 0 or more."""

    value: SSAValue

    def __str__(self) -> str:
        return "?"


@dataclass(frozen=True)
class Quotient:
    """The dividend by the divisor, rounded down, where that does not come out even for all sizes."""

    dividend: Size
    divisor: Size

    def __str__(self) -> str:
        return " // ".join(
            f"({size})" if isinstance(size, Dim) and size.atom() is None else f"{size}"
            for size in (self.dividend, self.divisor)
        )


@dataclass(frozen=True)
class Larger:
    """The larger of two sizes."""

    sizes: frozenset[Size]

    def __str__(self) -> str:
        return f"max({', '.join(sorted(map(str, self.sizes)))})"


@dataclass(frozen=True)
class Smaller:
    """The smaller of two sizes."""

    sizes: frozenset[Size]

    def __str__(self) -> str:
        return f"min({', '.join(sorted(map(str, self.sizes)))})"


Atom = Symbol | AxisSize | IndexSize | Quotient | Larger | Smaller
Monomial = frozenset[tuple[Atom, int]]
"""Atoms and their powers; the empty one is the number 1."""

_ONE: Monomial = frozenset()


class Dim:
    """
    A polynomial with integer coefficients over atoms, with at least one of them in it. Immutable.

    `+ - * // %` with these or numbers give a `Size`; `//` rounds down. Comparisons raise `Undecided` if runs differ.
    """

    __slots__ = ("_hash", "_terms")

    def __init__(self, terms: Mapping[Monomial, int]):
        self._terms = dict(terms)
        self._hash = hash(frozenset(self._terms.items()))

    @staticmethod
    def of(atom: Atom) -> Dim:
        return Dim({frozenset({(atom, 1)}): 1})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._hash == other._hash and self._terms == other._terms

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        """`2*n*m - n + 1`: products of many atoms first, the number last."""
        terms = sorted(((-len(key), _text(key), n) for key, n in self._terms.items()), key=lambda term: term[:2])
        text = ""
        for _, product_text, number in terms:
            size = abs(number)
            shown = f"{size}" if not product_text else product_text if size == 1 else f"{size}*{product_text}"
            text += (" - " if number < 0 else " + ") + shown
        return text[3:] if text.startswith(" + ") else f"-{text[3:]}"

    __repr__ = __str__

    def terms(self) -> Iterator[tuple[Monomial, int]]:
        """Each product of atoms with its coefficient."""
        yield from self._terms.items()

    def atom(self) -> Atom | None:
        """The atom that this is, None for more than one."""
        if len(self._terms) == 1:
            ((key, coefficient),) = self._terms.items()
            if coefficient == 1 and len(key) == 1:
                ((atom, power),) = key
                return atom if power == 1 else None
        return None

    def atoms(self) -> Iterator[Atom]:
        """The atoms, also those inside of others; one may come more than once."""
        for key in self._terms:
            for atom, _ in key:
                yield atom
                match atom:
                    case Quotient():
                        inner = (atom.dividend, atom.divisor)
                    case Larger() | Smaller():
                        inner = tuple(atom.sizes)
                    case _:
                        inner = ()
                for size in inner:
                    yield from size.atoms() if isinstance(size, Dim) else ()

    def substitute(self, sizes: Mapping[Atom, Size]) -> Size:
        """The same with other sizes in place of some atoms."""
        return total(
            [coefficient * product([_power(atom, n, sizes) for atom, n in key]) for key, coefficient in self.terms()]
        )

    def evaluate(self, sizes: Mapping[Atom, int]) -> int:
        """What it is in a run. Raises `KeyError` for an atom that `sizes` lacks."""
        size = self.substitute(sizes)
        if isinstance(size, Dim):
            raise KeyError(str(size))
        return size

    def __add__(self, other: Size) -> Size:
        ours, theirs = self._terms, _terms(other)
        return _simple({key: ours.get(key, 0) + theirs.get(key, 0) for key in {**ours, **theirs}})

    def __mul__(self, other: Size) -> Size:
        terms: Counter[Monomial] = Counter()
        for left, a in self._terms.items():
            for right, b in _terms(other).items():
                powers = Counter(dict(left))
                powers.update(dict(right))
                terms[frozenset(powers.items())] += a * b
        return _simple(terms)

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + -other

    def __rsub__(self, other: int) -> Size:
        return -self + other

    __radd__, __rmul__ = __add__, __mul__

    def __floordiv__(self, other: Size) -> Size:
        if isinstance(other, int) and other < 1:
            raise Undecided(f"a size is divided by {other}")
        return _by_number(self, other) if isinstance(other, int) else _by_dim(self, other)

    def __rfloordiv__(self, other: int) -> Size:
        return 0 if other == 0 else Dim.of(Quotient(other, self))

    def __mod__(self, other: Size) -> Size:
        return self - (self // other) * other

    def __rmod__(self, other: int) -> Size:
        return other - (other // self) * self

    def __ge__(self, other: Size) -> bool:
        return at_least(self, other)

    def __le__(self, other: Size) -> bool:
        return at_least(other, self)

    def __lt__(self, other: Size) -> bool:
        return not at_least(self, other)

    def __gt__(self, other: Size) -> bool:
        return not at_least(other, self)


Size = int | Dim
"""A size: a number, or what is known of it."""


def product(sizes: Sequence[Size]) -> Size:
    return reduce(lambda a, b: a * b, sizes, 1)


def total(sizes: Sequence[Size]) -> Size:
    return reduce(lambda a, b: a + b, sizes, 0)


@overload
def larger(a: int, b: int) -> int: ...
@overload
def larger(a: Size, b: Size) -> Size: ...
def larger(a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    try:
        return a if at_least(a, b) else b
    except Undecided:
        pass
    try:
        return b if at_least(b, a) else a
    except Undecided:
        return Dim.of(Larger(frozenset({a, b})))


@overload
def smaller(a: int, b: int) -> int: ...
@overload
def smaller(a: Size, b: Size) -> Size: ...
def smaller(a: Size, b: Size) -> Size:
    most = larger(a, b)
    return Dim.of(Smaller(frozenset({a, b}))) if most not in (a, b) else b if most == a else a


def equal(a: Size, b: Size) -> bool:
    """Whether two sizes are equal, or can never be. Raises `Undecided` where some runs say one and some the other."""
    gap = a - b
    if isinstance(gap, int):
        return gap == 0
    constant = _get(gap, _ONE)
    rest = [coefficient for key, coefficient in gap.terms() if key]
    if (constant > 0 and min(rest) >= 0) or (constant < 0 and max(rest) <= 0):
        return False
    raise Undecided("whether two sizes are equal is known at run time only")


def at_least(a: Size, b: Size) -> bool:
    """Whether `a >= b` for all sizes, or for none. Raises `Undecided` where some runs say one and some the other."""
    gap = a - b
    if isinstance(gap, int):
        return gap >= 0
    constant = _get(gap, _ONE)
    rest = [coefficient for key, coefficient in gap.terms() if key]
    if constant >= 0 and min(rest) >= 0:
        return True
    if constant < 0 and max(rest) <= 0:
        return False
    raise Undecided("which of two sizes is larger is known at run time only")


def _terms(size: Size) -> Mapping[Monomial, int]:
    return dict(size.terms()) if isinstance(size, Dim) else {_ONE: size}


def _get(size: Size, key: Monomial) -> int:
    return _terms(size).get(key, 0)


def _simple(terms: Mapping[Monomial, int]) -> Size:
    kept = {key: coefficient for key, coefficient in terms.items() if coefficient}
    return kept.get(_ONE, 0) if set(kept) <= {_ONE} else Dim(kept)


T = TypeVar("T")


def reckoned(dim: Dim, atom: Callable[[Atom], T], apply: Callable[[str, T | int, T | int], T]) -> T | int:
    """
    The sum of the terms, subtracted ones last, by what `atom` gives and `apply` makes of two by `+`, `-` or `*`.
    """
    whole: T | int = 0
    for monomial, coefficient in sorted(dim.terms(), key=lambda term: term[1] < 0):
        parts: list[T | int] = [atom(each) for each in in_order(monomial)]
        parts += [abs(coefficient)] if abs(coefficient) != 1 or not parts else []
        term = reduce(lambda a, b: apply("*", a, b), parts)
        whole = term if whole == 0 and coefficient > 0 else apply("+" if coefficient > 0 else "-", whole, term)
    return whole


def in_order(key: Monomial) -> list[Atom]:
    """The atoms of a product, each as often as its power says, in an order that is the same in each process."""
    return sorted((atom for atom, power in key for _ in range(power)), key=_rank)


def _rank(atom: Atom) -> tuple[str, int, int]:
    value = atom.tensor if isinstance(atom, AxisSize) else atom.value if isinstance(atom, IndexSize) else None
    index = value.index if isinstance(value, BlockArgument | OpResult) else 0
    return str(atom), index, atom.axis if isinstance(atom, AxisSize) else 0


def _text(key: Monomial) -> str:
    return "*".join(sorted(f"({atom})" if isinstance(atom, Quotient) else str(atom) for atom in in_order(key)))


def _power(atom: Atom, power: int, sizes: Mapping[Atom, Size]) -> Size:
    return product([_substituted(atom, sizes)] * power)


def _substituted(atom: Atom, sizes: Mapping[Atom, Size]) -> Size:
    if atom in sizes:
        return sizes[atom]
    match atom:
        case Quotient(dividend, divisor):
            return substituted(dividend, sizes) // substituted(divisor, sizes)
        case Larger(inner):
            return reduce(larger, (substituted(size, sizes) for size in inner))
        case Smaller(inner):
            return reduce(smaller, (substituted(size, sizes) for size in inner))
        case _:
            return Dim.of(atom)


def substituted(size: Size, sizes: Mapping[Atom, Size]) -> Size:
    """`Dim.substitute` for any size."""
    return size.substitute(sizes) if isinstance(size, Dim) else size


def _by_number(dividend: Dim, divisor: int) -> Size:
    """Multiples of the divisor leave the quotient, so none of its coefficients is negative; common factors cancel."""
    whole = _simple({key: coefficient // divisor for key, coefficient in dividend.terms()})
    rest = {key: coefficient % divisor for key, coefficient in dividend.terms() if coefficient % divisor}
    constant = rest.pop(_ONE, 0)
    if not rest:
        return whole
    factor = gcd(divisor, *rest.values())
    left = {key: coefficient // factor for key, coefficient in rest.items()} | {_ONE: constant // factor}
    below = divisor // factor
    return whole + (_simple(left) if below == 1 else Dim.of(Quotient(_simple(left), below)))


def _by_dim(dividend: Dim, divisor: Dim) -> Size:
    """The terms that are multiples of a divisor of one term leave the quotient unless what stays could be negative."""
    if dividend == divisor:
        return 1
    below = list(divisor.terms())
    if len(below) != 1:
        return Dim.of(Quotient(dividend, divisor))
    ((monomial, factor),) = below
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for key, coefficient in dividend.terms():
        powers = Counter(dict(key))
        powers.subtract(dict(monomial))
        if coefficient % factor or min(powers.values()) < 0:
            rest[key] = coefficient
        else:
            left = frozenset((atom, power) for atom, power in powers.items() if power)
            whole[left] = coefficient // factor
    if not whole or min(rest.values(), default=0) < 0:
        return Dim.of(Quotient(dividend, divisor))
    return _simple(whole) + (Dim.of(Quotient(_simple(rest), divisor)) if rest else 0)
