"""Small configurations of published architectures, by the classes of `transformers` with random weights."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import functools
import importlib
import json
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tolerances import agree
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.reference import Array
from rlx_passes import build_pipeline, from_torch
from rlx_passes.frontends.imported import Imported as Program
from rlx_passes.pipeline.target import load_target
from rlx_passes.reading.dialects import tool_context

ZOO = Path(__file__).parent / "zoo"
FURTHER = ("layer_norm", "rms_norm", "group_norm", "ada_layer_norm", "gated_residual", "fused_attention_block")
"""Norms that follow no residual or are modulated, and others of few models: `further.json` holds those found."""


def _expected() -> dict[str, Any]:
    rows: dict[str, Any] = json.loads((ZOO / "expected.json").read_text())
    further: dict[str, dict[str, int]] = json.loads((ZOO / "further.json").read_text())
    for name, row in rows.items():
        row["counts"] |= {kind: further[name].get(kind, 0) for kind in FURTHER}
    return rows


EXPECTED: Mapping[str, Any] = _expected()
"""What a reader of the architecture finds: the counts on a target that claims every kind, and why."""

GAPS_FILE = ZOO / "gaps.json"
TARGETS = ("cpu", "metal", "mlx", "wgpu", "cuda", "rocm", "tpu")

CLAIMS = {
    "fused_matmul_bias_act": "FusedMatMulBiasAct",
    "fused_residual_ln": "FusedResidualLN",
    "fused_residual_rms_norm": "FusedResidualRmsNorm",
    "fused_swiglu": "FusedSwiGLU",
    "fused_conv_bias_act": "FusedConvBiasAct",
    "fused_attention_block": "FusedAttentionBlock",
}
"""The claim without which a target makes none of a kind; the other kinds come of raising."""

ALONE = {"fused_residual_ln": "layer_norm", "fused_residual_rms_norm": "rms_norm"}
"""The norm that stays where a fused one is not claimed."""

PRODUCT = "fused_matmul_bias_act"

SMALL = {
    "vocab_size": 50,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 32,
}
GROUPED = {**SMALL, "num_key_value_heads": 2, "pad_token_id": 0}
IMAGES = {**SMALL, "image_size": 32, "patch_size": 8}
SEQUENCES = {
    "vocab_size": 50,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
}
LATENT = {
    **SMALL,
    "pad_token_id": 0,
    "num_key_value_heads": 4,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
}
EXPERTS = {"num_experts_per_tok": 2, "moe_intermediate_size": 24}
DETECTOR = {key: value for key, value in SEQUENCES.items() if key != "vocab_size"}
IDS, MASKED, BOTH, PIXELS = (
    ("input_ids",),
    ("input_ids", "attention_mask"),
    ("input_ids", "decoder_input_ids"),
    ("pixel_values",),
)
KEPT = ("keys", "values")
CACHE = tuple(f"{word}{layer}" for layer in (0, 1) for word in KEPT)
DECODE = ("step_ids", *CACHE)
JOINT = ("tokens", "text", "condition")
SHAPES = {
    "pixel_values": (2, 3, 32, 32),
    "input_values": (2, 200),
    "input_features": (2, 8, 32),
    "latents": (2, 16, 8, 8),
    "time": (2, 32),
    "context": (2, 5, 24),
    "tokens": (2, 16, 32),
    "text": (2, 5, 32),
    "condition": (2, 32),
}
"""Inputs of numbers."""


class Architecture(NamedTuple):
    """A class of models, that of the first word of its name, with its settings and the names of what it reads."""

    settings: Mapping[str, Any]
    reads: tuple[str, ...]
    output: str = "last_hidden_state"
    kv_heads: int = 0
    backbone: Mapping[str, Any] | None = None
    """Settings of the residual network that finds features of an image."""


ARCHITECTURES = {
    "Llama": Architecture(GROUPED, IDS),
    "Bert": Architecture(SMALL, MASKED),
    "ViT": Architecture(IMAGES, PIXELS),
    "T5": Architecture({"vocab_size": 50, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}, BOTH),
    "Whisper": Architecture(
        {**SEQUENCES, "num_mel_bins": 8, "max_source_positions": 16, "max_target_positions": 16, "pad_token_id": 0},
        ("input_features", "decoder_input_ids"),
    ),
    "GPT2": Architecture(
        {"vocab_size": 50, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 32, "bos_token_id": 0}, IDS
    ),
    "Mixtral": Architecture({**GROUPED, "num_local_experts": 4}, IDS),
    "Qwen2": Architecture(GROUPED, IDS),
    "Qwen3": Architecture({**GROUPED, "head_dim": 8}, IDS),
    "Mistral": Architecture({**GROUPED, "sliding_window": 4}, IDS),
    "Phi3": Architecture(GROUPED, IDS),
    "Gemma2": Architecture({**GROUPED, "head_dim": 8, "attn_implementation": "eager"}, IDS),
    "Gemma3Text": Architecture({**GROUPED, "head_dim": 8}, IDS),
    "GPTNeoX": Architecture(SMALL, IDS),
    "Roberta": Architecture({**SMALL, "max_position_embeddings": 40}, MASKED),
    "ModernBert": Architecture({**SMALL, "pad_token_id": 0, "reference_compile": False}, MASKED),
    "Bart": Architecture({**SEQUENCES, "max_position_embeddings": 32}, BOTH),
    "Dinov2": Architecture(IMAGES, PIXELS),
    "SiglipVision": Architecture(IMAGES, PIXELS),
    "CLIPVision": Architecture(IMAGES, PIXELS),
    "DeepseekV3": Architecture({**LATENT, "first_k_dense_replace": 2}, IDS),
    "ConvNext": Architecture(
        {"num_stages": 2, "depths": [1, 1], "hidden_sizes": [16, 32], "image_size": 32, "patch_size": 4}, PIXELS
    ),
    "Swin": Architecture(
        {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [2, 1], "num_heads": [2, 4], "window_size": 4},
        PIXELS,
    ),
    "Wav2Vec2": Architecture(
        {
            **SMALL,
            "conv_dim": (16, 16),
            "conv_stride": (5, 2),
            "conv_kernel": (10, 3),
            "num_conv_pos_embeddings": 4,
            "num_conv_pos_embedding_groups": 2,
        },
        ("input_values",),
    ),
    "Mamba": Architecture(
        {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 8, "pad_token_id": 0}, IDS
    ),
    "DebertaV2": Architecture({**SMALL, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]}, MASKED),
    "Electra": Architecture({**SMALL, "embedding_size": 32}, MASKED),
    "OPT": Architecture({**SMALL, "ffn_dim": 48, "word_embed_proj_dim": 32, "pad_token_id": 0}, MASKED),
    "Olmo2": Architecture(GROUPED, IDS),
    "Mixtral batched": Architecture({**GROUPED, "num_local_experts": 4, "experts_implementation": "batched_mm"}, IDS),
    "Mixtral eager": Architecture({**GROUPED, "num_local_experts": 4, "experts_implementation": "eager"}, IDS),
    "Qwen3Moe": Architecture({**GROUPED, **EXPERTS, "head_dim": 8, "num_experts": 4}, IDS),
    "DeepseekV3 sparse": Architecture(
        {**LATENT, **EXPERTS, "first_k_dense_replace": 1, "n_routed_experts": 8, "n_group": 4, "topk_group": 2}, IDS
    ),
    "GptOss": Architecture(
        {**GROUPED, "head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 4}, IDS
    ),
    "Segformer": Architecture(
        {
            "num_encoder_blocks": 2,
            "depths": [1, 1],
            "sr_ratios": [2, 1],
            "hidden_sizes": [16, 32],
            "patch_sizes": [7, 3],
            "strides": [4, 2],
            "num_attention_heads": [1, 2],
            "mlp_ratios": [4, 4],
        },
        PIXELS,
    ),
    "Detr": Architecture(
        {**DETECTOR, "num_queries": 5},
        PIXELS,
        backbone={"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1], "layer_type": "basic"},
    ),
    "StableDiffusionUNet": Architecture(
        {"channels": 16, "width": 32, "time": 32, "context": 24, "heads": 4, "groups": 4},
        ("latents", "time", "context"),
    ),
    "DiT": Architecture({"width": 32, "heads": 4, "layers": 2, "patch": 16}, ("tokens", "condition")),
    "StableDiffusion3": Architecture({"width": 32, "heads": 4, "layers": 2}, JOINT),
    "Flux": Architecture({"width": 32, "heads": 4}, JOINT),
    "Llama masked": Architecture(GROUPED, MASKED),
    "GPT2 masked": Architecture(
        {"vocab_size": 50, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 32, "bos_token_id": 0}, MASKED
    ),
    "Bert unmasked": Architecture(SMALL, IDS),
    "Qwen3 masked": Architecture({**GROUPED, "head_dim": 8}, MASKED),
    "GPTNeoX masked": Architecture(SMALL, MASKED),
    "Llama decode": Architecture(GROUPED, DECODE, kv_heads=2),
    "Qwen2 decode": Architecture(GROUPED, DECODE, kv_heads=2),
    "Phi3 decode": Architecture(GROUPED, DECODE, kv_heads=2),
    "Olmo2 decode": Architecture(GROUPED, DECODE, kv_heads=2),
    "GPTNeoX decode": Architecture(SMALL, DECODE, kv_heads=4),
    "Qwen3 decode": Architecture({**GROUPED, "head_dim": 8}, DECODE, kv_heads=2),
    "GPT2 decode": Architecture(
        {"vocab_size": 50, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 32, "bos_token_id": 0},
        DECODE,
        kv_heads=4,
    ),
}


def example(name: str, kv_heads: int) -> Any:
    """Two of what an architecture reads; in a mask, the end of the second sequence is padding."""
    torch = importlib.import_module("torch")
    if name in CACHE:
        return torch.randn(2, kv_heads, 6, 8)
    if name == "step_ids":
        return torch.randint(4, 50, (2, 1))
    if name in SHAPES:
        return torch.randn(*SHAPES[name])
    if name == "attention_mask":
        return torch.tensor([[1] * 7, [1] * 4 + [0] * 3])
    return torch.randint(4, 50, (2, 7))


def _with_cache(model: Any, new_cache: Any) -> Any:
    """A module of one step of a decoder: reads a token and what two layers keep, gives that with the token as well."""
    torch = importlib.import_module("torch")

    def forward(self: Any, step_ids: Any, keys0: Any, values0: Any, keys1: Any, values1: Any) -> dict[str, Any]:
        cache = new_cache()
        cache.update(keys0, values0, 0)
        cache.update(keys1, values1, 1)
        result = self.model(input_ids=step_ids, past_key_values=cache, use_cache=True)
        kept = {f"{word}{i}.new": getattr(each, word) for i, each in enumerate(cache.layers) for word in KEPT}
        return {"last_hidden_state": result.last_hidden_state, **kept}

    step = type("Step", (torch.nn.Module,), {"forward": forward})()
    step.model = model
    return step.eval()


def _block(family: str, settings: Mapping[str, Any]) -> Any:
    """The module of a family that `transformers` has not, or None."""
    kind = getattr(importlib.import_module("zoo_blocks"), f"{family}Model", None)
    return kind(**settings).eval() if kind else None


def _published(transformers: Any, family: str, one: Architecture, settings: Mapping[str, Any]) -> Any:
    backbone = {"backbone_config": transformers.ResNetConfig(**one.backbone)} if one.backbone else {}
    config = getattr(transformers, f"{family}Config")(**{**settings, **one.settings, **backbone})
    return getattr(transformers, f"{family}Model")(config).eval()


class Imported(NamedTuple):
    """A program with what it reads, by the names of its arguments, and the framework's output."""

    program: Program
    inputs: dict[str, Array]
    expected: dict[str, Array]

    def check(self, results: Mapping[str, Array]) -> None:
        """Raise AssertionError where an output is not the framework's."""
        for name, expected in self.expected.items():
            agree(results[name], expected, where=name)


@functools.cache
def imported(name: str) -> Imported:
    one = ARCHITECTURES[name]
    torch = importlib.import_module("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformers = importlib.import_module("transformers")
        torch.manual_seed(0)
        settings = (
            {"use_cache": one.reads == DECODE}
            if {"input_ids", "step_ids"} & {*one.reads} or "decoder_input_ids" in one.reads
            else {}
        )
        family = name.split()[0]
        module = _block(family, one.settings) or _published(transformers, family, one, settings)
        module = _with_cache(module, transformers.DynamicCache) if one.reads == DECODE else module
        inputs = {key: example(key, one.kv_heads) for key in one.reads}
        with torch.no_grad():
            given = module(**inputs)
            outputs = [name for name in given if name == one.output or name.endswith(".new")]
            expected = {name: given[name].numpy() for name in outputs}
        program = from_torch(module, (), inputs)
    return Imported(program, {key: value.numpy() for key, value in inputs.items()}, expected)


def fused(name: str, target: str) -> ModuleOp:
    module = imported(name).program.module.clone()
    for each in build_pipeline(target, stage="fuse", origin="rlx"):
        each.apply(tool_context(), module)
    module.verify()
    return module


def makes(target: str, kind: str) -> bool:
    """Whether a target claims a kind, or needs not."""
    return kind not in CLAIMS or CLAIMS[kind] in load_target(target).claims


def expected_on(name: str, target: str) -> dict[str, int]:
    """
    What the reader expects on a target: none of a kind that it does not claim.

    A norm that is not fused stands alone; a block of attention holds the products that lead in and out.
    """
    counts = EXPECTED[name]["counts"]
    made = {kind: count if makes(target, kind) else 0 for kind, count in counts.items()}
    alone = {norm: counts[fused] - made[fused] for fused, norm in ALONE.items()}
    blocks = made["fused_attention_block"]
    held = {"attention": made["attention"] - blocks, PRODUCT: made[PRODUCT] - 2 * blocks}
    return made | held | {norm: made[norm] + more for norm, more in alone.items()}


def counts(module: ModuleOp, kinds: Mapping[str, int]) -> dict[str, int]:
    found = Counter(op.name.removeprefix("rlx.") for op in module.walk())
    return {kind: found[kind] for kind in kinds}
