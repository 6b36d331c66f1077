"""Graphs inside of nodes as bodies of ops, which are isolated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Attribute, SSAValue

from rlx_dialect.builder import Graph, Tensor
from rlx_passes.frontend.onnx.emitter import Emitter
from rlx_passes.frontend.onnx.model import GraphDef
from rlx_passes.frontend.onnx.names import Names
from rlx_passes.frontend.onnx.node import Node, Unsupported, Value

TRUE = np.array(True)


def inlined(node: Node, graph: GraphDef, given: Sequence[Value] = ()) -> list[Value]:
    """What `graph` gives for `given`, its nodes in place of `node`."""
    return _built(node, graph, node.emitter, given)


@dataclass(eq=False)
class Body:
    """
    A graph of `node` as a body, whose first arguments are tensors of `types`; the inputs of the graph are these, but for those that `known` says.

    Building it in a graph of its own, which is thrown away, finds out what else the body reads: `captures`.
    """

    node: Node
    graph: GraphDef
    types: Sequence[Attribute]
    known: dict[int, Value] = field(default_factory=dict[int, Value])
    captures: list[SSAValue] = field(init=False)
    trial: list[Value] = field(init=False)
    """What the graph gives, in that graph of its own."""

    def __post_init__(self) -> None:
        graph = Graph("trial")
        emitter = Emitter(self.node.emitter.program, graph, self.node.emitter, growing=True)
        self.trial = self.built(emitter, [graph.argument(type) for type in self.types])
        for value in self.trial:
            emitter.tensor(value)
        self.captures = emitter.captures

    def built(self, emitter: Emitter, arguments: Sequence[Tensor]) -> list[Value]:
        """What the graph gives where its arguments are these."""
        tensors = iter(arguments)
        given = [
            self.known.get(at) or Value(each.name, tensor=next(tensors)) for at, each in enumerate(self.graph.inputs)
        ]
        return _built(self.node, self.graph, emitter, given)

    def __call__(self, captures: Sequence[SSAValue], arguments: Sequence[Tensor]) -> tuple[Emitter, list[Value]]:
        """The graph for the arguments of an op's region, of which those behind the first ones are `captures`."""
        first, rest = arguments[: len(self.types)], arguments[len(self.types) :]
        emitter = Emitter(
            self.node.emitter.program, arguments[0].graph, self.node.emitter, dict(zip(captures, rest, strict=True))
        )
        return emitter, self.built(emitter, first)


def captured(node: Node, *bodies: Body) -> tuple[list[SSAValue], list[Tensor]]:
    """What any of the bodies reads, at least one value, as bodies have it and as the op takes it."""
    values = list(dict.fromkeys(value for body in bodies for value in body.captures))
    return values, [Tensor(node.emitter.graph, value) for value in values]


def _built(node: Node, graph: GraphDef, emitter: Emitter, given: Sequence[Value]) -> list[Value]:
    if len(given) != len(graph.inputs):
        raise Unsupported(f"its graph '{graph.name}' takes {len(graph.inputs)} values, got {len(given)}")
    names = Names(node.names.opsets, node.names)
    node.importer.initializers(names, graph.initializers)
    names.values.update((each.name, value) for each, value in zip(graph.inputs, given))
    node.importer.nodes(emitter, names, graph.nodes)
    return [node.importer.value(names, name) for name in graph.outputs]
