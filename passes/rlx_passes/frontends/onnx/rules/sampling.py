"""Images read between their elements, at the points of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product as every

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size, product
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.precision import as_type, floats, wide

STEEPNESS = -0.75
"""The coefficient of cubic interpolation."""

MODES = {"bilinear": "linear", "bicubic": "cubic", "linear": "linear", "cubic": "cubic", "nearest": "nearest"}
"""What `mode` of a grid means; op sets before 20 have other words."""


@dataclass(frozen=True)
class Tap:
    """Elements of an axis, what each weighs, and which of them are there, None for all."""

    place: Tensor
    weight: Tensor | float
    there: Tensor | None = None


@dataclass(frozen=True)
class Axis:
    """An axis of an image, and what lies beyond its ends."""

    node: Node
    size: Size
    beyond: str = "zeros"
    aligned: bool = False

    def last(self, dtype: str) -> Tensor | int:
        return self.node.counted(self.size - 1, dtype)

    def inside(self, x: Tensor) -> Tensor:
        return x.graph.minimum(x.graph.maximum(x, 0), self.last(x.dtype))

    def reached(self, x: Tensor) -> Tensor:
        """A place as one inside, where there are no zeros beyond the ends."""
        if self.beyond == "zeros":
            return x
        return self.inside(self._mirrored(x) if self.beyond == "reflection" else x)

    def _mirrored(self, x: Tensor) -> Tensor:
        """Places mirrored at the ends: the outermost elements if aligned, else half an element further out."""
        g = x.graph
        low, span = (0.0, self.last(x.dtype)) if self.aligned else (-0.5, self.node.counted(self.size, x.dtype))
        whole = g.maximum(span, 1.0) if isinstance(span, Tensor) else max(span, 1)
        away = g.activation(Activation.ABS, x - low)
        rest = g.binary(BinaryKind.MOD, away, whole)
        odd = g.compare(
            CompareKind.EQ, g.binary(BinaryKind.MOD, g.activation(Activation.FLOOR, away / whole), 2.0), 1.0
        )
        return g.where(odd, whole - rest, rest) + low

    def tap(self, place: Tensor, weight: Tensor | float) -> Tap:
        """The element at a whole number."""
        g = place.graph
        there = None
        if self.beyond == "zeros":
            there = g.binary(
                BinaryKind.BIT_AND,
                g.compare(CompareKind.GE, place, 0.0),
                g.compare(CompareKind.LE, place, self.last(place.dtype)),
            )
        return Tap(self.inside(g.cast(place, "i64")), weight, there)

    def taps(self, x: Tensor, mode: str) -> Sequence[Tap]:
        """What is read for each of the places."""
        g = x.graph
        if mode == "nearest":
            return [self.tap(g.activation(Activation.ROUND, self.reached(x)), 1.0)]
        if mode == "linear":
            x = self.reached(x)
            first = g.activation(Activation.FLOOR, x)
            rest = x - first
            return [self.tap(first, 1.0 - rest), self.tap(first + 1.0, rest)]
        first = g.activation(Activation.FLOOR, x)
        weights = _cubic(x - first)
        return [self.tap(self.reached(first + float(at - 1)), weight) for at, weight in enumerate(weights)]


def _cubic(rest: Tensor) -> Sequence[Tensor]:
    """The weights of the four elements around a place, `rest` after the second of them."""
    a = STEEPNESS

    def near(t: Tensor) -> Tensor:
        return ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0

    def far(t: Tensor) -> Tensor:
        return ((a * t - 5.0 * a) * t + 8.0 * a) * t - 4.0 * a

    return [far(rest + 1.0), near(rest), near(1.0 - rest), far(2.0 - rest)]


def picked(node: Node, rows: Tensor, axes: Sequence[Axis], taps: Sequence[Tap], start: Tensor) -> Tensor:
    """What a tap of each axis reads of images `[places, C]` that lie one after the other, each from its start."""
    g = rows.graph
    place, weight, there = taps[0].place, taps[0].weight, taps[0].there
    for axis, tap in zip(axes[1:], taps[1:]):
        place, weight = place * node.counted(axis.size) + tap.place, weight * tap.weight
        if tap.there is not None:
            there = tap.there if there is None else g.binary(BinaryKind.BIT_AND, there, tap.there)
    values = g.gather(rows, place + start)
    if isinstance(weight, Tensor):
        values = values * node.reshape(weight, [*node.dims_of(weight), 1])
    return values if there is None else g.where(node.reshape(there, [*node.dims_of(there), 1]), values, 0.0)


def grid_sample(g: Graph, node: Node) -> Result:
    x, grid = floats(node, 3), node.required(1)
    (n, c, *sizes), (*_, rank), outer = node.dims(0), grid.shape, node.dims(1)[1:-1]
    if len(grid.shape) != len(x.shape) or rank != len(sizes):
        raise Refusal(f"a grid of {len(grid.shape)} dims, the last {rank}, for an image of {len(sizes)} spatial dims")
    mode, beyond = node.attributes.get("mode", "linear"), node.attributes.get("padding_mode", "zeros")
    if mode not in MODES:
        raise Refusal(f"mode is one of {', '.join(MODES)}, got '{mode}'")
    if beyond not in ("zeros", "border", "reflection"):
        raise Refusal(f"padding_mode is zeros, border or reflection, got '{beyond}'")
    aligned = bool(node.attributes.get("align_corners", 0))
    axes = [Axis(node, size, beyond, aligned) for size in sizes]
    points = product(outer)
    channels_last = g.transpose(node.reshape(wide(g, x), [n, c, product(sizes)]), (0, 2, 1))
    rows = node.reshape(channels_last, [product([n, *sizes]), c])
    start = g.iota(node.shape([n, 1]), 0) * node.counted(product(sizes))
    taps: list[Sequence[Tap]] = []
    for at, axis in enumerate(axes):
        given = node.reshape(g.narrow(wide(g, grid), -1, rank - 1 - at, 1), [n, points])
        if aligned:
            places = (given + 1.0) * 0.5 * axis.last(given.dtype)
        else:
            places = ((given + 1.0) * node.counted(axis.size, given.dtype) - 1.0) * 0.5
        taps.append(axis.taps(as_type(g, places, rows.dtype), MODES[mode]))
    total: Tensor | None = None
    for chosen in every(*taps):
        part = picked(node, rows, axes, chosen, start)
        total = part if total is None else total + part
    assert total is not None
    return as_type(g, node.reshape(g.transpose(total, (0, 2, 1)), [n, c, *outer]), x.dtype)


RULES: Mapping[str, NodeRule] = {"GridSample": grid_sample}
