"""Pooling: means in float64, rounded once."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import PoolKind
from rlx_dialect.ops import Im2ColOp, MaxPoolBackwardOp, PoolConfig, PoolOp
from rlx_dialect.reference.convolution import channels_first, in_layout, spread_out, views_of, windows_of
from rlx_dialect.reference.numeric import Array, rounded, wide


def flat(seen: Array) -> Array:
    """Windows with their elements on one axis, the last."""
    rank = seen.ndim // 2 - 1
    return seen.reshape(*seen.shape[: 2 + rank], prod(seen.shape[2 + rank :]))


def lowest(dtype: np.dtype[Any]) -> float | int:
    """What is below every number of a type."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def counts_of(config: PoolConfig, sizes: tuple[int, ...], include_pad: bool) -> Array:
    """How many elements the mean of each window is over."""
    window = config.window
    ones = np.ones((1, 1, *sizes))
    padded = spread_out(ones, window, 1.0 if include_pad else 0.0)
    return flat(views_of(padded, window, window.counts(sizes, config.ceil), 0)).sum(-1)


def first_largest(x: Array, config: PoolConfig) -> tuple[Array, Array]:
    """For each window of `[N, C, ..]` its first largest element's place in the flattened spatial dims, and if any."""
    window, sizes = config.window, x.shape[2:]
    places = np.arange(prod(sizes)).reshape(1, 1, *sizes)
    seen = flat(windows_of(x, window, -np.inf, config.ceil))
    where = flat(windows_of(places, window, -1, config.ceil))
    real = np.broadcast_to(where >= 0, seen.shape)
    top = seen.max(-1, keepdims=True, where=real, initial=-np.inf)
    largest = real & ((seen == top) | np.isnan(seen))
    # A NaN comes before any number, since it makes the maximum NaN.
    largest = np.where(np.isnan(top), real & np.isnan(seen), largest)
    at = largest.argmax(-1)[..., None]
    found = np.take_along_axis(np.broadcast_to(where, seen.shape), at, -1)[..., 0]
    return found, np.asarray(largest.any(-1))


@register_impls
class PoolingFunctions(InterpreterFunctions):
    @impl(PoolOp)
    def pool(self, interpreter: Interpreter, op: PoolOp, args: tuple[Any, ...]):
        config = op.config
        x = channels_first(wide(args[0], op.accumulate), config.layout)
        if op.pooling is PoolKind.MAX:
            low = lowest(x.dtype)
            result = flat(windows_of(x, config.window, low, config.ceil)).max(-1, initial=low)
        else:
            sums = flat(windows_of(x, config.window, 0, config.ceil)).sum(-1)
            result = sums / counts_of(config, x.shape[2:], op.count_include_pad is not None)
        return (rounded(in_layout(result, config.layout), op.result),)

    @impl(MaxPoolBackwardOp)
    def max_backward(self, interpreter: Interpreter, op: MaxPoolBackwardOp, args: tuple[Any, ...]):
        config = op.config
        x, gradient = (channels_first(wide(a), config.layout) for a in args)
        found, known = first_largest(x, config)
        result: Array = np.zeros((x.shape[0], x.shape[1], prod(x.shape[2:])))
        n, c, *_ = np.nonzero(known)
        np.add.at(result, (n, c, found[known]), gradient[known])
        return (rounded(in_layout(result.reshape(x.shape), config.layout), op.result),)

    @impl(Im2ColOp)
    def im2col(self, interpreter: Interpreter, op: Im2ColOp, args: tuple[Any, ...]):
        config = op.config
        seen = np.moveaxis(flat(windows_of(channels_first(args[0], config.layout), config.window, 0)), -1, 2)
        merged = seen.reshape(seen.shape[0], seen.shape[1] * seen.shape[2], *seen.shape[3:])
        return (in_layout(merged, config.layout),)
