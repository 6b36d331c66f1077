"""Rotary embeddings against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, Node, cases, check

from rlx_dialect.attributes import RopeStyle
from rlx_dialect.builder import Graph, Tensor


def rotary(g: Graph, node: Node) -> Tensor:
    x, cos, sin = node.required(0), node.required(1), node.required(2)
    shape = x.shape
    if len(shape) == 3:
        heads = node.attributes["num_heads"]
        x = g.reshape(x, (*shape[:2], heads, shape[2] // heads))
    if (positions := node.optional(3)) is not None:
        cos, sin = g.gather(cos, positions), g.gather(sin, positions)
    rotated = g.rope(
        *(x, cos, sin),
        axis=1 if len(shape) == 3 else 2,
        n_rot=node.attributes.get("rotary_embedding_dim") or None,
        style=RopeStyle.GPTJ if node.attributes.get("interleaved") else RopeStyle.NEOX,
    )
    return g.reshape(rotated, shape)


ADAPTERS = {"RotaryEmbedding": rotary}
CASES = cases("rotaryembedding", *ADAPTERS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
