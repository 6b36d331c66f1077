"""Ops of the domain `com.microsoft` on codes of few bits against ONNX Runtime, which defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx_nodes import NodeCase

from rlx_dialect.reference import Array
from rlx_passes.core.errors import InputError

RNG = np.random.default_rng(17)


def case(
    name: str, op: str, inputs: Sequence[Array | None], outputs: Sequence[int] = (0,), **attributes: Any
) -> NodeCase:
    """All inputs but the first are stored in the model."""
    stored = [at for at, each in enumerate(inputs) if at and each is not None]
    return NodeCase(name, op, inputs, outputs, attributes, domain="com.microsoft", stored=stored)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def codes(*shape: int, dtype: Any = np.uint8) -> Array:
    """Signed ones of 7 bits: ONNX Runtime lets sums of two products of larger ones overflow on some processors."""
    low, high = (0, 255) if dtype is np.uint8 else (-64, 63)
    return RNG.integers(low, high, shape, dtype=dtype, endpoint=True)


def scale(value: float | tuple[float, ...]) -> Array:
    return np.array(value, np.float32)


def zero(value: int, dtype: Any = np.uint8) -> Array:
    return np.array(value, dtype)


A, B, IMAGE = codes(2, 3, 4), codes(2, 3, 4), codes(1, 2, 5, 6)
IN, OUT = (scale(0.03), zero(120)), (scale(0.0513), zero(7))
SIGNED = codes(2, 3, dtype=np.int8)

FUNCTIONS = [
    case("add", "QLinearAdd", [A, *IN, B, scale(0.02), zero(3), *OUT]),
    case("add_of_a_row", "QLinearAdd", [A, *IN, B[0, 0], scale(0.02), zero(3), *OUT]),
    case("mul", "QLinearMul", [A, *IN, B, scale(0.02), zero(3), *OUT]),
    case("sigmoid", "QLinearSigmoid", [A, *IN, scale(1 / 256), zero(0)]),
    case("sigmoid_of_signed_codes", "QLinearSigmoid", [SIGNED, scale(0.05), None, scale(1 / 256), zero(-128, np.int8)]),
    case("leaky_relu", "QLinearLeakyRelu", [A, *IN, *OUT], alpha=0.2),
    case("softmax", "QLinearSoftmax", [A, *IN, scale(1 / 256), zero(0)], axis=-1, opset=13),
    case("softmax_of_a_middle_axis", "QLinearSoftmax", [A, *IN, scale(1 / 256), zero(0)], axis=1, opset=13),
    case("softmax_of_several_axes", "QLinearSoftmax", [A, *IN, scale(1 / 256), zero(0)], axis=1, opset=11),
    case("average_pool", "QLinearAveragePool", [IMAGE, *IN, *OUT], kernel_shape=[3, 2], pads=[1, 0, 1, 1]),
    case(
        "average_pool_of_last_channels",
        "QLinearAveragePool",
        [IMAGE, *IN, *OUT],
        kernel_shape=[2, 2],
        strides=[1, 2],
        channels_last=1,
    ),
    case("global_average_pool", "QLinearGlobalAveragePool", [IMAGE, *IN, *OUT]),
    case("global_average_pool_of_last_channels", "QLinearGlobalAveragePool", [IMAGE, *IN, *OUT], channels_last=1),
    case("concat", "QLinearConcat", [*OUT, A, *IN, B[:, :1], scale(0.01), zero(9)], axis=1),
    case(
        "where",
        "QLinearWhere",
        [RNG.random((2, 3, 4)) > 0.5, A, *IN, B[:, :1], scale(0.02), zero(3), *OUT],
    ),
    case("max_pool", "NhwcMaxPool", [IMAGE], kernel_shape=[2, 3], strides=[2, 1], pads=[0, 1, 0, 1]),
    case("quantize", "QuantizeLinear", [normal(3, 4), scale(0.1), zero(5)]),
    case("quantize_to_16_bits", "QuantizeLinear", [normal(3, 4), scale(0.001), zero(5, np.int16)]),
    case("dequantize", "DequantizeLinear", [A, *IN]),
    case(
        "dequantize_along_an_axis",
        "DequantizeLinear",
        [A, scale((0.1, 0.2, 0.3)), codes(3)],
        axis=1,
    ),
]

X = normal(2, 3, 4)
WEIGHT, BIAS = codes(4, 6, dtype=np.int8), normal(6)
COLUMNS = (RNG.random(6) / 100).astype(np.float32)
SUMS = RNG.integers(-3000, 3000, 6, dtype=np.int32)
KERNEL = codes(3, 2, 3, 3, dtype=np.int8)

PRODUCTS = [
    case("to_floats", "MatMulIntegerToFloat", [A, WEIGHT, IN[0], scale(0.01), IN[1]]),
    case(
        "to_floats_of_columns",
        "MatMulIntegerToFloat",
        [A, WEIGHT, IN[0], COLUMNS, IN[1], codes(6, dtype=np.int8), BIAS],
    ),
    case("dynamic", "DynamicQuantizeMatMul", [X, WEIGHT, scale(0.01), zero(3, np.int8), BIAS]),
    case("dynamic_of_columns", "DynamicQuantizeMatMul", [X, WEIGHT, COLUMNS]),
    case("dynamic_of_zeros", "DynamicQuantizeMatMul", [X * 0, WEIGHT, COLUMNS]),
    case("gemm", "QGemm", [A[0], *IN, WEIGHT, scale(0.01), zero(2, np.int8), SUMS, *OUT], alpha=1.0),
    case(
        "gemm_turned_to_floats",
        "QGemm",
        [A[0].T.copy(), *IN, WEIGHT.T.copy(), COLUMNS, np.zeros(6, np.int8), SUMS],
        transA=1,
        transB=1,
        alpha=0.5,
    ),
    case(
        "conv_of_last_channels",
        "QLinearConv",
        [IMAGE.transpose(0, 2, 3, 1).copy(), *IN, KERNEL, scale(0.01), zero(0, np.int8), *OUT],
        channels_last=1,
        pads=[1, 1, 1, 1],
    ),
]


def packed(bits: int, columns: int, blocks: int, block: int) -> Array:
    return codes(columns, blocks, block * bits // 8)


def scales(columns: int, blocks: int) -> Array:
    return (RNG.random((columns, blocks)) / 10).astype(np.float32)


ROWS = normal(2, 3, 32)
FOUR: dict[str, Any] = {"K": 32, "N": 5, "bits": 4, "block_size": 16}
EIGHT: dict[str, Any] = {**FOUR, "bits": 8}
TWO: dict[str, Any] = {**FOUR, "bits": 2}
THREE: dict[str, Any] = {**FOUR, "bits": 3}
PART: dict[str, Any] = {**FOUR, "K": 40, "block_size": 32}
FLAT = normal(2, 40)
BITS = [
    case("four_bits", "MatMulNBits", [ROWS, packed(4, 5, 2, 16), scales(5, 2)], **FOUR),
    case("four_bits_of_flat_scales", "MatMulNBits", [ROWS, packed(4, 5, 2, 16), scales(5, 2).ravel()], **FOUR),
    case("four_bits_and_zero_points", "MatMulNBits", [ROWS, packed(4, 5, 2, 16), scales(5, 2), codes(5, 1)], **FOUR),
    case(
        "four_bits_and_a_bias", "MatMulNBits", [ROWS, packed(4, 5, 2, 16), scales(5, 2), None, None, normal(5)], **FOUR
    ),
    case(
        "four_bits_and_zero_points_of_floats",
        "MatMulNBits",
        [ROWS, packed(4, 5, 2, 16), scales(5, 2), scales(5, 2) * 90],
        **FOUR,
    ),
    case(
        "four_bits_of_a_part_of_a_block",
        "MatMulNBits",
        [FLAT, packed(4, 5, 2, 32), scales(5, 2), codes(5, 1)],
        **PART,
    ),
    case("eight_bits", "MatMulNBits", [ROWS, packed(8, 5, 2, 16), scales(5, 2)], **EIGHT),
    case(
        "eight_bits_and_zero_points",
        "MatMulNBits",
        [ROWS, packed(8, 5, 2, 16), scales(5, 2), codes(5, 2)],
        **EIGHT,
    ),
    case("two_bits", "MatMulNBits", [ROWS, packed(2, 5, 2, 16), scales(5, 2)], **TWO),
]

SEQUENCE, UNITS = normal(5, 2, 3), 4
SMALL = scale(0.01)


def lstm(name: str, directions: int = 1, outputs: Sequence[int] = (0, 1, 2), **more: Any) -> NodeCase:
    """`more` are inputs by their place, under `at`, and attributes."""
    inputs: list[Array | None] = [None] * 12
    inputs[:3] = SEQUENCE, codes(directions, 3, 16, dtype=np.int8), codes(directions, 4, 16, dtype=np.int8)
    inputs[3] = normal(directions, 32)
    inputs[8:] = [np.repeat(value, directions) for value in (SMALL, zero(0, np.int8))] * 2
    for at, array in more.pop("at", {}).items():
        inputs[at] = array
    return case(name, "DynamicQuantizeLSTM", inputs, outputs, hidden_size=UNITS, **more)


COLUMNS_OF_GATES = {8: (RNG.random((1, 16)) / 100).astype(np.float32), 9: np.zeros((1, 16), np.int8)}
LSTMS = [
    lstm("lstm"),
    lstm("lstm_without_a_bias", at={3: None}),
    lstm("lstm_backwards", direction="reverse"),
    lstm("lstm_both_ways", 2, direction="bidirectional"),
    lstm("lstm_from_a_state", at={5: normal(1, 2, 4), 6: normal(1, 2, 4)}),
    lstm("lstm_with_peepholes", at={7: normal(1, 12)}),
    lstm("lstm_of_lengths", at={4: np.array([5, 2], np.int32)}),
    lstm("lstm_of_lengths_backwards", at={4: np.array([5, 2], np.int32)}, direction="reverse"),
    lstm("lstm_with_scales_of_columns", at=COLUMNS_OF_GATES),
]

TOKENS = codes(2, 3, 8)
PROJECTION = [codes(8, 24, dtype=np.int8), normal(24), scale(0.01), scale(0.01)]
ATTENTIONS = [
    case("attention", "QAttention", [TOKENS, *PROJECTION, None, zero(128), zero(0, np.int8)], num_heads=2),
    case(
        "attention_of_what_came_before",
        "QAttention",
        [TOKENS, *PROJECTION, None, zero(128), zero(0, np.int8)],
        num_heads=2,
        unidirectional=1,
    ),
    case(
        "attention_masked",
        "QAttention",
        [TOKENS, *PROJECTION, np.array([[1, 1, 0], [1, 0, 0]], np.int32), zero(128), zero(0, np.int8)],
        num_heads=2,
    ),
    case(
        "attention_with_a_past",
        "QAttention",
        [TOKENS, *PROJECTION, None, zero(128), zero(0, np.int8), normal(2, 2, 2, 4, 4)],
        (0, 1),
        num_heads=2,
    ),
]
TABLES = [codes(7, 8), codes(6, 8), codes(2, 8), codes(8), codes(8)]
EMBEDDING = [
    case(
        "embed_layer_norm",
        "QEmbedLayerNormalization",
        [
            np.array([[3, 1, 4], [1, 5, 2]], np.int32),
            np.array([[0, 1, 1], [0, 0, 1]], np.int32),
            *TABLES,
            None,
            *(scale(0.01 + at / 100) for at in range(5)),
            *(zero(100 + at) for at in range(5)),
        ],
        (0, 1),
        epsilon=1e-5,
    )
]

CASES = [*FUNCTIONS, *PRODUCTS, *BITS, *LSTMS, *ATTENTIONS, *EMBEDDING]


@pytest.mark.parametrize("symbolic", [False, True], ids=["known", "at_run_time"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_values_of_onnx_runtime(case: NodeCase, symbolic: bool):
    case.check(symbolic=symbolic)


NIBBLES = packed(4, 5, 2, 16)
REFUSED = [
    (case("c", "QLinearAdd", [A, *IN, B]), "input 4 is left out"),
    (
        case("c", "QLinearConcat", [*OUT, A, *IN, B]),
        "it has a scale, a zero point and three inputs for each tensor, got 6 inputs",
    ),
    (case("c", "QLinearConcat", [*OUT, A, *IN]), "attribute 'axis' is missing"),
    (case("c", "QLinearSoftmax", [A, *IN, *OUT], axis=1), "attribute 'opset' is missing"),
    (
        case("c", "QLinearGlobalAveragePool", [A[0], *IN, *OUT], channels_last=1),
        "an image has a batch, spatial dims and channels, got 2 dims",
    ),
    (case("c", "MatMulNBits", [ROWS, NIBBLES, scales(5, 2)], K=32, block_size=16), "attribute 'N' is missing"),
    (case("c", "MatMulNBits", [ROWS, NIBBLES, scales(5, 2)], **THREE), "attribute bits is 3; 2, 4 and 8 are read"),
    (
        case("c", "MatMulNBits", [ROWS, NIBBLES[:4], scales(5, 2)], **FOUR),
        "the weight must be [5, 2, 8] bytes, got [4, 2, 8]",
    ),
    (
        case("c", "MatMulNBits", [ROWS, NIBBLES, scales(5, 3)], **FOUR),
        "scales must be one for each of 5 times 2 blocks, got [5, 3]",
    ),
    (lstm("c", clip=1.0), "clip is not read"),
    (lstm("c", input_forget=1), "attribute input_forget is 1"),
    (
        lstm("c", at={0: normal(5, 3)}),
        "the input must have 3 dims, and the weights 3 for 1 directions, got [5, 3] and [1, 3, 16]",
    ),
    (case("c", "QAttention", [TOKENS, *PROJECTION], do_rotary=1), "attribute do_rotary is 1"),
    (case("c", "QAttention", [TOKENS, *PROJECTION]), "attribute 'num_heads' is missing"),
]


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_refused(case: NodeCase, reason: str):
    with pytest.raises(InputError) as refused:
        case.imported()
    assert str(refused.value) == f"c: node of 'y0' (com.microsoft.{case.op}): {reason}"
