"""Nodes that the format does not allow: an input, an attribute or an op that is not there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_nodes import NodeCase
from tools import need_module

from rlx_dialect.reference import Array
from rlx_passes.core.errors import InputError

need_module("onnx")

X = np.ones((2, 4), np.float32)
AXES = np.array([1])


def node(op: str, opset: int, *inputs: Array | None, **attributes: Any) -> NodeCase:
    return NodeCase(op, op, inputs, (0,), attributes, opset, stored=range(1, len(inputs)))


REFUSED: list[tuple[NodeCase, str]] = [
    (node("Concat", 13, X, X), "attribute 'axis' is missing"),
    (node("MaxPool", 12, X), "attribute 'kernel_shape' is missing"),
    (node("Split", 13, X, num_outputs=2), "it has no attribute 'num_outputs' in op set 13"),
    (node("Squeeze", 13, X, axes=[0]), "it has no attribute 'axes' in op set 13"),
    (node("Transpose", 13, X, perms=[1, 0]), r"it has no attribute 'perms' in op set 13.*'perm'.*"),
    (node("Concat", 13, X, X, axis=1.0), "attribute 'axis' must be an integer"),
    (node("Concat", 13, X, X, axis=[1]), "attribute 'axis' must be an integer"),
    (node("Transpose", 13, X, perm=1), "attribute 'perm' must be a list of integers"),
    (node("Transpose", 13, X, perm=[0.5, 1.5]), "attribute 'perm' must be a list of integers"),
    (node("LeakyRelu", 13, X, alpha=1), "attribute 'alpha' must be a float"),
    (node("Pad", 13, X, np.zeros(4, np.int64), mode=1), "attribute 'mode' must be text"),
    (node("ConstantOfShape", 13, AXES, value=2.0), "attribute 'value' must be a tensor"),
    (node("Reshape", 13, X), "it has at least 2 inputs, got 1"),
    (node("Relu", 13, X, X), "it has at most 1 inputs, got 2"),
    (node("Squeeze", 11, X, AXES), "it has at most 1 inputs, got 2"),
    (node("ConstantOfShape", 8, AXES), "op set 8 has no such op; 25 has"),
]


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=lambda each: each.name if isinstance(each, NodeCase) else "")
def test_what_the_format_does_not_allow(case: NodeCase, reason: str):
    with pytest.raises(InputError, match=rf"^{case.op}: node of 'y0' \({case.op}\): {reason}$"):
        case.imported()


def test_what_the_format_allows():
    case = node("Squeeze", 13, X[:1], np.array([0]))
    assert case.imported()[0].shape == (4,)


NUMBERS: list[tuple[NodeCase, str]] = [
    (node("Trilu", 14, X, np.array([1, 2])), "input 1 must hold one number, it has 2"),
    (node("TopK", 11, X, np.array([1, 2])), "input 1 must hold one number, it has 2"),
    (node("OneHot", 11, AXES, np.array([3, 3]), np.array([0.0, 1.0])), "input 1 must hold one number, it has 2"),
    (node("Range", 11, np.array(0), np.array([3, 3]), np.array(1)), "input 1 must hold one number, it has 2"),
    (node("SpaceToDepth", 13, np.ones((1, 1, 2, 2), np.float32), blocksize=0), "blocksize must be positive, got 0"),
    (node("GlobalLpPool", 7, X, p=0), "p must be positive, got 0"),
    (node("CenterCropPad", 18, X, np.array([3])), "there are 1 sizes for 2 axes"),
    (node("Gather", 13, AXES, np.array([True])), "indices are i32 or i64, got i1"),
]


@pytest.mark.parametrize(("case", "reason"), NUMBERS, ids=lambda each: each.name if isinstance(each, NodeCase) else "")
def test_numbers_that_an_op_cannot_take(case: NodeCase, reason: str):
    with pytest.raises(InputError, match=rf"\({case.op}\): {reason}$"):
        case.imported()
