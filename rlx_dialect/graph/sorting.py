"""Sorts, extrema and counts."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.attributes import Extremum
from rlx_dialect.dtypes import element_type
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import ArgMaxOp, ArgMinOp, ArgReduceOp, ArgsortOp, HistogramOp, SortOp, TopKOp

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class SortingChapter(Chapter, ABC):
    """Ops that compare elements along an axis; `index` is the element type of the indices they give."""

    def sort(self, x: Tensor, axis: int = -1, *, descending: bool = False) -> Tensor:
        return self._emit(SortOp(self._value(x), axis=axis, descending=descending))

    def argsort(self, x: Tensor, axis: int = -1, *, descending: bool = False, index: str = "i64") -> Tensor:
        """Where the elements of the sorted axis stood."""
        return self._emit(ArgsortOp(self._value(x), axis=axis, descending=descending, index=element_type(index)))

    def top_k(
        self, x: Tensor, k: int, axis: int = -1, *, smallest: bool = False, index: str = "i64"
    ) -> tuple[Tensor, Tensor]:
        """The `k` greatest or smallest elements and their indices."""
        op = TopKOp(self._value(x), k, axis=axis, smallest=smallest, index=element_type(index))
        values, indices = self._emit_all(op)
        return values, indices

    def arg_reduce(
        self,
        kind: Extremum,
        x: Tensor,
        axis: int = -1,
        *,
        keep_dims: bool = False,
        last: bool = False,
        index: str = "i64",
    ) -> tuple[Tensor, Tensor]:
        """The greatest or the least element and its index."""
        type = element_type(index)
        op = ArgReduceOp(kind, self._value(x), axis=axis, keep_dims=keep_dims, last=last, index=type)
        value, indices = self._emit_all(op)
        return value, indices

    def arg_max(
        self, x: Tensor, axis: int = -1, *, keep_dims: bool = False, last: bool = False, index: str = "i64"
    ) -> Tensor:
        """The index of the greatest element."""
        type = element_type(index)
        return self._emit(ArgMaxOp(self._value(x), axis=axis, keep_dims=keep_dims, last=last, index=type))

    def arg_min(
        self, x: Tensor, axis: int = -1, *, keep_dims: bool = False, last: bool = False, index: str = "i64"
    ) -> Tensor:
        """The index of the least element."""
        type = element_type(index)
        return self._emit(ArgMinOp(self._value(x), axis=axis, keep_dims=keep_dims, last=last, index=type))

    def histogram(self, x: Tensor, bins: int, low: float, high: float, *, counter: str = "i64") -> Tensor:
        """How many elements lie in each of `bins` equal parts of `[low, high]`."""
        return self._emit(HistogramOp(self._value(x), bins, low, high, counter=element_type(counter)))
