"""Complex numbers."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import ComplexNormSqBackwardOp, ComplexNormSqOp, ComplexOp, ConjugateOp, ImagOp, RealOp

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class ComplexChapter(Chapter, ABC):
    """Complex numbers and their parts."""

    def complex(self, real: Tensor, imag: Tensor) -> Tensor:
        return self._emit(ComplexOp(self._value(real), self._value(imag)))

    def real(self, z: Tensor) -> Tensor:
        return self._emit(RealOp(self._value(z)))

    def imag(self, z: Tensor) -> Tensor:
        return self._emit(ImagOp(self._value(z)))

    def conjugate(self, z: Tensor) -> Tensor:
        return self._emit(ConjugateOp(self._value(z)))

    def complex_norm_sq(self, z: Tensor) -> Tensor:
        """The square of the absolute value."""
        return self._emit(ComplexNormSqOp(self._value(z)))

    def complex_norm_sq_backward(self, z: Tensor, gradient: Tensor) -> Tensor:
        """By the input of `complex_norm_sq`."""
        return self._emit(ComplexNormSqBackwardOp(self._value(z), self._value(gradient)))
