"""Arithmetic on sizes that are known at run time only: polynomials over them, equal where they are written alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.ir import SSAValue


class Undecided(ArithmeticError):
    """What depends on sizes that only a run knows."""


@dataclass(frozen=True)
class AxisSize:
    """The size of an axis of a tensor."""

    tensor: SSAValue
    axis: int


@dataclass(frozen=True)
class IndexSize:
    """An index value of the program, 0 or more."""

    value: SSAValue


@dataclass(frozen=True)
class Quotient:
    """The integer part of a division that does not come out even for all sizes."""

    dividend: Size
    divisor: Size


Atom = AxisSize | IndexSize | Quotient
Monomial = frozenset[tuple[Atom, int]]
"""Atoms and their powers; the empty one is the number 1."""

_ONE: Monomial = frozenset()


class Dim:
    """
    A polynomial with integer coefficients over sizes, with at least one of them in it; `+ - * //` with another or a number.

    The results of these are numbers where the sizes cancel out.
    """

    def __init__(self, terms: Mapping[Monomial, int]):
        self._terms = dict(terms)

    @staticmethod
    def of(atom: Atom) -> Dim:
        return Dim({frozenset({(atom, 1)}): 1})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._terms == other._terms

    def __hash__(self) -> int:
        return hash(frozenset(self._terms.items()))

    def __repr__(self) -> str:
        return "?"

    def terms(self) -> Iterator[tuple[Monomial, int]]:
        """Each product of sizes with its coefficient."""
        yield from self._terms.items()

    def __add__(self, other: Size) -> Size:
        return _simple({key: _get(self, key) + _get(other, key) for key in {**self._terms, **_terms(other)}})

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
        even = _divided(self, other)
        return Dim.of(Quotient(self, other)) if even is None else even

    def __rfloordiv__(self, other: int) -> Size:
        return 0 if other == 0 else Dim.of(Quotient(other, self))

    def __mod__(self, other: Size) -> Size:
        return self - (self // other) * other


Size = int | Dim
"""A size: a number, or what is known of it."""


def product(sizes: Sequence[Size]) -> Size:
    return reduce(lambda a, b: a * b, sizes, 1)


def total(sizes: Sequence[Size]) -> Size:
    return reduce(lambda a, b: a + b, sizes, 0)


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


def _divided(dividend: Dim, divisor: Size) -> Size | None:
    """The quotient where each term of the dividend is a multiple of a divisor of one term."""
    if dividend == divisor:
        return 1
    below = list(_terms(divisor).items())
    if len(below) != 1:
        return None
    (monomial, factor) = below[0]
    terms: dict[Monomial, int] = {}
    for key, coefficient in dividend.terms():
        powers = Counter(dict(key))
        powers.subtract(dict(monomial))
        if coefficient % factor or min(powers.values(), default=0) < 0:
            return None
        terms[frozenset((atom, power) for atom, power in powers.items() if power)] = coefficient // factor
    return _simple(terms)
