"""Ops of the domain `com.microsoft` against ONNX Runtime, which defines them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from tools import need_module

from rlx_dialect.reference import Array, run
from rlx_passes.errors import InputError
from rlx_passes.frontend.onnx.importer import import_model
from rlx_passes.frontend.onnx.protobuf import model_of

RNG = np.random.default_rng(7)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


class Case(NamedTuple):
    """A node: its op, what each of its inputs holds (None where it is left out), its outputs that are read, its attributes."""

    name: str
    op: str
    inputs: Sequence[Array | None]
    outputs: Sequence[int] = (0,)
    attributes: Mapping[str, Any] = {}


X, SKIP, GAIN, SHIFT, BIAS = normal(2, 3, 8), normal(2, 3, 8), normal(8), normal(8), normal(8)
MASK = np.array([[1, 1, 0], [1, 0, 0]], np.int32)
WEIGHTS, PROJECTION = normal(8, 24), normal(24)
PAST = normal(2, 2, 2, 4, 4)
WORDS = np.array([[3, 1, 4], [1, 5, 2]], np.int32)
COS, SIN = normal(6, 2), normal(6, 2)
HEADS = {"num_heads": 2}

CASES = [
    Case("gelu", "Gelu", [X]),
    Case("bias_gelu", "BiasGelu", [X, BIAS]),
    Case("fast_gelu", "FastGelu", [X]),
    Case("fast_gelu_with_bias", "FastGelu", [X, BIAS]),
    Case("quick_gelu", "QuickGelu", [X]),
    Case("quick_gelu_of_another_slope", "QuickGelu", [X], attributes={"alpha": 1.0}),
    Case("fused_matmul", "FusedMatMul", [normal(2, 3, 4), normal(2, 4, 5)], attributes={"alpha": 0.5}),
    Case("fused_matmul_of_a_turned_left", "FusedMatMul", [normal(2, 4, 3), normal(2, 4, 5)], attributes={"transA": 1}),
    Case("fused_matmul_of_a_turned_right", "FusedMatMul", [normal(2, 3, 4), normal(5, 4)], attributes={"transB": 1}),
    Case("skip_layer_norm", "SkipLayerNormalization", [X, SKIP, GAIN, SHIFT]),
    Case("skip_layer_norm_without_a_shift", "SkipLayerNormalization", [X, SKIP, GAIN]),
    Case("skip_layer_norm_and_its_sum", "SkipLayerNormalization", [X, SKIP, GAIN, SHIFT, BIAS], (0, 3)),
    Case("skip_layer_norm_of_rows", "SkipLayerNormalization", [X, SKIP[0], GAIN, SHIFT], attributes={"epsilon": 0.1}),
    Case("skip_rms_norm", "SkipSimplifiedLayerNormalization", [X, SKIP, GAIN]),
    Case("skip_rms_norm_and_its_sum", "SkipSimplifiedLayerNormalization", [X, SKIP, GAIN, BIAS], (0, 3)),
    Case(
        "embed_layer_norm",
        "EmbedLayerNormalization",
        [WORDS, WORDS % 2, normal(7, 8), normal(5, 8), normal(2, 8), GAIN, SHIFT],
        (0, 1),
    ),
    Case(
        "embed_layer_norm_and_all_outputs",
        "EmbedLayerNormalization",
        [WORDS, None, normal(7, 8), normal(5, 8), None, GAIN, SHIFT, MASK, WORDS % 3],
        (0, 1, 2),
    ),
    Case("rotary_from_a_position", "RotaryEmbedding", [X, np.array([2]), COS, SIN]),
    Case(
        "rotary_of_positions", "RotaryEmbedding", [X, WORDS.astype(np.int64), COS, SIN], attributes={"interleaved": 1}
    ),
    Case("rotary_of_heads", "RotaryEmbedding", [normal(2, 2, 3, 4), np.array([1]), COS, SIN]),
    Case(
        "rotary_of_a_part",
        "RotaryEmbedding",
        [normal(2, 3, 16), np.array([0]), COS, SIN],
        attributes={"rotary_embedding_dim": 4, "num_heads": 2},
    ),
    Case("self_attention", "Attention", [X, WEIGHTS, PROJECTION], attributes=HEADS),
    Case("self_attention_without_a_bias", "Attention", [X, WEIGHTS], attributes={**HEADS, "scale": 0.3}),
    Case(
        "self_attention_of_what_came_before",
        "Attention",
        [X, WEIGHTS, PROJECTION],
        attributes={**HEADS, "unidirectional": 1},
    ),
    Case(
        "self_attention_masked_of_what_came_before",
        "Attention",
        [X, WEIGHTS, PROJECTION, MASK[:, ::-1]],
        attributes={**HEADS, "unidirectional": 1},
    ),
    Case("self_attention_masked", "Attention", [X, WEIGHTS, PROJECTION, MASK], attributes=HEADS),
    Case(
        "self_attention_of_lengths", "Attention", [X, WEIGHTS, PROJECTION, np.array([3, 1], np.int32)], attributes=HEADS
    ),
    Case(
        "self_attention_masked_by_query",
        "Attention",
        [X, WEIGHTS, PROJECTION, (RNG.random((2, 3, 3)) > 0.4).astype(np.int32)],
        attributes={**HEADS, "mask_filter_value": -3.0},
    ),
    Case(
        "self_attention_biased", "Attention", [X, WEIGHTS, PROJECTION, MASK, None, normal(1, 2, 3, 3)], attributes=HEADS
    ),
    Case("self_attention_with_a_past", "Attention", [X, WEIGHTS, PROJECTION, None, PAST], (0, 1), attributes=HEADS),
    Case(
        "self_attention_masked_with_a_past",
        "Attention",
        [X, WEIGHTS, PROJECTION, np.tile(MASK, 3)[:, :7], PAST],
        (0, 1),
        attributes=HEADS,
    ),
    Case(
        "self_attention_with_a_past_of_what_came_before",
        "Attention",
        [X, WEIGHTS, PROJECTION, None, PAST],
        (0, 1),
        attributes={**HEADS, "unidirectional": 1},
    ),
    Case(
        "self_attention_of_parts",
        "Attention",
        [X, normal(8, 8), normal(8)],
        attributes={**HEADS, "qkv_hidden_sizes": [2, 2, 4]},
    ),
    Case("attention", "MultiHeadAttention", [X, SKIP, normal(2, 3, 4)], attributes=HEADS),
    Case("attention_biased_and_masked", "MultiHeadAttention", [X, SKIP, X, PROJECTION, MASK], attributes=HEADS),
    Case(
        "attention_of_what_came_before",
        "MultiHeadAttention",
        [X, SKIP, X, None, None, normal(2, 1, 3, 3)],
        attributes={**HEADS, "unidirectional": 1, "scale": 0.7},
    ),
    Case("attention_of_a_cache", "MultiHeadAttention", [X, normal(2, 2, 5, 4), normal(2, 2, 5, 4)], attributes=HEADS),
    Case(
        "attention_with_a_past",
        "MultiHeadAttention",
        [X, SKIP, X, None, None, None, PAST[0], PAST[1]],
        (0, 1, 2),
        attributes=HEADS,
    ),
]


def model_of_case(case: Case, sizes: bool) -> Any:
    """A model of one node; with its sizes, or with those that only a run knows."""
    helper: Any = importlib.import_module("onnx.helper")
    numbers = {np.dtype(np.float32): 1, np.dtype(np.int32): 6, np.dtype(np.int64): 7}
    given = {f"x{at}": each for at, each in enumerate(case.inputs) if each is not None}
    names = [f"x{at}" if f"x{at}" in given else "" for at in range(len(case.inputs))]
    outputs = [f"y{at}" if at in case.outputs else "" for at in range(max(case.outputs) + 1)]
    node = helper.make_node(case.op, names, outputs, domain="com.microsoft", **case.attributes)
    inputs = [
        helper.make_tensor_value_info(name, numbers[array.dtype], array.shape if sizes else _dims(case, name, array))
        for name, array in given.items()
    ]
    types = [6 if case.op.startswith("Embed") and at == 1 else 1 for at in case.outputs]
    results = [helper.make_tensor_value_info(f"y{at}", kind, None) for at, kind in zip(case.outputs, types)]
    graph = helper.make_graph([node], case.name, inputs, results)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def _dims(case: Case, name: str, array: Array) -> list[int | str]:
    """The batch and the positions of the first input are known at run time only, and with them how many lengths there are."""
    if array.shape == (2,):
        return ["batch"]
    return ["batch", "length", *array.shape[2:]] if name == "x0" and array.ndim == 3 else list(array.shape)


def imported(case: Case, sizes: bool) -> dict[str, Array]:
    program = import_model(model_of(model_of_case(case, sizes), case.name))
    given = {f"x{at}": each for at, each in enumerate(case.inputs) if each is not None}
    return run(program.module, "main", given)


def expected(case: Case) -> list[Array]:
    need_module("onnxruntime")
    runtime: Any = importlib.import_module("onnxruntime")
    session = runtime.InferenceSession(
        model_of_case(case, True).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    given = {f"x{at}": each for at, each in enumerate(case.inputs) if each is not None}
    return session.run(None, given)


@pytest.mark.parametrize("sizes", [True, False], ids=["known", "at_run_time"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_values_of_onnx_runtime(case: Case, sizes: bool):
    got = imported(case, sizes)
    for at, wanted in zip(case.outputs, expected(case), strict=True):
        actual = got[f"y{at}"]
        assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(actual, wanted, rtol=2e-5, atol=2e-5)


REFUSED = [
    (Case("c", "FusedMatMul", [X, SKIP], attributes={"transBatchA": 1}), "attribute transBatchA is 1"),
    (Case("c", "Attention", [X, WEIGHTS], attributes={**HEADS, "do_rotary": 1}), "attribute do_rotary is 1"),
    (Case("c", "RotaryEmbedding", [X, np.array([1]), COS, SIN], attributes={"scale": 2.0}), "attribute scale is 2.0"),
    (
        Case("c", "MultiHeadAttention", [normal(2, 3, 2, 3, 4)], attributes=HEADS),
        "queries, keys and values that are packed into one input",
    ),
    (
        Case("c", "Attention", [X, WEIGHTS, None, np.zeros((2, 1, 3, 3), np.int32)], attributes=HEADS),
        "a mask of 4 dims that is neither one of keys nor a length for each sample",
    ),
]


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_refused(case: Case, reason: str):
    with pytest.raises(InputError) as refused:
        imported(case, True)
    assert str(refused.value) == f"c: node of 'y0' (com.microsoft.{case.op}): {reason}"
