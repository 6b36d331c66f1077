"""Determinants against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, Node, cases, check

from rlx_dialect.builder import Graph, Tensor


def det(g: Graph, node: Node) -> Tensor:
    return g.det(node.required(0))


ADAPTERS = {"Det": det}
CASES = cases("det", *ADAPTERS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
