"""Convolutions: sums in float64, rounded once."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import SpatialLayout
from rlx_dialect.ops import ConvOp, FusedConvBiasActOp
from rlx_dialect.ops.convolution import ConvConfig
from rlx_dialect.reference.contraction import dot_general
from rlx_dialect.reference.elementwise import ACTIVATIONS
from rlx_dialect.reference.normalization import along
from rlx_dialect.reference.numeric import Array, rounded, wide
from rlx_dialect.windows import Window, channel_axis


def channels_first(x: Array, layout: SpatialLayout) -> Array:
    return x if layout is SpatialLayout.CHANNELS_FIRST else np.moveaxis(x, -1, 1)


def in_layout(x: Array, layout: SpatialLayout) -> Array:
    """The inverse of `channels_first`."""
    return x if layout is SpatialLayout.CHANNELS_FIRST else np.moveaxis(x, 1, -1)


def spread_out(x: Array, window: Window, fill: Any) -> Array:
    """`[N, C, ..]` with gaps between its elements and pads at its ends, both full of `fill`; a negative pad takes away."""
    sizes = window._replace(low=(0,) * (x.ndim - 2), high=(0,) * (x.ndim - 2)).padded(x.shape[2:])
    gaps = np.full((*x.shape[:2], *sizes), fill, x.dtype)
    gaps[(..., *(slice(None, None, gap) for gap in window.input_dilation))] = x
    added = [(max(low, 0), max(high, 0)) for low, high in zip(window.low, window.high)]
    whole = np.pad(gaps, [(0, 0), (0, 0), *added], constant_values=fill)
    cuts = (
        slice(max(-low, 0), max(size - max(-high, 0), 0))
        for low, high, size in zip(window.low, window.high, whole.shape[2:])
    )
    return whole[(..., *cuts)]


def windows_of(x: Array, window: Window, fill: Any, ceil: bool = False) -> Array:
    """What each window over `[N, C, ..]` sees: `[N, C, windows.., kernel..]`. Windows that reach over the end see `fill` there."""
    counts = window.counts(x.shape[2:], ceil)
    padded = spread_out(x, window, fill)
    if 0 in counts:
        return np.full((*x.shape[:2], *counts, *window.kernel), fill, x.dtype)
    needed = [(n - 1) * step + span for n, step, span in zip(counts, window.stride, window.spans)]
    missing = [(0, max(0, n - size)) for n, size in zip(needed, padded.shape[2:])]
    reached = np.pad(padded, [(0, 0), (0, 0), *missing], constant_values=fill)
    axes = tuple(range(2, x.ndim))
    views = np.lib.stride_tricks.sliding_window_view(reached, window.spans, axes)
    starts = (slice(0, (n - 1) * step + 1, step) for n, step in zip(counts, window.stride))
    return views[(slice(None), slice(None), *starts, *(slice(None, None, d) for d in window.dilation))]


def conv(x: Array, weight: Array, config: ConvConfig) -> Array:
    """In the element type of the operands; `x` and the result in the layout of `config`."""
    groups, rank = config.groups, x.ndim - 2
    seen = windows_of(channels_first(x, config.layout), config.window(weight.shape[2:]), 0)
    batch, channels, *rest = seen.shape
    grouped = seen.reshape(batch, groups, channels // groups, *rest)
    kernels = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
    # [groups, batch, windows.., outputs of a group]
    sums = dot_general(
        *(grouped, kernels),
        lhs_contracting=(2, *range(3 + rank, 3 + 2 * rank)),
        rhs_contracting=tuple(range(2, 3 + rank)),
        lhs_batch=(1,),
        rhs_batch=(0,),
    )
    joined = np.moveaxis(np.moveaxis(sums, 0, -2), (-2, -1), (1, 2))
    return in_layout(joined.reshape(batch, weight.shape[0], *joined.shape[3:]), config.layout)


def positions(kernel: tuple[int, ...]) -> product[tuple[int, ...]]:
    """All index tuples into a kernel, in row-major order."""
    return product(*map(range, kernel))


@register_impls
class ConvolutionFunctions(InterpreterFunctions):
    @impl(ConvOp)
    def conv(self, interpreter: Interpreter, op: ConvOp, args: tuple[Any, ...]):
        x, weight = (wide(a, op.accumulate) for a in args)
        return (rounded(conv(x, weight, op.config), op.result),)

    @impl(FusedConvBiasActOp)
    def conv_bias_act(self, interpreter: Interpreter, op: FusedConvBiasActOp, args: tuple[Any, ...]):
        x, weight, bias, *residual = (wide(a, op.accumulate) for a in args)
        config = op.config
        value = conv(x, weight, config) + along(bias, channel_axis(config.layout, x.ndim), x.ndim)
        if residual:
            value = value + residual[0]
        if (activation := op.epilogue) is not None:
            value = ACTIVATIONS[activation](wide(value))
        return (rounded(value, op.result),)
