"""What raising finds in whole programs, and that their answers stay."""

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from real_models import minilm
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import AttentionLayout, MaskKind
from rlx_dialect.ops import ActivationOp, AttentionOp
from rlx_dialect.reference import run
from rlx_dialect.xdsl_repairs import parse_module, verify_dominance
from rlx_passes.frontends.stablehlo.convert_stablehlo_to_rlx import ConvertStableHLOToRLXPass
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.composite import flatten

HERE = Path(__file__).parent
TRACKED = (
    "matmul",
    "dot_general",
    "attention",
    "softmax",
    "layer_norm",
    "rms_norm",
    "rope",
    "gated_residual",
    "gelu",
    "gelu_approx",
    "silu",
    "relu",
)

FOUND = {
    "bert": {"matmul": 12, "attention": 2, "layer_norm": 5, "gelu": 2},
    "llama": {"matmul": 14, "attention": 2, "rms_norm": 5, "silu": 2, "rope": 4},
    "dit": {"matmul": 14, "attention": 2, "layer_norm": 4, "gelu_approx": 2, "silu": 2},
    "resnet": {"matmul": 1, "relu": 6},
    "attn_grad": {"matmul": 5},
    "welch_peak": {},
}
"""The tracked ops by program. attn_grad is a gradient: its exponentials are read by the softmax and twice more."""

WITHOUT_REFERENCE = {"resnet", "welch_peak"}
"""Programs with ops that stay StableHLO, which the reference does not run."""


def raised(module: ModuleOp) -> ModuleOp:
    for pass_ in flatten((RaisePass(),)):
        pass_.apply(tool_context(), module)
        module.verify()
        verify_dominance(module)
    return module


@cache
def imported_and_raised(name: str) -> ModuleOp:
    module = parse_module(tool_context(), (HERE / f"{name}.generic.mlir").read_text(), name)
    ConvertStableHLOToRLXPass().apply(tool_context(), module)
    return raised(module)


def tracked(module: ModuleOp) -> dict[str, int]:
    names = (op.kind.data if isinstance(op, ActivationOp) else op.name.removeprefix("rlx.") for op in module.walk())
    return dict(Counter(name for name in names if name in TRACKED))


def attentions(module: ModuleOp) -> list[AttentionOp]:
    return [op for op in module.walk() if isinstance(op, AttentionOp)]


@pytest.mark.parametrize("name", FOUND)
def test_every_form_is_found(name: str):
    assert tracked(imported_and_raised(name)) == FOUND[name]


@pytest.mark.parametrize("name", sorted(FOUND.keys() - WITHOUT_REFERENCE))
def test_the_answers_stay(name: str):
    recorded = np.load(HERE / f"{name}.npz")
    inputs = [
        recorded[f"arg_{i}"] for i in range(sum(key[4:].isdigit() for key in recorded.files if key[:4] == "arg_"))
    ]
    for i, value in enumerate(run(imported_and_raised(name), None, inputs).values()):
        np.testing.assert_allclose(value, recorded[f"out_{i}"], rtol=1e-5, atol=1e-5)


def test_bert_attention_has_a_bias_since_its_mask_is_a_float_argument():
    for op in attentions(imported_and_raised("bert")):
        assert (op.lies, op.masking, op.config.heads, op.config.causal_offset) == (
            AttentionLayout.BSM,
            MaskKind.BIAS,
            4,
            None,
        )


def test_llama_attention_is_grouped_and_sees_five_keys_more():
    for op in attentions(imported_and_raised("llama")):
        assert (op.config.heads, op.config.kv_heads, op.config.causal_offset, op.masking) == (4, 2, 5, None)


def test_dit_has_no_mask():
    assert [op.masking for op in attentions(imported_and_raised("dit"))] == [None, None]


def test_minilm():
    """One of the four recorded sentences."""
    model = minilm()
    from minilm import minilm as build  # its folder is on the path once the model is loaded

    module = raised(build(batch=1, tokens=32))
    assert tracked(module) == {"matmul": 36, "attention": 6, "layer_norm": 13, "gelu": 6}
    for op in attentions(module):
        assert (op.lies, op.masking, op.config.heads) == (AttentionLayout.BSM, MaskKind.KEYS, 12)
    inputs = {name: value[:1] for name, value in model.inputs.items()}
    got = run(module, None, {**model.params, **inputs})
    np.testing.assert_allclose(got["embedding"], model.outputs["embedding"][:1], rtol=0, atol=1e-5)
