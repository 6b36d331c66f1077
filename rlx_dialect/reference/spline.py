"""Splines, by the recursion of Cox and de Boor."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import SplineActivationBackwardCoeffOp, SplineActivationBackwardXOp, SplineActivationOp
from rlx_dialect.ops.spline import Grid
from rlx_dialect.reference.numeric import Array, rounded, wide


def basis(value: Array, grid: Grid, degree: int) -> Array:
    """The B-splines of `degree` on the knots of `grid` at each element of `value`, on a new last axis."""
    # In units of the width, so that a knot is a whole number; beyond the knots one place is as good as another.
    at = np.clip((value - grid.low) / grid.step, -grid.degree - 1, grid.intervals + grid.degree + 1)[..., None]
    knots = np.arange(grid.knots) - grid.degree
    result = np.where((knots[:-1] <= at) & (at < knots[1:]), 1.0, 0.0 * at)
    for k in range(1, degree + 1):
        rising = (at - knots[: -k - 1]) * result[..., :-1]
        falling = (knots[k + 1 :] - at) * result[..., 1:]
        result = (rising + falling) / k
    return result


def slopes(value: Array, coefficients: Array, grid: Grid) -> Array:
    """The derivative of each channel's spline."""
    if grid.degree == 0:
        return np.zeros_like(value)
    lower = basis(value, grid, grid.degree - 1)
    return ((lower[..., :-1] - lower[..., 1:]) * coefficients).sum(axis=-1) / grid.step


@register_impls
class SplineFunctions(InterpreterFunctions):
    @impl(SplineActivationOp)
    def spline(self, interpreter: Interpreter, op: SplineActivationOp, args: tuple[Any, ...]):
        value, coefficients = map(wide, args)
        result = (basis(value, op.grid, op.grid.degree) * coefficients).sum(axis=-1)
        return (rounded(result, op.result),)

    @impl(SplineActivationBackwardXOp)
    def by_input(self, interpreter: Interpreter, op: SplineActivationBackwardXOp, args: tuple[Any, ...]):
        value, coefficients, gradient = map(wide, args)
        return (rounded(slopes(value, coefficients, op.grid) * gradient, op.result),)

    @impl(SplineActivationBackwardCoeffOp)
    def by_coefficients(self, interpreter: Interpreter, op: SplineActivationBackwardCoeffOp, args: tuple[Any, ...]):
        value, gradient = map(wide, args)
        shares = basis(value, op.grid, op.grid.degree) * gradient[..., None]
        return (rounded(shares.sum(axis=tuple(range(value.ndim - 1))), op.result),)
