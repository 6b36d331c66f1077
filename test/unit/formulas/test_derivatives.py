"""Derivatives against differences of high precision."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from accuracy import Array, samples
from backends import Runner, on_cpu, on_mlx, on_xla
from numpy.typing import NDArray
from numpy_machine import NumPyMachine
from tools import sampled
from truths import TRUTHS, UNARY, mpmath

from rlx_dialect.attributes import Activation
from rlx_dialect.builder import Graph
from rlx_dialect.formulas import DERIVATIVES, F32, F64, FloatFormat, apply, apply_derivative

FORMATS = {"f32": F32, "f64": F64}


def derivative(name: str, form: FloatFormat, x: Array) -> Array:
    held = x.astype(f"f{form.bits // 8}")
    return apply_derivative(name, NumPyMachine(form, fused=False), held).astype(np.float64)


def test_every_activation_has_one():
    assert set(DERIVATIVES) == {kind.value for kind in Activation}


FALLING = ("silu", "gelu", "gelu_approx", "quick_gelu", "mish")
"""Those that fall before they rise. Their slope is the sum of `f(x) / x` and another number, which cancel there."""


def slopes(name: str, x: Array, bias: int) -> Array:
    """Differences of high precision, down to `2^-bias`; NaN at corners, steps, poles, and where there is no value."""
    value = UNARY[name].value

    def slope(at: float) -> float:
        point = mpmath.mpf(at)
        step = mpmath.mpf(2) ** -300 * (abs(point) or 1)
        try:
            low, middle, high = (value(point + by * step) for by in (-1, 0, 1))
        except (ValueError, ZeroDivisionError):
            return math.nan
        if any(isinstance(each, mpmath.mpc) for each in (low, middle, high)):
            return math.nan
        left, right = (middle - low) / step, (high - middle) / step
        return float(left) if abs(right - left) <= mpmath.mpf(2) ** -80 * abs(left) < 2**40 else math.nan

    def exactly(at: float) -> float:
        # As many bits as there are between 1 and the slope, and more.
        with mpmath.workprec(500 + int(min(2 * at * at + 1 / abs(at or 1), bias))):
            return slope(at)

    return np.array([exactly(float(each)) for each in x])


@cache
def judged(name: str, dtype: str) -> tuple[Array, Array]:
    """Samples of all magnitudes that a difference can tell the slope at, and the slopes: 0, or normal numbers."""
    (x,) = samples(name, dtype, 100)
    x = np.concatenate([x[(np.abs(x) < 1e30) & ((np.abs(x) > 1e-30) | (x == 0))], np.arange(-98.0, 100, 4)])
    wanted = slopes(name, x, FORMATS[dtype].bias)
    kept = (np.abs(wanted) < 1e37) & ((np.abs(wanted) > FORMATS[dtype].smallest_normal) | (wanted == 0))
    return x[kept], wanted[kept]


def worst(name: str, dtype: str, x: Array, got: Array, wanted: Array) -> float:
    """
    The largest error in units of the last place of the slope, or of the larger one of two numbers that cancel.
    """
    size = np.abs(wanted)
    if name in FALLING:
        share = apply(name, NumPyMachine(F64, fused=False), x) / np.where(x == 0, 1, x)
        size = np.maximum(size, np.maximum(share, np.abs(wanted - share)))
    unit = np.spacing(np.maximum(size, FORMATS[dtype].smallest_normal).astype(f"f{FORMATS[dtype].bits // 8}"))
    return float(np.max(np.abs(got - wanted) / unit))


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("name", DERIVATIVES)
def test_it_is_the_slope(name: str, dtype: str):
    x, wanted = judged(name, dtype)
    assert len(x) > 200
    assert worst(name, dtype, x, derivative(name, FORMATS[dtype], x), wanted) <= max(TRUTHS[name].bound, 4)


def kept(x: Array, wanted: Array) -> tuple[Array, Array]:
    """What no denormal number leads to."""
    far = (np.abs(wanted) > 2.0**-120) | (wanted == 0)
    return x[far], wanted[far]


@sampled(2)
@pytest.mark.parametrize("runner", [on_cpu, on_mlx, on_xla])
def test_compiled(runner: Runner, tmp_path: Path):
    """Bounds as those of the functions. Denormal numbers and what becomes one are not promised."""
    graph = Graph()
    cases = {name: kept(*judged(name, "f32")) for name in DERIVATIVES}
    arrays: list[NDArray[np.float32]] = []
    for name, (x, _) in cases.items():
        held = x.astype(np.float32)
        ones = graph.constant(np.ones_like(held))
        arrays.append(held)
        x_of = graph.input(f"x_{name}", held.shape)
        graph.output(f"slope_{name}", graph.activation_backward(Activation(name), x_of, ones))
    computed = runner(graph.module(), arrays, tmp_path)
    errors = {name: worst(name, "f32", x, got, wanted) for got, (name, (x, wanted)) in zip(computed, cases.items())}
    assert {name: error for name, error in errors.items() if not error <= max(TRUTHS[name].bound, 4)} == {}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_nan_goes_through(name: str):
    """A gradient of relu is let through where the input is not known to be below 0."""
    got = derivative(name, F32, np.array([math.nan]))
    assert got == 1 if name == "relu" else np.isnan(got)


def test_ends_and_kinks():
    rows = {
        "relu": {-1: 0, -0.0: 0, 1: 1, math.inf: 1},
        "abs": {-2: -1, 0: 0, 2: 1},
        "recip": {1e-30: -math.inf, 2: -0.25},
        "rsqrt": {1e-20: -5e29},
        "sqrt": {0: math.inf},
        "hard_sigmoid": {-3: 0, 3: 1 / 6, 4: 0},
        "hard_swish": {-3: 0, -4: 0, 3: 1.5, 4: 1},
        "sigmoid": {-200: 0, 200: 0},
        "tanh": {-200: 0, 200: 0},
        "elu": {0: 1, -200: 0},
        **{name: {-3e38: 0, -1e20: 0, 1e20: 1, 3e38: 1} for name in FALLING},
    }
    for name, values in rows.items():
        x, wanted = np.array(list(values), np.float64), np.array(list(values.values()))
        np.testing.assert_allclose(derivative(name, F32, x), wanted, rtol=1e-6, err_msg=name)
