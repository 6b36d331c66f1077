"""Prefix sums, sorts and extrema against the cases of the `onnx` package."""

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


def flags(node: Node) -> dict[str, bool]:
    return {name: bool(node.attributes.get(name, 0)) for name in ("exclusive", "reverse")}


def cumsum(g: Graph, node: Node) -> Tensor:
    return g.cumsum(node.required(0), number(node, 1), **flags(node))


def cumprod(g: Graph, node: Node) -> Tensor:
    return g.cumprod(node.required(0), number(node, 1), **flags(node))


def top_k(g: Graph, node: Node) -> tuple[Tensor, Tensor]:
    x, k = node.required(0), number(node, 1)
    return g.top_k(x, k, node.attributes.get("axis", -1), smallest=not node.attributes.get("largest", 1))


def arg_max(g: Graph, node: Node) -> Tensor:
    axis, keep_dims, last = extremum(node)
    return g.arg_max(node.required(0), axis, keep_dims=keep_dims, last=last)


def arg_min(g: Graph, node: Node) -> Tensor:
    axis, keep_dims, last = extremum(node)
    return g.arg_min(node.required(0), axis, keep_dims=keep_dims, last=last)


def extremum(node: Node) -> tuple[int, bool, bool]:
    """The axis, whether it is kept, whether the last of equal elements counts."""
    of = node.attributes
    return of.get("axis", 0), bool(of.get("keepdims", 1)), bool(of.get("select_last_index", 0))


ADAPTERS = {"CumSum": cumsum, "CumProd": cumprod, "TopK": top_k, "ArgMax": arg_max, "ArgMin": arg_min}
MODULES = ("cumsum", "cumprod", "topk", "argmax", "argmin")
CASES = list({case.name: case for module in MODULES for case in cases(module, *ADAPTERS)}.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, UNSUPPORTED)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
    assert set(UNSUPPORTED) <= {case.name for case in CASES}
