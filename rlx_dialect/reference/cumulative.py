"""Prefix sums, products and maxima, in float64 and rounded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.ops import CummaxOp, CumprodOp, CumsumOp
from rlx_dialect.ops.cumulative import PrefixOp
from rlx_dialect.reference.numeric import Array, rounded, wide
from rlx_dialect.reference.reduction import limits


def prefix(op: PrefixOp, x: Array, combine: Callable[[Array, int], Array], nothing: Any) -> Array:
    """`combine` along `x` in the direction of `op`; if exclusive, all moves by one place and `nothing` comes first."""
    axis = op.axis.value.data
    ordered = np.flip(x, axis) if op.reverse is not None else x
    found = combine(ordered, axis)
    if op.exclusive is not None and x.shape[axis]:
        first = np.full_like(found.take([0], axis), nothing)
        found = np.concatenate([first, found.take(range(x.shape[axis] - 1), axis)], axis)
    return np.flip(found, axis) if op.reverse is not None else found


@register_impls
class CumulativeFunctions(InterpreterFunctions):
    @impl(CumsumOp)
    def cumsum(self, interpreter: Interpreter, op: CumsumOp, args: tuple[Any, ...]):
        x = wide(args[0])
        return (rounded(prefix(op, x, lambda a, axis: a.cumsum(axis, dtype=a.dtype), 0), op.result),)

    @impl(CumprodOp)
    def cumprod(self, interpreter: Interpreter, op: CumprodOp, args: tuple[Any, ...]):
        x = wide(args[0])
        return (rounded(prefix(op, x, lambda a, axis: a.cumprod(axis, dtype=a.dtype), 1), op.result),)

    @impl(CummaxOp)
    def cummax(self, interpreter: Interpreter, op: CummaxOp, args: tuple[Any, ...]):
        x = wide(args[0])
        return (rounded(prefix(op, x, np.maximum.accumulate, limits(x.dtype)[0]), op.result),)
