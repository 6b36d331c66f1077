"""A score of its own for each head, which takes its share of every row of the softmax and has no value."""

from __future__ import annotations

from dataclasses import replace

from rlx_dialect.builder import Graph, Tensor
from rlx_passes.frontends.onnx.node import Node
from rlx_passes.frontends.onnx.rules.attention import Sight, hiding
from rlx_passes.frontends.onnx.rules.position import Heads


def with_sink(
    g: Graph, node: Node, query: Heads, key: Heads, value: Heads, sight: Sight, bias: Tensor | None, sink: Tensor
) -> tuple[Heads, Heads, Sight, Tensor]:
    """
    Keys, values, sight and bias of the attention that has one more key in front, of zeros: its score is the sink.

    `sink` is `[1, heads, 1, 1]`. A triangle moves with the keys; any other sight becomes part of the bias.
    """
    keys = key.length(node)
    if sight.triangle:
        sight = replace(sight, offset=sight.offset + 1)
    else:
        sight, bias = Sight(), hiding(g, sight.mask(g, node, query.length(node), keys), bias, sink.dtype)

    def behind_zeros(side: Heads) -> Heads:
        batch, count, _, width = node.dims_of(side.x)
        return side.behind(g.filled(node.shape([batch, count, 1, width]), 0, side.x.dtype), node)

    column = g.concat([sink, g.filled(node.shape([1, sink.shape[1], 1, keys]), 0, sink.dtype)], 3)
    if bias is not None:
        outer = node.dims_of(bias)[:-1]
        column = column + g.concat([g.filled(node.shape([*outer, 1]), 0, sink.dtype), bias], len(outer))
    return behind_zeros(key), behind_zeros(value), sight, column
