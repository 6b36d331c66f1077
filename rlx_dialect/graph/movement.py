"""Ops that place elements elsewhere or make them of dims alone, and bounds."""

from __future__ import annotations

from collections.abc import Sequence

from rlx_dialect.dtypes import element_type
from rlx_dialect.graph.base import GraphBase, Tensor
from rlx_dialect.graph.sizes import Size, split_sizes
from rlx_dialect.ops import (
    FullOp,
    IotaOp,
    SliceOp,
)
from rlx_dialect.shapes import Shaped


class MovementChapter(GraphBase):
    """Slices, pads, repetitions, bounds."""

    def filled(self, shape: Sequence[Size], value: float, dtype: str = "f32") -> Tensor:
        """A tensor whose elements are all `value`, of dims that may be known at run time only."""
        dims, sizes = split_sizes(shape)
        return self._emit(FullOp(value, Shaped(dims, element_type(dtype)), sizes))

    def iota(self, shape: Sequence[Size], axis: int, dtype: str = "i64") -> Tensor:
        """Each element its own entry on `axis`."""
        dims, sizes = split_sizes(shape)
        return self._emit(IotaOp(Shaped(dims, element_type(dtype)), sizes, axis=axis))

    def slice(
        self, x: Tensor, starts: Sequence[int], shape: Sequence[Size], steps: Sequence[int] | None = None
    ) -> Tensor:
        """`shape` entries of each axis, from `starts` in `steps`."""
        dims, sizes = split_sizes(shape)
        return self._emit(SliceOp(self._value(x), dims, sizes, starts=starts, steps=steps))
