"""
Samples to judge functions on, and errors of results in units of the last place.

Numbers of every float type are held in f64 arrays, in which those of f16, bf16 and f32 have a place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from numpy_machine import NumPyMachine
from truths import BINARY, FARTHEST, INF, NAN, ODD, TRUTHS, UNARY, PairTruth, Real, Truth, mpmath

from rlx_dialect.formulas import F64, apply

Array: TypeAlias = NDArray[np.float64]
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
    """Values as `(high + low) 2^exponent`, `high` in [1/2, 1); zeros, infinities, NaN and what nobody judges stay."""

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
    """Below 0 the gamma family is the difference of its value at `|x|` and another: digits of all three are kept."""
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
    """Both zeros, infinities, NaN, denormal numbers, largest and smallest, halves, large angles; of either sign."""
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
    """Operands to judge a function on: specials, all magnitudes, and as many where it bends; the same each time."""
    drawn, specials = random_samples(name, dtype, count), special_values(dtype)
    if isinstance(TRUTHS[name], Truth):
        return (np.concatenate([specials, *drawn]),)
    first, second = np.meshgrid(specials[::4], specials[1::4])
    both = np.meshgrid(
        [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, INF, -INF, NAN],
        [0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -0.5, INF, -INF, NAN],
    )
    grids = ((first, both[0]), (second, both[1]))
    return tuple(np.concatenate([x.ravel(), y.ravel(), z]) for (x, y), z in zip(grids, drawn))


@cache
def random_samples(name: str, dtype: str, count: int) -> tuple[Array, ...]:
    """Four times `count` numbers of all magnitudes and where the function bends; the same each time."""
    truth = TRUTHS[name]
    form = TYPES[dtype]
    random = np.random.default_rng(list(map(ord, name)))
    focus = (max(truth.focus[0], -form.largest), min(truth.focus[1], form.largest))
    reach = truth.reach if isinstance(truth, Truth) else 8.0

    def dense(scale: float) -> Array:
        sizes = np.exp2(random.uniform(form.lowest - form.digits + 2, form.highest, count))
        wide = sizes * random.choice([-1.0, 1.0], count)
        middle = np.exp2(random.uniform(-8, min(reach, form.highest), count)) * random.choice([-1.0, 1.0], count)
        near = random.uniform(*focus, count) * scale
        return rounded(np.concatenate([wide, middle, near, random.uniform(*focus, count)]), dtype)

    # The exponents of f64 reach eight times as far as those of f32.
    scale = 8.0 if dtype == "f64" and focus[1] > 50 else 1.0
    if isinstance(truth, Truth):
        return (dense(scale),)
    a, b = dense(1.0), random.permutation(dense(1.0))
    if name == "pow":
        # Exponents that bring the result anywhere in the range.
        with np.errstate(all="ignore"):
            wanted = random.uniform(form.lowest - form.digits, form.highest + 1, len(a))
            b = rounded(np.where(random.random(len(a)) < 0.7, wanted / np.log2(np.abs(a)), b), dtype)
    return a, b


def estimate(name: str, *operands: Array) -> Exact:
    """`exact` by the formula in f64, good enough to tell which results are worth a judgement."""
    machine = NumPyMachine(F64, fused=False)
    value = apply(name, machine, *operands)
    high, exponent = np.frexp(value)
    place = np.full(len(value), -FARTHEST)
    if name in ("lgamma", "digamma"):
        size = apply(name, machine, np.abs(operands[0]))
        place = np.where((operands[0] < 0) & np.isfinite(size), np.maximum(np.frexp(size)[1] - 1, 0), place)
    return Exact(high, np.zeros(len(value)), exponent.astype(np.int64), np.full(len(value), True), place)
