"""
Functions that the math dialect lacks, or that not every route can lower: erf and erfc, and the f64 forms of tanh and of the
trigonometric functions, for which CPU code generators leave a call to a C library that is not there.

Each is a polynomial on a bounded interval and an exact reduction to it. The polynomials are truncated Chebyshev series, written out in
powers of a variable that runs over [-1, 1], where both forms are equally well conditioned; the truncation error is below half a unit of the
type. `test/unit/lowering/test_special.py` measures each against the C library.
"""

import math as reals
from collections.abc import Sequence

from xdsl.dialects import math
from xdsl.dialects.builtin import i1

from rlx_passes.lowering.to_linalg.scalars import Scalar, bits

# erfc(z) * e^(z^2) / t for t = 2 / (2 + z), in 2t - 1, over all z >= 0.
_ERFC_F32 = (
    0.5107913569159452,
    0.34358031871096484,
    0.13973573352192914,
    0.018221669428387856,
    -0.010751626186584588,
    -0.0032434519180997083,
    0.001529157160763692,
    0.00043067048843585943,
    -0.0002993827120715645,
    -3.6601876943794854e-05,
    4.2161197196387805e-05,
)
_ERFC_F64 = (
    0.5107913526210115,
    0.3435803422069067,
    0.13973604627801475,
    0.01822111575329492,
    -0.010755330944036532,
    -0.0032395925295271534,
    0.0015453060141013286,
    0.0004186479710660508,
    -0.0003315365766901461,
    -1.71852541704069e-05,
    7.223418829504806e-05,
    -1.7076638145079572e-05,
    -1.084298532996441e-05,
    8.06710621122023e-06,
    -5.776423611511427e-07,
    -1.835078540898153e-06,
    1.0305699215291105e-06,
    1.5720540066794157e-08,
    -3.262460935296672e-07,
    1.497143526022312e-07,
    3.6000845292079935e-08,
    -5.145629434357736e-08,
    6.52043461440154e-09,
    6.597367302900275e-09,
    -1.911173728607894e-09,
)

# erf(x) / x in 2x^2 - 1, for |x| <= 1.
_ERF_F32 = (
    0.9654687386375511,
    -0.1405360890155293,
    0.01985249772277959,
    -0.0022854856569544946,
    0.00021751198975739192,
    -1.7536824687371807e-05,
    1.2316401734510412e-06,
    -7.557492821680298e-08,
)
_ERF_F64 = (
    0.9654687386698673,
    -0.1405360890227171,
    0.019852496688983708,
    -0.0022854855611440673,
    0.00021751715604160108,
    -1.75371694414921e-05,
    1.223382738352401e-06,
    -7.511569160678138e-08,
    4.11580059766496e-09,
    -2.0352493920247854e-10,
    9.167606746069445e-12,
    -3.7910930392717217e-13,
    1.454817075960679e-14,
    -5.166061616805981e-16,
)

# atan(x) / x in 2 (x / tan(pi/8))^2 - 1, for |x| <= tan(pi/8).
_ATAN_F64 = (
    0.9727918173603545,
    -0.025900195459813088,
    0.0012335918790095924,
    -6.980070655816308e-05,
    4.2965497355418774e-06,
    -2.780681935137182e-07,
    1.8605787556631228e-08,
    -1.2748543287713854e-09,
    8.892081628854004e-11,
    -6.287921004977997e-12,
    4.496313055596909e-13,
    -3.301691112996218e-14,
    2.404268682972049e-15,
)

# sin(x) / x and cos(x) in x^2, for |x| <= pi/4: the Taylor series.
_SIN_F64 = tuple((-1) ** n / reals.factorial(2 * n + 1) for n in range(9))
_COS_F64 = tuple((-1) ** n / reals.factorial(2 * n) for n in range(10))

# pi/2 in three parts; the first two have trailing zeros, so that their products with a small integer are exact.
_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)


def polynomial(x: Scalar, coefficients: Sequence[float]) -> Scalar:
    """`coefficients[0] + coefficients[1] * x + ...`, by Horner's rule with one rounding a step."""
    *rest, last = coefficients
    result = x.constant(last)
    for coefficient in reversed(rest):
        result = result.times_plus(x, coefficient)
    return result


def _is_double(x: Scalar) -> bool:
    return bits(x.type) == 64


def erfc(x: Scalar) -> Scalar:
    """
    `1 - erf(x)` without cancellation: the relative error is a few units of the type for every x, down to where `e^-x^2` underflows.

    For `z = |x|` it is `t * P(t) * e^-z^2`; a negative x gives 2 minus that.
    """
    z = x.abs()
    t = 2.0 / (2.0 + z)
    # The square is split into what the type holds and the rest, since an absolute error of the exponent is a relative one of the result.
    square = z * z
    rest = z.times_plus(z, -square)
    tail = (-square).exp() * (t * polynomial(t.times_plus(2.0, -1.0), _ERFC_F64 if _is_double(x) else _ERFC_F32))
    # Far out the square overflows and the rest is no number; the tail is 0 there already.
    tail = (z < 28.0).where(tail - tail * rest, tail)
    return (x < 0.0).where(2.0 - tail, tail)


def erf(x: Scalar) -> Scalar:
    """The error function: a polynomial for |x| < 1, beyond it `1 - erfc(|x|)` with the sign of x."""
    near = x * polynomial((x * x).times_plus(2.0, -1.0), _ERF_F64 if _is_double(x) else _ERF_F32)
    far = (1.0 - erfc(x.abs())).with_sign_of(x)
    return (x.abs() < 1.0).where(near, far)


def tanh(x: Scalar) -> Scalar:
    """The hyperbolic tangent; in f64 `-m / (2 + m)` for `m = e^(-2|x|) - 1`."""
    if not _is_double(x):
        return x.math(math.TanhOp)
    m = (-2.0 * x.abs()).math(math.ExpM1Op)
    return (-m / (2.0 + m)).with_sign_of(x)


def _sin_cos(x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Sine and cosine of x less its nearest multiple of pi/2, and that multiple, for |x| up to about 1e6."""
    turns = (x * (2.0 / reals.pi)).math(math.RoundEvenOp)
    reduced = x
    for part in _HALF_PI:
        reduced = turns.times_plus(-part, reduced)
    square = reduced * reduced
    return reduced * polynomial(square, _SIN_F64), polynomial(square, _COS_F64), turns


def _quarter(sine: Scalar, cosine: Scalar, turns: Scalar) -> Scalar:
    """The sine of `turns` quarter turns more than the angle of `sine` and `cosine`."""
    halves = (turns * 0.5).math(math.FloorOp)
    odd = turns.differs(halves * 2.0)
    value = odd.where(cosine, sine)
    flip = halves.differs((halves * 0.5).math(math.FloorOp) * 2.0)
    return flip.where(-value, value)


def sin(x: Scalar) -> Scalar:
    """The sine."""
    return _quarter(*_sin_cos(x)) if _is_double(x) else x.math(math.SinOp)


def cos(x: Scalar) -> Scalar:
    """The cosine."""
    if not _is_double(x):
        return x.math(math.CosOp)
    sine, cosine, turns = _sin_cos(x)
    return _quarter(sine, cosine, turns + 1.0)


def tan(x: Scalar) -> Scalar:
    """The tangent."""
    return sin(x) / cos(x) if _is_double(x) else x.math(math.TanOp)


def atan(x: Scalar) -> Scalar:
    """
    The arc tangent in [-pi/2, pi/2].

    `atan(z) = pi/2 - atan(1/z)` brings z to [0, 1], `pi/4 + atan((z - 1) / (z + 1))` what is above tan(pi/8) to the interval of the polynomial.
    """
    if not _is_double(x):
        return x.math(math.AtanOp)
    z = x.abs()
    steep = z > 1.0
    z = steep.where(1.0 / z, z)
    bound = reals.tan(reals.pi / 8)
    upper = z > bound
    w = upper.where((z - 1.0) / (z + 1.0), z)
    angle = w * polynomial((w * w).times_plus(2.0 / bound**2, -1.0), _ATAN_F64)
    angle = upper.where(reals.pi / 4 + angle, angle)
    return steep.where(reals.pi / 2 - angle, angle).with_sign_of(x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the point (x, y) in [-pi, pi]; in f64 from `atan(|y| / |x|)`, folded into its quadrant by the signs."""
    if not _is_double(y):
        return y.build(math.Atan2Op(y.value, x.value))
    both_infinite = x.abs().equals(reals.inf) & y.abs().equals(reals.inf)
    both_zero = x.equals(0.0) & y.equals(0.0)
    ratio = both_infinite.where(1.0, both_zero.where(0.0, y.abs() / x.abs()))
    angle = atan(ratio)
    negative = x.constant(1.0).with_sign_of(x) < 0.0
    return negative.where(reals.pi - angle, angle).with_sign_of(y)


def log1p(x: Scalar) -> Scalar:
    """`log(1 + x)`, exact near zero."""
    return x.math(math.Log1pOp)


def softplus(x: Scalar) -> Scalar:
    """`log(1 + e^x)` as `max(x, 0) + log1p(e^-|x|)`, which does not overflow."""
    return x.maximum(0.0) + log1p((-x.abs()).exp())


def fmod(a: Scalar, b: Scalar) -> Scalar:
    """
    C's fmod: what is left of a after whole multiples of b, with the sign of a.

    Exact while the quotient has no more digits than the type; the rounded quotient can be one too far, which one step mends.
    """
    size = b.abs()
    quotient = (a.abs() / size).math(math.FloorOp)
    rest = quotient.times_plus(-size, a.abs())
    rest = (rest < 0.0).where(rest + size, rest)
    rest = (rest >= size).where(rest - size, rest)
    rest = size.equals(reals.inf).where(a.abs() + (a - a), rest)
    return rest.with_sign_of(a)


def integer_power(a: Scalar, b: Scalar) -> Scalar:
    """
    `a` to the power `b`, wrapped, by one squaring for each bit of b.

    To a negative power 1 stays 1, -1 alternates, and all else is 0.
    """
    if a.type == i1:
        return a | ~b
    width = bits(a.type) if a.unsigned else bits(a.type) - 1
    zero, one = a.constant(0), a.constant(1)
    result, square = one, a
    for bit in range(width):
        wanted = (b & a.constant(1 << bit)).differs(zero)
        result = wanted.where(result * square, result)
        if bit < width - 1:
            square = square * square
    if a.unsigned:
        return result
    odd = (b & one).differs(zero)
    alternating = odd.where(a, one)
    inverse = (a.equals(1) | a.equals(-1)).where(alternating, zero)
    return (b < 0).where(inverse, result)
