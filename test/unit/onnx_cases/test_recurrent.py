"""Recurrent layers against the cases of the `onnx` package."""

from collections.abc import Sequence

import pytest
from onnx_cases import Case, Node, cases, check

from rlx_dialect.attributes import Direction
from rlx_dialect.builder import Graph, Tensor


def batch_first(g: Graph, node: Node) -> bool:
    return bool(node.attributes.get("layout"))


def given(g: Graph, node: Node) -> tuple[Tensor, Tensor, Tensor]:
    x = node.required(0)
    return g.transpose(x, [1, 0, 2]) if batch_first(g, node) else x, node.required(1), node.required(2)


def read(g: Graph, node: Node, results: Sequence[Tensor]) -> list[Tensor]:
    """The results that the node has, laid as it has them."""
    orders = ([2, 0, 1, 3], [1, 0, 2], [1, 0, 2])
    laid = [g.transpose(x, order) for x, order in zip(results, orders)] if batch_first(g, node) else results
    return [x for x, name in zip(laid, node.outputs) if name]


def direction(node: Node) -> Direction:
    return Direction(node.attributes.get("direction", "forward"))


def rnn(g: Graph, node: Node) -> list[Tensor]:
    results = g.rnn(
        *given(g, node),
        bias=node.optional(3),
        lengths=node.optional(4),
        initial_h=node.optional(5),
        direction=direction(node),
    )
    return read(g, node, results)


def gru(g: Graph, node: Node) -> list[Tensor]:
    results = g.gru(
        *given(g, node),
        bias=node.optional(3),
        lengths=node.optional(4),
        initial_h=node.optional(5),
        direction=direction(node),
        linear_before_reset=bool(node.attributes.get("linear_before_reset")),
    )
    return read(g, node, results)


def lstm(g: Graph, node: Node) -> list[Tensor]:
    results = g.lstm(
        *given(g, node),
        bias=node.optional(3),
        lengths=node.optional(4),
        initial_h=node.optional(5),
        initial_c=node.optional(6),
        peepholes=node.optional(7),
        direction=direction(node),
    )
    return read(g, node, results)


ADAPTERS = {"RNN": rnn, "GRU": gru, "LSTM": lstm}
CASES = [case for op_type in ADAPTERS for case in cases(op_type.lower(), op_type)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
