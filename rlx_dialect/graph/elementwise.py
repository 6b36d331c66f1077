"""Elementwise functions."""

from __future__ import annotations

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.functions import function_of
from rlx_dialect.graph.base import GraphBase, Number, Tensor
from rlx_dialect.ops import CompareOp, ConjugateOp, WhereOp


class ElementwiseChapter(GraphBase):
    """Activations by name, and what takes numbers in the place of tensors."""

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

    def function(self, name: str, *operands: Tensor, **parameters: float) -> Tensor:
        """
        A function of floats of one dtype, by its name in `rlx_dialect.formulas.FUNCTIONS`, its parameters by keyword.

        One that is no op of the dialect becomes several, on f32 where the floats are narrower. Raises `ValueError`
        where no function has that name, so many operands or such a parameter.
        """
        values = map(self._value, operands)
        return Tensor(self, function_of(name, lambda op: self._emit(op).value, *values, **parameters))

    def maximum(self, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor:
        return self.binary(BinaryKind.MAX, lhs, rhs)

    def minimum(self, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor:
        return self.binary(BinaryKind.MIN, lhs, rhs)

    def compare(self, kind: CompareKind, lhs: Tensor | Number, rhs: Tensor | Number) -> Tensor:
        left, right = self._pair(lhs, rhs)
        return self._emit(CompareOp(kind, left, right))

    def where(self, condition: Tensor, on_true: Tensor | Number, on_false: Tensor | Number) -> Tensor:
        left, right = self._pair(on_true, on_false)
        return self._emit(WhereOp(self._value(condition), left, right))

    def conjugate(self, z: Tensor) -> Tensor:
        return self._emit(ConjugateOp(self._value(z)))
