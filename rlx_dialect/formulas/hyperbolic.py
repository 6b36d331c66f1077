"""Hyperbolic functions by expm1 and their inverses by log1p, so that no digits cancel near 0."""

import math

from rlx_dialect.formulas.exponential import exp, expm1, half_expm1, half_most
from rlx_dialect.formulas.logarithm import log1p
from rlx_dialect.formulas.machine import Num, copysign, is_nan, square_root, where
from rlx_dialect.formulas.registry import formula


@formula
def sinh(x: Num) -> Num:
    """
    `h + h / (2 h + 1)` for `h = (e^|x| - 1) / 2`, which is finite for every `sinh(x)` that is.

    Without bits by way of `|x| - 2` far out.
    """
    form, a = x.machine.format, abs(x)
    # Half of the smallest number is none on machines that take denormal ones for zero.
    tiny = a < 2.0 ** -(form.fraction // 2 + 2)
    if x.machine.has_bits:
        most = half_most(form)
        h = half_expm1(where(a < most, a, most))
        size = where(h < math.inf, h + h / (h + h + 1.0), h)
        return where(is_nan(x), x, copysign(where(tiny, a, size), x))
    limit = (form.bias + 2.5) * math.log(2)
    bounded, far = where(a > limit, limit, a), a > form.bias / 2
    m = expm1(where(far, bounded - 2.0, bounded))
    size = (m + m / (m + 1.0)) * where(far, a.lift(math.exp(2.0) / 2), 0.5)
    return copysign(where(tiny, a, size), x)


@formula
def cosh(x: Num) -> Num:
    """`h + 1 / (4 h)` for `h = e^|x| / 2`, which is finite for every `cosh(x)` that is."""
    root = exp(abs(x) * 0.5)
    half = root * 0.5 * root
    return half + 0.25 / half


@formula
def tanh(x: Num) -> Num:
    """`h / (h + 1)` for `h = (e^(2 |x|) - 1) / 2`."""
    form, a = x.machine.format, abs(x)
    bounded = where(a > form.fraction, form.fraction, a)
    h = half_expm1(bounded + bounded) if x.machine.has_bits else expm1(bounded + bounded) * 0.5
    # NaN, of which h is any number, is not above the bound either.
    return copysign(where(a > 2.0 ** -(form.fraction // 2 + 2), h / (h + 1.0), a), x)


@formula
def asinh(x: Num) -> Num:
    """`log(a + sqrt(a^2 + 1))` for `a = |x|`; far out `log(2 a)`."""
    a = abs(x)
    square = a * a
    near = a + square / (1.0 + square_root(square + 1.0))
    return copysign(log_far(a, near), x)


@formula
def acosh(x: Num) -> Num:
    """`log(x + sqrt(x^2 - 1))`, by what x exceeds 1; far out `log(2 x)`."""
    excess = x - 1.0
    return where(x < 1.0, math.nan, log_far(x, excess + square_root(excess * (excess + 2.0))))


def log_far(a: Num, near: Num) -> Num:
    """`log(1 + near)`, or `log(2 a)` where `1 + a` is `a` and its square may be infinite."""
    far = a > 2.0 ** (a.machine.format.fraction + 3)
    return log1p(where(far, a, near)) + where(far, a.lift(math.log(2)), 0.0)


@formula
def atanh(x: Num) -> Num:
    a = abs(x)
    return copysign(log1p((a + a) / (1.0 - a)) * 0.5, x)
