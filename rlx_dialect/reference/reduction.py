"""Reductions: sums in float64, rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import ReduceKind
from rlx_dialect.ops import ReduceOp
from rlx_dialect.reference.numeric import Array, rounded, wide


def limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """The lowest and the highest value; infinities for floats."""
    if dtype.kind == "b":
        return False, True
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.min, info.max
    return -np.inf, np.inf


def reduce(x: Array, kind: ReduceKind, axes: tuple[int, ...], keep_dims: bool) -> Array:
    lowest, highest = limits(x.dtype)
    match kind:
        case ReduceKind.SUM:
            return x.sum(axes, keepdims=keep_dims, dtype=x.dtype)
        case ReduceKind.PROD:
            return x.prod(axes, keepdims=keep_dims, dtype=x.dtype)
        case ReduceKind.MEAN:
            count = np.prod([x.shape[a] for a in axes])
            return x.sum(axes, keepdims=keep_dims) / count
        case ReduceKind.MAX:
            return x.max(axes, keepdims=keep_dims, initial=lowest)
        case ReduceKind.MIN:
            return x.min(axes, keepdims=keep_dims, initial=highest)
        case ReduceKind.ANY:
            return np.asarray(x.any(axes, keepdims=keep_dims))
        case ReduceKind.ALL:
            return np.asarray(x.all(axes, keepdims=keep_dims))


@register_impls
class ReductionFunctions(InterpreterFunctions):
    @impl(ReduceOp)
    def reduce(self, interpreter: Interpreter, op: ReduceOp, args: tuple[Any, ...]):
        x = wide(args[0], op.accumulate)
        return (rounded(reduce(x, op.reduction, tuple(op.axes.get_values()), op.keep_dims is not None), op.result),)
