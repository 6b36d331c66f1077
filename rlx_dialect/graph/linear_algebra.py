"""Linear algebra."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.attributes import QrPart, SvdPart, Triangle
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import (
    BatchedDenseSolveOp,
    CholeskyOp,
    DenseSolveOp,
    DetOp,
    EighBackwardOp,
    EighOp,
    LogDetOp,
    QrOp,
    SvdOp,
    TriangularSolveOp,
)

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class LinearAlgebraChapter(Chapter, ABC):
    """Dense matrices on the last two axes."""

    def dense_solve(self, matrix: Tensor, rhs: Tensor) -> Tensor:
        """The x of `matrix @ x = rhs`."""
        return self._emit(DenseSolveOp(self._value(matrix), self._value(rhs)))

    def batched_dense_solve(self, matrix: Tensor, rhs: Tensor) -> Tensor:
        """The x of `matrix @ x = rhs` for each entry of a batch."""
        return self._emit(BatchedDenseSolveOp(self._value(matrix), self._value(rhs)))

    def triangular_solve(
        self, matrix: Tensor, rhs: Tensor, triangle: Triangle = Triangle.LOWER, *, transpose: bool = False
    ) -> Tensor:
        """The x of `triangle(matrix) @ x = rhs`."""
        return self._emit(
            TriangularSolveOp(self._value(matrix), self._value(rhs), triangle=triangle, transpose=transpose)
        )

    def cholesky(self, x: Tensor) -> Tensor:
        """The lower triangular root of a positive definite matrix."""
        return self._emit(CholeskyOp(self._value(x)))

    def det(self, x: Tensor) -> Tensor:
        """The determinant."""
        return self._emit(DetOp(self._value(x)))

    def log_det(self, x: Tensor) -> Tensor:
        """The logarithm of the determinant."""
        return self._emit(LogDetOp(self._value(x)))

    def svd(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """U, the singular values, and the transpose of V."""
        u, s, vt = (self._emit(SvdOp(part, self._value(x))) for part in SvdPart)
        return u, s, vt

    def qr(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Q and R."""
        q, r = (self._emit(QrOp(part, self._value(x))) for part in QrPart)
        return q, r

    def eigh(self, x: Tensor) -> Tensor:
        """Eigenvalues and eigenvectors of a symmetric matrix, one after the other."""
        return self._emit(EighOp(self._value(x)))

    def eigh_backward(self, x: Tensor, gradient: Tensor) -> Tensor:
        """The gradient of `eigh` by its input."""
        return self._emit(EighBackwardOp(self._value(x), self._value(gradient)))
