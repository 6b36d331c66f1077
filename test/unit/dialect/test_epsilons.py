"""Every op with an epsilon, whichever chapter it is in, refuses one whose root is no number."""

import math

import pytest
from op_programs import templates
from xdsl.dialects.builtin import FloatAttr, f64
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.builder import Graph
from rlx_dialect.ops import ALL_OPS
from rlx_dialect.shapes import ShapeError

CASES = [
    pytest.param(op, name, id=f"{op.name}-{name}")
    for ops in templates().values()
    for op in ops[:1]
    for name in op.properties
    if name.startswith("epsilon")
]


@pytest.mark.parametrize(("op", "name"), CASES)
def test_epsilons(op: Operation, name: str):
    block = Block(arg_types=[value.type for value in op.operands])
    copy = op.clone(dict(zip(op.operands, block.args)))
    copy.operands = block.args
    for epsilon in (0.0, -0.0, 1e-300, math.inf):
        copy.properties[name] = FloatAttr(epsilon, f64)
        copy.verify()
    for epsilon in (-1e-300, -math.inf, math.nan):
        copy.properties[name] = FloatAttr(epsilon, f64)
        with pytest.raises(VerifyException, match=rf"^{op.name}: {name} must be 0 or more, got {epsilon}"):
            copy.verify()


def test_all_of_them_are_tried():
    known = {
        f"{op.name}-{name}"
        for op in ALL_OPS
        for name in op.get_irdl_definition().properties
        if name.startswith("epsilon")
    }
    assert {case.id for case in CASES} == known
    assert {"rlx.layer_norm-epsilon", "rlx.fused_transformer_layer-epsilon1", "rlx.ada_layer_norm-epsilon"} <= known


def test_the_builder_says_so_at_the_call():
    g = Graph("f")
    x, w = g.input("x", (2, 4)), g.param("w", (4,))
    with pytest.raises(ShapeError, match=r"epsilon must be 0 or more, got -1.0"):
        g.layer_norm(x, w, w, epsilon=-1.0)
