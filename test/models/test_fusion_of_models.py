"""What the pipelines find in the two real programs, for every target, and that the values stay."""

from pathlib import Path

import pytest
from real_models import EXAMPLES, LIMIT, MODELS_BY_NAME, TARGETS, counts, minilm, through
from tools import sampled

from rlx_dialect.reference import run
from rlx_passes.expansion.unfuse import UnfusePass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source

# A layer norm is left where the embedding sum is normalised: the position table broadcasts, and it has no residual.
FUSED = {
    "minilm": {
        "fused_matmul_bias_act": 36,
        "gelu in an epilogue": 6,
        "fused_residual_ln": 12,
        "attention": 6,
        "layer_norm": 1,
        "matmul": 0,
        "softmax": 0,
    },
    "bert": {
        "fused_matmul_bias_act": 12,
        "gelu in an epilogue": 2,
        "fused_residual_ln": 4,
        "attention": 2,
        "layer_norm": 1,
        "matmul": 0,
        "softmax": 0,
        "dot_general": 0,
    },
}


def test_the_printed_example_is_what_the_builder_makes():
    assert (EXAMPLES / "minilm.mlir").read_text() == str(minilm().module) + "\n"


def test_the_reference_runs_minilm():
    model = minilm()
    assert model.error(run(model.module, "main", model.params | model.inputs)) <= LIMIT


@sampled(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS_BY_NAME)
def test_counts_and_values_after_fusion(name: str, target: str):
    model = MODELS_BY_NAME[name]()
    fused = through(model, target, "fuse")
    found = counts(fused)
    assert {kind: found[kind] for kind in FUSED[name]} == FUSED[name]
    assert model.error(run(fused, "main", model.params | model.inputs)) <= LIMIT


@pytest.mark.parametrize("target", TARGETS)
def test_values_before_fusion_and_taken_apart_again(target: str):
    model = MODELS_BY_NAME["bert"]()
    plain = through(model, target, "fuse")
    UnfusePass().apply(tool_context(), plain)
    assert not [op.name for op in plain.walk() if op.name.startswith("rlx.fused_")]
    for module in (through(model, target, "raise"), plain):
        assert model.error(run(module, "main", model.inputs)) <= LIMIT


@pytest.mark.parametrize("target", ["cpu", "wgpu"])
def test_packed_projections_make_attention_blocks(target: str):
    """16 tokens are within the default limit of 64."""
    model = MODELS_BY_NAME["bert"]()
    fused = through(model, target, "fuse", pack_attention=True)
    found = counts(fused)
    assert (found["fused_attention_block"], found["fused_matmul_bias_act"], found["attention"]) == (2, 4, 0)
    assert model.error(run(fused, "main", model.inputs)) <= LIMIT


def test_larger_programs_keep_their_attention():
    """128 tokens are beyond the limit; the projections are packed all the same: 36 products become 24."""
    found = counts(through(minilm(), "cpu", "fuse", pack_attention=True))
    assert (found["fused_attention_block"], found["attention"], found["fused_matmul_bias_act"]) == (0, 6, 24)


@pytest.mark.parametrize("name", MODELS_BY_NAME)
def test_the_pipeline_leaves_its_own_output_alone(name: str):
    model = MODELS_BY_NAME[name]()
    once = through(model, "rocm", "fuse")
    twice = through(model._replace(module=once, origin="rlx"), "rocm", "fuse")
    assert str(twice) == str(once)


def test_fused_text_reads_back(tmp_path: Path):
    fused = str(through(minilm(), "rocm", "fuse"))
    assert str(parse(tool_context(), Source("fused.mlir", fused))) == fused
