"""The written-out math functions on NumPy in f32, against f64: errors in units of the last place, and special values."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rlx_passes.lowering.to_gpu.device_math import FUNCTIONS
from rlx_passes.lowering.to_gpu.narrow import round_float

Array = NDArray[Any]
COUNT = 20_000


class NumPyMachine:
    """A `device_math.Machine` of f32 arrays."""

    def fma(self, a: Array, b: Array, c: Array) -> Array:
        return (a.astype(np.float64) * b + c).astype(np.float32)

    def sqrt(self, x: Array) -> Array:
        return np.sqrt(x)

    def floor(self, x: Array) -> Array:
        return np.floor(x)

    def roundeven(self, x: Array) -> Array:
        return np.rint(x)

    def abs(self, x: Array) -> Array:
        return np.abs(x)

    def copysign(self, x: Array, sign: Array) -> Array:
        return np.copysign(x, sign)

    def where(self, condition: Array, a: Array, b: Array) -> Array:
        return np.where(condition, a, b)

    def to_int(self, x: Array) -> Array:
        return x.astype(np.int32)

    def to_float(self, i: Array) -> Array:
        return i.astype(np.float32)

    def bits(self, x: Array) -> Array:
        return np.ascontiguousarray(x).view(np.int32)

    def from_bits(self, i: Array) -> Array:
        return i.astype(np.int32).view(np.float32)

    def like(self, x: Array, value: float) -> Array:
        return np.full(x.shape, value, np.float32)


def _even(low: float, high: float) -> Array:
    return np.random.default_rng(0).uniform(low, high, COUNT).astype(np.float32)


def _sizes(low: float, high: float) -> Array:
    return np.exp(np.random.default_rng(1).uniform(np.log(low), np.log(high), COUNT)).astype(np.float32)


def _both(x: Array) -> Array:
    return np.concatenate([x, -x])


def _erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def _erfc(x: Array) -> Array:
    return np.vectorize(math.erfc, otypes=[np.float64])(x)


def _rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


def _round(x: Array) -> Array:
    return np.trunc(x + np.copysign(0.5, x))


LOGS = np.concatenate([_sizes(1e-38, 1e38), _even(0.5, 2)])
CASES: dict[str, tuple[Callable[[Array], Array], Array, float]] = {
    "acos": (np.arccos, _even(-1, 1), 2),
    "acosh": (np.arccosh, _sizes(1.001, 1e30), 3),
    "asin": (np.arcsin, _even(-1, 1), 3),
    "asinh": (np.arcsinh, _both(_sizes(1e-6, 1e30)), 3),
    "atan": (np.arctan, _both(_sizes(1e-6, 1e10)), 3),
    "atanh": (np.arctanh, _even(-0.999, 0.999), 4),
    "cbrt": (np.cbrt, _both(_sizes(1e-30, 1e30)), 1),
    "cos": (np.cos, _even(-1000, 1000), 4),
    "cosh": (np.cosh, _even(-80, 80), 3),
    "erf": (_erf, _both(_sizes(1e-8, 5)), 3),
    "erfc": (_erfc, _even(-5, 9), 10),
    "exp": (np.exp, _even(-87, 88), 1),
    "exp2": (np.exp2, _even(-125, 127), 1),
    "expm1": (np.expm1, _both(_sizes(1e-8, 20)), 2),
    "log": (np.log, LOGS, 1),
    "log10": (np.log10, LOGS, 2),
    "log1p": (np.log1p, np.concatenate([_sizes(1e-8, 1e30), -_sizes(1e-8, 0.999)]), 3),
    "log2": (np.log2, LOGS, 2),
    "round": (_round, _even(-100, 100), 0),
    "rsqrt": (_rsqrt, _sizes(1e-30, 1e30), 2),
    "sin": (np.sin, _even(-1000, 1000), 4),
    "sinh": (np.sinh, _both(_sizes(1e-8, 80)), 4),
    "tan": (np.tan, _even(-100, 100), 4),
    "tanh": (np.tanh, _both(_sizes(1e-8, 10)), 2),
    "trunc": (np.trunc, _even(-100, 100), 0),
}
"""By function: what it should be, the points, and the error allowed in units of the last place."""

SPECIAL = np.array(
    [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 2, -2, 2.5, -2.5, 3, 1e-45, -1e-45, 100, -100, 1e-30],
    np.float32,
)


def _agree(got: Array, want: Array, rtol: float) -> Array:
    close = np.isclose(got, want, rtol=rtol, atol=0, equal_nan=True)
    return close & ((np.signbit(got) == np.signbit(want)) | np.isnan(want))


def test_every_function_is_measured() -> None:
    assert {f"math.{name}" for name in CASES} | {"math.powf", "math.atan2"} == set(FUNCTIONS)


@pytest.mark.parametrize("name", CASES)
def test_error(name: str) -> None:
    reference, x, limit = CASES[name]
    with np.errstate(all="ignore"):
        got = FUNCTIONS[f"math.{name}"](NumPyMachine(), x)
        want = reference(x.astype(np.float64))
        errors = np.abs(got - want) / np.spacing(np.abs(want).astype(np.float32))
    assert got.dtype == np.float32
    worst = int(np.argmax(errors))
    assert errors[worst] <= limit, f"{errors[worst]:.2f} units at {x[worst]}"


@pytest.mark.parametrize("name", CASES)
def test_special_values(name: str) -> None:
    with np.errstate(all="ignore"):
        got = FUNCTIONS[f"math.{name}"](NumPyMachine(), SPECIAL)
        want = CASES[name][0](SPECIAL.astype(np.float64)).astype(np.float32)
    good = _agree(got, want, 3e-6)
    assert good.all(), list(zip(SPECIAL[~good], got[~good], want[~good], strict=True))


@pytest.mark.parametrize(("name", "reference"), [("powf", np.power), ("atan2", np.arctan2)])
def test_special_pairs(name: str, reference: Callable[[Array, Array], Array]) -> None:
    a, b = (each.ravel() for each in np.meshgrid(SPECIAL, SPECIAL))
    with np.errstate(all="ignore"):
        got = FUNCTIONS[f"math.{name}"](NumPyMachine(), a, b)
        want = reference(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
    good = _agree(got, want, 3e-5)
    assert good.all(), list(zip(a[~good], b[~good], got[~good], want[~good], strict=True))


def test_power() -> None:
    x, y = _sizes(1e-3, 1e3), _even(-8, 8)
    want = np.power(x.astype(np.float64), y)
    np.testing.assert_allclose(FUNCTIONS["math.powf"](NumPyMachine(), x, y), want, rtol=5e-6)


@pytest.mark.parametrize(("cut", "half"), [(13, True), (16, False)])
def test_rounding_to_narrow_floats(cut: int, half: bool) -> None:
    import ml_dtypes

    x = np.concatenate([SPECIAL, _both(_sizes(1e-9, 1e6)), np.arange(2048, 4100, dtype=np.float32)])
    with np.errstate(all="ignore"):
        got = round_float(NumPyMachine(), x, cut, half=half)
        want = x.astype(np.float16 if half else ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(got, want)
