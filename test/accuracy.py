"""
What functions of one or two numbers are exactly, by mpmath; samples to judge them on; and errors in units of the last place.

Numbers of every float type are held in f64 arrays, in which those of f16, bf16 and f32 have a place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

mpmath: Any = import_module("mpmath")
"""It has no types."""

Array: TypeAlias = NDArray[np.float64]
Real: TypeAlias = Any
"""A number of mpmath, which has no types."""

FARTHEST = 10**5
"""Exponents of truths end here, beyond those of any type."""

BITS = 200
"""The digits of the truth; functions that cancel ask for more themselves."""


@dataclass(frozen=True)
class Type:
    """A float type: the digits of its significand and the exponent of its largest and its smallest normal number."""

    digits: int
    highest: int
    lowest: int

    @property
    def largest(self) -> float:
        return math.ldexp(2 - 2.0 ** (1 - self.digits), self.highest)

    @property
    def smallest(self) -> float:
        """The smallest denormal number."""
        return math.ldexp(1.0, self.lowest - self.digits + 1)


TYPES = {"f16": Type(11, 15, -14), "bf16": Type(8, 127, -126), "f32": Type(24, 127, -126), "f64": Type(53, 1023, -1022)}


def rounded(x: Array, dtype: str) -> Array:
    """The numbers of a type nearest to those of f64, the even one of two."""
    form = TYPES[dtype]
    with np.errstate(all="ignore"):
        if dtype == "f64":
            return x
        if dtype != "bf16":
            return x.astype(dtype.replace("f", "float")).astype(np.float64)
        _, exponent = np.frexp(x)
        place = np.maximum(exponent, form.lowest + 1) - form.digits
        y = np.ldexp(np.rint(np.ldexp(x, -place)), place)
        y = np.where(np.isfinite(x) & (x != 0), y, x)
        return np.where(np.abs(y) > form.largest, np.copysign(np.inf, y), y)


@dataclass(frozen=True)
class Truth:
    """
    A function: its value by mpmath at finite numbers where it is real, and what C says of the rest.

    `ends` are the values at minus infinity and infinity, `zeros` those at -0 and 0 if they need a word, None where nobody says. `focus` is
    where most samples lie; `bound` is the largest error allowed in f32 and f64.
    """

    value: Callable[[Real], Real]
    ends: tuple[float | None, float | None] = (math.nan, math.nan)
    zeros: tuple[float | None, float] | None = None
    focus: tuple[float, float] = (-8.0, 8.0)
    bound: float = 4.0
    domain: tuple[float, float] = (-math.inf, math.inf)


@dataclass(frozen=True)
class PairTruth:
    """A function of two numbers: by mpmath, and by the C library that NumPy calls for infinities, zeros and NaN, and negative bases."""

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
    "sin": Truth(mpmath.sin, (NAN, NAN), ODD, (-20.0, 20.0), 8.0),
    "cos": Truth(mpmath.cos, (NAN, NAN), focus=(-20.0, 20.0), bound=8.0),
    "tan": Truth(mpmath.tan, (NAN, NAN), ODD, (-20.0, 20.0), 8.0),
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
        lambda x: (x if x > 0 else mpmath.mpf("1.6732632423543772848") * mpmath.expm1(x)) * mpmath.mpf("1.0507009873554804934"),
        (-1.7580993408473768, INF),
        ODD,
    ),
    "gelu": Truth(_gelu, (None, INF), ODD),
    "gelu_approx": Truth(_gelu_approx, (None, INF), ODD),
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


def _at(truth: Truth, x: float) -> Real:
    """The value at one number: a float where it is not finite or zero, else one of mpmath."""
    if math.isnan(x):
        return NAN
    if math.isinf(x):
        return truth.ends[x > 0]
    if x == 0 and truth.zeros is not None:
        return truth.zeros[math.copysign(1.0, x) > 0]
    if not truth.domain[0] <= x <= truth.domain[1]:
        return NAN
    try:
        y = truth.value(mpmath.mpf(x))
    except (ValueError, ZeroDivisionError):  # A pole.
        return NAN
    if isinstance(y, mpmath.mpc):
        return NAN if y.imag else y.real
    return math.copysign(0.0, x) if y == 0 and truth.zeros is ODD else y


def _at_two(truth: PairTruth, a: float, b: float) -> Real:
    regular = math.isfinite(a) and math.isfinite(b) and a != 0 and b != 0
    if not regular or (truth.c is np.power and a < 0):
        with np.errstate(all="ignore"):
            return float(truth.c(np.float64(a), np.float64(b)))
    return truth.value(mpmath.mpf(a), mpmath.mpf(b))


@dataclass(frozen=True)
class Exact:
    """Values as `(high + low) 2^exponent` with `high` in [1/2, 1); zeros, infinities and NaN stay as they are, and so does what nobody judges."""

    high: Array
    low: Array
    exponent: NDArray[np.int64]
    judged: NDArray[np.bool_]
    place: NDArray[np.int64]
    """The least exponent that counts for the unit of the last place."""


def exact(name: str, *operands: Array) -> Exact:
    """The values of a function at numbers of f64."""
    with mpmath.mp.workprec(BITS):
        if name in UNARY:
            values = [_at(UNARY[name], float(x)) for x in operands[0]]
        else:
            values = [_at_two(BINARY[name], float(a), float(b)) for a, b in zip(*operands)]
        parts = [_parts(value) for value in values]
    high, low, exponent = zip(*parts)
    judged = np.array([value is not None for value in values])
    place = np.full(len(judged), -FARTHEST)
    if name in ("lgamma", "digamma"):
        place = np.array([_place(UNARY[name], float(x)) if x < 0 else -FARTHEST for x in operands[0]])
    return Exact(np.array(high), np.array(low), np.array(exponent), judged, place)


def _place(truth: Truth, x: float) -> int:
    """Below 0 the gamma family is a difference of its value at `|x|` and another: the digits of that are kept, and those of 1."""
    value = _at(truth, abs(x))
    return max(_parts(value)[2] - 1, 0) if mpmath.isfinite(value) else 0


def _parts(value: Real) -> tuple[float, float, int]:
    if value is None or value == 0 or not mpmath.isfinite(value):
        return (NAN if value is None else float(value)), 0.0, 0
    fraction, exponent = mpmath.frexp(mpmath.mpf(value))
    high = float(fraction)
    return high, float(fraction - high), max(min(exponent, FARTHEST), -FARTHEST)


def ulp_errors(dtype: str, got: Array, true: Exact) -> Array:
    """
    By how many units of the last place each of `got` differs; infinite where a NaN, an infinity or the sign is another.

    An infinity counts as the number after the largest one, so that a sum that rounds up to it is not wrong.
    """
    form = TYPES[dtype]
    finite = np.isfinite(true.high) & (true.high != 0)
    beyond = finite & (true.exponent > form.highest + 1)
    high = np.where(beyond, np.copysign(1.0, true.high), true.high)
    low, exponent = np.where(beyond, 0.0, true.low), np.where(beyond, form.highest + 1, true.exponent)
    with np.errstate(all="ignore"):
        reached = np.where(
            np.isinf(got), np.copysign(np.ldexp(1.0, form.highest + 1 - exponent), got), np.ldexp(got, -exponent)
        )
        place = np.clip(np.maximum(exponent - 1, true.place), form.lowest, form.highest) - form.digits + 1 - exponent
        errors = np.ldexp(np.abs((reached - high) - low), -place)
    same_sign = (np.signbit(reached) == np.signbit(high)) | (true.place >= 0)
    errors = np.where(np.isnan(errors) | ~same_sign, INF, errors)
    same = (np.isnan(got) & np.isnan(true.high)) | ((got == true.high) & (np.signbit(got) == np.signbit(true.high)))
    return np.where(true.judged, np.where(finite, errors, np.where(same, 0.0, INF)), 0.0)


def ulp_error(name: str, dtype: str, operands: tuple[Array, ...], got: Array) -> float:
    """The largest error of `got`, the results of function `name` at numbers of `dtype`, in units of the last place."""
    return float(np.max(ulp_errors(dtype, got, truth_of(name, operands)), initial=0.0))


_KNOWN: dict[tuple[str, tuple[bytes, ...]], Exact] = {}


def truth_of(name: str, operands: tuple[Array, ...]) -> Exact:
    """`exact`, computed once for the same operands."""
    key = (name, tuple(x.tobytes() for x in operands))
    if key not in _KNOWN:
        _KNOWN[key] = exact(name, *operands)
    return _KNOWN[key]


LARGE_ANGLES = (
    4096.0,
    32767.0,
    131071.0,
    1e8,
    3e38,
    1e22,
    1e300,
    1e308,
    math.ldexp(6381956970095103, 797),
    math.ldexp(16367173, 72),
)
SPECIALS = (
    0.0,
    1.0,
    0.5,
    1.5,
    2.0,
    2.5,
    3.0,
    3.5,
    10.0,
    88.5,
    89.0,
    710.0,
    1e-3,
    1e-5,
    0.625,
    1e20,
    1e19,
    0.9999,
    1 + 1e-6,
    7.75,
    8.0,
    8.25,
)


def special_values(dtype: str) -> Array:
    """Both zeros, infinities, NaN, denormal numbers, largest and smallest, halves between whole numbers, large angles; of either sign."""
    form = TYPES[dtype]
    unit = 2.0 ** (form.digits - 1)
    normal = math.ldexp(1.0, form.lowest)
    edges = (
        form.smallest,
        3 * form.smallest,
        normal - form.smallest,
        normal,
        form.largest,
        form.largest / 2,
        1 + 1 / unit,
        1 - 0.5 / unit,
    )
    halves = (unit - 0.5, unit / 2 - 0.5, unit / 2 + 0.5, unit - 1, unit, unit + 1, 0.5 - 0.25 / unit)
    sizes = np.array([*SPECIALS, *LARGE_ANGLES, *edges, *halves, INF])
    kept = np.unique(rounded(sizes[(sizes <= form.largest) | np.isinf(sizes)], dtype))
    return np.concatenate([kept, -kept, [NAN]])


@cache
def samples(name: str, dtype: str, count: int = 250) -> tuple[Array, ...]:
    """Operands to judge a function on: special values, numbers of all magnitudes, and as many where the function bends; the same each time."""
    truth = TRUTHS[name]
    form = TYPES[dtype]
    random = np.random.default_rng(list(map(ord, name)))
    specials = special_values(dtype)
    focus = (max(truth.focus[0], -form.largest), min(truth.focus[1], form.largest))

    def dense(scale: float) -> Array:
        sizes = np.exp2(random.uniform(form.lowest - form.digits + 2, form.highest, count))
        wide = sizes * random.choice([-1.0, 1.0], count)
        middle = np.exp2(random.uniform(-8, 8, count)) * random.choice([-1.0, 1.0], count)
        near = random.uniform(*focus, count) * scale
        return rounded(np.concatenate([wide, middle, near, random.uniform(*focus, count)]), dtype)

    # The exponents of f64 reach eight times as far as those of f32.
    scale = 8.0 if dtype == "f64" and focus[1] > 50 else 1.0
    if isinstance(truth, Truth):
        return (np.concatenate([specials, dense(scale)]),)
    first, second = np.meshgrid(specials[::4], specials[1::4])
    both = np.meshgrid(
        [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, INF, -INF, NAN],
        [0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -0.5, INF, -INF, NAN],
    )
    a, b = dense(1.0), random.permutation(dense(1.0))
    if name == "pow":
        # Exponents that bring the result anywhere in the range.
        with np.errstate(all="ignore"):
            wanted = random.uniform(form.lowest - form.digits, form.highest + 1, len(a))
            b = rounded(np.where(random.random(len(a)) < 0.7, wanted / np.log2(np.abs(a)), b), dtype)
    return tuple(np.concatenate([x.ravel(), y.ravel(), z]) for x, y, z in ((first, both[0], a), (second, both[1], b)))
