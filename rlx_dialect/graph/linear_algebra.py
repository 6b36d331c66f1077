"""Linear algebra."""

from __future__ import annotations

from rlx_dialect.attributes import QrPart, SvdPart
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.ops import (
    QrOp,
    SvdOp,
)


class LinearAlgebraChapter(GraphBase):
    """Dense matrices on the last two axes."""

    def svd(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """U, the singular values, and the transpose of V."""
        u, s, vt = (self._emit(SvdOp(part, self._value(x))) for part in SvdPart)
        return u, s, vt

    def qr(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Q and R."""
        q, r = (self._emit(QrOp(part, self._value(x))) for part in QrPart)
        return q, r
