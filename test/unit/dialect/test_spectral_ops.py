"""Fourier transforms and what is read off a spectrum."""

import numpy as np
import pytest
from graph_op import compute

from rlx_dialect.attributes import FftNorm
from rlx_dialect.builder import Graph
from rlx_dialect.reference import Array
from rlx_dialect.shapes import ShapeError

RNG = np.random.default_rng(0)
SIZES = [1, 2, 3, 8, 12, 17]


def sums(value: Array, sign: int) -> Array:
    """The definition, term by term."""
    points = value.shape[-1]
    exponents = [[sign * 2j * np.pi * n * k / points for k in range(points)] for n in range(points)]
    return value @ np.exp(exponents)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("norm", FftNorm)
@pytest.mark.parametrize("points", SIZES)
def test_fft(points: int, norm: FftNorm, inverse: bool):
    real, imaginary = RNG.standard_normal((2, 3, points))
    factor = {
        FftNorm.NONE: 1.0,
        FftNorm.ORTHO: points**-0.5,
        FftNorm.BY_N_ON_INVERSE: 1 / points if inverse else 1.0,
    }[norm]
    expected = sums(real + 1j * imaginary, 1 if inverse else -1) * factor
    blocks = np.concatenate([real, imaginary], axis=-1)
    got = compute(lambda g, x: g.fft(x, inverse=inverse, norm=norm), blocks)
    np.testing.assert_allclose(got, np.concatenate([expected.real, expected.imag], axis=-1), atol=1e-12 * points)
    whole = (real + 1j * imaginary).astype(np.complex64)
    got = compute(lambda g, x: g.fft(x, inverse=inverse, norm=norm), whole)
    assert got.dtype == np.complex64
    np.testing.assert_allclose(got, expected, atol=1e-5 * points)


@pytest.mark.parametrize("norm", FftNorm)
@pytest.mark.parametrize("points", SIZES)
def test_real_fft(points: int, norm: FftNorm):
    signal = RNG.standard_normal((2, points)).astype(np.float32)
    factor = points**-0.5 if norm is FftNorm.ORTHO else 1.0
    bins = compute(lambda g, x: g.rfft(x, norm), signal)
    np.testing.assert_allclose(bins, sums(signal, -1)[:, : points // 2 + 1] * factor, atol=1e-5)
    back = compute(lambda g, x: g.irfft(g.rfft(x, norm), points, norm), signal)
    np.testing.assert_allclose(back, signal * (points if norm is FftNorm.NONE else 1), atol=1e-4)


def test_parts_that_a_real_signal_cannot_have_are_not_read():
    bins = np.array([1, 2 + 1j, 3], np.complex64)
    wrong = bins + np.array([5j, 0, -2j], np.complex64)
    one, other = (compute(lambda g, x: g.irfft(x, 4), each) for each in (bins, wrong))
    np.testing.assert_array_equal(one, other)


def test_nothing_to_transform():
    assert compute(lambda g, x: g.fft(x), np.zeros((0, 4), np.float32)).shape == (0, 4)
    assert compute(lambda g, x: g.fft(x), np.zeros((2, 0), np.float32)).shape == (2, 0)
    assert compute(lambda g, x: g.rfft(x), np.zeros((0, 4), np.float32)).shape == (0, 3)


def test_stft():
    signal, window = RNG.standard_normal((2, 20)).astype(np.float32), np.hanning(8).astype(np.float32)
    got = compute(lambda g, x, w: g.stft(x, 8, 3, w), signal, window)
    expected = [np.fft.rfft(signal[:, at : at + 8] * window) for at in range(0, 13, 3)]
    np.testing.assert_allclose(got, np.stack(expected, axis=1), atol=1e-5)
    plain = compute(lambda g, x: g.stft(x, 8, 3), signal)
    np.testing.assert_allclose(plain[:, 1], np.fft.rfft(signal[:, 3:11]), atol=1e-5)


@pytest.mark.parametrize(("length", "step"), [(8, 0), (21, 1), (0, 1)])
def test_frames_that_do_not_fit(length: int, step: int):
    g = Graph("f")
    with pytest.raises(ShapeError, match=rf"frames of {length} with step {step} cannot be cut from \[20\]"):
        g.stft(g.input("x", (20,)), length, step)


@pytest.mark.parametrize("points", [1, 2, 7, 8])
def test_psd_keeps_the_power(points: int):
    """A real signal's one-sided powers sum up to N times the sum of its squares, but for the last bin of an odd N."""
    signal = RNG.standard_normal((6, points))
    spectrum = np.fft.fft(signal)
    blocks = np.concatenate([spectrum.real, spectrum.imag], axis=-1)
    power = compute(lambda g, x: g.psd(x, 3), blocks)
    last = points // 2
    missing = 0 if points % 2 == 0 or last == 0 else np.abs(spectrum[:, last]) ** 2
    expected = (points * (signal**2).sum(axis=1) - missing).reshape(2, 3).mean(axis=1)
    np.testing.assert_allclose(power.sum(axis=1), expected)


def test_psd_of_odd_groups():
    g = Graph("f")
    with pytest.raises(ShapeError, match="psd: 2 segments do not divide tensor<3x8xf32>"):
        g.psd(g.input("x", (3, 8)), 2)


def test_welch_peaks():
    blocks = RNG.standard_normal((6, 16)).astype(np.float32)
    power = compute(lambda g, x: g.psd(x, 2), blocks)
    got = compute(lambda g, x: g.welch_peaks(x, k=3, n_segments=2), blocks).reshape(3, 3, 2)
    bins = np.argsort(-power, axis=1)[:, :3]
    np.testing.assert_array_equal(got[..., 0], bins)
    np.testing.assert_allclose(got[..., 1], np.take_along_axis(power, bins, axis=1), rtol=1e-6)


def test_equal_peaks_come_in_order_and_the_rest_is_zero():
    blocks = np.array([[2, 1, 2, 0, 0, 1, 0, 0]], np.float32)
    got = compute(lambda g, x: g.welch_peaks(x, k=5, n_segments=1), blocks).reshape(5, 2)
    np.testing.assert_array_equal(got, [[0, 4], [1, 4], [2, 4], [0, 0], [0, 0]])


def features(spectrum: Array, filters: Array) -> Array:
    """As the model's own code has it."""
    points = spectrum.shape[-1] // 2
    bins = filters.shape[1]
    power = spectrum[..., :bins] ** 2 + spectrum[..., points : points + bins] ** 2
    logs = np.log10(np.maximum(np.einsum("mk,...tk->...mt", filters, power), 1e-10))
    top = logs.max(axis=(-2, -1), keepdims=True)
    return (np.maximum(logs, top - 8) + 4) / 4


def spectra() -> tuple[Array, Array]:
    """Two clips with loud and silent frames, and filters of which one hears nothing."""
    spectrum = RNG.standard_normal((2, 5, 8))
    spectrum[:, 1] *= 1e-7
    spectrum[:, 3] *= 1e-3
    filters = RNG.random((4, 3))
    filters[2] = 0
    return spectrum, filters


def test_log_mel():
    spectrum, filters = spectra()
    got = compute(lambda g, x, f: g.log_mel(x, f), spectrum, filters)
    np.testing.assert_allclose(got, features(spectrum, filters))


def test_log_mel_backward():
    spectrum, filters = spectra()
    outer = RNG.standard_normal((2, 4, 5))
    got = compute(lambda g, x, f, d: g.log_mel_backward(x, f, d), spectrum, filters, outer)
    expected = np.zeros_like(spectrum)
    for at in np.ndindex(spectrum.shape):
        step = np.zeros_like(spectrum)
        step[at] = abs(spectrum[at]) * 1e-6
        difference = features(spectrum + step, filters) - features(spectrum - step, filters)
        expected[at] = (difference * outer).sum() / (2 * step[at])
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)
