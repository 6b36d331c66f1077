"""Convolutions: sums in float64, rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls

from rlx_dialect.attributes import SpatialLayout
from rlx_dialect.ops import (
    ConvBackwardInputOp,
    ConvBackwardWeightOp,
    ConvOp,
    ConvTransposeOp,
    FusedConvBiasActOp,
    PartitionedConvOp,
)
from rlx_dialect.ops.convolution import ConvConfig
from rlx_dialect.reference.contraction import dot_general
from rlx_dialect.reference.elementwise import ACTIVATIONS
from rlx_dialect.reference.normalization import along
from rlx_dialect.reference.numeric import Array, rounded, wide
from rlx_dialect.shape_rules.windows import Window, channel_axis, transposed
from rlx_dialect.shapes import Dims


def channels_first(x: Array, layout: SpatialLayout) -> Array:
    return x if layout is SpatialLayout.CHANNELS_FIRST else np.moveaxis(x, -1, 1)


def in_layout(x: Array, layout: SpatialLayout) -> Array:
    """The inverse of `channels_first`."""
    return x if layout is SpatialLayout.CHANNELS_FIRST else np.moveaxis(x, 1, -1)


def spread_out(x: Array, window: Window, fill: Any) -> Array:
    """`[N, C, ..]` with gaps between its elements and pads at its ends, filled with `fill`; negative pads take away."""
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
    """What windows over `[N, C, ..]` see: `[N, C, windows.., kernel..]`, with `fill` beyond the ends."""
    return views_of(spread_out(x, window, fill), window, window.counts(x.shape[2:], ceil), fill)


def views_of(padded: Array, window: Window, counts: Dims, fill: Any) -> Array:
    """As `windows_of`, `counts` windows over an input that is spread out already."""
    if 0 in counts:
        return np.full((*padded.shape[:2], *counts, *window.kernel), fill, padded.dtype)
    needed = [(n - 1) * step + span for n, step, span in zip(counts, window.stride, window.spans)]
    missing = [(0, max(0, n - size)) for n, size in zip(needed, padded.shape[2:])]
    reached = np.pad(padded, [(0, 0), (0, 0), *missing], constant_values=fill)
    axes = tuple(range(2, padded.ndim))
    # As bytes without a type, since NumPy has no name for an element of 8 bits.
    views = np.lib.stride_tricks.sliding_window_view(reached.view(f"V{reached.itemsize}"), window.spans, axes)
    views = views.view(reached.dtype)
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


def conv_adjoint(x: Array, weight: Array, window: Window, groups: int, sizes: Sequence[int]) -> Array:
    """
    What each element of a convolution's input takes part in: `[N, C, ..]` and `[C, M / groups, ..]` to
    `[N, M, *sizes]`, the input of a convolution with `window` whose result is as large as `x`.
    """
    batch, channels, *counts = x.shape
    outputs = weight.shape[1] * groups
    result = np.zeros((batch, outputs, *sizes), x.dtype)
    if 0 in (*counts, *sizes):
        return result
    grouped = x.reshape(batch, groups, channels // groups, *counts)
    kernels = weight.reshape(groups, channels // groups, weight.shape[1], *window.kernel)
    reach = [(n - 1) * step + span for n, step, span in zip(counts, window.stride, window.spans)]
    whole = np.zeros((batch, outputs, *reach), x.dtype)
    for at in product(*map(range, window.kernel)):
        taps = kernels[(..., *at)]
        # [groups, batch, counts.., outputs of a group]
        sums = dot_general(grouped, taps, lhs_contracting=(2,), rhs_contracting=(1,), lhs_batch=(1,), rhs_batch=(0,))
        laid = np.moveaxis(np.moveaxis(sums, 0, -2), (-2, -1), (1, 2)).reshape(batch, outputs, *counts)
        steps = (
            slice(k * d, k * d + (n - 1) * step + 1, step)
            for k, d, n, step in zip(at, window.dilation, counts, window.stride)
        )
        whole[(..., *steps)] += laid
    for axis, (size, low, gap) in enumerate(zip(sizes, window.low, window.input_dilation), 2):
        places = low + gap * np.arange(size)
        inside = (places >= 0) & (places < whole.shape[axis])
        taken = np.take(whole, np.where(inside, places, 0), axis)
        whole = np.where(along(inside, axis, whole.ndim), taken, 0)
    return whole


def conv_weight_gradient(x: Array, gradient: Array, window: Window, groups: int) -> Array:
    """`[N, C, ..]` and `[N, M, ..]` to `[M, C / groups, ..]`."""
    rank = x.ndim - 2
    seen = windows_of(x, window, 0)
    batch, channels, *rest = seen.shape
    grouped = seen.reshape(batch, groups, channels // groups, *rest)
    outputs = gradient.reshape(batch, groups, gradient.shape[1] // groups, *rest[:rank])
    summed = (0, *range(3, 3 + rank))
    # [groups, outputs of a group, inputs of a group, kernel..]
    sums = dot_general(outputs, grouped, lhs_contracting=summed, rhs_contracting=summed, lhs_batch=(1,), rhs_batch=(1,))
    return sums.reshape(gradient.shape[1], channels // groups, *window.kernel)


@register_impls
class ConvolutionFunctions(InterpreterFunctions):
    @impl(ConvOp)
    def conv(self, interpreter: Interpreter, op: ConvOp, args: tuple[Any, ...]):
        x, weight = (wide(a, op.accumulate) for a in args)
        return (rounded(conv(x, weight, op.config), op.result),)

    @impl(ConvTransposeOp)
    def conv_transpose(self, interpreter: Interpreter, op: ConvTransposeOp, args: tuple[Any, ...]):
        x, weight = (wide(a, op.accumulate) for a in args)
        layout, window = op.config.layout, op.window
        value = channels_first(x, layout)
        sizes = transposed(window, op.output_pad.get_values()).counts(value.shape[2:])
        return (rounded(in_layout(conv_adjoint(value, weight, window, op.config.groups, sizes), layout), op.result),)

    @impl(ConvBackwardInputOp)
    def backward_input(self, interpreter: Interpreter, op: ConvBackwardInputOp, args: tuple[Any, ...]):
        gradient, weight = (wide(a, op.accumulate) for a in args)
        layout, sizes = op.config.layout, op.size.get_values()
        value = conv_adjoint(channels_first(gradient, layout), weight, op.window, op.config.groups, sizes)
        return (rounded(in_layout(value, layout), op.result),)

    @impl(ConvBackwardWeightOp)
    def backward_weight(self, interpreter: Interpreter, op: ConvBackwardWeightOp, args: tuple[Any, ...]):
        x, gradient = (channels_first(wide(a, op.accumulate), op.config.layout) for a in args)
        return (rounded(conv_weight_gradient(x, gradient, op.window, op.config.groups), op.result),)

    @impl(FusedConvBiasActOp)
    def conv_bias_act(self, interpreter: Interpreter, op: FusedConvBiasActOp, args: tuple[Any, ...]):
        x, weight, *added = (wide(a, op.accumulate) for a in args)
        config = op.config
        value = conv(x, weight, config)
        if op.bias is not None:
            value = value + along(added.pop(0), channel_axis(config.layout, x.ndim), x.ndim)
        if op.residual is not None:
            value = value + added.pop(0)
        if (activation := op.epilogue) is not None:
            value = ACTIVATIONS[activation](wide(value))
        return (rounded(value, op.result),)

    @impl(PartitionedConvOp)
    def partitioned(self, interpreter: Interpreter, op: PartitionedConvOp, args: tuple[Any, ...]):
        signal, taps = (wide(a) for a in args)
        result = np.zeros((*signal.shape[:-1], signal.shape[-1] + taps.size - 1))
        for k, tap in enumerate(taps):
            result[..., k : k + signal.shape[-1]] += tap * signal
        return (rounded(result, op.result),)
