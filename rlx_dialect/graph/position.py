"""Rotary position embeddings and the key-value cache."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.attributes import RopeStyle, RopeTable
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import AxialRope2dOp, KvAppendOp, RopeBackwardOp, RopeOp

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class PositionChapter(Chapter, ABC):
    """Where a token stands, and the tokens before it."""

    def rope(
        self,
        x: Tensor,
        cos: Tensor,
        sin: Tensor,
        *,
        axis: int,
        n_rot: int | None = None,
        style: RopeStyle = RopeStyle.NEOX,
        table: RopeTable = RopeTable.HALF,
    ) -> Tensor:
        """The rotary embedding of heads on the last axis, positions on `axis`; whole heads turn unless `n_rot` says less."""
        rotated = x.shape[-1] if n_rot is None else n_rot
        return self._emit(RopeOp(*map(self._value, (x, cos, sin)), n_rot=rotated, axis=axis, style=style, table=table))

    def rope_backward(
        self,
        gradient: Tensor,
        cos: Tensor,
        sin: Tensor,
        *,
        axis: int,
        n_rot: int | None = None,
        style: RopeStyle = RopeStyle.NEOX,
        table: RopeTable = RopeTable.HALF,
    ) -> Tensor:
        """The gradient of `rope` by its input."""
        rotated = gradient.shape[-1] if n_rot is None else n_rot
        return self._emit(
            RopeBackwardOp(*map(self._value, (gradient, cos, sin)), n_rot=rotated, axis=axis, style=style, table=table)
        )

    def axial_rope2d(self, x: Tensor, *, axis: int, grid: tuple[int, int], theta: float = 10000.0) -> Tensor:
        """The rotary embedding of the tiles of a `[height, width]` grid."""
        return self._emit(AxialRope2dOp(self._value(x), axis=axis, grid=grid, theta=theta))

    def kv_append(self, cache: Tensor, rows: Tensor, *, axis: int, position: int) -> Tensor:
        """The first `position` entries of the cache and the rows behind them."""
        return self._emit(KvAppendOp(self._value(cache), self._value(rows), axis=axis, position=position))
