"""Convolutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rlx_dialect.attributes import ScatterReduction
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.windows import (
    Steps,
    auto_pad,
    given_pads,
    halves,
    per_axis,
    spatial,
    steps_of,
    steps_per_axis,
)


def conv(g: Graph, node: Node) -> Result:
    x, weight = node.required(0), node.required(1)
    steps = steps_of(node, spatial(node), _kernel(node))
    groups = node.attributes.get("group", 1)
    return _biased(
        node, g.conv(x, weight, stride=steps.stride, padding=steps.pads, dilation=steps.dilation, groups=groups)
    )


def _kernel(node: Node) -> tuple[int, ...]:
    """The sizes of the kernel, which the weight has and the node may write down."""
    sizes = node.dims(1)[2:]
    kernel = tuple(size for size in sizes if isinstance(size, int))
    if len(kernel) != len(sizes):
        raise Refusal("the sizes of the kernel must be known on import")
    if tuple(node.attributes.get("kernel_shape", kernel)) != kernel:
        raise Refusal(f"kernel_shape is {list(node.attributes['kernel_shape'])}, the weight has {list(kernel)}")
    return kernel


def _biased(node: Node, x: Tensor) -> Tensor:
    bias = node.optional(2)
    if bias is None:
        return x
    return x + node.reshape(bias, [*node.dims(2), *[1] * (len(x.shape) - 2)])


def conv_transpose(g: Graph, node: Node) -> Result:
    x, weight, sizes, kernel = node.required(0), node.required(1), spatial(node), _kernel(node)
    rank = len(sizes)
    stride, dilation = steps_per_axis(node, "strides", rank), steps_per_axis(node, "dilations", rank)
    more = per_axis(node, "output_padding", rank, 0)
    steps = Steps(kernel, stride, dilation, given_pads(node, rank))
    wanted = _wanted(node, sizes, stride)
    if wanted is not None:
        steps, more = _fitted(node, steps, more, sizes, wanted)
    result = g.conv_transpose(
        *(x, weight),
        stride=steps.stride,
        padding=steps.pads,
        output_padding=more,
        dilation=steps.dilation,
        groups=node.attributes.get("group", 1),
    )
    return _biased(node, result)


def _wanted(node: Node, sizes: tuple[Size, ...], stride: tuple[int, ...]) -> list[Size] | None:
    """The spatial dims of the result where the node says them, not the pads."""
    if "output_shape" in node.attributes:
        shape = list(node.attributes["output_shape"])
        if len(shape) < len(sizes):
            raise Refusal(f"output_shape must have {len(sizes)} entries, got {shape}")
        return shape[-len(sizes) :]
    if auto_pad(node).startswith("SAME"):
        return [size * step for size, step in zip(sizes, stride)]
    return None


def _fitted(
    node: Node, steps: Steps, more: tuple[int, ...], sizes: tuple[Size, ...], wanted: list[Size]
) -> tuple[Steps, tuple[int, ...]]:
    """The pads and the elements after the last window that give the wanted dims."""
    pads, added = list[tuple[int, int]](), list[int]()
    for size, step, span, extra, want in zip(sizes, steps.stride, steps.spans, more, wanted):
        total = (size - 1) * step + span + extra - want
        if not isinstance(total, int):
            raise Refusal("the pads that give the wanted dims are known at run time only")
        # A result may be larger than what the windows reach.
        pads.append(halves(max(total, 0), auto_pad(node)))
        added.append(extra + max(-total, 0))
    return replace(steps, pads=tuple(pads)), tuple(added)


def col2im(g: Graph, node: Node) -> Result:
    """Columns put back to where their windows saw them, and added up there."""
    columns, image, block = node.required(0), node.integers(1), node.integers(2)
    dims = node.dims(0)
    if len(dims) != 3:
        raise Refusal(f"the input must have 3 dims, got {len(dims)}")
    n, rows, windows = dims
    if image is None or block is None:
        raise Refusal("the sizes of the image and of the block are left out")
    rank, taps = len(image), int(np.prod(block))
    stride, dilation = steps_per_axis(node, "strides", rank), steps_per_axis(node, "dilations", rank)
    pads = per_axis(node, "pads", 2 * rank, 0)
    padded = [size + low + high for size, low, high in zip(image, pads[:rank], pads[rank:])]
    starts = [range(0, size - (k - 1) * d, step) for size, k, d, step in zip(padded, block, dilation, stride)]
    places = np.zeros((1, 1), np.int64)
    for size, first, k, d in zip(padded, starts, block, dilation):
        seen = np.add.outer(np.arange(k) * d, np.array(first, np.int64))
        places = (places[:, None, :, None] * size + seen[None, :, None, :]).reshape(
            places.shape[0] * k, places.shape[1] * len(first)
        )
    if isinstance(windows, int) and windows != places.shape[1]:
        raise Refusal(f"the block fits {places.shape[1]} times into the image, the input has {windows} columns")
    channels = rows // taps
    flat = g.transpose(node.reshape(columns, [n, channels, places.size]), (2, 0, 1))
    empty = g.filled(node.shape([int(np.prod(padded)), n, channels]), 0, columns.dtype)
    summed = g.scatter_nd(empty, g.constant(places.reshape(-1, 1)), flat, ScatterReduction.ADD)
    whole = node.reshape(g.transpose(summed, (1, 2, 0)), [n, channels, *padded])
    for axis, (low, size) in enumerate(zip(pads, image)):
        whole = whole if padded[axis] == size else g.narrow(whole, axis + 2, low, size)
    return whole


RULES: Mapping[str, NodeRule] = {"Conv": conv, "ConvTranspose": conv_transpose, "Col2Im": col2im}
