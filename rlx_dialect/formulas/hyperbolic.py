"""Hyperbolic functions and their inverses."""

from rlx_dialect.formulas.machine import Num
from rlx_dialect.formulas.registry import formula


@formula
def sinh(x: Num) -> Num:
    raise NotImplementedError


@formula
def cosh(x: Num) -> Num:
    raise NotImplementedError


@formula
def tanh(x: Num) -> Num:
    raise NotImplementedError


@formula
def asinh(x: Num) -> Num:
    raise NotImplementedError


@formula
def acosh(x: Num) -> Num:
    raise NotImplementedError


@formula
def atanh(x: Num) -> Num:
    raise NotImplementedError
