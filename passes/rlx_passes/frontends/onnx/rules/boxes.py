"""Boxes that do not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rlx_dialect.attributes import BinaryKind, CompareKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size, product
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.selection import selected

MOST_ROUNDS = 4096
"""More boxes of a class than that are taken in as many rounds as there are boxes, if only a run knows their number."""


def non_max_suppression(g: Graph, node: Node) -> Result:
    """
    Batch, class and box of the boxes of the greatest scores, without those that overlap a greater one.

    Each round takes the best box of each class that is left, and drops what overlaps it.
    """
    if [len(node.required(at).shape) for at in (0, 1)] != [3, 3] or node.dims(0)[2] != 4:
        raise Refusal("boxes [batch, boxes, 4] and scores [batch, classes, boxes] are read")
    (batch, count, _), classes, scores = node.dims(0), node.dims(1)[1], node.required(1)
    rounds, limit = _rounds(node, count)
    if 0 in (rounds, count):
        return np.zeros((0, 3), np.int64)
    left = g.compare(CompareKind.EQ, scores, scores)
    if (least := node.optional(4)) is not None:
        left = g.compare(CompareKind.GT, scores, g.reshape(least, ()))
    # A box with the score -inf is better than one that is gone.
    scores = g.maximum(scores, float(np.finfo(np.float32).min))
    threshold = node.optional(3)
    threshold = g.zeros((), scores.dtype) if threshold is None else g.reshape(threshold, ())
    corners = _corners(g, node.required(0), node.attributes.get("center_point_box", 0))
    rows = node.reshape(corners, [product([batch, count]), 4])
    start = g.iota(node.shape([batch, 1]), 0) * node.counted(count)
    places = g.iota(node.shape([1, 1, count]), 2)

    def step(left: Tensor, _: Tensor, *given: Tensor) -> list[Tensor]:
        g, (scores, corners, rows, start, places, threshold) = left.graph, given
        best = g.arg_max(g.where(left, scores, float("-inf")), 2, keep_dims=True)
        taken = g.gather(rows, g.reduce(ReduceKind.MAX, best, (2,)) + start)
        gone = g.binary(
            BinaryKind.BIT_OR,
            g.compare(CompareKind.GT, _overlaps(g, corners, taken), threshold),
            g.compare(CompareKind.EQ, places, best),
        )
        rest = g.binary(BinaryKind.BIT_AND, left, g.logical_not(gone))
        return [rest, g.reduce(ReduceKind.MAX, best, (2,)), g.reduce(ReduceKind.ANY, left, (2,))]

    turns, captures = g.iota(node.shape([rounds]), 0), [scores, corners, rows, start, places, threshold]
    _, best, found = g.scan([left], [turns], step, captures=captures)
    if limit is not None:
        in_time = g.compare(CompareKind.LT, turns, limit)
        found = g.binary(BinaryKind.BIT_AND, found, node.reshape(in_time, [rounds, 1, 1]))
    by_class, every = (1, 2, 0), [product([batch, classes, rounds])]
    kept = selected(g, node, node.reshape(g.transpose(found, by_class), every))
    of_class = g.binary(BinaryKind.DIV, kept, node.counted(rounds))
    columns = [
        g.binary(BinaryKind.DIV, of_class, node.counted(classes)),
        g.binary(BinaryKind.MOD, of_class, node.counted(classes)),
        g.gather(node.reshape(g.transpose(best, by_class), every), kept, 0),
    ]
    return g.concat([node.reshape(each, [*node.dims_of(kept), 1]) for each in columns], 1)


def _rounds(node: Node, count: Size) -> tuple[Size, Tensor | int | None]:
    """How many rounds there are, and after how many no box is taken any more, None where that is the same."""
    given = node.value(2)
    if given is None:
        return 0, None
    if given.known is None or given.known.dtype == object:
        return count, node.emitter.graph.reshape(node.required(2), ())
    most = max(int(node.number(2)), 0)
    if isinstance(count, int):
        return min(count, most), None
    return (most, None) if most <= MOST_ROUNDS else (count, most)


def _corners(g: Graph, boxes: Tensor, centred: int) -> Tensor:
    """Boxes as their two corners, the lower one first."""
    if centred not in (0, 1):
        raise Refusal(f"center_point_box is 0 or 1, got {centred}")
    first, second = (g.narrow(boxes, 2, at, 2) for at in (0, 2))
    if centred:
        half = second / 2.0
        return g.concat([first - half, first + half], 2)
    return g.concat([g.minimum(first, second), g.maximum(first, second)], 2)


def _overlaps(g: Graph, corners: Tensor, taken: Tensor) -> Tensor:
    """`[B, C, N]`: the area that a box `[B, N, 4]` and one of each class `[B, C, 4]` share, by that of both."""
    ours = [g.transpose(g.narrow(corners, 2, at, 1), (0, 2, 1)) for at in range(4)]
    theirs = [g.narrow(taken, 2, at, 1) for at in range(4)]
    common: list[Tensor] = []
    for at in (0, 1):
        shared = g.minimum(ours[at + 2], theirs[at + 2]) - g.maximum(ours[at], theirs[at])
        common.append(g.maximum(shared, 0.0))
    inner = common[0] * common[1]
    return inner / (_area(ours) + _area(theirs) - inner)


def _area(corners: Sequence[Tensor]) -> Tensor:
    low, left, high, right = corners
    return (high - low) * (right - left)


RULES: Mapping[str, NodeRule] = {"NonMaxSuppression": non_max_suppression}
