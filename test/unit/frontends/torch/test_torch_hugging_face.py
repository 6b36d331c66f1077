"""Models of Hugging Face, small and with random weights: values, and what the pipeline finds in them."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import importlib
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from tools import need_module
from torch_cases import floats, integers
from torch_oracle import array, results_of, torch

from rlx_dialect.attributes import MaskKind
from rlx_dialect.ops import AttentionOp
from rlx_passes import build_pipeline, compile, from_torch
from rlx_passes.reading.dialects import tool_context

need_module("transformers")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    transformers: Any = importlib.import_module("transformers")

SMALL = {
    "vocab_size": 50,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 32,
}
IDS, MASK = integers(2, 7, low=0, high=50), torch.tensor([[1] * 7, [1, 1, 1, 1, 0, 0, 0]])


class Model(NamedTuple):
    """A class of models, its settings, what it reads, and how many ops of a kind are left after fusion for the cpu."""

    name: str
    settings: Mapping[str, Any]
    inputs: Sequence[Any]
    found: Mapping[str, int]


MODELS = [
    Model(
        "Bert", SMALL, [IDS, MASK], {"attention": 2, "fused_matmul_bias_act": 13, "fused_residual_ln": 4, "matmul": 0}
    ),
    Model(
        "Llama",
        {**SMALL, "num_key_value_heads": 2, "use_cache": False},
        [IDS],
        {"attention": 2, "rope": 4, "fused_residual_rms_norm": 4, "fused_swiglu": 2, "softmax": 0},
    ),
    Model(
        "ViT",
        {**SMALL, "image_size": 32, "patch_size": 8},
        [floats(2, 3, 32, 32)],
        {"attention": 2, "fused_matmul_bias_act": 13, "fused_residual_ln": 4, "matmul": 0},
    ),
]


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_values_and_counts(model: Model, attention: str):
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = getattr(transformers, f"{model.name}Config")(**model.settings, attn_implementation=attention)
        module = getattr(transformers, f"{model.name}Model")(config).eval()
        with torch.no_grad():
            expected = module(*model.inputs)
    program = from_torch(module, tuple(model.inputs))
    fused = program.module.clone()
    for one in build_pipeline("cpu", stage="fuse", origin="rlx"):
        one.apply(tool_context(), fused)
    found = Counter(op.name.removeprefix("rlx.") for op in fused.walk())
    assert {kind: found[kind] for kind in model.found} == model.found
    for each in (program.module, fused):
        results = results_of(type(program)(each, program.params), model.inputs)
        assert list(results) == [name for name, value in expected.items() if isinstance(value, torch.Tensor)]
        for name, actual in results.items():
            wanted = array(expected[name])
            assert np.max(np.abs(actual - wanted)) <= 1e-5 * max(1.0, np.max(np.abs(wanted)))


DECODERS = {
    "Llama": {**SMALL, "num_key_value_heads": 2},
    "Mistral": {**SMALL, "num_key_value_heads": 2, "sliding_window": 4},
    "GPT2": {"vocab_size": 50, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 32, "bos_token_id": 0},
}


@pytest.mark.parametrize("name", DECODERS)
def test_f21_decoders_of_ids_alone(name: str):
    need_module("llvmlite")
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = getattr(transformers, f"{name}Config")(**DECODERS[name], use_cache=False)
        module = getattr(transformers, f"{name}Model")(config).eval()
        with torch.no_grad():
            expected = array(module(IDS).last_hidden_state)
    imported = from_torch(module, (IDS,))
    causal = [op.causal_offset is not None for op in imported.module.walk() if isinstance(op, AttentionOp)]
    assert causal == [name != "Mistral"] * 2
    program = compile(imported.module, "cpu", origin="rlx").load(imported.params)
    (actual,) = program({"input_ids": array(IDS)}).values()
    assert np.max(np.abs(actual - expected)) <= 1e-5 * max(1.0, np.max(np.abs(expected)))


PADDED: dict[str, tuple[dict[str, Any], tuple[int | None, int | None]]] = {
    "Llama": (DECODERS["Llama"], (0, None)),
    "Mistral": (DECODERS["Mistral"], (0, 3)),
    "Bert": (SMALL, (None, None)),
}


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("name", PADDED)
def test_f26_padding_beside_what_a_model_hides_itself(name: str, attention: str):
    settings, (offset, left) = PADDED[name]
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = getattr(transformers, f"{name}Config")(**settings, attn_implementation=attention)
        module = Padded(getattr(transformers, f"{name}Model")(config).eval())
        padding = torch.ones_like(IDS)
        padding[0, :2] = 0
        with torch.no_grad():
            expected = array(module(IDS, padding))
    program = from_torch(module, (IDS, padding))
    for one in build_pipeline("cpu", stage="raise", origin="rlx"):
        one.apply(tool_context(), program.module)
    found = [op for op in program.module.walk() if isinstance(op, AttentionOp)]
    assert [(op.masking, op.config.causal_offset, op.config.window_left) for op in found] == [
        (MaskKind.KEYS, offset, left)
    ] * 2
    (actual,) = results_of(program, (IDS, padding)).values()
    assert np.max(np.abs(actual - expected)) <= 1e-5 * max(1.0, np.max(np.abs(expected)))


class Padded(torch.nn.Module):
    """The last hidden state of a model that is given padding."""

    def __init__(self, model: Any):
        super().__init__()
        self.model = model

    def forward(self, ids: Any, padding: Any) -> Any:
        return self.model(input_ids=ids, attention_mask=padding, use_cache=False).last_hidden_state


mixtral: Any = importlib.import_module("transformers.models.mixtral.modeling_mixtral")


class Grouped(torch.nn.Module):
    def forward(self, x: Any, weights: Any, ends: Any) -> Any:
        return torch.ops.transformers.grouped_mm_fallback(x, weights, ends)


def test_f23_rows_behind_the_last_group_are_zero():
    given = (floats(6, 4), floats(3, 4, 5), torch.tensor([1, 1, 4], dtype=torch.int32))
    (result,) = results_of(from_torch(Grouped(), given), given).values()
    np.testing.assert_allclose(result, array(Grouped()(*given)), rtol=1e-5)
    assert result.any(axis=1).tolist() == [True] * 4 + [False] * 2


class Experts(torch.nn.Module):
    """Two experts of four for each token, as `implementation` has them."""

    def __init__(self, implementation: str):
        super().__init__()
        torch.manual_seed(0)
        config = transformers.MixtralConfig(
            hidden_size=16, intermediate_size=24, num_local_experts=4, experts_implementation=implementation
        )
        self.block = mixtral.MixtralSparseMoeBlock(config).eval()
        for each in self.block.parameters():
            torch.nn.init.normal_(each, std=0.3)

    def forward(self, x: Any) -> Any:
        return self.block(x)


@pytest.mark.parametrize("implementation", ["grouped_mm", "batched_mm"])
@pytest.mark.parametrize("tokens", [5, None])
def test_f23_experts_of_open_sizes(implementation: str, tokens: int | None):
    """Products by index without a sort, also where only a run knows how many tokens there are."""
    module, x = Experts(implementation), floats(2, 5, 16)
    shapes = None if tokens else ({1: torch.export.Dim("s", min=2, max=64)},)
    program = from_torch(module, (x,), dynamic_shapes=shapes)
    fused = program.module.clone()
    for each in build_pipeline("cpu", stage="raise", origin="rlx"):
        each.apply(tool_context(), fused)
    counts = Counter(op.name for op in fused.walk())
    assert (counts["rlx.grouped_matmul"], counts["rlx.argsort"]) == (2, 0)
    code = compile(program.module, "cpu", origin="rlx").load(program.params)
    for given in (x, floats(2, tokens or 9, 16)):
        with torch.no_grad():
            (result,) = code({"x": array(given)}).values()
            np.testing.assert_allclose(result, array(module(given)), rtol=2e-4, atol=2e-5)
