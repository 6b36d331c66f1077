"""Roots and powers."""

from rlx_dialect.formulas.machine import Num, square_root
from rlx_dialect.formulas.registry import formula


@formula
def sqrt(x: Num) -> Num:
    return square_root(x)


@formula
def rsqrt(x: Num) -> Num:
    return 1.0 / square_root(x)


@formula
def cbrt(x: Num) -> Num:
    raise NotImplementedError


@formula
def pow_(x: Num, y: Num) -> Num:
    raise NotImplementedError
