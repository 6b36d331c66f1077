"""One BERT in four ONNX exports is one program once raised, and fused alike for every target, sizes known or not."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from real_models import LIMIT, MODELS, TARGETS, Model, counts, through
from xdsl.dialects.builtin import AnyFloat, ModuleOp

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.ops import AttentionOp
from rlx_dialect.reference import run
from rlx_dialect.shapes import shaped
from rlx_passes import from_onnx
from rlx_passes.expansion.unfuse import UnfusePass
from rlx_passes.reading.dialects import tool_context

EXPORTS = ("eager_ts", "eager_dynamo", "sdpa_ts", "sdpa_dynamo")
"""Attention written out or called, by the exporter that traces and the one that captures."""

STATIC = (("b", 2), ("s", 16))
SIZES = pytest.mark.parametrize("dims", [(), STATIC], ids=["any", "known"])
EXPORT = pytest.mark.parametrize("export", EXPORTS)
TARGET = pytest.mark.parametrize("target", TARGETS)

RAISED = {"matmul": 12, "attention": 2, "layer_norm": 5, "activation": 2, "softmax": 0, "transpose": 0}
# A layer norm is left where the embedding sum is normalised: the position table broadcasts, and it has no residual.
FUSED = {
    "fused_matmul_bias_act": 12,
    "gelu in an epilogue": 2,
    "fused_residual_ln": 4,
    "attention": 2,
    "layer_norm": 1,
    "activation": 0,
    "matmul": 0,
    "softmax": 0,
    "transpose": 0,
}
Dims = tuple[tuple[str, int], ...]


@cache
def model(export: str, dims: Dims) -> Model:
    """The export as it is imported; its hidden states count where there is a token."""
    recorded = dict(np.load(MODELS / f"bert_tiny_{export.partition('_')[0]}.npz"))
    imported = from_onnx(MODELS / f"bert_tiny_{export}.onnx", dims=dict(dims))
    states = {"out": recorded.pop("out")}
    return Model(
        imported.module, "rlx", dict(imported.params), recorded, states, recorded["attention_mask"].astype(bool)
    )


@cache
def raised(export: str, dims: Dims) -> ModuleOp:
    return through(model(export, dims), "cpu", "raise")


@cache
def fused(export: str, dims: Dims, target: str) -> ModuleOp:
    return through(model(export, dims), target, "fuse")


def error(module: ModuleOp, one: Model) -> float:
    return one.error(run(module, "main", one.params | one.inputs))


def on_floats(module: ModuleOp) -> Counter[str]:
    """The ops of the network itself: those that give floats, constants left out."""
    results = (op.results[0] for op in module.walk() if op.name.startswith("rlx.") and op.results)
    return Counter(result.owner.name for result in results if isinstance(shaped(result).element, AnyFloat))


@SIZES
@EXPORT
def test_raised(export: str, dims: Dims):
    """The heads of every attention stay packed, so that nothing is transposed."""
    module, one = raised(export, dims), model(export, dims)
    found = counts(module)
    assert {kind: found[kind] for kind in RAISED} == RAISED
    assert on_floats(module) == on_floats(raised(EXPORTS[0], dims))
    attentions = [op for op in module.walk() if isinstance(op, AttentionOp)]
    assert [op.lies for op in attentions] == [AttentionLayout.BSM] * 2
    assert [op.config.heads for op in attentions] == [4, 4]
    assert max(error(module, one), error(one.module, one)) <= LIMIT


@TARGET
@SIZES
@EXPORT
def test_fused(export: str, dims: Dims, target: str):
    module = fused(export, dims, target)
    found = counts(module)
    assert {kind: found[kind] for kind in FUSED} == FUSED
    assert on_floats(module) == on_floats(fused(EXPORTS[0], dims, target))
    assert error(module, model(export, dims)) <= LIMIT


@TARGET
@SIZES
@EXPORT
def test_taken_apart_again(export: str, dims: Dims, target: str):
    plain = fused(export, dims, target).clone()
    UnfusePass().apply(tool_context(), plain)
    assert not [op.name for op in plain.walk() if op.name.startswith("rlx.fused_")]
    assert error(plain, model(export, dims)) <= LIMIT


@TARGET
@SIZES
@EXPORT
def test_a_second_run_changes_nothing(export: str, dims: Dims, target: str):
    once = fused(export, dims, target)
    twice = through(model(export, dims)._replace(module=once), target, "fuse")
    assert str(twice) == str(once)


@pytest.mark.parametrize("target", ["cpu", "wgpu"])
@EXPORT
def test_packed_projections(export: str, target: str):
    """Twice 16 tokens are within the default limit of an attention block; an unknown number makes none."""
    for dims, blocks, attentions, products in ((STATIC, 2, 0, 4), ((), 0, 2, 8)):
        module = through(model(export, dims), target, "fuse", pack_attention=True)
        found = counts(module)
        kinds = ("fused_attention_block", "attention", "fused_matmul_bias_act")
        assert [found[kind] for kind in kinds] == [blocks, attentions, products]
        assert error(module, model(export, dims)) <= LIMIT
