"""Sorts against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, Node, Unsupported, cases, check

from rlx_dialect.builder import Graph, Tensor

WIDE = "element type"
UNSUPPORTED = {"test_top_k_uint64": WIDE}


def number(node: Node, at: int) -> int:
    """An input that the dialect wants as a number. Raises `Unsupported` where the node leaves it out."""
    value = node.constant(at)
    if value is None:
        raise Unsupported(f"input {at} is left out")
    return int(value.item())


def top_k(g: Graph, node: Node) -> tuple[Tensor, Tensor]:
    x, k = node.required(0), number(node, 1)
    return g.top_k(x, k, node.attributes.get("axis", -1), smallest=not node.attributes.get("largest", 1))


ADAPTERS = {"TopK": top_k}
MODULES = ("topk",)
CASES = list({case.name: case for module in MODULES for case in cases(module, *ADAPTERS)}.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, UNSUPPORTED)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
    assert set(UNSUPPORTED) <= {case.name for case in CASES}
