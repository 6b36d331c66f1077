"""Signs and whole numbers."""

from rlx_dialect.formulas.machine import Num, copysign, round_down, round_even, where
from rlx_dialect.formulas.registry import formula


@formula
def neg(x: Num) -> Num:
    return -x


@formula
def abs_(x: Num) -> Num:
    return abs(x)


@formula
def sign(x: Num) -> Num:
    """1 with the sign of x; a zero and NaN are their own sign."""
    return where(abs(x) > 0.0, copysign(x.lift(1.0), x), x)


@formula
def recip(x: Num) -> Num:
    return 1.0 / x


@formula
def floor(x: Num) -> Num:
    return round_down(x)


@formula
def ceil(x: Num) -> Num:
    return -round_down(-x)


@formula
def trunc(x: Num) -> Num:
    return copysign(round_down(abs(x)), x)


@formula
def round_(x: Num) -> Num:
    """The nearest whole number, the even one of two."""
    return round_even(x)


@formula
def round_away(x: Num) -> Num:
    """The nearest whole number, the one farther from 0 of two."""
    size = abs(x)
    whole = round_down(size)
    return copysign(where(size - whole >= 0.5, whole + 1.0, whole), x)
