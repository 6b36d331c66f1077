"""What functions of one or two numbers are, by mpmath where they are finite, and by C's or nobody's word where not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

mpmath: Any = import_module("mpmath")
"""It has no types."""

Real: TypeAlias = Any
"""A number of mpmath."""

FARTHEST = 10**5
"""Exponents of truths end here, beyond those of any type."""


@dataclass(frozen=True)
class Truth:
    """
    A function: its value by mpmath at finite numbers where it is real, and what C says of the rest.

    `ends` are the values at minus infinity and infinity, `zeros` those at -0 and 0 if they need a word, None where
    nobody says. `focus` is where most samples lie, and a quarter of them between `2^-8` and `2^reach`; `bound` is the
    largest error allowed in f32 and f64.
    """

    value: Callable[[Real], Real]
    ends: tuple[float | None, float | None] = (math.nan, math.nan)
    zeros: tuple[float | None, float] | None = None
    focus: tuple[float, float] = (-8.0, 8.0)
    bound: float = 4.0
    domain: tuple[float, float] = (-math.inf, math.inf)
    reach: float = 8.0


@dataclass(frozen=True)
class PairTruth:
    """A function of two numbers: by mpmath, or by NumPy's C library for infinities, zeros, NaN and negative bases."""

    value: Callable[[Real, Real], Real]
    c: np.ufunc
    focus: tuple[float, float] = (-8.0, 8.0)
    bound: float = 4.0


INF, NAN = math.inf, math.nan
ODD = (-0.0, 0.0)


def _gelu(x: Real) -> Real:
    return x * _erfc(-x / mpmath.sqrt(2)) / 2


def _gelu_approx(x: Real) -> Real:
    inner = 2 * mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)
    return x * _sigmoid(inner)


def _sigmoid(x: Real) -> Real:
    return 1 / (1 + mpmath.exp(-x))


def _softplus(x: Real) -> Real:
    return max(x, 0) + mpmath.log1p(mpmath.exp(-abs(x)))


def _elu(x: Real) -> Real:
    return x if x > 0 else mpmath.expm1(x)


def _clamp(x: Real, low: float, high: float) -> Real:
    return min(max(x, low), high)


def _erfc(x: Real) -> Real:
    """Far out less than any number, which mpmath does not reach."""
    return mpmath.erfc(x) if x < 1000 else mpmath.ldexp(1, -FARTHEST)


def _sign(x: Real) -> Real:
    return mpmath.sign(x)


def _round(x: Real) -> Real:
    return mpmath.nint(x)


def _round_away(x: Real) -> Real:
    return mpmath.sign(x) * mpmath.floor(abs(x) + mpmath.mpf(0.5))


def _trunc(x: Real) -> Real:
    return mpmath.sign(x) * mpmath.floor(abs(x))


def _cbrt(x: Real) -> Real:
    return mpmath.sign(x) * mpmath.cbrt(abs(x))


def _lgamma(x: Real) -> Real:
    return INF if x <= 0 and x == mpmath.floor(x) else mpmath.loggamma(x).real


def _digamma(x: Real) -> Real:
    return mpmath.digamma(x)


def _erf_inv(x: Real) -> Real:
    """By Halley's method on the complement, from a guess of three digits: faster than mpmath's own."""
    if abs(x) >= 1:
        return mpmath.sign(x) * INF if abs(x) == 1 else NAN
    rest = 1 - abs(x)
    bend = float(mpmath.log(rest * (1 + abs(x)))) / 2
    shift = 2 / (math.pi * 0.147) + bend
    y = (
        mpmath.mpf(math.sqrt(math.sqrt(shift * shift - 2 * bend / 0.147) - shift))
        if rest < 0.999
        else abs(x) * mpmath.sqrt(mpmath.pi) / 2
    )
    for _ in range(4):
        step = (rest - mpmath.erfc(y)) * mpmath.exp(y * y) * mpmath.sqrt(mpmath.pi) / 2
        y += -step / (1 + y * step)
    return mpmath.sign(x) * y


def _mod(a: Real, b: Real) -> Real:
    rest = mpmath.sign(a) * mpmath.fmod(abs(a), abs(b))
    return rest if rest else math.copysign(0.0, a)


UNARY: Mapping[str, Truth] = {
    "neg": Truth(lambda x: -x, (INF, -INF), (0.0, -0.0)),
    "abs": Truth(abs, (INF, INF), (0.0, 0.0)),
    "sign": Truth(_sign, (-1.0, 1.0), (None, 0.0)),
    "recip": Truth(lambda x: 1 / x, (-0.0, 0.0), (-INF, INF)),
    "floor": Truth(mpmath.floor, (-INF, INF), ODD, bound=0.0),
    "ceil": Truth(mpmath.ceil, (-INF, INF), ODD, bound=0.0),
    "trunc": Truth(_trunc, (-INF, INF), ODD, bound=0.0),
    "round": Truth(_round, (-INF, INF), ODD, bound=0.0),
    "round_away": Truth(_round_away, (-INF, INF), ODD, bound=0.0),
    "relu": Truth(lambda x: max(x, 0), (0.0, INF), (None, 0.0)),
    "leaky_relu": Truth(lambda x: x if x >= 0 else x * mpmath.mpf(0.01), (-INF, INF), ODD),
    "sqrt": Truth(mpmath.sqrt, (NAN, INF), ODD, (0.0, 8.0)),
    "rsqrt": Truth(lambda x: 1 / mpmath.sqrt(x), (NAN, 0.0), (-INF, INF), (0.0, 8.0)),
    "cbrt": Truth(_cbrt, (-INF, INF), ODD),
    "exp": Truth(mpmath.exp, (0.0, INF), focus=(-110.0, 90.0)),
    "exp2": Truth(lambda x: mpmath.mpf(2) ** x, (0.0, INF), focus=(-152.0, 130.0)),
    "expm1": Truth(mpmath.expm1, (-1.0, INF), ODD, (-20.0, 20.0)),
    "log": Truth(mpmath.log, (NAN, INF), (-INF, -INF), (0.0, 4.0)),
    "log2": Truth(lambda x: mpmath.log(x) / mpmath.log(2), (NAN, INF), (-INF, -INF), (0.0, 4.0)),
    "log10": Truth(lambda x: mpmath.log(x) / mpmath.log(10), (NAN, INF), (-INF, -INF), (0.0, 4.0)),
    "log1p": Truth(mpmath.log1p, (NAN, INF), ODD, (-1.0, 4.0)),
    "sin": Truth(mpmath.sin, (NAN, NAN), ODD, (-20.0, 20.0), bound=8.0, reach=24.0),
    "cos": Truth(mpmath.cos, (NAN, NAN), focus=(-20.0, 20.0), bound=8.0, reach=24.0),
    "tan": Truth(mpmath.tan, (NAN, NAN), ODD, (-20.0, 20.0), bound=8.0, reach=24.0),
    "asin": Truth(mpmath.asin, (NAN, NAN), ODD, (-1.0, 1.0), domain=(-1, 1)),
    "acos": Truth(mpmath.acos, (NAN, NAN), None, (-1.0, 1.0), domain=(-1, 1)),
    "atan": Truth(mpmath.atan, (-math.pi / 2, math.pi / 2), ODD),
    "sinh": Truth(mpmath.sinh, (-INF, INF), ODD, (-90.0, 90.0)),
    "cosh": Truth(mpmath.cosh, (INF, INF), focus=(-90.0, 90.0)),
    "tanh": Truth(mpmath.tanh, (-1.0, 1.0), ODD),
    "asinh": Truth(mpmath.asinh, (-INF, INF), ODD),
    "acosh": Truth(mpmath.acosh, (NAN, INF), None, (1.0, 8.0), domain=(1, INF)),
    "atanh": Truth(mpmath.atanh, (NAN, NAN), ODD, (-1.0, 1.0), domain=(-1, 1)),
    "erf": Truth(mpmath.erf, (-1.0, 1.0), ODD, (-6.0, 6.0)),
    "erfc": Truth(_erfc, (2.0, 0.0), focus=(-6.0, 10.0)),
    "erf_inv": Truth(_erf_inv, (NAN, NAN), ODD, (-1.0, 1.0), domain=(-1, 1)),
    "lgamma": Truth(_lgamma, (INF, INF), (INF, INF), (-6.0, 12.0), 8.0),
    "digamma": Truth(_digamma, (NAN, INF), (INF, -INF), (-6.0, 12.0), 8.0),
    "sigmoid": Truth(_sigmoid, (0.0, 1.0), focus=(-20.0, 20.0)),
    "silu": Truth(lambda x: x * _sigmoid(x), (None, INF), ODD, (-20.0, 20.0)),
    "softplus": Truth(_softplus, (0.0, INF), focus=(-20.0, 20.0)),
    "log_sigmoid": Truth(lambda x: -_softplus(-x), (-INF, -0.0), focus=(-20.0, 20.0)),
    "elu": Truth(_elu, (-1.0, INF), ODD),
    "celu": Truth(_elu, (-1.0, INF), ODD),
    "selu": Truth(
        lambda x: (
            mpmath.mpf("1.0507009873554804934")
            * (x if x > 0 else mpmath.mpf("1.6732632423543772848") * mpmath.expm1(x))
        ),
        (-1.7580993408473768, INF),
        ODD,
    ),
    "gelu": Truth(_gelu, (None, INF), ODD),
    "gelu_approx": Truth(_gelu_approx, (None, INF), ODD),
    "quick_gelu": Truth(lambda x: x * _sigmoid(mpmath.mpf("1.702") * x), (None, INF), ODD, (-20.0, 20.0)),
    "mish": Truth(lambda x: x * mpmath.tanh(_softplus(x)), (None, INF), ODD, (-20.0, 20.0)),
    "softsign": Truth(lambda x: x / (1 + abs(x)), (None, None), ODD),
    "hard_sigmoid": Truth(lambda x: _clamp(x / 6 + mpmath.mpf(0.5), 0, 1), (0.0, 1.0)),
    "hard_swish": Truth(lambda x: x * _clamp(x + 3, 0, 6) / 6, (None, INF), ODD),
}  # fmt: skip
BINARY: Mapping[str, PairTruth] = {
    "pow": PairTruth(mpmath.power, np.power, (0.0, 4.0), bound=8.0),
    "atan2": PairTruth(mpmath.atan2, np.arctan2),
    "mod": PairTruth(_mod, np.fmod, bound=0.0),
}
TRUTHS: Mapping[str, Truth | PairTruth] = {**UNARY, **BINARY}
