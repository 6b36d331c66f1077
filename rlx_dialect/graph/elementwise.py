"""Elementwise functions of one value."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.attributes import Activation
from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import ActivationOp, ErfcOp, Expm1Op, IsFiniteOp, Log1pOp, LogicalNotOp

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class ElementwiseChapter(Chapter, ABC):
    """Activations, functions that keep the digits of small results, and questions about a value."""

    def activation(self, kind: Activation, x: Tensor) -> Tensor:
        return self._emit(ActivationOp(kind, self._value(x)))

    def gelu(self, x: Tensor) -> Tensor:
        return self.activation(Activation.GELU, x)

    def relu(self, x: Tensor) -> Tensor:
        return self.activation(Activation.RELU, x)

    def silu(self, x: Tensor) -> Tensor:
        return self.activation(Activation.SILU, x)

    def tanh(self, x: Tensor) -> Tensor:
        return self.activation(Activation.TANH, x)

    def exp(self, x: Tensor) -> Tensor:
        return self.activation(Activation.EXP, x)

    def sqrt(self, x: Tensor) -> Tensor:
        return self.activation(Activation.SQRT, x)

    def erf(self, x: Tensor) -> Tensor:
        return self.activation(Activation.ERF, x)

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
