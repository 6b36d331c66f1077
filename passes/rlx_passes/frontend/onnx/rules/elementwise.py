"""Elementwise ops."""

from __future__ import annotations

from collections.abc import Mapping

from rlx_dialect.attributes import Activation
from rlx_dialect.builder import Graph
from rlx_passes.frontend.onnx.node import Node, Result, Rule

ACTIVATIONS: Mapping[str, Activation] = {"Relu": Activation.RELU}


def unary(kind: Activation) -> Rule:
    def rule(g: Graph, node: Node) -> Result:
        return g.activation(kind, node.required(0))

    return rule


RULES: Mapping[str, Rule] = {name: unary(kind) for name, kind in ACTIVATIONS.items()}
