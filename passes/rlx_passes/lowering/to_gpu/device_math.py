"""
The math functions that no GPU has as one instruction, written out in f32 arithmetic.

One definition serves every target, so that CUDA, ROCm, Vulkan and Metal give the same values, and no vendor's math library
is needed. Written against `Machine`: `inline_math.py` emits MLIR ops, and the accuracy test runs the same text on NumPy.
What a machine must have itself: `+ - * /`, fma, sqrt, floor, roundeven, abs, copysign, conversions, bit casts.

Method: argument reduction in two or three parts, then a short polynomial (the single-precision Cephes coefficients, public
since 1984). NaN goes through, infinities and signed zeros are as in C. Errors in units of the last place, measured by
test/unit/codegen/test_device_math.py, stand there as the bounds it checks.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

Num = Any
"""A float, integer or truth value of a machine; the Python operators on it emit or compute."""


class Machine(Protocol):
    """What the functions here are made of, beside the operators of the values. Integers have 32 bits."""

    def fma(self, a: Num, b: Num, c: Num) -> Num:
        """`a * b + c`, rounded once."""
        ...

    def sqrt(self, x: Num) -> Num:
        """Square root."""
        ...

    def floor(self, x: Num) -> Num:
        """Round down."""
        ...

    def roundeven(self, x: Num) -> Num:
        """Round to nearest, ties to even."""
        ...

    def abs(self, x: Num) -> Num:
        """Magnitude of a float."""
        ...

    def copysign(self, x: Num, sign: Num) -> Num:
        """The magnitude of `x` with the sign of `sign`."""
        ...

    def where(self, condition: Num, a: Num, b: Num) -> Num:
        """`a` where `condition` holds, else `b`; both were computed."""
        ...

    def to_int(self, x: Num) -> Num:
        """The integer a float holds."""
        ...

    def to_float(self, i: Num) -> Num:
        """An integer as a float."""
        ...

    def bits(self, x: Num) -> Num:
        """The bits of a float as an integer."""
        ...

    def from_bits(self, i: Num) -> Num:
        """The float with these bits."""
        ...

    def like(self, x: Num, value: float) -> Num:
        """The float constant `value`."""
        ...


LN2_HI, LN2_LO = 0.693359375, -2.12194440e-4
LOG2_E, LN_2, LN_10 = 1.4426950408889634, 0.6931471805599453, 2.302585092994046
PI, PI_2, PI_4 = 3.141592653589793, 1.5707963267948966, 0.7853981633974483
PI_2_PARTS = (1.5703125, 4.837512969970703125e-4, 7.54978994876864e-8)
"""pi/2 in parts of few bits: products with whole numbers below 8192 are exact, where a shader's fma rounds twice too."""
SMALLEST_NORMAL = 1.1754943508222875e-38

EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
LOG = (
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
TANH = (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
SINH = (2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1)
SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
ATAN = (8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1)
ASIN = (4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1)
ERF = (
    7.853861353153693e-5,
    -8.010193625184903e-4,
    5.188327685732524e-3,
    -2.685381193529856e-2,
    1.128358514861418e-1,
    -3.761262582423300e-1,
    1.128379165726710e0,
)
ERFC_NEAR = (
    2.326819970068386e-2,
    -1.387039388740657e-1,
    3.687424674597105e-1,
    -5.824733027278666e-1,
    6.210004621745983e-1,
    -4.944515323274145e-1,
    3.404879937665872e-1,
    -2.741127028184656e-1,
    5.638259427386472e-1,
)
ERFC_FAR = (
    -1.047766399936249e1,
    1.297719955372516e1,
    -7.495518717768503e0,
    2.921019019210786e0,
    -1.015265279202700e0,
    4.218463358204948e-1,
    -2.820767439740514e-1,
    5.641895067754075e-1,
)


def _polynomial(m: Machine, x: Num, coefficients: Sequence[float]) -> Num:
    """`c[0] * x**n + ... + c[n]` by Horner's rule."""
    value = m.like(x, coefficients[0])
    for c in coefficients[1:]:
        value = m.fma(value, x, m.like(x, c))
    return value


def _inf(m: Machine, x: Num) -> Num:
    return m.like(x, math.inf)


def _nan(m: Machine, x: Num) -> Num:
    return m.like(x, math.nan)


def is_nan(m: Machine, x: Num) -> Num:
    """Whether `x` is NaN, by its bits: shader compilers may take `x != x` for false."""
    return (m.bits(x) & 0x7FFFFFFF) > 0x7F800000


def _clamp(m: Machine, x: Num, low: float, high: float) -> Num:
    """`x` within bounds; NaN becomes `low`, so that conversions to integers stay defined."""
    x = m.where(x > low, x, m.like(x, low))
    return m.where(x < high, x, m.like(x, high))


def _power_of_two(m: Machine, n: Num) -> Num:
    """`2**n` for `-127 < n < 128`."""
    return m.from_bits((n + 127) << 23)


def _scale(m: Machine, x: Num, n: Num) -> Num:
    """`x * 2**n` for `-252 < n < 254`, in two steps so that neither factor leaves the range."""
    half = n >> 1
    return x * _power_of_two(m, half) * _power_of_two(m, n - half)


def _exp_parts(m: Machine, x: Num) -> tuple[Num, Num]:
    """`n` and `e` with `exp(x) = 2**n * (1 + e)`, for a finite `x` in range."""
    n = m.roundeven(x * LOG2_E)
    r = m.fma(n, m.like(x, -LN2_HI), x)
    r = m.fma(n, m.like(x, -LN2_LO), r)
    return m.to_int(n), m.fma(_polynomial(m, r, EXP), r * r, r)


def exp(m: Machine, x: Num) -> Num:
    """e to the `x`."""
    n, e = _exp_parts(m, _clamp(m, x, -104.0, 89.0))
    return m.where(is_nan(m, x), x, _scale(m, e + 1.0, n))


def exp2(m: Machine, x: Num) -> Num:
    """2 to the `x`."""
    inside = _clamp(m, x, -151.0, 129.0)
    n = m.roundeven(inside)
    r = (inside - n) * LN_2
    y = m.fma(_polynomial(m, r, EXP), r * r, r) + 1.0
    return m.where(is_nan(m, x), x, _scale(m, y, m.to_int(n)))


def expm1(m: Machine, x: Num) -> Num:
    """exp(x) - 1 without loss near 0."""
    inside = _clamp(m, x, -40.0, 60.0)
    n, e = _exp_parts(m, inside)
    t = _power_of_two(m, n)
    y = m.where(x > 60.0, exp(m, x), m.fma(t, e, t - 1.0))
    return m.where(is_nan(m, x) | (x == 0.0), x, y)


def log(m: Machine, x: Num) -> Num:
    """Natural logarithm."""
    tiny = x < SMALLEST_NORMAL
    scaled = m.where(tiny, x * 8388608.0, x)
    bits = m.bits(scaled)
    e = m.to_float(((bits >> 23) & 255) - 126) - m.where(tiny, m.like(x, 23.0), m.like(x, 0.0))
    f = m.from_bits((bits & 0x007FFFFF) | 0x3F000000)
    low = f < 0.70710678118654752
    e = m.where(low, e - 1.0, e)
    f = m.where(low, f + f, f) - 1.0
    z = f * f
    y = f * z * _polynomial(m, f, LOG)
    y = m.fma(e, m.like(x, LN2_LO), y)
    y = m.fma(z, m.like(x, -0.5), y)
    y = m.fma(e, m.like(x, LN2_HI), f + y)
    inf = _inf(m, x)
    y = m.where(x < inf, y, x)
    y = m.where(x == 0.0, -inf, y)
    return m.where(x < 0.0, _nan(m, x), y)


def log2(m: Machine, x: Num) -> Num:
    """Logarithm to base 2."""
    return log(m, x) * LOG2_E


def log10(m: Machine, x: Num) -> Num:
    """Logarithm to base 10."""
    return log(m, x) * (1.0 / LN_10)


def log1p(m: Machine, x: Num) -> Num:
    """log(1 + x) without loss near 0."""
    z = x * x
    near = m.fma(z, m.like(x, -0.5), x * z * _polynomial(m, x, LOG)) + x
    y = m.where((x > -0.2929) & (x < 0.4142), near, log(m, x + 1.0))
    return m.where(x == 0.0, x, y)


def tanh(m: Machine, x: Num) -> Num:
    """Hyperbolic tangent."""
    a = m.abs(x)
    z = x * x
    near = m.fma(_polynomial(m, z, TANH) * z, x, x)
    far = 1.0 - 2.0 / (exp(m, a + a) + 1.0)
    return m.where(x == 0.0, x, m.where(a < 0.625, near, m.copysign(far, x)))


def sinh(m: Machine, x: Num) -> Num:
    """Hyperbolic sine."""
    a = m.abs(x)
    z = x * x
    near = m.fma(_polynomial(m, z, SINH) * z, x, x)
    half = exp(m, a * 0.5)
    far = half * 0.5 * half - 0.5 / half / half
    return m.where(a < 1.0, near, m.copysign(far, x))


def cosh(m: Machine, x: Num) -> Num:
    """Hyperbolic cosine."""
    half = exp(m, m.abs(x) * 0.5)
    return half * 0.5 * half + 0.5 / half / half


def erfc(m: Machine, x: Num) -> Num:
    """1 - erf(x) without loss for large x."""
    a = m.abs(x)
    safe = m.where(a < 1.0, m.like(x, 1.0), _clamp(m, a, 1.0, 11.0))
    square = safe * safe
    rest = m.fma(safe, safe, -square)
    gauss = exp(m, -square) * (1.0 - rest)
    q = 1.0 / safe
    y = q * q
    p = m.where(safe < 2.0, _polynomial(m, y, ERFC_NEAR), _polynomial(m, y, ERFC_FAR))
    tail = gauss * q * p
    far = m.where(x < 0.0, 2.0 - tail, tail)
    near = 1.0 - x * _polynomial(m, x * x, ERF)
    y = m.where(a < 1.0, near, far)
    return m.where(is_nan(m, x), x, y)


def erf(m: Machine, x: Num) -> Num:
    """The error function."""
    a = m.abs(x)
    near = x * _polynomial(m, x * x, ERF)
    far = m.copysign(1.0 - erfc(m, a), x)
    return m.where(is_nan(m, x), x, m.where(a < 1.0, near, far))


def _quadrant(m: Machine, x: Num) -> tuple[Num, Num]:
    """The quadrant of angle `x`, and the rest within +-pi/4; good for |x| up to about 1e4."""
    n = m.roundeven(x * (1.0 / PI_2))
    r = x
    for part in PI_2_PARTS:
        r = m.fma(n, m.like(x, -part), r)
    return m.to_int(_clamp(m, n - 4.0 * m.floor(n * 0.25), 0.0, 3.0)), r


def _sine(m: Machine, r: Num) -> Num:
    z = r * r
    return m.fma(_polynomial(m, z, SIN) * z, r, r)


def _cosine(m: Machine, r: Num) -> Num:
    z = r * r
    return m.fma(_polynomial(m, z, COS), z * z, m.fma(z, m.like(r, -0.5), m.like(r, 1.0)))


def sin(m: Machine, x: Num) -> Num:
    """Sine."""
    quadrant, r = _quadrant(m, x)
    y = m.where((quadrant & 1) == 0, _sine(m, r), _cosine(m, r))
    return m.where(x == 0.0, x, m.where((quadrant & 2) == 0, y, -y))


def cos(m: Machine, x: Num) -> Num:
    """Cosine."""
    quadrant, r = _quadrant(m, x)
    y = m.where((quadrant & 1) == 0, _cosine(m, r), _sine(m, r))
    return m.where(((quadrant + 1) & 2) == 0, y, -y)


def tan(m: Machine, x: Num) -> Num:
    """Tangent."""
    quadrant, r = _quadrant(m, x)
    s, c = _sine(m, r), _cosine(m, r)
    return m.where(x == 0.0, x, m.where((quadrant & 1) == 0, s / c, -c / s))


def atan(m: Machine, x: Num) -> Num:
    """Arc tangent."""
    a = m.abs(x)
    large, middle = a > 2.414213562373095, a > 0.4142135623730950
    safe = m.where(large, a, m.like(x, 1.0))
    t = m.where(large, -1.0 / safe, m.where(middle, (a - 1.0) / (a + 1.0), a))
    base = m.where(large, m.like(x, PI_2), m.where(middle, m.like(x, PI_4), m.like(x, 0.0)))
    z = t * t
    y = base + m.fma(_polynomial(m, z, ATAN) * z, t, t)
    return m.where(is_nan(m, x), x, m.copysign(y, x))


def atan2(m: Machine, y: Num, x: Num) -> Num:
    """The angle of the point (x, y)."""
    inf = _inf(m, x)
    ax, ay = m.abs(x), m.abs(y)
    both = (ax == inf) & (ay == inf)
    ratio = m.where(both, m.like(x, 1.0), ay / m.where(ax == 0.0, m.like(x, 1.0), ax))
    angle = m.where(ax == 0.0, m.where(ay == 0.0, m.like(x, 0.0), m.like(x, PI_2)), atan(m, ratio))
    left = m.copysign(m.like(x, 1.0), x) < 0.0
    angle = m.copysign(m.where(left, PI - angle, angle), y)
    return m.where(is_nan(m, x) | is_nan(m, y), x + y, angle)


def asin(m: Machine, x: Num) -> Num:
    """Arc sine."""
    a = m.abs(x)
    outer = a > 0.5
    z = m.where(outer, 0.5 * (1.0 - a), a * a)
    t = m.where(outer, m.sqrt(z), a)
    y = m.fma(_polynomial(m, z, ASIN) * z, t, t)
    return m.copysign(m.where(outer, PI_2 - (y + y), y), x)


def acos(m: Machine, x: Num) -> Num:
    """Arc cosine."""
    t = 2.0 * asin(m, m.sqrt(0.5 * (1.0 - m.abs(x))))
    return m.where(m.abs(x) > 0.5, m.where(x > 0.0, t, PI - t), PI_2 - asin(m, x))


def asinh(m: Machine, x: Num) -> Num:
    """Inverse hyperbolic sine."""
    a = m.abs(x)
    square = a * a
    near = log1p(m, a + square / (1.0 + m.sqrt(square + 1.0)))
    return m.copysign(m.where(a < 1e9, near, log(m, a) + LN_2), x)


def acosh(m: Machine, x: Num) -> Num:
    """Inverse hyperbolic cosine."""
    t = x - 1.0
    y = m.where(x < 1e9, log1p(m, t + m.sqrt(t * (x + 1.0))), log(m, x) + LN_2)
    return m.where(x < 1.0, _nan(m, x), y)


def atanh(m: Machine, x: Num) -> Num:
    """Inverse hyperbolic tangent."""
    a = m.abs(x)
    return m.copysign(0.5 * log1p(m, (a + a) / (1.0 - a)), x)


def rsqrt(m: Machine, x: Num) -> Num:
    """1 / sqrt(x)."""
    return 1.0 / m.sqrt(x)


def cbrt(m: Machine, x: Num) -> Num:
    """Cube root."""
    a = m.abs(x)
    y = exp(m, log(m, a) * (1.0 / 3.0))
    regular = (a > 0.0) & (a < _inf(m, x))
    safe = m.where(regular, y, m.like(x, 1.0))
    y = safe - (safe - a / (safe * safe)) * (1.0 / 3.0)
    return m.where(regular, m.copysign(y, x), x)


def trunc(m: Machine, x: Num) -> Num:
    """Round toward zero."""
    return m.copysign(m.floor(m.abs(x)), x)


def round_half_away(m: Machine, x: Num) -> Num:
    """Round to nearest, ties away from 0."""
    t = trunc(m, x)
    away = m.abs(x - t) >= 0.5
    return m.copysign(m.where(away, t + m.copysign(m.like(x, 1.0), x), t), x)


def powf(m: Machine, x: Num, y: Num) -> Num:
    """`x` to the `y`; a negative `x` takes whole `y` only. Exact for squares, about |y log x| ulp elsewhere."""
    size = exp(m, y * log(m, m.abs(x)))
    whole = m.floor(y) == y
    half = y * 0.5
    odd = whole & (m.floor(half) != half)
    negative = m.copysign(m.like(x, 1.0), x) < 0.0
    value = m.where(negative & odd, -size, size)
    value = m.where((x < 0.0) & (x != -_inf(m, x)) & (m.floor(y) != y), _nan(m, x), value)
    value = m.where(y == 2.0, x * x, value)
    value = m.where(y == 1.0, x, value)
    one = m.like(x, 1.0)
    value = m.where((x == -1.0) & (m.abs(y) == _inf(m, x)), one, value)
    return m.where((x == 1.0) | (y == 0.0), one, value)


FUNCTIONS: Mapping[str, Callable[..., Num]] = {
    "math.acos": acos,
    "math.acosh": acosh,
    "math.asin": asin,
    "math.asinh": asinh,
    "math.atan": atan,
    "math.atan2": atan2,
    "math.atanh": atanh,
    "math.cbrt": cbrt,
    "math.cos": cos,
    "math.cosh": cosh,
    "math.erf": erf,
    "math.erfc": erfc,
    "math.exp": exp,
    "math.exp2": exp2,
    "math.expm1": expm1,
    "math.log": log,
    "math.log10": log10,
    "math.log1p": log1p,
    "math.log2": log2,
    "math.powf": powf,
    "math.round": round_half_away,
    "math.rsqrt": rsqrt,
    "math.sin": sin,
    "math.sinh": sinh,
    "math.tan": tan,
    "math.tanh": tanh,
    "math.trunc": trunc,
}
"""Every op that is written out, by name."""
