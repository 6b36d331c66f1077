"""Angles."""

from rlx_dialect.formulas.machine import Num, square_root
from rlx_dialect.formulas.registry import formula


@formula
def atan(x: Num) -> Num:
    raise NotImplementedError


@formula
def atan2(y: Num, x: Num) -> Num:
    """The angle of the point (x, y)."""
    raise NotImplementedError


@formula
def asin(x: Num) -> Num:
    """The angle of the point on the unit circle whose height is x."""
    return atan2(x, square_root((1.0 - x) * (1.0 + x)))


@formula
def acos(x: Num) -> Num:
    """The angle of the point on the unit circle whose width is x."""
    return atan2(square_root((1.0 - x) * (1.0 + x)), x)
