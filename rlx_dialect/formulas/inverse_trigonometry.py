"""Angles."""

import math

from rlx_dialect.formulas.coefficients import ATAN
from rlx_dialect.formulas.machine import Num, copysign, fma, is_nan, square_root, where
from rlx_dialect.formulas.precise import polynomial
from rlx_dialect.formulas.registry import formula


def small_atan(r: Num) -> Num:
    """The arc tangent of a number in [0, 1]."""
    t = r * r
    return fma(polynomial(t, ATAN) * t, r, r)


@formula
def atan(x: Num) -> Num:
    """Of more than 1 by `atan(a) = pi/2 - atan(1/a)`."""
    a = abs(x)
    steep = a > 1.0
    angle = small_atan(where(steep, 1.0 / a, a))
    return copysign(where(steep, math.pi / 2 - angle, angle), x)


@formula
def atan2(y: Num, x: Num) -> Num:
    """The angle of the point (x, y): that of its octant, folded by the order of the coordinates and their signs."""
    width, height = abs(x), abs(y)
    steep = height > width
    larger, smaller = where(steep, height, width), where(steep, width, height)
    ratio = where(smaller.equals(larger), 1.0, smaller / larger)
    angle = small_atan(where(larger.equals(0.0), 0.0, ratio))
    angle = where(steep, math.pi / 2 - angle, angle)
    angle = copysign(where(copysign(x.lift(1.0), x) < 0.0, math.pi - angle, angle), y)
    return where(is_nan(x), x, where(is_nan(y), y, angle))


@formula
def asin(x: Num) -> Num:
    """The angle of the point on the unit circle whose height is x."""
    return atan2(x, square_root((1.0 - x) * (1.0 + x)))


@formula
def acos(x: Num) -> Num:
    """The angle of the point on the unit circle whose width is x."""
    return atan2(square_root((1.0 - x) * (1.0 + x)), x)
