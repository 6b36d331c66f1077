"""Elements picked by index, and elements put where an index says."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rlx_dialect.attributes import ScatterReduction
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.indexing import GatherNumbers, ScatterNumbers
from rlx_dialect.ops import (
    GatherElementsOp,
    GatherNdOp,
    GeneralGatherOp,
    GeneralScatterOp,
    ScatterAddOp,
    ScatterElementsOp,
    ScatterNdOp,
)

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class IndexingChapter(Chapter, ABC):
    """Gathers and scatters."""

    def gather_nd(self, x: Tensor, indices: Tensor, batch_dims: int = 0) -> Tensor:
        """Slices picked by the vectors on the last axis of `indices`."""
        return self._emit(GatherNdOp(self._value(x), self._value(indices), batch_dims=batch_dims))

    def gather_elements(self, x: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
        """Elements at the places of `indices`, with the index itself at `axis`."""
        return self._emit(GatherElementsOp(self._value(x), self._value(indices), axis=axis))

    def scatter_add(self, x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0) -> Tensor:
        """Slices of `updates` added where their indices point to."""
        return self._emit(ScatterAddOp(*map(self._value, (x, indices, updates)), axis=axis))

    def scatter_nd(
        self, x: Tensor, indices: Tensor, updates: Tensor, reduction: ScatterReduction = ScatterReduction.NONE
    ) -> Tensor:
        """Slices of `updates` where the vectors on the last axis of `indices` say."""
        return self._emit(ScatterNdOp(*map(self._value, (x, indices, updates)), reduction=reduction))

    def scatter_elements(
        self,
        x: Tensor,
        indices: Tensor,
        updates: Tensor,
        axis: int = 0,
        reduction: ScatterReduction = ScatterReduction.NONE,
    ) -> Tensor:
        """Elements of `updates` at the places of `indices`, with the index itself at `axis`."""
        values = map(self._value, (x, indices, updates))
        return self._emit(ScatterElementsOp(*values, reduction=reduction, axis=axis))

    def general_gather(self, x: Tensor, indices: Tensor, numbers: GatherNumbers, slice_sizes: Sequence[int]) -> Tensor:
        """StableHLO's gather; starts are clamped."""
        return self._emit(GeneralGatherOp(self._value(x), self._value(indices), numbers, slice_sizes))

    def general_scatter(
        self,
        x: Tensor,
        indices: Tensor,
        updates: Tensor,
        numbers: ScatterNumbers,
        reduction: ScatterReduction = ScatterReduction.NONE,
    ) -> Tensor:
        """StableHLO's scatter; what lies outside is skipped."""
        values = self._value(x), self._value(indices), self._value(updates)
        return self._emit(GeneralScatterOp(*values, numbers, reduction))
