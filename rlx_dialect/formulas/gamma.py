"""The gamma family."""

from rlx_dialect.formulas.machine import Num
from rlx_dialect.formulas.registry import formula


@formula
def lgamma(x: Num) -> Num:
    raise NotImplementedError


@formula
def digamma(x: Num) -> Num:
    raise NotImplementedError
