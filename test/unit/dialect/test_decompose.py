"""A fused op and its plain form compute the same."""

import numpy as np
import pytest
from programs import parse, random_inputs
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_dialect.decompose import FUSED_OPS, decompose
from rlx_dialect.reference import run
from rlx_dialect.signature import find_function

PROGRAMS = {
    "matmul_bias": """
        %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<2x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>""",
    "matmul_bias_gelu": """
        %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : (tensor<2x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>""",
    "residual_ln": """
        %0 = rlx.fused_residual_ln %x, %y, %b, %g epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>""",
    "residual_ln_tee": """
        %a, %c = rlx.fused_residual_ln %x, %y, %b, %g bias(%g) epsilon(1.0e-5) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>)
        %0 = rlx.binary mul %a, %c : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>""",
    "attention_block": """
        %0 = rlx.fused_attention_block %x, %qkv, %w bias(%qkv_b, %b : tensor<16xf32>, tensor<8xf32>) mask keys(%m : tensor<2x4xi1>)
             heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.7) causal_offset(end) masked_rows(zero)
             : (tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>""",
    "attention_block_plain": """
        %0 = rlx.fused_attention_block %x, %qkv, %w heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.7)
             : (tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>""",
}


def program(body: str) -> ModuleOp:
    return parse(f"""
      func.func @f(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %g: tensor<8xf32>,
                   %qkv: tensor<8x16xf32>, %qkv_b: tensor<16xf32>, %m: tensor<2x4xi1>) -> tensor<2x4x8xf32> {{
        {body}
        func.return %0 : tensor<2x4x8xf32>
      }}""")


def unfuse(module: ModuleOp) -> int:
    """Take every fused op apart; how many there were."""
    fused = [op for op in module.walk() if isinstance(op, FUSED_OPS)]
    for op in fused:
        plain = decompose(op)
        assert plain is not None
        Rewriter.insert_op(plain.ops, InsertPoint.before(op))
        Rewriter.replace_op(op, [], plain.results)
    return len(fused)


@pytest.mark.parametrize("name", PROGRAMS)
def test_plain_form_has_the_same_value(name: str):
    module = program(PROGRAMS[name])
    inputs = random_inputs(find_function(module))
    (before,) = run(module, "f", inputs).values()
    assert unfuse(module) == 1
    module.verify()
    (after,) = run(module, "f", inputs).values()
    np.testing.assert_allclose(after, before, rtol=2e-6, atol=2e-6)


def test_every_fused_op_is_tried():
    tried = {type(op) for body in PROGRAMS.values() for op in program(body).walk()}
    assert set(FUSED_OPS) <= tried


def test_other_ops_have_no_plain_form():
    module = program("%0 = rlx.activation relu %x : tensor<2x4x8xf32>")
    assert all(decompose(op) is None for op in module.walk())
