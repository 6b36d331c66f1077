"""The LSTM of the domain `com.microsoft` whose weights are codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlx_dialect.attributes import Activation, CompareKind, Direction
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, first
from rlx_passes.frontends.onnx.rules.microsoft import DOMAIN, refuse
from rlx_passes.frontends.onnx.rules.movement import reverse_sequence
from rlx_passes.frontends.onnx.rules.quantization import Codes, bytes_of, product
from rlx_passes.frontends.onnx.rules.recurrent import check_gates


def dynamic_lstm(g: Graph, node: Node) -> Sequence[Tensor]:
    """
    An LSTM whose products are those of bytes: the input becomes bytes once, the state before each step.

    Weights are `[directions, in, 4 * units]`, with a scale and a zero point for each direction, or for each column.
    """
    check_gates(node, "LSTM")
    refuse(node, "input_forget")
    way = Direction(node.attributes.get("direction", "forward"))
    count = 2 if way is Direction.BIDIRECTIONAL else 1
    backwards = [way is Direction.REVERSE, True][:count]
    x, weights = node.required(0), node.required(1)
    if len(x.shape) != 3 or len(weights.shape) != 3 or weights.shape[0] != count:
        got = f"{_dims(x)} and {_dims(weights)}"
        raise Refusal(f"the input must have 3 dims, and the weights 3 for {count} directions, got {got}")
    codes = bytes_of(x)
    runs = [_direction(g, node, codes, at, each) for at, each in enumerate(backwards)]
    outputs, *states = zip(*runs)
    return [_stacked(node, outputs, 1), *(_stacked(node, each, 0) for each in states)]


def _dims(x: Tensor) -> list[int | str]:
    return ["?" if size == DYNAMIC else size for size in x.shape]


def _direction(g: Graph, node: Node, x: Codes, at: int, backwards: bool) -> tuple[Tensor, Tensor, Tensor]:
    """All outputs `[S, B, units]`, and the last states `[B, units]`, of one direction."""
    steps, batch, _ = node.dims(0)
    read, loop = _weights(node, at, 1, 8), _weights(node, at, 2, 10)
    units = loop.x.shape[0]
    bias, lengths, peepholes = _part(node, 3, at), node.optional(4), _part(node, 7, at)
    lengths = None if lengths is None else g.cast(lengths, "i64")
    sums = product(x, read)
    if bias is not None:
        sums = sums + g.narrow(bias, 0, 0, 4 * units) + g.narrow(bias, 0, 4 * units, 4 * units)
    turns = backwards and lengths is not None
    if turns:
        # Each from its own end: those of a step become bytes together.
        sums = first(reverse_sequence(g, node.of(sums, lengths)))
    states = [_part(node, side, at) for side in (5, 6)]
    states = [g.filled(node.shape([batch, units]), 0.0) if each is None else each for each in states]
    zero = [] if loop.zero is None else [loop.zero]
    counted = [] if lengths is None else [g.iota(node.shape([steps]), 0)]
    captures = [loop.x, loop.scale, *zero, *([] if peepholes is None else [peepholes])]
    captures += [] if lengths is None else [node.reshape(lengths, [batch, 1])]

    def step(h: Tensor, c: Tensor, gates: Tensor, *others: Tensor) -> list[Tensor]:
        at, rest = others[: len(counted)], list(others[len(counted) :])
        weights = Codes(rest.pop(0), rest.pop(0), rest.pop(0) if zero else None)
        gates = gates + product(bytes_of(h), weights)
        new, cell = _cell(gates, c, None if peepholes is None else rest.pop(0), units)
        if not at:
            return [new, cell, new]
        there = h.graph.compare(CompareKind.GT, rest.pop(0), at[0])
        kept = h.graph.where
        return [kept(there, new, h), kept(there, cell, c), kept(there, new, 0.0)]

    last_h, last_c, outputs = g.scan(states, [sums, *counted], step, captures=captures, reverse=backwards and not turns)
    outputs = first(reverse_sequence(g, node.of(outputs, lengths))) if turns else outputs
    return outputs, last_h, last_c


def _cell(gates: Tensor, c: Tensor, peepholes: Tensor | None, units: int) -> tuple[Tensor, Tensor]:
    """The states after a step; gates are those of input, output, forgetting and cell, peepholes of the first three."""
    g = gates.graph

    def gate(at: int, cell: Tensor) -> Tensor:
        x = g.narrow(gates, 1, at * units, units)
        x = x if peepholes is None else x + g.narrow(peepholes, 0, at * units, units) * cell
        return g.activation(Activation.SIGMOID, x)

    new = gate(2, c) * c + gate(0, c) * g.tanh(g.narrow(gates, 1, 3 * units, units))
    return gate(1, new) * g.tanh(new), new


def _weights(node: Node, at: int, weights: int, scales: int) -> Codes:
    (x, scale, zero) = (_part(node, each, at) for each in (weights, scales, scales + 1))
    if x is None or scale is None:
        raise Refusal("weights and their scales are left out")
    if DYNAMIC in x.shape:
        raise Refusal("the dims of the weights must be known on import")
    return Codes(x, scale, zero)


def _part(node: Node, at: int, direction: int) -> Tensor | None:
    """What input `at` holds for a direction."""
    x = node.optional(at)
    if x is None:
        return None
    return node.reshape(x.graph.narrow(x, 0, direction, 1), node.dims_of(x)[1:])


def _stacked(node: Node, parts: Sequence[Tensor], axis: int) -> Tensor:
    """The parts as entries of a new axis."""
    lies = [node.dims_of(each) for each in parts]
    whole = [node.reshape(each, [*dims[:axis], 1, *dims[axis:]]) for each, dims in zip(parts, lies)]
    return whole[0] if len(whole) == 1 else whole[0].graph.concat(whole, axis)


RULES: Mapping[str, NodeRule] = {f"{DOMAIN}.DynamicQuantizeLSTM": dynamic_lstm}
