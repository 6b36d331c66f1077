"""Regions of interest of an image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product as every

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size, product
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.precision import as_type, floats, wide
from rlx_passes.frontends.onnx.rules.sampling import Axis, Tap, picked

MODES = ("half_pixel", "output_half_pixel")


@dataclass(frozen=True)
class Side:
    """
    The samples of each region on an axis, at `places`, `[regions, parts, most]`.

    Where the regions have samples of their own number it is `counts`, `[regions, 1]`, and `most` is the greatest.
    """

    places: Tensor
    most: Size
    counts: Tensor | None


def _side(g: Graph, node: Node, regions: Tensor, at: int, parts: int) -> Side:
    """Of the rows, `at` 0, or of the columns."""
    mode = node.attributes.get("coordinate_transformation_mode", MODES[0] if node.opset >= 16 else MODES[1])
    if mode not in MODES:
        raise Refusal(f"coordinate_transformation_mode is {' or '.join(MODES)}, got '{mode}'")
    ends = [g.narrow(regions, 1, end + 1 - at, 1) * node.attributes.get("spatial_scale", 1.0) for end in (0, 2)]
    low, high = (end - 0.5 for end in ends) if mode == MODES[0] else ends
    length = high - low if mode == MODES[0] else g.maximum(high - low, 1.0)
    count, step = node.dims(1)[0], length / float(parts)
    ratio: int = node.attributes.get("sampling_ratio", 0)
    most: Size = ratio
    counts: Tensor | None = None
    apart: Tensor | float = float(ratio)
    if ratio == 0:
        counts = g.maximum(g.activation(Activation.CEIL, step), 0.0)
        (most,) = node.emitter.sizes_in(g.maximum(g.cast(g.reduce(ReduceKind.MAX, counts, (0, 1)), "i64"), 1))
        apart = node.reshape(g.maximum(counts, 1.0), [count, 1, 1])
    within = (g.iota(node.shape([1, 1, most]), 2, length.dtype) + 0.5) / apart
    places = (g.iota([1, parts, 1], 1, length.dtype) + within) * node.reshape(step, [count, 1, 1])
    return Side(places + node.reshape(low, [count, 1, 1]), most, counts)


def roi_align(g: Graph, node: Node) -> Result:
    """The mean, or the greatest, of samples within each of the parts that a region is cut into."""
    x, regions, batch = floats(node, 4), node.required(1), node.required(2)
    if len(x.shape) != 4 or len(regions.shape) != 2:
        raise Refusal(f"an image of 4 dims and regions of 2 are read, got {len(x.shape)} and {len(regions.shape)}")
    (n, c, *sizes), (count, _) = node.dims(0), node.dims(1)
    mode, ratio = node.attributes.get("mode", "avg"), node.attributes.get("sampling_ratio", 0)
    if mode not in ("avg", "max"):
        raise Refusal(f"mode is avg or max, got '{mode}'")
    if ratio < 0:
        raise Refusal(f"sampling_ratio is {ratio}")
    rows = node.reshape(g.transpose(wide(g, x), (0, 2, 3, 1)), [product([n, *sizes]), c])
    parts = [node.attributes.get(f"output_{name}", 1) for name in ("height", "width")]
    sides = [_side(g, node, as_type(g, regions, rows.dtype), at, parts[at]) for at in range(2)]
    lies: list[Size] = [count, parts[0], sides[0].most, parts[1], sides[1].most]
    axes = [Axis(node, size, "border") for size in sizes]
    taps = [_taps(node, side, axis, at, lies) for at, (side, axis) in enumerate(zip(sides, axes))]
    start = node.reshape(g.cast(batch, "i64"), [count, 1, 1, 1, 1]) * node.counted(product(sizes))
    values = [picked(node, rows, axes, chosen, start) for chosen in every(*taps)]
    combine = BinaryKind.ADD if mode == "avg" else BinaryKind.MAX
    total = reduce(lambda a, b: g.binary(combine, a, b), values)
    if sides[0].counts is not None and sides[1].counts is not None:
        number = node.reshape(sides[0].counts * sides[1].counts, [count, 1, 1, 1])
        total = g.where(_there(node, sides), total, 0.0 if mode == "avg" else float("-inf"))
    else:
        number = g.full((), float(ratio * ratio), total.dtype)
    if mode == "avg":
        pooled = g.sum(total, (2, 4)) / g.maximum(number, 1.0)
    else:
        pooled = g.where(g.compare(CompareKind.GT, number, 0.0), g.reduce(ReduceKind.MAX, total, (2, 4)), 0.0)
    return as_type(g, g.transpose(pooled, (0, 3, 1, 2)), x.dtype)


def _taps(node: Node, side: Side, axis: Axis, at: int, lies: Sequence[Size]) -> list[Tap]:
    """What the samples of an axis read. Those more than an element outside of the image are 0."""
    g = side.places.graph
    dims = [lies[0], 1, 1, 1, 1]
    dims[1 + 2 * at : 3 + 2 * at] = lies[1 + 2 * at : 3 + 2 * at]
    places = node.reshape(side.places, dims)
    there = g.binary(
        BinaryKind.BIT_AND,
        g.compare(CompareKind.GE, places, -1.0),
        g.compare(CompareKind.LE, places, node.counted(axis.size, places.dtype)),
    )
    read = [(tap.place, g.where(there, tap.weight, 0.0)) for tap in axis.taps(places, "linear")]
    return [Tap(node.expand(place, lies), node.expand(weight, lies)) for place, weight in read]


def _there(node: Node, sides: Sequence[Side]) -> Tensor:
    """Which samples a region has, `[regions, 1, most, 1, most, 1]`."""
    seen: list[Tensor] = []
    for at, side in enumerate(sides):
        assert side.counts is not None
        g = side.counts.graph
        counts = node.reshape(side.counts, [node.dims(1)[0], 1, 1, 1, 1, 1])
        row = [side.most if axis == 2 + 2 * at else 1 for axis in range(6)]
        seen.append(g.compare(CompareKind.LT, g.iota(node.shape(row), 2 + 2 * at, counts.dtype), counts))
    return seen[0].graph.binary(BinaryKind.BIT_AND, *seen)


RULES: Mapping[str, NodeRule] = {"RoiAlign": roi_align}
