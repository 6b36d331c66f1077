"""Sine, cosine and tangent, right for every argument."""

from rlx_dialect.formulas.machine import Num
from rlx_dialect.formulas.registry import formula


@formula
def sin(x: Num) -> Num:
    raise NotImplementedError


@formula
def cos(x: Num) -> Num:
    raise NotImplementedError


@formula
def tan(x: Num) -> Num:
    raise NotImplementedError
