"""Elementwise functions that are ops of their own."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import ErfcOp, Expm1Op, IsFiniteOp, Log1pOp, LogicalNotOp

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class ElementwiseChapter(Chapter, ABC):
    """Functions of one value that keep its digits, and questions about it."""

    def erfc(self, x: Tensor) -> Tensor:
        return self._emit(ErfcOp(self._value(x)))

    def log1p(self, x: Tensor) -> Tensor:
        return self._emit(Log1pOp(self._value(x)))

    def expm1(self, x: Tensor) -> Tensor:
        return self._emit(Expm1Op(self._value(x)))

    def logical_not(self, x: Tensor) -> Tensor:
        """The other truth value; i1 only."""
        return self._emit(LogicalNotOp(self._value(x)))

    def is_finite(self, x: Tensor) -> Tensor:
        """Whether an element is neither infinite nor NaN, as i1."""
        return self._emit(IsFiniteOp(self._value(x)))
