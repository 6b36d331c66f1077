"""Prefix sums, products and maxima."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import CummaxOp, CumprodOp, CumsumOp

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class CumulativeChapter(Chapter, ABC):
    """What stands before each element, combined; `exclusive` leaves the element itself out, `reverse` starts at the end."""

    def cumsum(self, x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
        return self._emit(CumsumOp(self._value(x), axis=axis, exclusive=exclusive, reverse=reverse))

    def cumprod(self, x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
        return self._emit(CumprodOp(self._value(x), axis=axis, exclusive=exclusive, reverse=reverse))

    def cummax(self, x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
        return self._emit(CummaxOp(self._value(x), axis=axis, exclusive=exclusive, reverse=reverse))
