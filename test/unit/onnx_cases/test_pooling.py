"""Pooling against the cases of the `onnx` package."""

import numpy as np
import pytest
from one_op import evaluate, normal
from onnx_cases import Case, Node, Unsupported, cases, check
from windows_of_nodes import pads_of

from rlx_dialect.attributes import PoolKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.ops import Im2ColOp, PoolConfig


def pool(g: Graph, node: Node) -> Tensor:
    x, kernel = node.required(0), node.attributes["kernel_shape"]
    kind = PoolKind.MAX if node.op_type == "MaxPool" else PoolKind.AVG
    return g.pool(
        *(kind, x, kernel),
        stride=node.attributes.get("strides", 1),
        padding=pads_of(node, x.shape[2:], kernel),
        dilation=node.attributes.get("dilations", 1),
        ceil=bool(node.attributes.get("ceil_mode")),
        count_include_pad=bool(node.attributes.get("count_include_pad")),
    )


def global_pool(g: Graph, node: Node) -> Tensor:
    x = node.required(0)
    kind = PoolKind.MAX if node.op_type == "GlobalMaxPool" else PoolKind.AVG
    return g.pool(kind, x, x.shape[2:])


ADAPTERS = {"MaxPool": pool, "AveragePool": pool, "GlobalMaxPool": global_pool, "GlobalAveragePool": global_pool}
MODULES = ("maxpool", "averagepool", "globalmaxpool", "globalaveragepool")
CASES = list({case.name: case for module in MODULES for case in cases(module, *ADAPTERS)}.values())
FOUR_DIGITS = "test_averagepool_2d_ceil_last_window_starts_on_pad"
"""A case whose values are written down with four digits."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    if case.name == FOUR_DIGITS:
        case.check(pool, tolerance=1e-4)
    else:
        check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)


COL2IM = [case for case in cases("col2im", "Col2Im") if len(case.inputs) == 3]


@pytest.mark.parametrize("case", COL2IM, ids=lambda case: case.name)
def test_im2col_is_the_adjoint_of_col2im(case: Case):
    columns, sizes, block = case.inputs
    if columns is None or sizes is None or block is None:
        raise Unsupported("an input is left out")
    (image,) = case.outputs
    rank = len(sizes)
    pads = case.attributes.get("pads", [0] * 2 * rank)
    config = PoolConfig(
        *(block.tolist(), case.attributes.get("strides", ()), pads[:rank], pads[rank:]),
        case.attributes.get("dilations", ()),
    )
    x = normal(image.shape, seed=0)
    seen = evaluate(lambda v: Im2ColOp(*v, config=config), x)
    assert seen.shape[1] == columns.shape[1]
    np.testing.assert_allclose(np.vdot(seen, columns), np.vdot(x, image), rtol=1e-5)
