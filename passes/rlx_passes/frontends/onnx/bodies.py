"""Graphs inside of nodes as bodies of ops, which are isolated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_dialect.builder import Graph, Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.emitter import GraphEmitter
from rlx_passes.frontends.onnx.model import GraphDef
from rlx_passes.frontends.onnx.names import Names
from rlx_passes.frontends.onnx.node import Node
from rlx_passes.frontends.onnx.values import Value

TRUE = np.array(True)


def inlined(node: Node, graph: GraphDef, given: Sequence[Value] = ()) -> list[Value]:
    """What `graph` gives for `given`, its nodes in place of `node`."""
    return _built(node, graph, node.emitter, given)


class Body:
    """
    A graph of `node` as a body whose first arguments are tensors of `types`; these are the graph's inputs not `known`.

    It is built once, in a graph of its own, where what it reads from outside becomes more arguments: `captures`.
    Calling it moves it to where it belongs.
    """

    def __init__(
        self, node: Node, graph: GraphDef, types: Sequence[Attribute], known: Mapping[int, Value] | None = None
    ):
        self._graph = Graph("body")
        emitter = GraphEmitter(node.emitter.program, self._graph, node.emitter)
        arguments = iter([self._graph.argument(type) for type in types])
        known = known or {}
        given = [known.get(at) or Value(each.name, tensor=next(arguments)) for at, each in enumerate(graph.inputs)]
        self.results = _built(node, graph, emitter, given)
        self._tensors = [emitter.tensor(value) for value in self.results]
        self._count = len(types)
        self.captures = emitter.captures

    def __call__(self, captures: Sequence[SSAValue], arguments: Sequence[Tensor]) -> list[Tensor]:
        """What the body gives in the region of an op with these `arguments`, the last ones for `captures`. Once."""
        inner = arguments[0].graph
        outside = dict(zip(captures, arguments[self._count :], strict=True))
        block = self._graph.block
        values = [each.value for each in (*arguments[: self._count], *(outside[value] for value in self.captures))]
        moved: dict[SSAValue, SSAValue] = dict(zip(block.args, values, strict=True))
        tensors = [Tensor(inner, moved.get(each.value, each.value)) for each in self._tensors]
        Rewriter.inline_block(block, InsertPoint.at_end(inner.block), values)
        return tensors


def captured(node: Node, *bodies: Body) -> tuple[list[SSAValue], list[Tensor]]:
    """What any of the bodies reads, at least one value, as bodies have it and as the op takes it."""
    values = list(dict.fromkeys(value for body in bodies for value in body.captures))
    return values, [Tensor(node.emitter.graph, value) for value in values]


def _built(node: Node, graph: GraphDef, emitter: GraphEmitter, given: Sequence[Value]) -> list[Value]:
    if len(given) != len(graph.inputs):
        raise Refusal(f"its graph '{graph.name}' takes {len(graph.inputs)} values, got {len(given)}")
    names = Names(node.names.opsets, node.names)
    node.importer.initializers(names, graph.initializers)
    names.values.update((each.name, value) for each, value in zip(graph.inputs, given))
    node.importer.nodes(emitter, names, graph)
    return [node.importer.value(names, name) for name in graph.outputs]
