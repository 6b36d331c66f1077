"""Ops of the domain `com.microsoft` against ONNX Runtime, which defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx_nodes import NodeCase

from rlx_dialect.reference import Array
from rlx_passes.core.errors import InputError

RNG = np.random.default_rng(7)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def case(
    name: str, op: str, inputs: Sequence[Array | None], outputs: Sequence[int] = (0,), **attributes: Any
) -> NodeCase:
    """Vectors of floats and matrices, which are weights, are stored in the model."""
    stored = [at for at, each in enumerate(inputs) if each is not None and each.dtype == np.float32 and each.ndim < 3]
    return NodeCase(name, op, inputs, outputs, attributes, domain="com.microsoft", stored=stored)


X, SKIP, GAIN, SHIFT, BIAS = normal(2, 3, 8), normal(2, 3, 8), normal(8), normal(8), normal(8)
MASK = np.array([[1, 1, 0], [1, 0, 0]], np.int32)
WEIGHTS, PROJECTION = normal(8, 24), normal(24)
PAST = normal(2, 2, 2, 4, 4)
WORDS = np.array([[3, 1, 4], [1, 5, 2]], np.int32)
COS, SIN = normal(6, 2), normal(6, 2)
SMALL = normal(7, 8) * 1e-3, normal(5, 8) * 1e-3
HEADS: dict[str, Any] = {"num_heads": 2}

CASES = [
    case("gelu", "Gelu", [X]),
    case("bias_gelu", "BiasGelu", [X, BIAS]),
    case("fast_gelu", "FastGelu", [X]),
    case("fast_gelu_with_bias", "FastGelu", [X, BIAS]),
    case("skip_layer_norm_of_small_numbers", "SkipLayerNormalization", [X * 1e-3, SKIP * 1e-3, GAIN, SHIFT]),
    case("skip_rms_norm_of_small_numbers", "SkipSimplifiedLayerNormalization", [X * 1e-3, SKIP * 1e-3, GAIN]),
    case(
        "embed_layer_norm_of_small_numbers", "EmbedLayerNormalization", [WORDS, None, *SMALL, None, GAIN, SHIFT], (0, 1)
    ),
    case("quick_gelu", "QuickGelu", [X]),
    case("quick_gelu_of_another_slope", "QuickGelu", [X], alpha=1.0),
    case("fused_matmul", "FusedMatMul", [normal(2, 3, 4), normal(2, 4, 5)], alpha=0.5),
    case("fused_matmul_of_a_turned_left", "FusedMatMul", [normal(2, 4, 3), normal(2, 4, 5)], transA=1),
    case("fused_matmul_of_a_turned_right", "FusedMatMul", [normal(2, 3, 4), normal(5, 4)], transB=1),
    case("skip_layer_norm", "SkipLayerNormalization", [X, SKIP, GAIN, SHIFT]),
    case("skip_layer_norm_without_a_shift", "SkipLayerNormalization", [X, SKIP, GAIN]),
    case("skip_layer_norm_and_its_sum", "SkipLayerNormalization", [X, SKIP, GAIN, SHIFT, BIAS], (0, 3)),
    case("skip_layer_norm_of_rows", "SkipLayerNormalization", [X, SKIP[0], GAIN, SHIFT], epsilon=0.1),
    case("skip_rms_norm", "SkipSimplifiedLayerNormalization", [X, SKIP, GAIN]),
    case("skip_rms_norm_and_its_sum", "SkipSimplifiedLayerNormalization", [X, SKIP, GAIN, BIAS], (0, 3)),
    case(
        "embed_layer_norm",
        "EmbedLayerNormalization",
        [WORDS, WORDS % 2, normal(7, 8), normal(5, 8), normal(2, 8), GAIN, SHIFT],
        (0, 1),
    ),
    case(
        "embed_layer_norm_and_all_outputs",
        "EmbedLayerNormalization",
        [WORDS, None, normal(7, 8), normal(5, 8), None, GAIN, SHIFT, MASK, WORDS % 3],
        (0, 1, 2),
    ),
    case("rotary_from_a_position", "RotaryEmbedding", [X, np.array([2]), COS, SIN]),
    case("rotary_of_positions", "RotaryEmbedding", [X, WORDS.astype(np.int64), COS, SIN], interleaved=1),
    case("rotary_of_heads", "RotaryEmbedding", [normal(2, 2, 3, 4), np.array([1]), COS, SIN]),
    case(
        "rotary_of_a_part",
        "RotaryEmbedding",
        [normal(2, 3, 16), np.array([0]), COS, SIN],
        rotary_embedding_dim=4,
        num_heads=2,
    ),
    case("self_attention", "Attention", [X, WEIGHTS, PROJECTION], **HEADS),
    case("self_attention_without_a_bias", "Attention", [X, WEIGHTS], **HEADS, scale=0.3),
    case(
        "self_attention_of_what_came_before",
        "Attention",
        [X, WEIGHTS, PROJECTION],
        **HEADS,
        unidirectional=1,
    ),
    case(
        "self_attention_masked_of_what_came_before",
        "Attention",
        [X, WEIGHTS, PROJECTION, MASK[:, ::-1]],
        **HEADS,
        unidirectional=1,
    ),
    case("self_attention_masked", "Attention", [X, WEIGHTS, PROJECTION, MASK], **HEADS),
    case("self_attention_of_lengths", "Attention", [X, WEIGHTS, PROJECTION, np.array([3, 1], np.int32)], **HEADS),
    case(
        "self_attention_masked_by_query",
        "Attention",
        [X, WEIGHTS, PROJECTION, (RNG.random((2, 3, 3)) > 0.4).astype(np.int32)],
        **HEADS,
        mask_filter_value=-3.0,
    ),
    case("self_attention_biased", "Attention", [X, WEIGHTS, PROJECTION, MASK, None, normal(1, 2, 3, 3)], **HEADS),
    case("self_attention_with_a_past", "Attention", [X, WEIGHTS, PROJECTION, None, PAST], (0, 1), **HEADS),
    case(
        "self_attention_masked_with_a_past",
        "Attention",
        [X, WEIGHTS, PROJECTION, np.tile(MASK, 3)[:, :7], PAST],
        (0, 1),
        **HEADS,
    ),
    case(
        "self_attention_with_a_past_of_what_came_before",
        "Attention",
        [X, WEIGHTS, PROJECTION, None, PAST],
        (0, 1),
        **HEADS,
        unidirectional=1,
    ),
    case(
        "self_attention_of_parts",
        "Attention",
        [X, normal(8, 8), normal(8)],
        **HEADS,
        qkv_hidden_sizes=[2, 2, 4],
    ),
    case("attention", "MultiHeadAttention", [X, SKIP, normal(2, 3, 4)], **HEADS),
    case("attention_biased_and_masked", "MultiHeadAttention", [X, SKIP, X, PROJECTION, MASK], **HEADS),
    case(
        "attention_of_what_came_before",
        "MultiHeadAttention",
        [X, SKIP, X, None, None, normal(2, 1, 3, 3)],
        **HEADS,
        unidirectional=1,
        scale=0.7,
    ),
    case("attention_of_a_cache", "MultiHeadAttention", [X, normal(2, 2, 5, 4), normal(2, 2, 5, 4)], **HEADS),
    case(
        "attention_with_a_past",
        "MultiHeadAttention",
        [X, SKIP, X, None, None, None, PAST[0], PAST[1]],
        (0, 1, 2),
        **HEADS,
    ),
]


@pytest.mark.parametrize("symbolic", [False, True], ids=["known", "at_run_time"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_values_of_onnx_runtime(case: NodeCase, symbolic: bool):
    case.check(symbolic=symbolic)


REFUSED = [
    (case("c", "Attention", [X, WEIGHTS]), "attribute 'num_heads' is missing"),
    (case("c", "FusedMatMul", [X, SKIP], transBatchA=1), "attribute transBatchA is 1"),
    (case("c", "Attention", [X, WEIGHTS], **HEADS, do_rotary=1), "attribute do_rotary is 1"),
    (case("c", "RotaryEmbedding", [X, np.array([1]), COS, SIN], scale=2.0), "attribute scale is 2.0"),
    (
        case("c", "MultiHeadAttention", [normal(2, 3, 2, 3, 4)], **HEADS),
        "queries, keys and values that are packed into one input",
    ),
    (
        case("c", "Attention", [X, WEIGHTS, None, np.zeros((2, 1, 3, 3), np.int32)], **HEADS),
        "a mask of 4 dims that is neither one of keys nor a length for each sample",
    ),
]


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_refused(case: NodeCase, reason: str):
    with pytest.raises(InputError) as refused:
        case.imported()
    assert str(refused.value) == f"c: node of 'y0' (com.microsoft.{case.op}): {reason}"
