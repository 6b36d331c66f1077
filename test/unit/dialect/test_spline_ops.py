"""Splines: their values at knots and between them, and their gradients against central differences."""

import math

import numpy as np
import pytest
from graph_op import compute
from one_op import slopes

from rlx_dialect.reference import Array

RNG = np.random.default_rng(0)
DEGREES = [0, 1, 2, 3, 5]


def spline(x: Array, coefficients: Array, low: float = -1, high: float = 1, degree: int = 3) -> Array:
    return compute(lambda g, x, c: g.spline_activation(x, c, low=low, high=high, degree=degree), x, coefficients)


def functions(x: Array, low: float, high: float, intervals: int, degree: int) -> Array:
    """Each B-spline alone, one a column."""
    units = np.eye(intervals + degree)
    return np.stack([spline(x[:, None], unit[None], low, high, degree)[:, 0] for unit in units], axis=1)


def by_powers(x: Array, low: float, high: float, intervals: int, degree: int) -> Array:
    """The same as truncated powers, `1/k! sum_j (-1)^j (k+1 over j) max(v - j, 0)^k`, v counted from the first knot."""
    steps = (x - low) * intervals / (high - low)
    columns: list[Array] = []
    for i in range(intervals + degree):
        v = steps + degree - i
        terms = [(-1) ** j * math.comb(degree + 1, j) * np.maximum(v - j, 0) ** degree for j in range(degree + 2)]
        columns.append(np.sum(terms, axis=0) / math.factorial(degree))
    return np.stack(columns, axis=1)


def test_a_cubic_at_its_knots():
    """The spline of one coefficient on unit intervals from 0 to 5: the third one, from knot -1 to knot 3."""
    x = np.arange(-4.0, 9.0)
    expected = np.zeros(x.size)
    expected[[4, 5, 6]] = [1 / 6, 4 / 6, 1 / 6]
    np.testing.assert_allclose(functions(x, 0, 5, 5, 3)[:, 2], expected, atol=1e-15)


def test_a_cubic_between_knots():
    """`B(u) = (4 - 6 u^2 + 3 |u|^3) / 6` up to 1 from the middle, `(2 - |u|)^3 / 6` up to 2."""
    u = np.array([-1.5, -0.5, 0.25, 0.5, 1.25, 1.75])
    inner, outer = (4 - 6 * u**2 + 3 * abs(u) ** 3) / 6, (2 - abs(u)) ** 3 / 6
    np.testing.assert_allclose(functions(u + 1, 0, 5, 5, 3)[:, 2], np.where(abs(u) < 1, inner, outer), rtol=1e-12)


def test_degree_0_is_a_step_for_each_interval():
    x = np.array([-1.01, -1.0, -0.51, -0.5, 0.0, 0.75, 0.99, 1.0])[:, None]
    got = spline(x, np.array([[1.0, 2, 3, 4]]), degree=0)
    assert got.ravel().tolist() == [0, 1, 1, 2, 3, 4, 4, 0]


def test_degree_1_goes_straight_from_coefficient_to_coefficient():
    knots, heights = np.linspace(-1, 1, 5), np.array([3.0, -1, 4, 1, -5])
    x = np.linspace(-1, 1, 33)
    got = spline(x[:, None], heights[None], degree=1)[:, 0]
    np.testing.assert_allclose(got, np.interp(x, knots, heights), atol=1e-12)
    fading = spline(np.array([[-1.25], [1.25], [1.5]]), heights[None], degree=1)[:, 0]
    np.testing.assert_allclose(fading, [1.5, -2.5, 0], atol=1e-12)


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_truncated_powers(degree: int):
    x = np.linspace(-4, 6, 101)
    np.testing.assert_allclose(functions(x, -1, 3, 6, degree), by_powers(x, -1, 3, 6, degree), atol=1e-10)


@pytest.mark.parametrize("intervals", [1, 2, 7])
@pytest.mark.parametrize("degree", DEGREES)
def test_the_functions_add_up_to_1_in_the_range(degree: int, intervals: int):
    x = np.append(np.linspace(-0.3, 0.7, 50, endpoint=False), [0.7] if degree else [])
    got = functions(x, -0.3, 0.7, intervals, degree)
    assert got.min() >= 0
    np.testing.assert_allclose(got.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("degree", DEGREES)
def test_far_out(degree: int):
    """Nothing beyond the knots, whatever the coefficients; NaN stays NaN."""
    out = 1 + degree * 0.5
    x = np.array([-np.inf, -1e30, -out - 1e-9, out, out + 1, np.inf, np.nan])[:, None]
    got = spline(x, np.ones((1, 4 + degree)), degree=degree)[:, 0]
    np.testing.assert_array_equal(got, [0, 0, 0, 0, 0, 0, np.nan])


def test_each_channel_has_its_own_spline():
    x, c = RNG.uniform(-1.5, 1.5, (2, 4, 3)), RNG.standard_normal((3, 8))
    got = spline(x, c)
    for channel in range(3):
        np.testing.assert_array_equal(got[..., channel : channel + 1], spline(x[..., channel, None], c[channel, None]))


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 4])
def test_gradients(degree: int):
    """Random places are no knots, where the lower degrees jump or have corners."""
    x, c, weights = (
        RNG.uniform(-2.5, 2.5, (2, 4, 3)),
        RNG.standard_normal((3, 5 + degree)),
        RNG.standard_normal((2, 4, 3)),
    )
    by_x = compute(lambda g, x, c, w: g.spline_activation_backward_x(x, c, w, degree=degree), x, c, weights)
    np.testing.assert_allclose(by_x, slopes(lambda x: spline(x, c, degree=degree), x, weights), atol=1e-8)
    by_c = compute(lambda g, x, w: g.spline_activation_backward_coeff(x, w, intervals=5, degree=degree), x, weights)
    assert by_c.shape == c.shape
    np.testing.assert_allclose(by_c, slopes(lambda c: spline(x, c, degree=degree), c, weights), atol=1e-8)


def test_the_slope_at_a_knot_is_that_of_the_right_side():
    x, c = np.array([[-1.5], [-1.0], [0.0], [1.0], [1.5]]), np.array([[1.0, 3, 2]])
    got = compute(lambda g, x, c, w: g.spline_activation_backward_x(x, c, w, degree=1), x, c, np.ones_like(x))
    assert got.ravel().tolist() == [1, 2, -1, -2, -2]


def test_one_vector():
    x, c, g = RNG.uniform(-1, 1, 3), RNG.standard_normal((3, 6)), RNG.standard_normal(3)
    np.testing.assert_array_equal(spline(x, c), spline(x[None], c)[0])
    got = compute(lambda b, x, g: b.spline_activation_backward_coeff(x, g, intervals=3), x, g)
    np.testing.assert_allclose(got @ np.ones(6), g, rtol=1e-12)


def test_nothing_at_all():
    x, c = np.zeros((0, 2)), np.ones((2, 5))
    assert spline(x, c).shape == (0, 2)
    got = compute(lambda g, x, w: g.spline_activation_backward_coeff(x, w, intervals=2), x, x)
    np.testing.assert_array_equal(got, np.zeros((2, 5)))


def test_halves_are_rounded_once():
    x, c = RNG.uniform(-1, 1, (20, 2)).astype(np.float16), RNG.standard_normal((2, 8)).astype(np.float16)
    got = spline(x, c)
    assert got.dtype == np.float16
    np.testing.assert_array_equal(got, spline(x.astype(np.float64), c.astype(np.float64)).astype(np.float16))
