"""Fourier transforms as stages of butterflies."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import FftButterflyStageOp, FftQOp
from rlx_dialect.ops.quantization import integer
from rlx_dialect.reference.numeric import Array, rounded
from rlx_dialect.reference.spectral import Complex, from_blocks, to_blocks

Parts = tuple[Array, Array]
"""Real and imaginary parts."""


def factors(half: int, inverse: bool) -> Complex:
    """`e^(-pi i j / half)` for `j < half`, `+` for `inverse`."""
    return np.exp((1j if inverse else -1j) * np.pi / half * np.arange(half))


def integer_factors(half: int, inverse: bool, bits: int) -> Parts:
    """The complex integers nearest to `2^bits` times the factors."""
    turns = factors(half, inverse) * 2.0**bits
    return np.rint(turns.real).astype(np.int64), np.rint(turns.imag).astype(np.int64)


def bit_reversed(points: int) -> Array:
    """For each place the number with its bits in reverse order; `points` is a power of 2."""
    places = np.zeros(1, np.int64)
    while places.size < points:
        places = np.concatenate([2 * places, 2 * places + 1])
    return places


def butterflies(points: Complex, half: int, inverse: bool) -> Complex:
    """One stage of the transform."""
    groups = points.reshape(*points.shape[:-1], -1, 2, half)
    a, b = groups[..., 0, :], groups[..., 1, :] * factors(half, inverse)
    return np.stack([a + b, a - b], axis=-2).reshape(points.shape)


def halved(value: Array, times: int) -> Array:
    """`floor(value / 2^times + 1/2)` of integers."""
    return value if times == 0 else (value + (1 << (times - 1))) >> times


def fixed_point(real: Array, imaginary: Array, inverse: bool, halvings: int) -> Parts:
    """The transform of i16 or i32 parts, whose first `halvings` stages halve."""
    limits = np.iinfo(real.dtype)
    fraction, points = limits.bits - 1, real.shape[-1]
    parts = [part.astype(np.int64)[..., bit_reversed(points)] for part in (real, imaginary)]
    for stage in range(points.bit_length() - 1):
        half = 2**stage
        (ar, br), (ai, bi) = (np.moveaxis(part.reshape(*part.shape[:-1], -1, 2, half), -2, 0) for part in parts)
        wr, wi = integer_factors(half, inverse, fraction)
        tr, ti = halved(br * wr - bi * wi, fraction), halved(br * wi + bi * wr, fraction)
        joined = (np.stack([a + t, a - t], axis=-2).reshape(real.shape) for a, t in ((ar, tr), (ai, ti)))
        parts = [np.clip(halved(part, int(stage < halvings)), limits.min, limits.max) for part in joined]
    return parts[0].astype(real.dtype), parts[1].astype(real.dtype)


@register_impls
class ButterflyFunctions(InterpreterFunctions):
    @impl(FftButterflyStageOp)
    def stage(self, interpreter: Interpreter, op: FftButterflyStageOp, args: tuple[Any, ...]):
        (value,) = args
        whole = value.dtype.kind == "c"
        points = value.astype(np.complex128) if whole else from_blocks(value)
        if points.shape[-1] % (2 * op.half):
            raise ValueError(f"{op.name}: {points.shape[-1]} points are no multiple of {2 * op.half}")
        if points.size == 0:
            return (value,)
        if (pruned := integer(op.pruned)) is not None:
            points = points.copy()
            points.reshape(-1, 2 * op.half)[:, -pruned:] = 0
        result = butterflies(points, op.half, op.inverse is not None)
        return (rounded(result if whole else to_blocks(result), op.result),)

    @impl(FftQOp)
    def fixed(self, interpreter: Interpreter, op: FftQOp, args: tuple[Any, ...]):
        real, imaginary = np.split(args[0], 2, axis=-1)
        parts = fixed_point(real, imaginary, op.inverse is not None, op.halvings(real.shape[-1]))
        return (np.concatenate(parts, axis=-1),)
