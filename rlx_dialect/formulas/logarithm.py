"""Logarithms."""

from rlx_dialect.formulas.machine import Num
from rlx_dialect.formulas.registry import formula


@formula
def log(x: Num) -> Num:
    raise NotImplementedError


@formula
def log2(x: Num) -> Num:
    raise NotImplementedError


@formula
def log10(x: Num) -> Num:
    raise NotImplementedError


@formula
def log1p(x: Num) -> Num:
    """`log(1 + x)` without loss near 0."""
    raise NotImplementedError
