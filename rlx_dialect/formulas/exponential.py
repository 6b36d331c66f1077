"""Powers of e and 2."""

from rlx_dialect.formulas.machine import Num
from rlx_dialect.formulas.registry import formula


@formula
def exp(x: Num) -> Num:
    raise NotImplementedError


@formula
def exp2(x: Num) -> Num:
    raise NotImplementedError


@formula
def expm1(x: Num) -> Num:
    """`e^x - 1` without cancellation."""
    raise NotImplementedError
