"""Products."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import BiMapOp, DotGeneralOp, MatMulOp

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class ContractionChapter(Chapter, ABC):
    """Sums of products over one axis or several."""

    def matmul(self, lhs: Tensor, rhs: Tensor) -> Tensor:
        return self._emit(MatMulOp(self._value(lhs), self._value(rhs)))

    def dot_general(
        self,
        lhs: Tensor,
        rhs: Tensor,
        contracting: tuple[Sequence[int], Sequence[int]],
        batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
    ) -> Tensor:
        """`contracting` and `batch` name axes of lhs and as many of rhs; batch dims come first in the result, then the free ones."""
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

    def bi_map(self, x: Tensor, weight: Tensor) -> Tensor:
        """`weight @ x @ weight^T`"""
        return self._emit(BiMapOp(self._value(x), self._value(weight)))
