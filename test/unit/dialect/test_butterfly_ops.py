"""Stages of butterflies: against NumPy's transforms, and in fixed point against integers that never overflow."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from graph_op import compute

from rlx_dialect.attributes import FftNorm
from rlx_dialect.builder import Graph
from rlx_dialect.reference import Array, run

RNG = np.random.default_rng(0)


def stage_of(points: Array, stage: int, inverse: bool = False, pruned: int | None = None) -> Array:
    return compute(lambda g, x: g.fft_butterfly_stage(x, stage, inverse=inverse, pruned=pruned), points)


def fixed(points: Array, scale: int = 0, inverse: bool = False, norm: FftNorm = FftNorm.NONE) -> Array:
    return compute(lambda g, x: g.fft_q(x, inverse=inverse, norm=norm, scale=scale), points)


def blocks(points: Array) -> Array:
    return np.concatenate([np.real(points), np.imag(points)], axis=-1)


def complex_numbers(*dims: int) -> Array:
    return RNG.standard_normal(dims) + 1j * RNG.standard_normal(dims)


def bit_reversed(count: int) -> list[int]:
    bits = count.bit_length() - 1
    return [int(format(i, f"0{bits}b")[::-1], 2) if bits else 0 for i in range(count)]


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("points", [1, 2, 4, 32, 256])
def test_all_stages_are_the_transform(points: int, inverse: bool):
    x = complex_numbers(3, points)
    stages = range(points.bit_length() - 1)
    y = x[:, bit_reversed(points)]
    for stage in stages:
        y = stage_of(blocks(y), stage, inverse)
        y = y[:, :points] + 1j * y[:, points:]
    wanted = np.fft.ifft(x) * points if inverse else np.fft.fft(x)
    np.testing.assert_allclose(y, wanted, atol=1e-12 * points)
    np.testing.assert_allclose(
        blocks(y), compute(lambda g, x: g.fft(x, inverse=inverse), blocks(x)), atol=1e-12 * points
    )


def test_a_stage_of_complex_numbers():
    x = complex_numbers(2, 12).astype(np.complex64)
    got = stage_of(x, 1)
    assert got.dtype == np.complex64
    wanted = np.empty((2, 12), np.complex128)
    for at in range(0, 12, 4):
        a0, a1, b0, b1 = np.moveaxis(x[:, at : at + 4].astype(np.complex128), -1, 0)
        wanted[:, at : at + 4] = np.stack([a0 + b0, a1 - 1j * b1, a0 - b0, a1 + 1j * b1], axis=-1)
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("pruned", range(1, 9))
def test_pruned_points_count_as_zeros(pruned: int):
    """Whatever they hold, NaN included."""
    x = RNG.standard_normal((2, 32))
    held, zeroed = (x.reshape(2, 2, 2, 8).copy() for _ in range(2))
    held[..., -pruned:], zeroed[..., -pruned:] = np.nan, 0
    got = stage_of(held.reshape(2, 32), 2, pruned=pruned)
    wanted = stage_of(zeroed.reshape(2, 32), 2)
    np.testing.assert_array_equal(got, wanted)


def test_a_padded_signal_needs_no_sums_at_first():
    """Of 32 points the last 24 are zeros: in bit-reversed order only every fourth is none, so that two stages copy."""
    x = np.zeros(32, np.complex128)
    x[:8] = complex_numbers(8)
    y = blocks(x[bit_reversed(32)])
    for stage in range(5):
        pruned = 2**stage if stage < 2 else None
        y = stage_of(y, stage, pruned=pruned)
    np.testing.assert_allclose(y, blocks(np.fft.fft(x)), atol=1e-12)


def test_points_that_are_no_whole_groups_when_the_program_runs():
    g = Graph("f")
    g.output("y", g.fft_butterfly_stage(g.input("x", (None,), "f64"), 1))
    module = g.module()
    assert [run(module, "f", [np.ones(size)])["y"].size for size in (16, 0)] == [16, 0]
    with pytest.raises(ValueError, match=r"\(dim 0 of input 'x' // 2\) must be a multiple of 4, got 6 and 4"):
        run(module, "f", [np.ones(12)])


Pair = tuple[int, int]


def rounded(number: int, bits: int) -> int:
    """`floor(number / 2^bits + 1/2)`"""
    return (2 * number + 2**bits) // 2 ** (bits + 1)


def exact(points: Sequence[Pair], sign: int, bits: int, halvings: int) -> list[Pair]:
    """The definition as a recursion over even and odd points, in integers without bounds."""
    count = len(points)
    if count == 1:
        return list(points)
    even, odd = (exact(points[start::2], sign, bits, halvings) for start in (0, 1))
    stage, fraction = count.bit_length() - 2, bits - 1
    lower, upper = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    sums: list[Pair] = []
    differences: list[Pair] = []
    for j, ((ar, ai), (br, bi)) in enumerate(zip(even, odd)):
        angle = sign * 2 * math.pi * j / count
        wr, wi = round(2**fraction * math.cos(angle)), round(2**fraction * math.sin(angle))
        tr, ti = rounded(br * wr - bi * wi, fraction), rounded(br * wi + bi * wr, fraction)
        for found, (re, im) in ((sums, (ar + tr, ai + ti)), (differences, (ar - tr, ai - ti))):
            if stage < halvings:
                re, im = rounded(re, 1), rounded(im, 1)
            found.append((min(max(re, lower), upper), min(max(im, lower), upper)))
    return sums + differences


def integers(dtype: type, *dims: int, share: float = 1.0) -> Array:
    """Numbers over a share of what the type holds, the least and the greatest among them for all of it."""
    limits = np.iinfo(np.dtype(dtype).name)
    numbers = RNG.integers(int(limits.min * share), int(limits.max * share), dims, endpoint=True)
    values: Array = numbers.astype(np.dtype(dtype))
    if share == 1:
        values[..., ::3] = limits.min
        values[..., 1::5] = limits.max
    return values


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("share", [1.0, 0.01])
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize("points", [1, 2, 4, 8, 64])
def test_fixed_point_is_exact(points: int, dtype: type, share: float, inverse: bool):
    x = integers(dtype, 2, 2 * points, share=share)
    stages, sign = points.bit_length() - 1, 1 if inverse else -1
    for norm in FftNorm:
        if norm is FftNorm.ORTHO and stages % 2:
            continue
        more = {FftNorm.NONE: 0, FftNorm.ORTHO: stages // 2, FftNorm.BY_N_ON_INVERSE: stages if inverse else 0}[norm]
        for scale in {0, (stages - more) // 2, stages - more}:
            got = fixed(x, scale, inverse, norm)
            assert got.dtype == dtype
            for row, result in zip(x.tolist(), got.tolist()):
                pairs = list(zip(row[:points], row[points:]))
                wanted = exact(pairs, sign, np.iinfo(dtype).bits, scale + more)
                assert list(zip(result[:points], result[points:])) == wanted


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize("points", [2, 16, 256, 1024])
def test_fixed_point_is_near_the_transform(points: int, dtype: type):
    """
    Within what its roundings can add up to: a stage makes the error of two points, of a product and of a factor, each
    rounded by at most 1/2 in both parts, and halving adds a rounding.
    """
    bits, stages = np.iinfo(dtype).bits, points.bit_length() - 1
    real, imaginary = integers(dtype, 2, points, share=0.7).astype(np.float64)
    limit = 0.7 * 2.0 ** (bits - 1) * math.sqrt(2)
    for halvings in (stages, stages // 2):
        small = np.rint(np.array([real, imaginary]) / 2 ** (stages - halvings))
        error, size = 0.0, limit / 2 ** (stages - halvings)
        for stage in range(stages):
            by_factor = (size + error) * math.sqrt(2) / 2**bits
            error, size = 2 * error + math.sqrt(0.5) + by_factor, 2 * size
            if stage < halvings:
                error, size = error / 2 + math.sqrt(0.5), size / 2
        x = small.reshape(-1).astype(dtype)
        got = fixed(x, halvings).astype(np.float64)
        wanted = np.fft.fft(small[0] + 1j * small[1]) / 2.0**halvings
        assert np.abs(got[:points] + 1j * got[points:] - wanted).max() <= error
        assert error < 2 * stages * 2 ** (stages - halvings)


def test_forth_and_back():
    """A transform that halves in all of its 8 stages inverts to the signal, up to bin errors, of which 256 add up."""
    x = integers(np.int32, 512, share=0.5)
    got = fixed(fixed(x, 8), inverse=True)
    assert 0 < np.abs(got.astype(np.int64) - x).max() <= 256 * 2 * 8


def test_what_is_too_large_saturates():
    x = np.array([20000, 20000, -20000, -20000], np.int16)
    assert fixed(x).tolist() == [32767, 0, -32768, 0]
    assert fixed(x, 1).tolist() == [20000, 0, -20000, 0]


def test_halves_are_rounded_up():
    x = np.array([1, 0, -1, 0], np.int16)
    assert fixed(x, 1).tolist() == [1, 1, 0, 0]


def test_points_that_are_no_power_of_2_when_the_program_runs():
    g = Graph("f")
    g.output("y", g.fft_q(g.input("x", (None,), "i16"), scale=3))
    module = g.module()
    assert run(module, "f", [np.ones(16, np.int16)])["y"].shape == (16,)
    for size, message in (
        (24, r"2147483648 must be a multiple of \(dim 0 of input 'x' // 2\), got 2147483648 and 12"),
        (8, "must be at least 8, got 4 and 8"),
        (0, "must be at least 8, got 0 and 8"),
    ):
        with pytest.raises(ValueError, match=message):
            run(module, "f", [np.ones(size, np.int16)])
