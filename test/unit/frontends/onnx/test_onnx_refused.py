"""What the rules refuse, by name."""

from __future__ import annotations

import numpy as np
import pytest
from onnx_nodes import NodeCase

from rlx_passes.core.errors import InputError

X = np.ones((2, 3, 4), np.float32)
WHOLE = np.ones((2, 3), np.int32)
VECTORS = [np.ones(3, np.float32)] * 4
HEADS = np.ones((2, 2, 3, 4), np.float32)


def case(
    op: str, opset: int, inputs: list[np.ndarray], outputs: tuple[int, ...] = (0,), **attributes: object
) -> NodeCase:
    return NodeCase("c", op, inputs, outputs, attributes, opset)


CASES = [
    (case("Gelu", 20, [X], approximate="erf"), "attribute approximate is none or tanh, got 'erf'"),
    *((case(op, 20, [WHOLE]), "an input of i32; only floats are read") for op in ("HardSigmoid", "IsInf", "LeakyRelu")),
    (case("Shrink", 9, [WHOLE]), "an input of i32; only floats are read"),
    (
        case("BitShift", 11, [WHOLE.astype(np.uint8)] * 2, direction="UP"),
        "attribute direction is LEFT or RIGHT, got 'UP'",
    ),
    (
        case("Clip", 13, [X, np.zeros(2, np.float32)]),
        "lhs [2, 3, 4] and rhs [2] do not broadcast: 4 and 2 meet in dim 2",
    ),
    (case("Dropout", 10, [X], (0, 1)), "output 'y1', the mask of op sets before 12"),
    (case("BatchNormalization", 7, [X, *VECTORS], spatial=0), "attribute spatial is 0: statistics for each element"),
    (case("BatchNormalization", 9, [X, *VECTORS], (0, 1, 2)), "outputs of training, in op sets before 14"),
    (case("LRN", 13, [VECTORS[0]], size=3), "an input of 1 dims; at least 2 are read"),
    (case("LRN", 13, [WHOLE], size=3), "an input of i32; only floats are read"),
    (case("InstanceNormalization", 7, VECTORS[:3]), "an input of 1 dims; at least 2 are read"),
    (case("NegativeLogLikelihoodLoss", 13, [X, np.array(1)]), "labels of 0 dims for an input of 3"),
    (case("LRN", 13, [X], size=2**31), "attribute size is 1 to 256, got 2147483648"),
    (case("GroupNormalization", 18, [X, *VECTORS[:2]], num_groups=0), "attribute num_groups is at least 1, got 0"),
    (case("LpNormalization", 22, [X], p=3), "attribute p is 1 or 2, got 3"),
    (
        case("LayerNormalization", 17, [X, np.ones(4, np.float32)], stash_type=16),
        "attribute stash_type asks for statistics in bf16; those of the dialect are f32 or wider",
    ),
    (case("Gemm", 13, [WHOLE, WHOLE.T], alpha=0.5), "attribute alpha is 0.5, which i32 has not"),
    (case("MatMul", 13, [np.array(1, np.float32), X]), "a product of matrices has no operand without dims"),
    (
        case("CumSum", 14, [X, np.array(0)]),
        "input 1 ('x1') must be known on import; it is computed from what only a run knows",
    ),
    (case("Einsum", 12, [X], equation="ij->i"), "equation 'ij->i' has 2 labels for an input of 3 dims"),
    (case("Einsum", 12, [X], equation="abc,c->a"), "equation 'abc,c->a' has 2 terms for 1 inputs"),
    (case("Einsum", 12, [X], equation="abc->d"), "equation 'abc->d' has an output that its inputs do not give"),
    (
        case("NegativeLogLikelihoodLoss", 13, [np.ones((2, 3), np.float32), np.ones(2, np.int64)], reduction="max"),
        "attribute reduction is none, sum or mean, got 'max'",
    ),
    (case("Attention", 23, [X, X, X]), "heads of a tensor of 3 dims, of which no are told"),
    (
        case("Attention", 23, [HEADS, HEADS, HEADS], (0, 3), qk_matmul_output_mode=4),
        "attribute qk_matmul_output_mode is 0 to 3, got 4",
    ),
    (
        case("Attention", 24, [HEADS, HEADS, HEADS, np.ones((3, 5), np.float32)]),
        "a mask of 5 keys, of which there are 3",
    ),
]


@pytest.mark.parametrize(("case", "reason"), CASES, ids=lambda each: each if isinstance(each, str) else "")
def test_the_reason_is_told(case: NodeCase, reason: str):
    with pytest.raises(InputError) as refused:
        case.imported()
    assert str(refused.value) == f"c: node of 'y0' ({case.op}): {reason}"
