"""Recurrent layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlx_dialect.attributes import Direction, RnnActivation
from rlx_dialect.builder import Graph, Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule

_GATES: Mapping[str, list[str]] = {"GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


def rnn(g: Graph, node: Node) -> Sequence[Tensor]:
    activations = _activations(node, ["Tanh"])
    if len(set(activations)) != 1 or activations[0] not in ("Tanh", "Relu"):
        raise Refusal(f"activations {activations}; Tanh and Relu are read, the same in both directions")
    results = g.rnn(
        *_operands(g, node),
        bias=node.optional(3),
        lengths=node.optional(4),
        initial_h=_initial(g, node, 5),
        direction=_direction(node),
        activation=RnnActivation(activations[0].lower()),
    )
    return _laid(g, node, results)


def gru(g: Graph, node: Node) -> Sequence[Tensor]:
    check_gates(node, node.op_type)
    results = g.gru(
        *_operands(g, node),
        bias=node.optional(3),
        lengths=node.optional(4),
        initial_h=_initial(g, node, 5),
        direction=_direction(node),
        linear_before_reset=bool(node.attributes.get("linear_before_reset", 0)),
    )
    return _laid(g, node, results)


def lstm(g: Graph, node: Node) -> Sequence[Tensor]:
    check_gates(node, node.op_type)
    if node.attributes.get("input_forget", 0):
        raise Refusal("input_forget, a forget gate that follows the input gate, is not read")
    results = g.lstm(
        *_operands(g, node),
        bias=node.optional(3),
        lengths=node.optional(4),
        initial_h=_initial(g, node, 5),
        initial_c=_initial(g, node, 6),
        peepholes=node.optional(7),
        direction=_direction(node),
    )
    return _laid(g, node, results)


def check_gates(node: Node, layer: str) -> None:
    """Raises `Refusal` unless the functions of the gates are those that the layer has by default."""
    wanted = _GATES[layer]
    activations = _activations(node, wanted)
    if activations != wanted * (len(activations) // len(wanted)):
        raise Refusal(f"activations {activations}; {wanted} are read")


def _activations(node: Node, default: list[str]) -> list[str]:
    for name in ("clip", "activation_alpha", "activation_beta"):
        if node.attributes.get(name):
            raise Refusal(f"{name} is not read")
    return list(node.attributes.get("activations", default))


def _direction(node: Node) -> Direction:
    return Direction(node.attributes.get("direction", "forward"))


def _batch_first(node: Node) -> bool:
    return bool(node.attributes.get("layout", 0))


def _operands(g: Graph, node: Node) -> tuple[Tensor, Tensor, Tensor]:
    x = node.required(0)
    return g.transpose(x, (1, 0, 2)) if _batch_first(node) else x, node.required(1), node.required(2)


def _initial(g: Graph, node: Node, at: int) -> Tensor | None:
    state = node.optional(at)
    return g.transpose(state, (1, 0, 2)) if state is not None and _batch_first(node) else state


def _laid(g: Graph, node: Node, results: Sequence[Tensor]) -> Sequence[Tensor]:
    """The results with the batch where the node has it."""
    if not _batch_first(node):
        return results
    orders = ((2, 0, 1, 3), (1, 0, 2), (1, 0, 2))
    return [g.transpose(x, order) for x, order in zip(results, orders)]


RULES: Mapping[str, NodeRule] = {"RNN": rnn, "GRU": gru, "LSTM": lstm}
