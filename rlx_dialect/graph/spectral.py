"""Fourier transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rlx_dialect.attributes import BinaryKind, ReduceKind
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.ops import BinaryOp, GatherOp, NarrowOp, ReduceOp, ReshapeOp, RfftOp
from rlx_dialect.shapes import DYNAMIC, ShapeError, shaped, show

if TYPE_CHECKING:
    pass


class SpectralChapter(GraphBase):
    """Spectra, of complex numbers or of floats in blocks: N real parts, then N imaginary ones."""

    def frames(self, signal: Tensor, length: int, step: int) -> Tensor:
        """`[.., T]` cut into pieces of `length` that start `step` apart: `[.., (T - length) / step + 1, length]`."""
        import numpy as np

        if not signal.shape or (size := signal.shape[-1]) == DYNAMIC or step < 1 or not 0 < length <= size:
            raise ShapeError(f"frames of {length} with step {step} cannot be cut from {show(signal.shape)}")
        starts = np.arange(0, size - length + 1, step, dtype=np.int32)
        indices = self.constant(starts[:, None] + np.arange(length, dtype=np.int32))
        return self._emit(GatherOp(self._value(signal), self._value(indices), axis=-1))

    def stft(self, signal: Tensor, length: int, step: int, window: Tensor | None = None) -> Tensor:
        """The bins of each frame of f32 `[.., T]`, times `window` `[length]`: c64 `[.., frames, length / 2 + 1]`."""
        pieces = self.frames(signal, length, step)
        if window is not None:
            pieces = self._emit(BinaryOp(BinaryKind.MUL, self._value(pieces), self._value(window)))
        return self._emit(RfftOp(self._value(pieces)))

    def psd(self, spectrum: Tensor, n_segments: int) -> Tensor:
        """The mean one-sided power of groups of rows of `[B * n_segments, 2N]`, cf. `welch_peaks`: `[B, N / 2 + 1]`."""
        import numpy as np

        value = shaped(self._value(spectrum), "spectrum")
        if value.rank != 2 or not value.static or value.dims[1] % 2 or n_segments < 1 or value.dims[0] % n_segments:
            raise ShapeError(f"psd: {n_segments} segments do not divide {value}, real parts and imaginary parts")
        points = value.dims[1] // 2
        bins = points // 2 + 1
        weights = np.full(bins, 2 / n_segments, np.float64)
        weights[[0, -1]] /= 2
        parts = [self._squared(spectrum, start, bins) for start in (0, points)]
        power = self._emit(BinaryOp(BinaryKind.ADD, *map(self._value, parts)))
        factors = self._value(self.constant(weights.astype(np.float64 if spectrum.dtype == "f64" else np.float32)))
        weighted = self._emit(BinaryOp(BinaryKind.MUL, self._value(power), factors))
        groups = self._emit(ReshapeOp(self._value(weighted), (value.dims[0] // n_segments, n_segments, bins)))
        return self._emit(ReduceOp(ReduceKind.SUM, self._value(groups), [1]))

    def _squared(self, x: Tensor, start: int, length: int) -> Tensor:
        part = self._value(self._emit(NarrowOp(self._value(x), axis=-1, start=start, length=length)))
        return self._emit(BinaryOp(BinaryKind.MUL, part, part))
