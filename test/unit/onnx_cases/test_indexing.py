"""Gathers and scatters against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, Node, cases, check

from rlx_dialect.attributes import BinaryKind, CompareKind, ScatterReduction
from rlx_dialect.builder import Graph, Tensor


def reduction(node: Node) -> ScatterReduction:
    return ScatterReduction(node.attributes.get("reduction", "none"))


def gather(g: Graph, node: Node) -> Tensor:
    """Indices may count from the end, which `rlx.gather` leaves to its callers."""
    table, indices = node.required(0), node.required(1)
    axis: int = node.attributes.get("axis", 0)
    counted = g.binary(BinaryKind.ADD, indices, table.shape[axis])
    return g.gather(table, g.where(g.compare(CompareKind.LT, indices, 0), counted, indices), axis)


def gather_nd(g: Graph, node: Node) -> Tensor:
    return g.gather_nd(node.required(0), node.required(1), node.attributes.get("batch_dims", 0))


def gather_elements(g: Graph, node: Node) -> Tensor:
    return g.gather_elements(node.required(0), node.required(1), node.attributes.get("axis", 0))


def scatter_nd(g: Graph, node: Node) -> Tensor:
    return g.scatter_nd(node.required(0), node.required(1), node.required(2), reduction(node))


def scatter_elements(g: Graph, node: Node) -> Tensor:
    axis = node.attributes.get("axis", 0)
    return g.scatter_elements(node.required(0), node.required(1), node.required(2), axis, reduction(node))


ADAPTERS = {
    "Gather": gather,
    "GatherND": gather_nd,
    "GatherElements": gather_elements,
    "Scatter": scatter_elements,
    "ScatterND": scatter_nd,
    "ScatterElements": scatter_elements,
}
MODULES = ("gather", "gathernd", "gatherelements", "scatter", "scatternd", "scatterelements")
CASES = list({case.name: case for module in MODULES for case in cases(module, *ADAPTERS)}.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
