"""The error function and its kin."""

from rlx_dialect.formulas.machine import Num
from rlx_dialect.formulas.registry import formula


@formula
def erf(x: Num) -> Num:
    raise NotImplementedError


@formula
def erfc(x: Num) -> Num:
    raise NotImplementedError


@formula
def erf_inv(x: Num) -> Num:
    raise NotImplementedError
