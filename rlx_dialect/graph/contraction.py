"""Products."""

from __future__ import annotations

from collections.abc import Sequence

from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.ops import DotGeneralOp


class ContractionChapter(GraphBase):
    """Sums of products over one axis or several."""

    def dot_general(
        self,
        lhs: Tensor,
        rhs: Tensor,
        contracting: tuple[Sequence[int], Sequence[int]],
        batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
    ) -> Tensor:
        """`contracting` and `batch` name axes of lhs and as many of rhs; the result has batch dims, then free ones."""
        return self._emit(
            DotGeneralOp(
                self._value(lhs),
                self._value(rhs),
                lhs_contracting=contracting[0],
                rhs_contracting=contracting[1],
                lhs_batch=batch[0],
                rhs_batch=batch[1],
            )
        )
