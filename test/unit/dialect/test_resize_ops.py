"""Resampling at its edges, and what the builder's shorter methods mean."""

from collections.abc import Callable

import numpy as np
import pytest
from one_op import evaluate, normal

from rlx_dialect.attributes import Activation, NearestRounding, ResizeCoordinates, ResizeMode
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.ops import ConvConfig, PoolConfig, ResizeOp
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import ShapeError


def value_of(build: Callable[[Graph, list[Tensor]], Tensor], *arrays: Array) -> Array:
    g = Graph("f")
    g.output("y", build(g, [g.input(f"x{i}", array.shape, "f64") for i, array in enumerate(arrays)]))
    return run(g.module(), "f", list(arrays))["y"]


def test_nearest2x():
    x = normal((2, 3, 4, 5), seed=0)
    got = value_of(lambda g, v: g.resize_nearest2x(v[0]), x)
    for i, j in np.ndindex(8, 10):
        np.testing.assert_array_equal(got[:, :, i, j], x[:, :, i // 2, j // 2])


def test_interpolate3d():
    x = normal((1, 2, 2, 3, 4), seed=0)
    got = value_of(lambda g, v: g.interpolate3d(v[0], (4, 2, 6)), x)
    for i, j, k in np.ndindex(4, 2, 6):
        np.testing.assert_array_equal(got[:, :, i, j, k], x[:, :, i * 2 // 4, j * 3 // 2, k * 4 // 6])


def test_linear_is_numpys_interpolation():
    x = normal((9,), seed=0)
    got = evaluate(lambda v: ResizeOp(ResizeMode.LINEAR, v[0], (0,), (21,)), x)
    np.testing.assert_allclose(got, np.interp((np.arange(21) + 0.5) * 9 / 21 - 0.5, np.arange(9), x), rtol=1e-12)


def test_one_element():
    """Ends meet where a dim becomes 1, and 1 becomes copies."""
    x = normal((4,), seed=0)
    for coordinates in (ResizeCoordinates.ALIGN_CORNERS, ResizeCoordinates.PYTORCH_HALF_PIXEL):
        got = evaluate(lambda v, c=coordinates: ResizeOp(ResizeMode.CUBIC, v[0], (0,), (1,), coordinates=c), x)
        np.testing.assert_array_equal(got, x[:1])
    got = evaluate(lambda v: ResizeOp(ResizeMode.LINEAR, v[0], (0,), (3,)), x[:1])
    np.testing.assert_array_equal(got, x[[0, 0, 0]])


def test_sizes_known_at_run_time():
    x = normal((2, 6), seed=0)
    fixed = evaluate(lambda v: ResizeOp(ResizeMode.LINEAR, v[0], (1,), scales=(1.5,)), x)
    free = evaluate(lambda v: ResizeOp(ResizeMode.LINEAR, v[0], (1,), scales=(1.5,)), x, unknown=[0, 1])
    assert fixed.shape == (2, 9)
    np.testing.assert_array_equal(free, fixed)


def test_partitioned_conv():
    signal, taps = normal((2, 3, 20), seed=0), normal((7,), seed=1)
    got = value_of(lambda g, v: g.partitioned_conv(v[0], v[1], 8), signal, taps)
    expected = [[np.convolve(row, taps) for row in rows] for rows in signal]
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def test_fused_conv():
    x, w, b, r = normal((2, 3, 5), seed=0), normal((4, 3, 3), seed=1), normal((4,), seed=2), normal((2, 4, 5), seed=3)
    got = value_of(
        lambda g, v: g.fused_conv_bias_act(v[0], v[1], v[2], Activation.TANH, residual=v[3], padding=1), x, w, b, r
    )
    plain = value_of(lambda g, v: g.conv(v[0], v[1], padding=1), x, w)
    np.testing.assert_allclose(got, np.tanh(plain + b[:, None] + r), rtol=1e-12)


def test_gradients_have_methods():
    x, w, config = normal((2, 3, 5), seed=0), normal((4, 3, 3), seed=1), ConvConfig()
    dy = value_of(lambda g, v: g.conv(v[0], v[1]), x, w)
    by_input = value_of(lambda g, v: g.conv_backward_input(v[0], v[1], config, size=(5,)), dy, w)
    by_weight = value_of(lambda g, v: g.conv_backward_weight(v[0], v[1], config, kernel=(3,)), x, dy)
    # The convolution is linear in both, so each gradient along its operand is the square of the result.
    np.testing.assert_allclose(np.vdot(by_input, x), np.vdot(dy, dy), rtol=1e-12)
    np.testing.assert_allclose(np.vdot(by_weight, w), np.vdot(dy, dy), rtol=1e-12)


def test_windows_have_methods():
    x = np.arange(5.0).reshape(1, 1, 5)
    got = value_of(lambda g, v: g.max_pool_backward(v[0], v[1], PoolConfig((2,))), x, np.ones((1, 1, 4)))
    np.testing.assert_array_equal(got[0, 0], [0, 1, 1, 1, 1])
    columns = value_of(lambda g, v: g.im2col(v[0], 2, stride=3), x)
    np.testing.assert_array_equal(columns[0], [[0, 3], [1, 4]])


@pytest.mark.parametrize("scale", [1e30, 1.7e308])
def test_a_dim_must_not_outgrow_its_type(scale: float):
    g = Graph()
    with pytest.raises(ShapeError, match="more than the 9223372036854775807 that fit"):
        g.resize(ResizeMode.NEAREST, g.input("x", (1, 3)), (1,), scales=(scale,))


@pytest.mark.parametrize("coordinates", [ResizeCoordinates.HALF_PIXEL, ResizeCoordinates.HALF_PIXEL_SYMMETRIC])
def test_the_middle_is_the_middle(coordinates: ResizeCoordinates):
    """The second of three comes from exactly the third of five: `floor` must not take the one before it."""
    got = evaluate(
        lambda v: ResizeOp(
            *(ResizeMode.NEAREST, v[0], (0,), (3,)), coordinates=coordinates, rounding=NearestRounding.FLOOR
        ),
        np.arange(5.0),
    )
    assert got.tolist() == [0, 2, 3]


@pytest.mark.parametrize("size", range(1, 60, 7))
def test_every_third_place_is_whole(size: int):
    got = evaluate(
        lambda v: ResizeOp(
            *(ResizeMode.NEAREST, v[0], (0,), (3 * size,)),
            coordinates=ResizeCoordinates.ASYMMETRIC,
            rounding=NearestRounding.CEIL,
        ),
        np.arange(float(size)),
    )
    np.testing.assert_array_equal(got[::3], np.arange(size))
