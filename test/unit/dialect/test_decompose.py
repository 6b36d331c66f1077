"""A fused op and its plain form compute the same."""

import numpy as np
import pytest
from programs import parse, random_inputs
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_dialect.decompose import _fused_by_text, decompose, fused_ops, is_fused  # pyright: ignore[reportPrivateUsage]
from rlx_dialect.ops import ALL_OPS
from rlx_dialect.reference import run
from rlx_dialect.signature import find_function

PROGRAMS = {
    "matmul_bias": """
        %0 = rlx.fused_matmul_bias_act %x, %w, %b
            : (tensor<2x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>""",
    "matmul_bias_gelu": """
        %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu)
            : (tensor<2x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>""",
    "conv_bias": """
        %k = rlx.reshape %w : tensor<8x8xf32> -> tensor<4x4x4xf32>
        %c = rlx.narrow %b axis(0) start(0) length(4) : tensor<8xf32> -> tensor<4xf32>
        %0 = rlx.fused_conv_bias_act %x, %k, %c pad([1], [2])
            : (tensor<2x4x8xf32>, tensor<4x4x4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>""",
    "conv_bias_act_residual": """
        %k = rlx.reshape %w : tensor<8x8xf32> -> tensor<8x4x2xf32>
        %0 = rlx.fused_conv_bias_act %x, %k, %b residual(%y) activation(silu) pad([1],
            [1]) dilation [2] groups(2) layout(channels_last)
                : (tensor<2x4x8xf32>, tensor<8x4x2xf32>, tensor<8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>""",
    "matmul_residual": """
        %0 = rlx.fused_matmul_residual %x, %w, %y
            : (tensor<2x4x8xf32>, tensor<8x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>""",
    "swiglu": """
        %p = rlx.matmul %x, %qkv : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
        %0 = rlx.fused_swiglu %p : tensor<2x4x16xf32> -> tensor<2x4x8xf32>""",
    "swiglu_gate_first_cast": """
        %p = rlx.matmul %x, %qkv : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
        %c = rlx.fused_swiglu %p gate_first cast_to(f64) : tensor<2x4x16xf32> -> tensor<2x4x8xf64>
        %0 = rlx.cast %c : tensor<2x4x8xf64> -> tensor<2x4x8xf32>""",
    "lora_matmul": """
        %d = rlx.narrow %w axis(1) start(0) length(3) : tensor<8x8xf32> -> tensor<8x3xf32>
        %u = rlx.narrow %w axis(0) start(2) length(3) : tensor<8x8xf32> -> tensor<3x8xf32>
        %0 = rlx.lora_matmul %x, %w, %d, %u scale(0.3)
            : (tensor<2x4x8xf32>, tensor<8x8xf32>, tensor<8x3xf32>, tensor<3x8xf32>) -> tensor<2x4x8xf32>""",
    "ada_layer_norm": """
        %0 = rlx.ada_layer_norm %x, %y, %b epsilon(1.0e-5)
            : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>""",
    "ada_rms_norm": """
        %0 = rlx.ada_layer_norm %x, %b, %y norm(rms_norm) epsilon(1.0e-5) accumulate(f64)
            : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>""",
    "gated_residual": """
        %0 = rlx.gated_residual %x, %y, %g : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>)
            -> tensor<2x4x8xf32>""",
    "residual_ln": """
        %0 = rlx.fused_residual_ln %x, %y, %b, %g epsilon(1.0e-5)
            : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>""",
    "residual_ln_tee": """
        %a, %c = rlx.fused_residual_ln %x, %y, %b, %g bias(%g) epsilon(1.0e-5)
            : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
                -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>)
        %0 = rlx.binary mul %a, %c : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>""",
    "residual_rms_norm": """
        %0 = rlx.fused_residual_rms_norm %x, %y, %b, %g epsilon(1.0e-5)
            : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>""",
    "residual_rms_norm_tee": """
        %a, %c = rlx.fused_residual_rms_norm %x, %y, %b, %g bias(%g) epsilon(1.0e-5)
            : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
                -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>)
        %0 = rlx.binary mul %a, %c : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>""",
    "attention_block": """
        %0 = rlx.fused_attention_block %x, %qkv, %w bias(%qkv_b, %b : tensor<16xf32>, tensor<8xf32>) mask keys(%m
            : tensor<2x4xi1>)
             heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.7) causal_offset(end) masked_rows(zero)
             : (tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>""",
    "attention_block_plain": """
        %0 = rlx.fused_attention_block %x, %qkv, %w heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.7)
             : (tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>""",
    "transformer_layer": """
        %t = rlx.transpose %qkv [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
        %0 = rlx.fused_transformer_layer %x qkv(%qkv, %qkv_b : tensor<8x16xf32>, tensor<16xf32>) out(%w, %b
            : tensor<8x8xf32>, tensor<8xf32>)
             ln1(%b, %g : tensor<8xf32>, tensor<8xf32>) fc1(%qkv, %qkv_b : tensor<8x16xf32>, tensor<16xf32>)
             fc2(%t, %g : tensor<16x8xf32>, tensor<8xf32>) ln2(%g, %b : tensor<8xf32>, tensor<8xf32>) mask keys(%m
                 : tensor<2x4xi1>)
             activation(gelu) epsilon(1.0e-5, 1.0e-3) heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.7)
                 masked_rows(zero)
             : tensor<2x4x8xf32> -> tensor<2x4x8xf32>""",
    "transformer_layer_plain": """
        %t = rlx.transpose %qkv [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
        %0 = rlx.fused_transformer_layer %x qkv(%qkv : tensor<8x16xf32>) out(%w : tensor<8x8xf32>) ln1(%b
            : tensor<8xf32>)
             fc1(%qkv : tensor<8x16xf32>) fc2(%t : tensor<16x8xf32>) ln2(%g
                 : tensor<8xf32>) activation(silu) epsilon(1.0e-5, 1.0e-3)
             heads(4) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.7) : tensor<2x4x8xf32> -> tensor<2x4x8xf32>""",
}


def program(body: str) -> ModuleOp:
    return parse(f"""
      func.func @f(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>,
          %g: tensor<8xf32>,
                   %qkv: tensor<8x16xf32>, %qkv_b: tensor<16xf32>, %m: tensor<2x4xi1>) -> tensor<2x4x8xf32> {{
        {body}
        func.return %0 : tensor<2x4x8xf32>
      }}""")


def unfuse(module: ModuleOp) -> int:
    """Take every fused op apart; how many there were."""
    fused = [op for op in module.walk() if isinstance(op, fused_ops())]
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


def test_sizes_known_at_run_time():
    module = parse("""
      func.func @f(%x: tensor<2x?xf32>, %s: tensor<2x?xf32>, %t: tensor<2x?xf32>) -> tensor<2x?xf32> {
        %0 = rlx.ada_layer_norm %x, %s, %t epsilon(1.0e-5)
            : (tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
        func.return %0 : tensor<2x?xf32>
      }""")
    inputs = random_inputs(find_function(module), unknown=6)
    (before,) = run(module, "f", inputs).values()
    assert unfuse(module) == 1
    module.verify()
    (after,) = run(module, "f", inputs).values()
    np.testing.assert_allclose(after, before, rtol=2e-6, atol=2e-6)


def test_every_fused_op_is_tried():
    tried = {type(op) for body in PROGRAMS.values() for op in program(body).walk()}
    assert set(fused_ops()) & set(ALL_OPS) <= tried


def test_the_text_of_the_chapters_tells_which_ops_are_fused():
    assert {op for op in ALL_OPS if is_fused(op)} == set(fused_ops()) & set(ALL_OPS)


def test_other_ops_have_no_plain_form():
    module = program("%0 = rlx.activation relu %x : tensor<2x4x8xf32>")
    assert all(decompose(op) is None for op in module.walk())


def test_the_text_of_the_chapters_names_the_fused_ops():
    """So that which ops count as fused does not depend on the chapters that are loaded."""
    ours = {op.__name__ for op in fused_ops() if op.__module__.startswith("rlx_dialect.")}
    assert ours == _fused_by_text()
