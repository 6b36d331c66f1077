"""Fourier transforms and what is read off a spectrum."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import FftNorm
from rlx_dialect.ops import FftOp, IrfftOp, LogMelBackwardOp, LogMelOp, RfftOp, WelchPeaksOp
from rlx_dialect.reference.numeric import Array, rounded, wide

Complex: TypeAlias = np.ndarray[Any, np.dtype[np.complex128]]


def from_blocks(value: Array) -> Complex:
    """Real parts before imaginary parts as complex numbers."""
    real, imaginary = np.split(wide(value), 2, axis=-1)
    result = real.astype(np.complex128)
    result.imag = imaginary
    return result


def to_blocks(value: Complex) -> Array:
    """The inverse of `from_blocks`."""
    return np.concatenate([value.real, value.imag], axis=-1)


def scale(norm: FftNorm, points: int, inverse: bool) -> float:
    """What a plain sum of exponentials is multiplied by."""
    if norm is FftNorm.ORTHO:
        return 1 / math.sqrt(points)
    return 1 / points if inverse and norm is FftNorm.BY_N_ON_INVERSE else 1.0


def transform(value: Complex, norm: FftNorm, inverse: bool) -> Complex:
    """The transform of complex numbers along the last axis."""
    points = value.shape[-1]
    if value.size == 0:
        return value
    plain = np.fft.ifft(value) * points if inverse else np.fft.fft(value)
    return plain * scale(norm, points, inverse)


def powers(spectrum: Array) -> Array:
    """`re^2 + im^2` of the bins of a spectrum in blocks that say all of a real signal."""
    points = from_blocks(spectrum)
    return (points.real**2 + points.imag**2)[..., : points.shape[-1] // 2 + 1]


def welch(spectrum: Array, segments: int) -> Array:
    """The mean one-sided power of each group of `segments` rows."""
    power = powers(spectrum)
    weights = np.full(power.shape[-1], 2.0)
    weights[[0, -1]] = 1.0
    return (power * weights).reshape(-1, segments, power.shape[-1]).mean(axis=1)


def _levels(spectrum: Array, filters: Array) -> tuple[Array, Array]:
    """The mel energies, and the greatest logarithm of each batch entry, kept as dims."""
    energies = wide(filters) @ np.swapaxes(powers(spectrum), -1, -2)
    logs = np.log10(np.maximum(energies, FLOOR))
    return energies, logs.max(axis=(-2, -1), keepdims=True, initial=-np.inf)


FLOOR, RANGE = 1e-10, 8.0


@register_impls
class SpectralFunctions(InterpreterFunctions):
    @impl(FftOp)
    def fft(self, interpreter: Interpreter, op: FftOp, args: tuple[Any, ...]):
        (value,) = args
        inverse = op.inverse is not None
        if value.dtype.kind == "c":
            return (rounded(transform(value.astype(np.complex128), op.scaling, inverse), op.result),)
        return (rounded(to_blocks(transform(from_blocks(value), op.scaling, inverse)), op.result),)

    @impl(RfftOp)
    def rfft(self, interpreter: Interpreter, op: RfftOp, args: tuple[Any, ...]):
        value = wide(args[0])
        by = scale(op.scaling, value.shape[-1], inverse=False)
        return (rounded(np.fft.rfft(value) * by, op.result),)

    @impl(IrfftOp)
    def irfft(self, interpreter: Interpreter, op: IrfftOp, args: tuple[Any, ...]):
        length = op.length.value.data
        by = scale(op.scaling, length, inverse=True) * length
        return (rounded(np.fft.irfft(args[0].astype(np.complex128), length) * by, op.result),)

    @impl(WelchPeaksOp)
    def welch_peaks(self, interpreter: Interpreter, op: WelchPeaksOp, args: tuple[Any, ...]):
        power, k = welch(args[0], op.n_segments.value.data), op.k.value.data
        bins = np.lexsort((-power, ~np.isnan(power)))[:, :k]
        pairs = np.zeros((power.shape[0], k, 2))
        pairs[:, : bins.shape[1]] = np.stack([bins, np.take_along_axis(power, bins, axis=-1)], axis=-1)
        return (rounded(pairs.reshape(power.shape[0], 2 * k), op.result),)

    @impl(LogMelOp)
    def log_mel(self, interpreter: Interpreter, op: LogMelOp, args: tuple[Any, ...]):
        energies, top = _levels(*args)
        logs = np.maximum(np.log10(np.maximum(energies, FLOOR)), top - RANGE)
        return (rounded((logs + 4) / 4, op.result),)

    @impl(LogMelBackwardOp)
    def log_mel_backward(self, interpreter: Interpreter, op: LogMelBackwardOp, args: tuple[Any, ...]):
        spectrum, filters, gradient = args
        energies, top = _levels(spectrum, filters)
        if energies.size == 0:
            return (np.zeros_like(spectrum),)
        logs = np.log10(np.maximum(energies, FLOOR))
        outer = wide(gradient) / 4
        floored = logs < top - RANGE
        by_log = np.where(floored, 0, outer)
        by_top = np.where(floored, outer, 0).sum(axis=(-2, -1))
        flat = by_log.reshape(*by_log.shape[:-2], -1)
        greatest = logs.reshape(flat.shape).argmax(axis=-1)[..., None]
        np.put_along_axis(flat, greatest, np.take_along_axis(flat, greatest, -1) + by_top[..., None], -1)
        safe = np.maximum(energies, FLOOR)
        by_energy = np.where(energies > FLOOR, flat.reshape(logs.shape) / (safe * math.log(10)), 0)
        by_power = np.swapaxes(wide(filters).T @ by_energy, -1, -2)
        points = from_blocks(spectrum)
        result = np.zeros_like(points)
        bins = by_power.shape[-1]
        result[..., :bins] = 2 * by_power * points[..., :bins]
        return (rounded(to_blocks(result), op.result),)
