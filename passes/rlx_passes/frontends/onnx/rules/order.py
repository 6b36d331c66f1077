"""Which elements are greatest, and where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlx_dialect.builder import Graph
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result


def top_k(g: Graph, node: Node) -> Sequence[Result]:
    """Sorted, whether that is asked for or not."""
    count = node.attributes["k"] if "k" in node.attributes else node.number(1)
    if count is None:
        raise Refusal("input 1 is left out")
    axis, largest = node.attributes.get("axis", -1), node.attributes.get("largest", 1)
    return g.top_k(node.required(0), int(count), axis, smallest=not largest)


RULES: Mapping[str, NodeRule] = {"TopK": top_k}
