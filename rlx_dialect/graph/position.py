"""Rotary position embeddings and the key-value cache."""

from __future__ import annotations

from rlx_dialect.attributes import RopeStyle, RopeTable
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.ops import RopeBackwardOp, RopeOp


class PositionChapter(GraphBase):
    """Where a token is, and the tokens before it."""

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
        """The rotary embedding of heads on the last axis, positions on `axis`; `n_rot` may turn less than a head."""
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
