"""Ops that place elements elsewhere or make them of dims alone, and bounds."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rlx_dialect.attributes import PadMode, Triangle
from rlx_dialect.dtypes import element_type
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.graph.sizes import Size, split_sizes
from rlx_dialect.ops import (
    ClampOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    FmaOp,
    FullOp,
    IotaOp,
    PadOp,
    ReverseOp,
    RollOp,
    SliceOp,
    StopGradientOp,
    TileOp,
    TriluOp,
)
from rlx_dialect.shapes import Shaped

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class MovementChapter(Chapter, ABC):
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

    def dynamic_slice(self, x: Tensor, starts: Sequence[Tensor], lengths: Sequence[int]) -> Tensor:
        """`lengths` entries of each axis; the scalar starts are clamped."""
        return self._emit(DynamicSliceOp(self._value(x), [self._value(each) for each in starts], lengths=lengths))

    def dynamic_update_slice(self, x: Tensor, update: Tensor, starts: Sequence[Tensor]) -> Tensor:
        """`x` with `update` at the scalar starts, which are clamped."""
        values = [self._value(each) for each in starts]
        return self._emit(DynamicUpdateSliceOp(self._value(x), self._value(update), values))

    def reverse(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        return self._emit(ReverseOp(self._value(x), axes))

    def pad(
        self,
        x: Tensor,
        low: Sequence[int],
        high: Sequence[int],
        mode: PadMode = PadMode.CONSTANT,
        value: float = 0,
    ) -> Tensor:
        """`low` more entries before each axis and `high` behind it."""
        return self._emit(PadOp(self._value(x), low, high, mode, value))

    def tile(self, x: Tensor, repeats: Sequence[int]) -> Tensor:
        return self._emit(TileOp(self._value(x), repeats))

    def roll(self, x: Tensor, shifts: Sequence[int], axes: Sequence[int]) -> Tensor:
        return self._emit(RollOp(self._value(x), shifts, axes))

    def trilu(self, part: Triangle, x: Tensor, diagonal: int = 0) -> Tensor:
        """A triangle of the matrices on the last two axes, zero elsewhere."""
        return self._emit(TriluOp(part, self._value(x), diagonal))

    def clamp(self, x: Tensor, low: float | None = None, high: float | None = None) -> Tensor:
        """None bounds nothing."""
        return self._emit(ClampOp(self._value(x), low, high))

    def stop_gradient(self, x: Tensor) -> Tensor:
        return self._emit(StopGradientOp(self._value(x)))

    def fma(self, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        """`a * b + c`, rounded once."""
        return self._emit(FmaOp(self._value(a), self._value(b), self._value(c)))
