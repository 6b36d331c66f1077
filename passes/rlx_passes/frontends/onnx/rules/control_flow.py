"""Conditionals and loops. What is known on import is decided on import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import TensorType, i1, i64

from rlx_dialect.attributes import BinaryKind, CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.ops.loops import entry_of
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.bodies import TRUE, Body, captured, inlined
from rlx_passes.frontends.onnx.model import GraphDef
from rlx_passes.frontends.onnx.node import Node, NodeRule
from rlx_passes.frontends.onnx.values import Value

COUNTER = TensorType(i64, [])
CONDITION = TensorType(i1, [])


def _graph(node: Node, attribute: str) -> GraphDef:
    return cast(GraphDef, node.attributes[attribute])


def if_(g: Graph, node: Node) -> Sequence[Value | Tensor]:
    condition = node.value(0)
    if condition is None:
        raise Refusal("the condition is left out")
    branches = [_graph(node, f"{name}_branch") for name in ("then", "else")]
    if condition.folds and condition.known is not None:
        return inlined(node, branches[0 if condition.known.item() else 1])
    truth = _scalar(g, node.required(0))
    bodies = [Body(node, branch, ()) for branch in branches]
    values, tensors = captured(node, *bodies)
    if not tensors:
        # A body without arguments has no graph to build in.
        values, tensors = [truth.value], [truth]

    def region(body: Body):
        def build(*arguments: Tensor) -> list[Tensor]:
            return body(values, arguments)

        return build

    return g.cond(truth, tensors, region(bodies[0]), region(bodies[1]))


def loop(g: Graph, node: Node) -> Sequence[Tensor]:
    """
    A loop whose condition stays true is a scan over the numbers of its rounds; any other a while without outputs.
    """
    graph = _graph(node, "body")
    carried = [node.required(at) for at in range(2, len(node.inputs))]
    types = [each.value.type for each in carried]
    start = node.value(1)
    if node.value(0) is not None and (start is None or (start.folds and start.known is not None and start.known.all())):
        body = Body(node, graph, [COUNTER, *types], {1: Value("true", TRUE)})
        if _is_true(body.results[0]):
            return _counted(g, node, body, carried)
    return _while(g, node, Body(node, graph, [COUNTER, CONDITION, *types]), carried)


def _is_true(value: Value) -> bool:
    return value.folds and value.known is not None and bool(value.known.all())


def _counted(g: Graph, node: Node, body: Body, carried: Sequence[Tensor]) -> Sequence[Tensor]:
    (rounds,) = node.sizes(0)
    entries = g.iota(node.shape([rounds]), 0, "i64")
    values, tensors = captured(node, body)
    count = len(carried)

    def step(*arguments: Tensor) -> list[Tensor]:
        ordered = [arguments[count], *arguments[:count], *arguments[count + 1 :]]
        return body(values, ordered)[1:]

    return g.scan(carried, [entries], step, captures=tensors)


def _while(g: Graph, node: Node, body: Body, carried: Sequence[Tensor]) -> Sequence[Tensor]:
    if len(body.results) > 1 + len(carried):
        raise Refusal("a loop that may end early stacks its outputs, whose number only a run knows")
    limit = node.optional(0)
    start = node.optional(1)
    counter = g.constant(np.array(0, np.int64))
    condition = g.constant(TRUE) if start is None else _scalar(g, start)
    values, tensors = captured(node, body)
    bound = [] if limit is None else [_scalar(g, limit)]

    def goes_on(counter: Tensor, condition: Tensor, *rest: Tensor) -> Tensor:
        if not bound:
            return condition
        return condition.graph.binary(
            BinaryKind.BIT_AND, condition, condition.graph.compare(CompareKind.LT, counter, rest[len(carried)])
        )

    def step(*arguments: Tensor) -> list[Tensor]:
        kept = [*arguments[: 2 + count], *arguments[2 + count + len(bound) :]]
        truth, *results = body(values, kept)
        return [arguments[0] + 1, _scalar(truth.graph, truth), *results]

    count = len(carried)
    results = g.while_loop([counter, condition, *carried], goes_on, step, captures=[*bound, *tensors])
    return results[2:]


def scan(g: Graph, node: Node) -> Sequence[Tensor]:
    if node.opset < 9:
        raise Refusal("Scan is read as op set 9 and later define it")
    graph = _graph(node, "body")
    count = int(node.attributes["num_scan_inputs"])
    states = len(node.inputs) - count
    outputs = len(graph.outputs) - states
    carried = [node.required(at) for at in range(states)]
    scanned = [
        _first(g, node.required(states + at), axis, backwards)
        for at, (axis, backwards) in enumerate(
            zip(_list(node, "scan_input_axes", count), _list(node, "scan_input_directions", count))
        )
    ]
    entries = [entry_of(each.value, at).type for at, each in enumerate(scanned)]
    body = Body(node, graph, [*(each.value.type for each in carried), *entries])
    values, tensors = captured(node, body)

    def step(*arguments: Tensor) -> list[Tensor]:
        return body(values, arguments)

    results = g.scan(carried, scanned, step, captures=tensors)
    axes, directions = _list(node, "scan_output_axes", outputs), _list(node, "scan_output_directions", outputs)
    stacked = [_back(g, each, axis, way) for each, axis, way in zip(results[states:], axes, directions)]
    return [*results[:states], *stacked]


def _list(node: Node, attribute: str, count: int) -> list[int]:
    return list(node.attributes.get(attribute, [0] * count))


def _first(g: Graph, x: Tensor, axis: int, backwards: int) -> Tensor:
    """With the axis in front, from the last entry on where `backwards`."""
    axis %= len(x.shape)
    if axis:
        x = g.transpose(x, [axis, *(each for each in range(len(x.shape)) if each != axis)])
    return g.reverse(x, [0]) if backwards else x


def _back(g: Graph, x: Tensor, axis: int, backwards: int) -> Tensor:
    """The inverse of `_first`."""
    x = g.reverse(x, [0]) if backwards else x
    axis %= len(x.shape)
    order = list(range(1, len(x.shape)))
    return g.transpose(x, [*order[:axis], 0, *order[axis:]]) if axis else x


def _scalar(g: Graph, x: Tensor) -> Tensor:
    return g.reshape(x, ()) if x.shape else x


RULES: Mapping[str, NodeRule] = {"If": if_, "Loop": loop, "Scan": scan}
