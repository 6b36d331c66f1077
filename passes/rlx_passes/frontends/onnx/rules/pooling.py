"""Pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from math import inf, prod

import numpy as np

from rlx_dialect.attributes import Activation, BinaryKind, PadMode, PoolKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import product
from rlx_dialect.dtypes import element_type, integer_limits, is_float, is_integer
from rlx_dialect.shape_rules.windows import Window
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.model import Array
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.windows import Steps, given_pads, per_axis, spatial, steps_of, steps_per_axis


def pool(g: Graph, node: Node, kind: PoolKind) -> Tensor:
    steps = _steps(node)
    return g.pool(
        *(kind, node.required(0), steps.kernel),
        stride=steps.stride,
        padding=steps.pads,
        dilation=steps.dilation,
        ceil=bool(node.attributes.get("ceil_mode", 0)),
        count_include_pad=kind is PoolKind.AVG and bool(node.attributes.get("count_include_pad", 0)),
    )


def _steps(node: Node) -> Steps:
    sizes = spatial(node)
    return steps_of(node, sizes, per_axis(node, "kernel_shape", len(sizes), 1))


def average_pool(g: Graph, node: Node) -> Result:
    return pool(g, node, PoolKind.AVG)


def max_pool(g: Graph, node: Node) -> Sequence[Result]:
    """The largest elements, and where in the whole input each is, the first of equal ones."""
    pooled = pool(g, node, PoolKind.MAX)
    asked = len(node.outputs) > 1 and node.outputs[1]
    return [pooled, _places(g, node, pooled)] if asked else [pooled]


def _places(g: Graph, node: Node, pooled: Tensor) -> Tensor:
    """Windows as columns; of the greatest entry of each the place within the window, and that of the window."""
    x, steps = node.required(0), _steps(node)
    (n, c, *_), sizes, counts = node.dims(0), x.shape[2:], pooled.shape[2:]
    if DYNAMIC in sizes:
        raise Refusal("the indices need spatial dims that are known on import")
    lows = [low for low, _ in steps.pads]
    highs = highs_for(steps, sizes, counts)
    filled = g.pad(x, (0, 0, *lows), (0, 0, *highs), PadMode.CONSTANT, _lowest(x.dtype))
    columns = g.im2col(filled, steps.kernel, stride=steps.stride, dilation=steps.dilation)
    greatest = g.arg_max(node.reshape(columns, [n, c, prod(steps.kernel), *counts]), 2)
    order = _strides(sizes, bool(node.attributes.get("storage_order", 0)))
    within = _sums([np.arange(k) * d * step for k, d, step in zip(steps.kernel, steps.dilation, order)])
    corner = _sums([(np.arange(k) * s - low) * step for k, s, low, step in zip(counts, steps.stride, lows, order)])
    image = node.reshape(g.iota(node.shape([product([n, c])]), 0) * prod(sizes), [n, c, *[1] * len(sizes)])
    return g.gather(g.constant(within), greatest) + g.constant(corner.reshape(counts)) + image


def highs_for(steps: Steps, sizes: Sequence[int], counts: Sequence[int]) -> list[int]:
    """The pads after each axis for exactly `counts` windows; negative ones cut."""
    places = zip(sizes, counts, steps.stride, steps.spans, steps.pads)
    return [(count - 1) * step + span - size - low for size, count, step, span, (low, _) in places]


def _lowest(dtype: str) -> float:
    element = element_type(dtype)
    return integer_limits(element)[0] if is_integer(element) else -inf


def _strides(sizes: Sequence[int], first_fastest: bool) -> list[int]:
    """How far apart in memory two elements are that are neighbours on an axis."""
    return [prod(sizes[:at] if first_fastest else sizes[at + 1 :]) for at in range(len(sizes))]


def _sums(rows: Sequence[Array]) -> Array:
    """All sums with one entry of each row, the last one fastest."""
    return reduce(np.add.outer, rows).ravel()


def lp_pool(g: Graph, node: Node) -> Result:
    """The p-norm of each window: a sum of powers, which is a convolution, and its root."""
    x, steps = node.required(0), _steps(node)
    (n, c, *sizes), p = node.dims(0), _order(node)
    pads = steps.pads
    if node.attributes.get("ceil_mode", 0):
        known = x.shape[2:]
        if DYNAMIC in known:
            raise Refusal("ceil_mode needs spatial dims that are known on import")
        lows, highs = zip(*pads)
        window = Window.make(steps.kernel, stride=steps.stride, low=lows, high=highs, dilation=steps.dilation)
        pads = tuple(zip(lows, highs_for(steps, known, window.counts(known, ceil=True))))
    alone = node.reshape(_power(g, x, p), [product([n, c]), 1, *sizes])
    ones = g.full((1, 1, *steps.kernel), 1.0, x.dtype)
    summed = g.conv(alone, ones, stride=steps.stride, padding=pads, dilation=steps.dilation)
    return _root(g, node.reshape(summed, [n, c, *node.dims_of(summed)[2:]]), p)


def _order(node: Node) -> int:
    p = node.attributes.get("p", 2)
    if p < 1:
        raise Refusal(f"p must be positive, got {p}")
    if not is_float(element_type(node.dtype(0))):
        raise Refusal(f"a norm is one of floats, got {node.dtype(0)}")
    return p


def _power(g: Graph, x: Tensor, p: int) -> Tensor:
    size = g.activation(Activation.ABS, x)
    return size if p == 1 else x * x if p == 2 else g.binary(BinaryKind.POW, size, float(p))


def _root(g: Graph, x: Tensor, p: int) -> Tensor:
    return x if p == 1 else g.sqrt(x) if p == 2 else g.binary(BinaryKind.POW, x, 1.0 / p)


def over_image(kind: ReduceKind) -> NodeRule:
    def rule(g: Graph, node: Node) -> Result:
        x = node.required(0)
        return g.reduce(kind, x, range(2, len(x.shape)), keep_dims=True)

    return rule


def global_lp_pool(g: Graph, node: Node) -> Result:
    x, p = node.required(0), _order(node)
    return _root(g, g.sum(_power(g, x, p), range(2, len(x.shape)), keep_dims=True), p)


def max_unpool(g: Graph, node: Node) -> Result:
    """Elements put back to where a max pool says that it found them, zeros around them."""
    x, (n, c, *_), sizes = node.required(0), node.dims(0), spatial(node)
    kernel = per_axis(node, "kernel_shape", len(sizes), 1)
    stride, pads = steps_per_axis(node, "strides", len(sizes)), given_pads(node, len(sizes))
    places = zip(sizes, stride, kernel, pads)
    whole = [n, c, *((size - 1) * step + k - low - high for size, step, k, (low, high) in places)]
    flat = [product(node.dims(0))]
    empty = g.filled(node.shape([product(whole)]), 0, x.dtype)
    put = g.scatter_elements(empty, node.reshape(node.required(1), flat), node.reshape(x, flat))
    image = node.reshape(put, whole)
    if node.value(2) is None:
        return image
    # The places count within the smaller image.
    more = [want - have for want, have in zip(node.sizes(2), whole)]
    high = [each for each in more if isinstance(each, int)]
    if len(high) != len(more):
        raise Refusal("how much larger the wanted dims are is known at run time only")
    return g.pad(image, [0] * len(high), high)


RULES: Mapping[str, NodeRule] = {
    "MaxPool": max_pool,
    "AveragePool": average_pool,
    "LpPool": lp_pool,
    "GlobalMaxPool": over_image(ReduceKind.MAX),
    "GlobalAveragePool": over_image(ReduceKind.MEAN),
    "GlobalLpPool": global_lp_pool,
    "MaxUnpool": max_unpool,
}
