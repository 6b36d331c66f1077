"""Splines in the place of activations."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rlx_dialect.graph.chapter import Chapter
from rlx_dialect.ops import SplineActivationBackwardCoeffOp, SplineActivationBackwardXOp, SplineActivationOp

if TYPE_CHECKING:
    from rlx_dialect.builder import Tensor


class SplineChapter(Chapter, ABC):
    """A spline for each channel, and its gradients."""

    def spline_activation(
        self, x: Tensor, coefficients: Tensor, *, low: float = -1.0, high: float = 1.0, degree: int = 3
    ) -> Tensor:
        """The splines of `coefficients` `[C, intervals + degree]` on intervals from `low` to `high`, at x `[.., C]`."""
        return self._emit(
            SplineActivationOp(self._value(x), self._value(coefficients), low=low, high=high, degree=degree)
        )

    def spline_activation_backward_x(
        self,
        x: Tensor,
        coefficients: Tensor,
        gradient: Tensor,
        *,
        low: float = -1.0,
        high: float = 1.0,
        degree: int = 3,
    ) -> Tensor:
        """The gradient of `spline_activation` by x."""
        operands = map(self._value, (x, coefficients, gradient))
        return self._emit(SplineActivationBackwardXOp(*operands, low=low, high=high, degree=degree))

    def spline_activation_backward_coeff(
        self, x: Tensor, gradient: Tensor, *, intervals: int, low: float = -1.0, high: float = 1.0, degree: int = 3
    ) -> Tensor:
        """The gradient of `spline_activation` by its coefficients, `[C, intervals + degree]`."""
        return self._emit(
            SplineActivationBackwardCoeffOp(
                self._value(x), self._value(gradient), intervals=intervals, low=low, high=high, degree=degree
            )
        )
