"""Derivatives against differences of high precision."""

import math

import numpy as np
import pytest
from accuracy import Array
from numpy_machine import NumPyMachine
from truths import TRUTHS, mpmath

from rlx_dialect.attributes import Activation
from rlx_dialect.formulas import DERIVATIVES, F32, F64, FloatFormat, apply_derivative

FORMATS = {"f32": F32, "f64": F64}
POINTS = 40


def derivative(name: str, form: FloatFormat, x: Array) -> Array:
    held = x.astype(f"f{form.bits // 8}")
    return apply_derivative(name, NumPyMachine(form, fused=False), held).astype(np.float64)


def test_every_activation_has_one():
    assert set(DERIVATIVES) == {kind.value for kind in Activation}


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("name", DERIVATIVES)
def test_it_is_the_slope(name: str, dtype: str):
    """Within 16 units of the last place of the slope, or of 1 where that is less."""
    form, truth = FORMATS[dtype], TRUTHS[name]
    low, high = max(truth.focus[0], -12.0), min(truth.focus[1], 12.0)
    x = np.random.default_rng(3).uniform(low, high, POINTS).astype(np.float32).astype(np.float64)
    with mpmath.workdps(50):
        slopes = [mpmath.diff(truth.value, mpmath.mpf(float(v))) for v in x]
    wanted = np.array([float(slope) for slope in slopes])
    unit = np.maximum(np.abs(wanted), 1) * 2.0**-form.fraction
    assert np.max(np.abs(derivative(name, form, x) - wanted) / unit) <= 16


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
    }
    for name, values in rows.items():
        x, wanted = np.array(list(values), np.float64), np.array(list(values.values()))
        np.testing.assert_allclose(derivative(name, F32, x), wanted, rtol=1e-6, err_msg=name)
