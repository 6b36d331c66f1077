"""Determinants."""

from __future__ import annotations

from collections.abc import Mapping

from rlx_dialect.builder import Graph, Tensor
from rlx_passes.frontends.onnx.node import Node, NodeRule


def det(g: Graph, node: Node) -> Tensor:
    return g.det(node.required(0))


RULES: Mapping[str, NodeRule] = {"Det": det}
