"""Quantised experts: the definitions term by term, and MLX's own packing and products."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from graph_op import compute
from tools import need_module

from rlx_dialect.attributes import CodeScheme
from rlx_dialect.ops.quantized_grouped import MLX_BITS, MLX_GROUPS
from rlx_dialect.reference import Array

RNG = np.random.default_rng(0)
F8: Any = np.dtype(ml_dtypes.float8_e4m3fn)
F8_WIDE: Any = np.dtype(ml_dtypes.float8_e5m2)
BF16: Any = np.dtype(ml_dtypes.bfloat16)
MAGNITUDES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def floats(*dims: int) -> Array:
    return RNG.standard_normal(dims).astype(np.float32)


def packed(codes: Array) -> Array:
    """`[E, K, N]` codes of 4 bits as `[E, K / 2, N]` bytes."""
    return (codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)


def experts(scheme: CodeScheme) -> tuple[Array, Array]:
    """Weights `[3, 6, 4]` and the numbers that they stand for."""
    codes = RNG.integers(0, 16, (3, 6, 4))
    match scheme:
        case CodeScheme.PLAIN:
            return (codes - 8).astype(np.int8), codes - 8
        case CodeScheme.INT4:
            return packed(codes), np.where(codes > 7, codes - 16, codes)
        case CodeScheme.FP4:
            return packed(codes), np.concatenate([MAGNITUDES, -MAGNITUDES])[codes]


@pytest.mark.parametrize("scheme", CodeScheme)
def test_weights_of_experts(scheme: CodeScheme):
    weights, numbers = experts(scheme)
    scale = RNG.random((3, 2, 4)).astype(np.float32)
    got = compute(lambda g, w, s: g.dequant_moe_weights(w, s, scheme=scheme, block=4), weights, scale)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, (numbers * scale.repeat(4, axis=1)[:, :6]).astype(np.float32))
    columns = scale[:, 0]
    got = compute(lambda g, w, s: g.dequant_moe_weights(w, s, scheme=scheme), weights, columns)
    np.testing.assert_array_equal(got, (numbers * columns[:, None, :]).astype(np.float32))
    one = np.array([0.5], np.float32)
    np.testing.assert_array_equal(
        compute(lambda g, w, s: g.dequant_moe_weights(w, s, scheme=scheme), weights, one), numbers * 0.5
    )


def test_zero_points_and_scales_of_8_bits():
    weights, numbers = experts(CodeScheme.INT4)
    scale, zero = RNG.random((3, 4)).astype(F8), RNG.integers(-128, 128, (3, 4)).astype(np.int8)
    got = compute(
        lambda g, w, s, z: g.dequant_moe_weights(w, s, "bf16", scheme=CodeScheme.INT4, zero_point=z),
        weights,
        scale,
        zero,
    )
    assert got.dtype == BF16
    wanted = (numbers - zero.astype(int)[:, None]) * scale.astype(np.float64)[:, None]
    np.testing.assert_array_equal(got, wanted.astype(BF16))


def test_zero_points_of_bytes_do_not_wrap_around():
    weights, zero = np.array([[[0], [255]]], np.uint8), np.array(255, np.uint8)
    got = compute(lambda g, w, s, z: g.dequant_moe_weights(w, s, zero_point=z), weights, np.ones((), np.float32), zero)
    assert got.tolist() == [[[-255], [0]]]


def by_row(x: Array, whole: Array, indices: Array) -> Array:
    """Each row on its own."""
    rows = [x[at].astype(np.float64) @ whole[indices[at]] for at in np.ndindex(indices.shape)]
    return np.array(rows).reshape(*indices.shape, whole.shape[-1])


@pytest.mark.parametrize("scheme", CodeScheme)
def test_product_with_the_expert_of_each_row(scheme: CodeScheme):
    weights, numbers = experts(scheme)
    x, indices = floats(2, 5, 6), RNG.integers(0, 3, (2, 5))
    scale = RNG.random((3, 2, 4)).astype(np.float32)
    whole = numbers * scale.astype(np.float64).repeat(4, axis=1)[:, :6]
    got = compute(
        lambda g, x, w, i, s: g.dequant_grouped_matmul(x, w, i, s, scheme=scheme, block=4), x, weights, indices, scale
    )
    np.testing.assert_allclose(got, by_row(x, whole, indices), rtol=1e-6, atol=1e-6)
    two_steps = compute(
        lambda g, x, w, i, s: g.grouped_matmul(x, g.dequant_moe_weights(w, s, scheme=scheme, block=4), i),
        *(x, weights, indices, scale),
    )
    np.testing.assert_allclose(got, two_steps, rtol=1e-5, atol=1e-5)


def test_the_whole_weights_are_not_rounded():
    """`3 * 1.0078125` is no number of bf16; rounded, it would not cancel."""
    x, weights = np.array([[1, -3]], BF16), np.array([[[3], [1]]], np.int8)
    scale, indices = np.array([1.0078125], BF16), np.zeros(1, np.int32)
    got = compute(lambda g, x, w, i, s: g.dequant_grouped_matmul(x, w, i, s), x, weights, indices, scale)
    assert got.dtype == BF16
    assert got.tolist() == [[0]]


@pytest.mark.parametrize("index", [-1, 3])
def test_an_index_beyond_the_experts(index: int):
    weights, _ = experts(CodeScheme.PLAIN)
    with pytest.raises(IndexError, match=rf"rlx.dequant_grouped_matmul: index {index} is outside of \[0, 3\)"):
        compute(
            lambda g, x, w, i, s: g.dequant_grouped_matmul(x, w, i, s),
            *(floats(1, 6), weights, np.array([index]), np.ones((), np.float32)),
        )


def test_no_rows_and_no_experts():
    scale, nobody = np.ones((), np.float32), np.zeros(0, np.int32)
    weights = np.zeros((0, 3, 4), np.uint8)
    got = compute(
        lambda g, x, w, i, s: g.dequant_grouped_matmul(x, w, i, s, scheme=CodeScheme.INT4),
        *(np.zeros((0, 6), np.float32), weights, nobody, scale),
    )
    assert got.shape == (0, 4)
    assert compute(lambda g, w, s: g.dequant_moe_weights(w, s, scheme=CodeScheme.FP4), weights, scale).shape == (
        0,
        6,
        4,
    )


@pytest.mark.parametrize("group", MLX_GROUPS)
@pytest.mark.parametrize("bits", MLX_BITS)
def test_layout_of_mlx(bits: int, group: int):
    """What MLX packs is read as MLX reads it, and its product is the same."""
    need_module("mlx.core")
    import mlx.core

    mx: Any = mlx.core

    mx.set_default_device(mx.cpu)
    whole, x, indices = floats(3, 5, 256), floats(7, 256), RNG.integers(0, 3, 7).astype(np.int32)
    words, scales, biases = mx.quantize(mx.array(whole), group_size=group, bits=bits)
    read: Array = np.array(mx.dequantize(words, scales, biases, group_size=group, bits=bits))
    arrays: list[Array] = [np.array(part) for part in (words, scales, biases)]

    def product(x: Array, indices: Array) -> Array:
        return compute(
            lambda g, x, w, i, s, b: g.dequant_grouped_matmul_mlx(x, w, i, s, b, bits=bits, group_size=group),
            *(x, arrays[0], indices, *arrays[1:]),
        )

    got = product(x, indices)
    np.testing.assert_allclose(got, by_row(x, np.swapaxes(read, 1, 2), indices), rtol=1e-5, atol=1e-4)
    rows = mx.expand_dims(mx.array(x), 1)
    theirs = mx.gather_qmm(
        rows, words, scales, biases, rhs_indices=mx.array(indices), group_size=group, bits=bits, transpose=True
    )
    np.testing.assert_allclose(got, np.array(theirs)[:, 0], rtol=1e-4, atol=1e-3)
    each_weight = product(np.eye(256, dtype=np.float32), np.zeros(256, np.int32))
    np.testing.assert_allclose(each_weight.T, read[0], rtol=1e-5, atol=1e-6)


def test_a_code_that_lies_in_two_words():
    """Ten codes of 3 bits fill 30 bits of the first word; the eleventh has two bits there, one in the second."""
    codes = np.array([5, 2, 7, 0, 1, 6, 3, 4, 7, 1, 0b110, 5, *[0] * 20])
    stream = sum(int(code) << 3 * k for k, code in enumerate(codes))
    words = np.array([stream >> 32 * i & 0xFFFFFFFF for i in range(3)], np.uint32).reshape(1, 1, 3)
    one, nothing = np.ones((1, 1, 1), np.float32), np.zeros((1, 1, 1), np.float32)
    got = compute(
        lambda g, x, w, i, s, b: g.dequant_grouped_matmul_mlx(x, w, i, s, b, bits=3, group_size=32),
        *(np.eye(32, dtype=np.float32), words, np.zeros(32, np.int32), one, nothing),
    )
    assert got[:, 0].tolist() == codes.tolist()


def test_scaled_experts():
    x, weights = floats(2, 5, 6).astype(F8), floats(3, 4, 6).astype(F8_WIDE)
    indices, each, of = RNG.integers(0, 3, (2, 5)), RNG.random((2, 5)).astype(np.float32), floats(3)
    got = compute(lambda g, x, w, i, s, t: g.scaled_grouped_matmul(x, w, i, s, t), x, weights, indices, each, of)
    wanted = by_row(x, np.swapaxes(weights.astype(np.float64), 1, 2), indices)
    np.testing.assert_allclose(got, wanted * (each * of[indices])[..., None], rtol=1e-6, atol=1e-6)
    one = np.array([0.5], np.float32)
    got = compute(
        lambda g, x, w, i, s, t: g.scaled_grouped_matmul(x, w, i, s, t, "bf16"), x, weights, indices, one, one
    )
    assert got.dtype == BF16
    np.testing.assert_array_equal(got, (wanted * 0.25).astype(BF16))


def test_scaled_experts_are_scaled_products():
    x, weights, scale = floats(1, 6).astype(F8), floats(3, 4, 6).astype(F8), np.array(0.75, np.float32)
    got = compute(lambda g, x, w, i, s: g.scaled_grouped_matmul(x, w, i, s, s), x, weights, np.array([2]), scale)
    alone = compute(lambda g, x, w, s: g.scaled_matmul(x, w, s, s), x, weights[2], scale)
    np.testing.assert_array_equal(got, alone)
