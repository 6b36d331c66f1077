"""Quantisation: rounding, saturation, blocks, gradients, packed weights."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from graph_op import compute
from one_op import slopes

from rlx_dialect.attributes import CodeScheme, SpatialLayout
from rlx_dialect.reference import Array

RNG = np.random.default_rng(0)
F8: Any = np.dtype(ml_dtypes.float8_e4m3fn)
F8_WIDE: Any = np.dtype(ml_dtypes.float8_e5m2)


def f32(*values: float) -> Array:
    return np.array(values, np.float32)


def test_rounding_and_saturation():
    x = f32(0.5, 1.5, -0.5, 2.6, 1e30, -1e30, np.inf, -np.inf, np.nan)
    got = compute(lambda g, x, s: g.quantize(x, s), x, f32(1))
    assert got.dtype == np.int8
    assert got.tolist() == [0, 2, 0, 3, 127, -128, 127, -128, 0]
    zero = np.array([10], np.uint8)
    got = compute(lambda g, x, s, z: g.quantize(x, s, "ui8", zero_point=z), x, f32(0.5), zero)
    assert got.tolist() == [11, 13, 9, 15, 255, 0, 255, 0, 10]


@pytest.mark.parametrize(("name", "dtype", "largest"), [("f8e4m3fn", F8, 448), ("f8e5m2", F8_WIDE, 57344)])
def test_floats_of_8_bits_saturate(name: str, dtype: Any, largest: float):
    x = f32(1.06, -3, 1e30, -np.inf, np.nan)
    got = compute(lambda g, x, s: g.quantize(x, s, name), x, np.ones((), np.float32))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.astype(np.float32), [1, -3, largest, -largest, np.nan])


def test_blocks():
    x, scales = RNG.standard_normal((2, 7)).astype(np.float32), RNG.random((2, 3)).astype(np.float32) + 0.5
    whole = compute(lambda g, x, s: g.quantize(x, s, "i16", axis=-1, block=3), x, scales)
    each = np.stack([scales[:, i // 3] for i in range(7)], axis=1)
    np.testing.assert_array_equal(whole, np.rint(x / each))
    back = compute(lambda g, x, s: g.dequantize(x, s, axis=-1, block=3), whole, scales)
    np.testing.assert_allclose(back, whole * each, rtol=1e-6)


def test_each_entry_of_an_axis_has_its_zero_point():
    x, scale = np.array([[1, 2], [3, 4]], np.int8), f32(0.5, 2)
    zero = np.array([1, -1], np.int8)
    got = compute(lambda g, x, s, z: g.dequantize(x, s, zero_point=z, axis=0), x, scale, zero)
    np.testing.assert_array_equal(got, [[0, 0.5], [8, 10]])


def test_zero_points_of_bytes_do_not_wrap_around():
    got = compute(
        lambda g, x, s, z: g.dequantize(x, s, zero_point=z),
        np.array([0, 255], np.uint8),
        np.ones((), np.float32),
        np.array(255, np.uint8),
    )
    assert got.tolist() == [-255, 0]


@pytest.mark.parametrize(("bits", "largest"), [(8, 127), (4, 7), (2, 1)])
def test_fake_quantize(bits: int, largest: int):
    x = RNG.standard_normal((3, 5))
    got = compute(lambda g, x: g.fake_quantize(x, bits=bits, axis=0), x)
    steps = np.abs(x).max(axis=1, keepdims=True) / largest
    np.testing.assert_allclose(got, np.rint(x / steps) * steps)
    scale = np.array(0.1)
    got = compute(lambda g, x, s: g.fake_quantize(x, bits=bits, scale=s), x, scale)
    np.testing.assert_allclose(got, np.clip(np.rint(x / 0.1), -largest, largest) * 0.1)


def test_nothing_but_zeros_stays_zero():
    np.testing.assert_array_equal(compute(lambda g, x: g.fake_quantize(x), np.zeros(3)), np.zeros(3))
    assert compute(lambda g, x: g.fake_quantize(x), np.zeros((0, 2))).shape == (0, 2)


def test_straight_through():
    x, outer = np.array([0.1, 5, -0.7, 0.8, -9]), np.arange(1.0, 6)
    scale = np.array([0.1])
    inside = np.array([1, 0, 1, 0, 0])
    got = compute(lambda g, x, d, s: g.fake_quantize_backward(x, d, bits=4, scale=s), x, outer, scale)
    np.testing.assert_array_equal(got, outer * inside)
    got = compute(lambda g, x, d: g.fake_quantize_backward(x, d, bits=4), x, outer)
    np.testing.assert_array_equal(got, outer)
    got = compute(lambda g, x, s, d: g.fake_quantize_lsq_backward_x(x, s, d, bits=4), x, scale, outer)
    np.testing.assert_array_equal(got, outer * inside)


def test_gradient_of_a_learned_step():
    """Rounding goes straight through: what it added at the point counts as a constant."""
    x, outer, scale = RNG.standard_normal((4, 3)), RNG.standard_normal((4, 3)), np.array([0.1, 0.3, 0.2])
    got = compute(lambda g, x, s, d: g.fake_quantize_lsq_backward_scale(x, s, d, bits=4, axis=1), x, scale, outer)
    held = np.rint(x / scale) - x / scale
    inside = np.abs(x / scale) <= 7
    expected = slopes(lambda s: np.where(inside, (x / s + held) * s, np.sign(x) * 7 * s), scale, outer)
    np.testing.assert_allclose(got, expected, atol=1e-8)
    one = compute(lambda g, x, s, d: g.fake_quantize_lsq_backward_scale(x, s, d, bits=4), x, np.array([0.1]), outer)
    assert one.shape == (1,)


def test_qmatmul_wraps_around_and_takes_zero_points_of_rows_and_columns():
    a, b = RNG.integers(-128, 128, (2, 3, 4)).astype(np.int8), RNG.integers(0, 256, (4, 5)).astype(np.uint8)
    y, z = np.array([1, -128, 127], np.int8), np.arange(5, dtype=np.uint8) * 60
    got = compute(lambda g, a, b, y, z: g.qmatmul(a, b, lhs_zero_point=y, rhs_zero_point=z), a, b, y, z)
    expected = (a.astype(int) - y.astype(int)[:, None]) @ (b.astype(int) - z.astype(int))
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, expected)
    many = np.full((1, 140000), 127, np.int8)
    got = compute(lambda g, a, b: g.qmatmul(a, b), many, many.T)
    assert got.item() == 127 * 127 * 140000 - 2**32


def test_qconv2d_takes_zero_points_of_output_channels_and_every_attribute_of_a_convolution():
    x, w = RNG.integers(0, 256, (2, 7, 6, 4)).astype(np.uint8), RNG.integers(-128, 128, (6, 2, 3, 2)).astype(np.int8)
    y, z = np.array([131], np.uint8), np.array([1, -128, 127, 0, 5, -9], np.int8)
    how: dict[str, Any] = {"stride": (2, 1), "padding": [(1, 2), -1], "dilation": (1, 2), "groups": 2}
    how |= {"input_dilation": (1, 3), "layout": SpatialLayout.CHANNELS_LAST}
    got = compute(lambda g, x, w, y, z: g.qconv2d(x, w, input_zero_point=y, weight_zero_point=z, **how), x, w, y, z)
    # Products of bytes are exact in f64.
    moved = x.astype(np.float64) - 131, w.astype(np.float64) - z.astype(np.float64).reshape(6, 1, 1, 1)
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, compute(lambda g, x, w: g.conv(x, w, **how), *moved))


def test_a_pad_of_qconv2d_is_the_zero_point():
    x, w, zero = np.array([[[[7]]]], np.int8), np.full((1, 1, 3, 3), 2, np.uint8), np.array(5, np.int8)
    got = compute(lambda g, x, w, z: g.qconv2d(x, w, input_zero_point=z, padding=1), x, w, zero)
    assert got.tolist() == [[[[4]]]]


def test_qconv2d_wraps_around():
    x = np.full((1, 1, 1, 140000), 127, np.int8)
    got = compute(lambda g, x, w: g.qconv2d(x, w), x, x)
    assert got.item() == 127 * 127 * 140000 - 2**32


def test_qconv2d_of_scales_for_each_output_channel():
    x, w = RNG.integers(-9, 10, (1, 2, 4, 4)).astype(np.int8), RNG.integers(-9, 10, (3, 2, 2, 2)).astype(np.int8)
    scale = np.array([0.5, 2, 4], np.float32).reshape(3, 1, 1)
    got = compute(lambda g, x, w, s, t: g.requantize(g.qconv2d(x, w), s, t), x, w, scale, np.array(64, np.float32))
    sums = compute(lambda g, x, w: g.conv(x, w), x.astype(np.float64), w.astype(np.float64))
    np.testing.assert_array_equal(got, np.clip(np.rint(sums * scale / 64), -128, 127))


def test_qconv2d_of_nothing():
    x, w = np.zeros((0, 2, 3, 3), np.int8), np.zeros((4, 2, 2, 2), np.int8)
    assert compute(lambda g, x, w: g.qconv2d(x, w), x, w).shape == (0, 4, 2, 2)
    x, w = np.ones((1, 0, 3, 3), np.int8), np.zeros((4, 0, 2, 2), np.int8)
    np.testing.assert_array_equal(compute(lambda g, x, w: g.qconv2d(x, w), x, w), np.zeros((1, 4, 2, 2)))


def halves(codes: Array) -> Array:
    """`[K, N]` codes of 4 bits as `[K / 2, N]` bytes."""
    return (codes[0::2] | codes[1::2] << 4).astype(np.uint8)


@pytest.mark.parametrize("scheme", CodeScheme)
def test_dequant_matmul(scheme: CodeScheme):
    x, scale = RNG.standard_normal((3, 6)).astype(np.float32), (RNG.random((2, 4)) + 0.5).astype(np.float32)
    codes = RNG.integers(0, 16, (6, 4))
    magnitudes = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    numbers = {
        CodeScheme.PLAIN: codes,
        CodeScheme.INT4: (codes + 8) % 16 - 8,
        CodeScheme.FP4: np.array([*magnitudes, *(-m for m in magnitudes)])[codes],
    }[scheme]
    weight = codes.astype(np.int8) if scheme is CodeScheme.PLAIN else halves(codes)
    got = compute(lambda g, x, w, s: g.dequant_matmul(x, w, s, scheme=scheme, block=4), x, weight, scale)
    spread = scale.repeat(4, axis=0)[:6]
    np.testing.assert_allclose(got, x @ (numbers * spread), rtol=1e-5, atol=1e-5)
    one = compute(lambda g, x, w, s: g.dequant_matmul(x, w, s, scheme=scheme), x, weight, scale[0])
    np.testing.assert_allclose(one, x @ (numbers * scale[0]), rtol=1e-5, atol=1e-5)


def test_dequant_matmul_with_zero_points():
    x, scale = np.eye(2, dtype=np.float32), f32(0.5, 2)
    weight, zero = np.array([[0x21, 0xF0]], np.uint8), np.array([1, -1], np.int8)
    got = compute(
        lambda g, x, w, s, z: g.dequant_matmul(x, w, s, scheme=CodeScheme.INT4, zero_point=z), x, weight, scale, zero
    )
    np.testing.assert_array_equal(got, [[0, 2], [0.5, 0]])


def test_a_scale_of_8_bits():
    x, weight = np.eye(2, dtype=np.float32), np.array([[3], [4]], np.int8)
    got = compute(lambda g, x, w, s: g.dequant_matmul(x, w, s), x, weight, np.array([0.5], F8))
    np.testing.assert_array_equal(got, [[1.5], [2]])


def test_scaled_matmul():
    x, y = RNG.standard_normal((2, 3, 8)).astype(np.float32), RNG.standard_normal((5, 8)).astype(np.float32)
    got = compute(
        lambda g, x, y: g.scaled_matmul(
            g.quantize(x, g.scaled_quant_scale(x), "f8e4m3fn"),
            g.quantize(y, g.scaled_quant_scale(y), "f8e4m3fn"),
            g.scaled_quant_scale(x),
            g.scaled_quant_scale(y),
        ),
        x,
        y,
    )
    np.testing.assert_allclose(got, x @ y.T, atol=0.6)
    exact = compute(
        lambda g, a, b, s: g.scaled_matmul(a, b, s, s, "bf16"),
        np.array([[1, 2]], F8),
        np.array([[3, -4], [0.5, 1]], F8_WIDE),
        f32(0.5),
    )
    assert exact.dtype == np.dtype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(exact.astype(np.float32), [[-1.25, 0.625]])


def test_scale_of_zeros():
    assert compute(lambda g, x: g.scaled_quant_scale(x), np.zeros(3, np.float32)) == 1
    assert compute(lambda g, x: g.scaled_quant_scale(x, "f8e5m2"), f32(57344, -114688)) == 2
