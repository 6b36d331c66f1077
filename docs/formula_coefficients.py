"""
Writes `rlx_dialect/formulas/coefficients.py`: near-minimax polynomials (mpmath's Chebyshev fit), a table per format.

Usage: python docs/formula_coefficients.py
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import Any, TypeAlias

mpmath: Any = import_module("mpmath")
"""It has no types."""

mp, mpf = mpmath.mp, mpmath.mpf
Real: TypeAlias = Any

FILE = Path(__file__).parents[1] / "rlx_dialect/formulas/coefficients.py"
HEADER = '''"""
Coefficients of polynomials, the constant term first, a table for each format; by docs/formula_coefficients.py.

Each is the Chebyshev fit of the function on the interval that its comment names. Constants of twice the digits follow,
in two parts.
"""

from rlx_dialect.formulas.machine import F32, F64

# fmt: off
'''
mp.dps = 60


@dataclass(frozen=True)
class Fit:
    """A polynomial in `t` for `function` within an interval, and its number of terms in f32 and f64, if any."""

    name: str
    meaning: str
    function: Callable[[Real], Real]
    interval: tuple[float, float]
    terms: tuple[int, int]
    single: tuple[float, float] | None = None
    """The interval in f32, if another."""


def _root(t: Real) -> Real:
    return mpmath.sqrt(abs(t)) if abs(t) > 1e-20 else mpf("1e-10")


def _atanh_rest(t: Real) -> Real:
    """`2 atanh(s) = 2s + s t (2/3 + t * this)`, with `t = s^2`."""
    s = _root(t)
    return (2 * mpmath.atanh(s) / s - 2 - 2 * t / 3) / t**2 if t > 1e-9 else mpf(2) / 5 + 2 * t / 7


def _erf_inv(w: Real) -> Real:
    """`erf_inv(x) / x` with `w = -log(1 - x^2)`."""
    x = _root(-mpmath.expm1(-w))
    return mpmath.erfinv(x) / x


def _erfc(t: Real) -> Real:
    """`erfc(z) e^(z^2) / q` with `q = 2 / (2 + z)` and `t = 2q - 1/2`."""
    q = (t + 0.5) / 2
    if q < mpf("1e-12"):
        return 1 / (2 * mpmath.sqrt(mpmath.pi))
    z = 2 / q - 2
    return mpmath.erfc(z) * mpmath.exp(z * z) / q


def _stirling(w: Real) -> Real:
    if w < mpf("1e-12"):
        return mpf(1) / 12
    x = 1 / mpmath.sqrt(w)
    return (mpmath.loggamma(x) - ((x - 0.5) * (mpmath.log(x) - 1) + (mpmath.log(2 * mpmath.pi) - 1) / 2)) * x


def _digamma_far(w: Real) -> Real:
    if w < mpf("1e-12"):
        return mpf(1) / 12
    x = 1 / mpmath.sqrt(w)
    return (mpmath.log(x) - 1 / (2 * x) - mpmath.digamma(x)) / w


DIGAMMA_ROOT = mpmath.findroot(mpmath.digamma, 1.4616321449683623)


def _digamma_near(t: Real) -> Real:
    """`digamma(1.5 + t)` over the distance from its root."""
    d = t + 1.5 - DIGAMMA_ROOT
    return mpmath.digamma(t + 1.5) / d if abs(d) > 1e-20 else mpmath.polygamma(1, DIGAMMA_ROOT)


QUARTER = float((mpmath.pi / 4) ** 2) * 1.001
HALF_LN2 = float(mpmath.log(2) / 2) * 1.001


def _small(function: Callable[[Real], Real], at: float) -> Callable[[Real], Real]:
    """A quotient that is 0 / 0 at 0, with its value there."""
    return lambda t: function(t) if abs(t) > 1e-15 else mpf(at)


FITS = (
    Fit("EXP", "(e^t - 1 - t) / t^2", _small(lambda t: (mpmath.expm1(t) - t) / t**2, 0.5),
        (-HALF_LN2, HALF_LN2), (6, 11)),
    Fit("LOG", "(2 atanh(s) / s - 2 - 2/3 t) / t^2, t = s^2", _atanh_rest, (0, 0.0295), (3, 7)),
    Fit("SIN", "(sin(r) / r - 1) / t, t = r^2", _small(lambda t: (mpmath.sinc(_root(t)) - 1) / t, -1 / 6),
        (0, QUARTER), (3, 6)),
    Fit("COS", "(cos(r) - 1 + t/2) / t^2, t = r^2", _small(lambda t: (mpmath.cos(_root(t)) - 1 + t / 2) / t**2, 1 / 24),
        (0, QUARTER), (3, 6)),
    Fit("ATAN", "(atan(r) / r - 1) / t, t = r^2", _small(lambda t: (mpmath.atan(_root(t)) / _root(t) - 1) / t, -1 / 3),
        (0, 1), (9, 20)),
    Fit("ERF", "erf(x) / x, t = x^2",
        _small(lambda t: mpmath.erf(_root(t)) / _root(t), float(2 / mpmath.sqrt(mpmath.pi))), (0, 1), (6, 12)),
    Fit("ERFC", "erfc(z) e^(z^2) / q, q = 2 / (2 + z), t = 2q - 1/2", _erfc, (-0.37, 1.5), (11, 26), (-0.18, 1.5)),
    Fit("ERF_INV_NEAR", "erf_inv(x) / x, t = -log(1 - x^2) - 2.5", lambda t: _erf_inv(t + 2.5), (-2.5, 2.5), (10, 21)),
    Fit("ERF_INV_MIDDLE", "erf_inv(x) / x, t = sqrt(-log(1 - x^2)) - 3.1", lambda t: _erf_inv((t + 3.1) ** 2),
        (-0.87, 1.05), (11, 23)),
    Fit("ERF_INV_FAR", "erf_inv(x) / x, t = sqrt(-log(1 - x^2)) - 5", lambda t: _erf_inv((t + 5) ** 2),
        (-0.9, 1.1), (0, 18)),
    Fit("LGAMMA_NEAR", "log(gamma(2 + t)) / t", _small(lambda t: mpmath.loggamma(2 + t) / t, float(1 - mpmath.euler)),
        (-0.5, 0.5), (8, 18)),
    Fit("LGAMMA_FAR", "(log(gamma(x)) - (x - 1/2) (log(x) - 1) - (log(2 pi) - 1) / 2) x, t = 1 / x^2", _stirling,
        (0, 1 / 56), (2, 6)),
    Fit("DIGAMMA_NEAR", "digamma(t + 1.5) / (t + 1.5 - root)", _digamma_near, (-0.5, 0.5), (10, 22)),
    Fit("DIGAMMA_FAR", "(log(x) - 1 / (2x) - digamma(x)) x^2, t = 1 / x^2", _digamma_far, (0, 1 / 64), (2, 6)),
)  # fmt: skip


GELU_BINARY = 2 * mpmath.sqrt(2 / mpmath.pi) / mpmath.log(2)

CONSTANTS = {
    "DIGAMMA_ROOT": DIGAMMA_ROOT,
    "GELU_BINARY_CUBIC": mpf("0.044715") * GELU_BINARY,
    "GELU_BINARY_LINEAR": GELU_BINARY,
    "GELU_CUBIC": mpf("0.08943") * mpmath.sqrt(2 / mpmath.pi),
    "GELU_LINEAR": 2 * mpmath.sqrt(2 / mpmath.pi),
    "QUICK_GELU_SLOPE": mpf("1.702"),
}
"""Constants of twice the digits, as two numbers of each format."""

SHORT = {"GELU_BINARY_LINEAR"}
"""Those whose first number has half the digits of the format, so that differences to it are exact."""


def _constant(name: str, value: Real) -> str:
    lines: list[str] = [f"{name} = {{"]
    for form, digits in (("F32", 24), ("F64", 53)):
        with mp.workprec(digits // 2 if name in SHORT else digits):
            high = +value
        lines.append(f"    {form}: ({float(high)!r}, {mpmath.nstr(value - high, 17)}),")
    return "\n".join([*lines, "}"])


def _table(fit: Fit) -> str:
    lines: list[str] = [f"# {fit.meaning}", f"{fit.name} = {{"]
    for name, terms, interval, digits in (
        ("F32", fit.terms[0], fit.single or fit.interval, 10),
        ("F64", fit.terms[1], fit.interval, 17),
    ):
        if not terms:
            continue
        highest_first, error = mpmath.chebyfit(fit.function, list(interval), terms, error=True)
        lines.append(f"    # On [{interval[0]:.4g}, {interval[1]:.4g}], within {mpmath.nstr(error, 2)}.")
        figures = [mpmath.nstr(c, digits) for c in reversed(highest_first)]
        lines.extend(
            [
                f"    {name}: (",
                fill(", ".join(figures) + ",", 120, initial_indent=" " * 8, subsequent_indent=" " * 8),
                "    ),",
            ]
        )
        print(fit.name, name, mpmath.nstr(mpmath.log(error, 2), 4))
    return "\n".join([*lines, "}"])


if __name__ == "__main__":
    tables = [*map(_table, FITS), *(_constant(name, value) for name, value in CONSTANTS.items())]
    FILE.write_text(HEADER + "\n" + "\n\n".join(tables) + "\n")
