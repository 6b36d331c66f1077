"""Bounds, the product and sum that is rounded once, and the stop of a gradient."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import ClampOp, FmaOp, StopGradientOp
from rlx_dialect.reference.numeric import Array, odd, rounded, wide


def fused_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """
    `a * b + c` of float64, rounded once.

    The product of two f64 is not an f64, so this goes on in fractions; an f32 result needs more care, see `to_odd`.
    """
    return np.array([_fma(*each) for each in zip(a.flat, b.flat, c.flat)], np.float64).reshape(a.shape)


def _fma(a: float, b: float, c: float) -> float:
    plain = float(a) * float(b) + float(c)
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        # An infinity decides, unless the finite product overflowed beside it.
        return float(c) if math.isfinite(a) and math.isfinite(b) else plain
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if not exact:
        return plain if float(a) * float(b) == 0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def sum_to_odd(a: Array, b: Array) -> Array:
    """
    `a + b` of float64, an inexact sum given the neighbour whose last bit is set.

    Rounding that to a type with two bits less or fewer gives what rounding the exact sum gives; the nearest float64
    does not.
    """
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    return odd(total, error)


@register_impls
class PointwiseFunctions(InterpreterFunctions):
    @impl(ClampOp)
    def clamp(self, interpreter: Interpreter, op: ClampOp, args: tuple[Any, ...]):
        x = args[0]
        low, high = (wide(np.asarray(bound.value.data).astype(x.dtype)) for bound in (op.low, op.high))
        return (rounded(np.minimum(np.maximum(wide(x), low), high), op.result),)

    @impl(StopGradientOp)
    def stop_gradient(self, interpreter: Interpreter, op: StopGradientOp, args: tuple[Any, ...]):
        return (args[0],)

    @impl(FmaOp)
    def fma(self, interpreter: Interpreter, op: FmaOp, args: tuple[Any, ...]):
        if args[0].dtype == np.float64:
            return (fused_multiply_add(*args),)
        a, b, c = map(wide, args)
        return (rounded(sum_to_odd(a * b, c), op.result),)
