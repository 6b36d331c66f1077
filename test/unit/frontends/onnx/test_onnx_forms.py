"""Ops with older op sets, element types and operands that the package's cases lack, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx_nodes import NodeCase

from rlx_dialect.reference import Array

RNG = np.random.default_rng(11)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def whole(*shape: int, dtype: Any = np.int64) -> Array:
    return RNG.integers(-9, 9, shape).astype(dtype)


def case(
    op: str,
    opset: int,
    inputs: Sequence[Array | None],
    outputs: Sequence[int] = (0,),
    stored: Sequence[int] = (),
    **attributes: Any,
) -> NodeCase:
    words = [op, str(opset), *(f"{key}={value}" for key, value in attributes.items())]
    words += ["x".join(map(str, each.shape)) + each.dtype.str[1:] for each in inputs if each is not None]
    return NodeCase("-".join(words).replace(" ", ""), op, inputs, outputs, attributes, opset, stored=stored)


X, Y, IMAGE = normal(2, 3, 4), normal(2, 3, 4), normal(2, 3, 4, 4)
CHANNELS = [normal(3), normal(3), normal(3), np.abs(normal(3))]
NUMBER = np.float32(0.5)
AXES = np.array([1])
TIES = np.array([[2, 7, 7], [5, 5, 1]], np.float32)

AXIS_FORMS: list[tuple[int, Array, dict[str, Any]]] = [
    (7, X, {}),
    (11, IMAGE, {"axis": 2}),
    (11, X, {"axis": -1}),
    (12, IMAGE, {"axis": 0}),
    (13, X, {}),
    (13, X, {"axis": 1}),
]
SOFTMAXES = [
    case(op, opset, [x], **axis) for op in ("Softmax", "LogSoftmax", "Hardmax") for opset, x, axis in AXIS_FORMS
]
BOUNDS = [
    case("Clip", 7, [X], min=-0.5, max=0.25),
    case("Clip", 10, [X], min=0.0),
    case("Clip", 10, [X], max=0.0),
    case("Clip", 11, [X, np.array(-NUMBER), np.array(NUMBER)], stored=(1, 2)),
    case("Clip", 11, [X, np.array(-NUMBER), np.array(NUMBER)]),
    case("Clip", 13, [X, None, np.array(NUMBER)]),
    case("Clip", 13, [X, np.array(NUMBER), None], stored=(1,)),
    case("Clip", 13, [X]),
    case("Clip", 13, [whole(4), np.array(-2), np.array(3)], stored=(1, 2)),
]
AXES_FORMS: list[tuple[int, list[Array], dict[str, Any]]] = [
    (7, [], {"axes": [1], "keepdims": 0}),
    (11, [], {"axes": [-1, 0]}),
    (12, [], {}),
    (18, [AXES], {"keepdims": 0}),
    (18, [np.array([0, -1])], {}),
]
REDUCTIONS = [
    case(f"Reduce{kind}", opset, [np.abs(X) + 1, *axes], stored=range(1, 1 + len(axes)), **attributes)
    for kind in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
    for opset, axes, attributes in AXES_FORMS
] + [
    case("ReduceSum", 13, [X, AXES], stored=(1,), keepdims=0),
    case("ReduceSum", 13, [X], noop_with_empty_axes=1),
    case("ReduceSum", 13, [whole(3, 4), AXES], stored=(1,)),
    case("ReduceMax", 13, [whole(3, 4, dtype=np.int32)], axes=[0]),
    case("ReduceMin", 20, [X > 0, AXES], stored=(1,)),
    case("ReduceMax", 20, [X > 0], keepdims=0),
    case("ReduceMean", 13, [X.astype(np.float64)], axes=[2]),
    case("ArgMax", 11, [TIES], axis=1),
    case("ArgMax", 12, [TIES], axis=1, select_last_index=1, keepdims=0),
    case("ArgMin", 13, [TIES], axis=-1, keepdims=0),
    case("CumSum", 11, [X, np.array(-1)], stored=(1,), reverse=1),
    case("CumSum", 14, [whole(3, 4), np.array(0)], stored=(1,), exclusive=1),
]
PRODUCTS = [
    case("MatMul", 9, [normal(2, 3, 4), normal(4, 5)]),
    case("MatMul", 13, [normal(2, 1, 3, 4), normal(5, 4, 2)]),
    case("MatMul", 13, [normal(4), normal(2, 4, 5)]),
    case("MatMul", 13, [normal(2, 3, 4), normal(4)]),
    case("MatMul", 13, [normal(4), normal(4)]),
    case("MatMul", 13, [whole(3, 4), whole(4, 2)]),
    case("Gemm", 7, [normal(3, 4), normal(4, 5), normal(5)], alpha=0.5, beta=2.0),
    case("Gemm", 9, [normal(4, 3), normal(5, 4), normal(3, 1)], stored=(1, 2), transA=1, transB=1),
    case("Gemm", 11, [normal(3, 4), normal(5, 4)], transB=1),
    case("Gemm", 13, [normal(3, 4), normal(4, 5), np.array(NUMBER)]),
    case("Gemm", 13, [normal(3, 4).astype(np.float64), normal(4, 5).astype(np.float64)]),
]
SUMS = [
    case("Einsum", 12, list(tensors), equation=equation)
    for equation, tensors in (
        ("ij->ji", [normal(3, 4)]),
        ("ij", [normal(3, 4)]),
        ("ba", [normal(3, 4)]),
        ("abc->b", [X]),
        ("abc->", [X]),
        ("ii->i", [normal(4, 4)]),
        ("ii", [normal(4, 4)]),
        ("i,i->", [normal(4), normal(4)]),
        ("i,j->ij", [normal(3), normal(4)]),
        ("ij,ij->ij", [normal(3, 4), normal(3, 4)]),
        ("ij,jk", [normal(3, 4), normal(4, 5)]),
        ("bij, bjk -> bik", [normal(2, 3, 4), normal(2, 4, 5)]),
        ("bhqd,bhkd->bhqk", [normal(2, 2, 3, 4), normal(2, 2, 5, 4)]),
        ("bhqk,bkhd->bqhd", [normal(2, 2, 3, 5), normal(2, 5, 2, 4)]),
        ("ab,bc,cd->ad", [normal(2, 3), normal(3, 4), normal(4, 5)]),
        ("abc,b->ac", [X, normal(3)]),
        ("abc,d->b", [X, normal(4)]),
        ("...ij,...jk->...ik", [normal(2, 3, 4), normal(2, 4, 5)]),
        ("...ij,jk->...ik", [normal(2, 3, 4), normal(4, 5)]),
        ("...ij,...jk", [normal(1, 3, 4), normal(2, 4, 5)]),
        ("aB,Bc->ac", [normal(3, 4), normal(4, 5)]),
        ("ij,jk->ik", [whole(3, 4), whole(4, 2)]),
    )
]
NORMS = [
    case("BatchNormalization", opset, [IMAGE, *CHANNELS], stored=(1, 2, 3, 4), epsilon=0.01) for opset in (7, 9, 14, 15)
] + [
    case("BatchNormalization", 15, [normal(4, 3), *CHANNELS], stored=(1, 2, 3, 4)),
    case("InstanceNormalization", 7, [IMAGE, *CHANNELS[:2]], epsilon=0.1),
    case("InstanceNormalization", 13, [normal(2, 3, 5), *CHANNELS[:2]]),
    case("LayerNormalization", 17, [X, normal(4), normal(4)], stored=(1, 2)),
    case("LayerNormalization", 17, [X, normal(4)], stored=(1,)),
    case("LayerNormalization", 17, [X, normal(3, 4), normal(3, 4)], (0, 1, 2), stored=(1, 2), axis=1, epsilon=0.1),
    case("SimplifiedLayerNormalization", 17, [X, normal(4)], stored=(1,)),
    case("SimplifiedLayerNormalization", 17, [X, normal(4)], (0, 1), stored=(1,), epsilon=0.1),
    case("SimplifiedLayerNormalization", 17, [X, normal(3, 4)], stored=(1,), axis=1),
    case("LpNormalization", 7, [X]),
    case("LpNormalization", 7, [X], axis=0, p=1),
    case("LRN", 7, [normal(2, 6, 3, 3)], size=5, alpha=0.5, beta=0.5, bias=2.0),
    case("LRN", 13, [normal(2, 6, 3, 3)], size=3),
    case("MeanVarianceNormalization", 9, [IMAGE]),
    case("MeanVarianceNormalization", 13, [IMAGE], axes=[1, 2]),
]
ELEMENTWISE = [
    case("Dropout", 7, [X], ratio=0.5),
    case("Dropout", 10, [X], ratio=0.5),
    case("Dropout", 12, [X, np.array(NUMBER), np.array(False)], (0, 1), stored=(1, 2)),
    case("Dropout", 13, [X]),
    case("Max", 8, [X, Y[0], Y[:, :1]]),
    case("Min", 13, [whole(3, 4), whole(4)]),
    case("Sum", 8, [X, Y, Y[0]]),
    case("Mean", 8, [X, Y[0]]),
    case("PRelu", 9, [IMAGE, normal(3, 1, 1)], stored=(1,)),
    case("LeakyRelu", 7, [X]),
    case("HardSigmoid", 7, [X], alpha=1 / 6, beta=0.5),
    case("HardSigmoid", 7, [X], alpha=0.3, beta=0.1),
    case("Celu", 12, [X], alpha=2.0),
    case("Elu", 7, [X], alpha=0.7),
    case("Selu", 7, [X]),
    case("ThresholdedRelu", 10, [X], alpha=0.2),
    case("Shrink", 9, [X], lambd=0.3, bias=0.1),
    case("Round", 11, [np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.4, -7.6], np.float32)]),
    case("Sign", 13, [whole(6)]),
    case("Abs", 13, [whole(6, dtype=np.int32)]),
    case("Neg", 13, [whole(6)]),
    case("Div", 14, [np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2])]),
    case("Mod", 13, [np.array([7, -7, 7, -7, 6]), np.array([3, 3, -3, -3, -3])]),
    case("Mod", 13, [np.array([7, -7, 7, -7, 6]), np.array([3, 3, -3, -3, -3])], fmod=1),
    case("Pow", 13, [np.abs(X), np.array(3)], stored=(1,)),
    case("Pow", 15, [whole(4, dtype=np.int32), np.array([0.5, 2, 3, 1.5], np.float32)[:1] * 4]),
    case("Pow", 13, [np.array([2.0, 3.0]), np.array([3, 2], np.int32)]),
    case("IsInf", 10, [np.array([1, np.inf, -np.inf, np.nan], np.float32)], detect_negative=0),
    case("IsInf", 10, [np.array([1, np.inf, -np.inf, np.nan], np.float32)], detect_positive=0),
    case("IsInf", 10, [np.array([1, np.inf, -np.inf, np.nan], np.float32)]),
    case("BitShift", 11, [np.array([1, 200, 7], np.uint8), np.array([3, 1, 2], np.uint8)], direction="LEFT"),
    case("Where", 9, [X > 0, X, Y[0]]),
    case("Equal", 13, [X > 0, Y > 0]),
    case("Xor", 7, [X > 0, Y > 0]),
]
FRACTIONS = np.array([0.0, 0.9, -0.9, 2.5, -2.5, 100.7], np.float32)
CASTS = [
    *(case("Cast", 13, [FRACTIONS], to=to) for to in (3, 5, 6, 7, 9, 10, 11)),
    case("Cast", 13, [np.abs(FRACTIONS)], to=2),
    case("Cast", 9, [FRACTIONS.astype(np.float64)], to=6),
    case("Cast", 13, [np.array([300, -300, 2**40 + 5])], to=6),
    case("Cast", 13, [np.array([300, -300, 77], np.int32)], to=3),
    case("Cast", 13, [np.array([-1, 300], np.int32)], to=2),
    case("Cast", 13, [np.array([True, False])], to=1),
    case("Cast", 13, [np.array([True, False])], to=7),
    case("Cast", 13, [np.array([0, 3, -1])], to=9),
    case("Cast", 13, [np.array([1e6, -1e6], np.float32)], to=10),
    case("CastLike", 15, [FRACTIONS, np.array([1], np.int32)]),
]
CASES = [*SOFTMAXES, *BOUNDS, *REDUCTIONS, *PRODUCTS, *SUMS, *NORMS, *ELEMENTWISE, *CASTS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_of_onnx_runtime(case: NodeCase):
    case.check()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_where_sizes_are_known_at_run_time(case: NodeCase):
    case.check(symbolic=True)
