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
    """Vectors of floats, matrices and the kernel, which are weights, are stored in the model."""
    stored = [at for at, each in enumerate(inputs) if each is not None and each.dtype == np.float32 and each.ndim < 3]
    stored += [at for at, each in enumerate(inputs) if each is KERNEL]
    return NodeCase(name, op, inputs, outputs, attributes, domain="com.microsoft", stored=stored)


X, SKIP, GAIN, SHIFT, BIAS = normal(2, 3, 8), normal(2, 3, 8), normal(8), normal(8), normal(8)
MASK = np.array([[1, 1, 0], [1, 0, 0]], np.int32)
WEIGHTS, PROJECTION = normal(8, 24), normal(24)
PAST = normal(2, 2, 2, 4, 4)
WORDS = np.array([[3, 1, 4], [1, 5, 2]], np.int32)
COS, SIN = normal(6, 2), normal(6, 2)
SMALL = normal(7, 8) * 1e-3, normal(5, 8) * 1e-3
HEADS: dict[str, Any] = {"num_heads": 2}
IMAGE, KERNEL, SUM = normal(1, 3, 5, 6), normal(4, 3, 3, 3), normal(1, 4, 5, 6)
ACTIVATIONS: dict[str, dict[str, Any]] = {
    "Relu": {},
    "Tanh": {},
    "Sigmoid": {},
    "LeakyRelu": {"activation_params": [0.2]},
    "Clip": {"activation_params": [-0.5, 1.5]},
    "HardSigmoid": {"activation_params": [0.3, 0.4]},
}

TOKENS, ROUTER = normal(5, 8), normal(5, 4)
UP, DOWN, PAIRS = normal(4, 6, 8), normal(4, 8, 6), normal(4, 12, 8)
UP_BIAS, DOWN_BIAS, PAIRS_BIAS = normal(4, 6), normal(4, 8), normal(4, 12)

CASES = [
    *(
        case(f"f23_experts_{name}", "MoE", [TOKENS, ROUTER, UP, UP_BIAS, DOWN, DOWN_BIAS], k=2, activation_type=name)
        for name in ("relu", "gelu", "silu", "identity")
    ),
    case("f23_experts_of_sequences", "MoE", [normal(2, 3, 8), normal(6, 4), UP, None, DOWN], activation_type="silu"),
    case("f23_experts_normalized", "MoE", [TOKENS, ROUTER, UP, None, DOWN], k=3, normalize_routing_weights=1),
    case(
        "f23_experts_with_gates",
        "MoE",
        [TOKENS, ROUTER, PAIRS, PAIRS_BIAS, DOWN, DOWN_BIAS],
        k=2,
        activation_type="swiglu",
        swiglu_fusion=1,
        activation_alpha=1.7,
        activation_beta=1.0,
        swiglu_limit=1.5,
    ),
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
    case("transposed_matmul", "TransposeMatMul", [normal(2, 3, 4), normal(5, 4)], transB=1),
    *(
        case(f"fused_conv_and_{name}", "FusedConv", [IMAGE, KERNEL, normal(4)], activation=name, **parameters)
        for name, parameters in ACTIVATIONS.items()
    ),
    case("fused_conv_of_a_sum", "FusedConv", [IMAGE, KERNEL, normal(4), SUM], activation="Relu", pads=[1, 1, 1, 1]),
    case("fused_gemm", "FusedGemm", [normal(3, 4), normal(4, 5), normal(5)], activation="Relu", alpha=0.5),
    case(
        "fused_gemm_turned",
        "FusedGemm",
        [normal(4, 3), normal(5, 4), normal(5)],
        activation="LeakyRelu",
        activation_alpha=0.3,
        transA=1,
        transB=1,
    ),
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


def test_f23_gates_apart_and_side_by_side():
    """The same experts with the rows of gates and values in other places."""
    gates, values = PAIRS[:, ::2].copy(), PAIRS[:, 1::2].copy()
    joined = case("c", "MoE", [TOKENS, ROUTER, PAIRS, None, DOWN], k=2, activation_type="swiglu", swiglu_fusion=1)
    beside = [TOKENS, ROUTER, np.concatenate([gates, values], 1), None, DOWN]
    apart = [TOKENS, ROUTER, gates, None, DOWN, None, values]
    (expected,) = joined.imported()
    forms: list[tuple[list[Any], dict[str, Any]]] = [
        (beside, {"activation_type": "swiglu", "swiglu_fusion": 2}),
        (apart, {"activation_type": "swiglu"}),
        (apart, {"activation_type": "silu"}),
    ]
    for weights, attributes in forms:
        (actual,) = case("c", "MoE", weights, k=2, **attributes).imported()
        np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("rule", ["BiasAdd", "BiasSplitGelu", "NhwcConv", "FusedMatMulActivation"])
def test_ops_that_onnx_runtime_has_for_other_processors(rule: str):
    """Against what their definition says, in NumPy and other ops."""
    shift, rows = normal(4), normal(3, 5, 4)
    kernel = KERNEL.transpose(0, 2, 3, 1).copy()
    written = {
        "BiasAdd": (case("c", rule, [rows, shift, rows]), lambda: rows + shift + rows),
        "BiasSplitGelu": (
            case("c", rule, [rows, shift]),
            lambda: (rows + shift)[..., :2] * case("c", "Gelu", [(rows + shift)[..., 2:]]).expected()[0],
        ),
        "NhwcConv": (
            case("c", rule, [IMAGE.transpose(0, 2, 3, 1).copy(), kernel, shift], pads=[1, 0, 1, 0]),
            lambda: (
                case("c", "FusedConv", [IMAGE, KERNEL, shift], pads=[1, 0, 1, 0]).expected()[0].transpose(0, 2, 3, 1)
            ),
        ),
        "FusedMatMulActivation": (
            case("c", rule, [rows, WEIGHTS[:4]], activation="Relu", alpha=0.5),
            lambda: np.maximum(rows @ WEIGHTS[:4] * 0.5, 0),
        ),
    }
    node, wanted = written[rule]
    np.testing.assert_allclose(node.imported()[0], wanted(), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("symbolic", [False, True], ids=["known", "at_run_time"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_values_of_onnx_runtime(case: NodeCase, symbolic: bool):
    case.check(symbolic=symbolic)


REFUSED = [
    (case("c", "Attention", [X, WEIGHTS]), "attribute 'num_heads' is missing"),
    (case("c", "FusedMatMul", [X, SKIP], transBatchA=1), "attribute transBatchA is 1"),
    (
        case("c", "FusedConv", [IMAGE, KERNEL], activation="Selu"),
        "attribute activation is one of Relu, Tanh, Sigmoid, LeakyRelu, Clip, HardSigmoid, got 'Selu'",
    ),
    (case("c", "MoE", [TOKENS, ROUTER, UP, None, DOWN], use_sparse_mixer=1), "attribute use_sparse_mixer is 1"),
    (
        case("c", "MoE", [TOKENS, ROUTER, UP, None, DOWN], activation_type="elu"),
        "attribute activation_type is one of relu, gelu, silu, identity, swiglu, got 'elu'",
    ),
    (
        case("c", "MoE", [TOKENS, ROUTER, PAIRS, None, DOWN], activation_type="swiglu"),
        "attribute swiglu_fusion is 0, and no third weight is given",
    ),
    (case("c", "BiasSplitGelu", [normal(2, 3, 5), normal(5)]), "the last dim must be even and known on import"),
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


FORMS = [
    case("c", "Attention", [X, WEIGHTS], num_heads=2, qkv_hidden_sizes=[8]),
    case("c", "RotaryEmbedding", [X[0], np.array([0]), COS, SIN], num_heads=2, rotary_embedding_dim=4),
    case("c", "FusedMatMul", [X, WEIGHTS], alpha=[1.0, 1.0]),
    case("c", "DynamicQuantizeLSTM", [X, WEIGHTS], direction="FORWARD"),
]


@pytest.mark.parametrize("case", FORMS, ids=lambda each: each.op)
def test_forms_that_no_op_has(case: NodeCase):
    """An attribute or a rank that a rule does not look at, since every op has it as it should be."""
    with pytest.raises(InputError) as refused:
        case.imported()
    assert str(refused.value).startswith(f"c: node of 'y0' (com.microsoft.{case.op}): ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_refused(case: NodeCase, reason: str):
    with pytest.raises(InputError) as refused:
        case.imported()
    assert str(refused.value) == f"c: node of 'y0' (com.microsoft.{case.op}): {reason}"
