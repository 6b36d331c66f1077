"""Functions that are made of several ops, against their formulas in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx_nodes import NodeCase

from rlx_dialect.reference import Array

FUNCTIONS: dict[str, tuple[Callable[[Any], Any], list[float]]] = {
    "Acos": (np.arccos, [-1.0, -0.9999999, -0.5, 0.0, 1e-4, 0.7, 0.9999999, 1.0]),
    "Acosh": (np.arccosh, [1.0, 1.0000001, 1.5, 7.0, 3e4, 1e30]),
    "Asin": (np.arcsin, [-1.0, -0.9999999, -1e-5, 0.0, 1e-20, 0.3, 1.0]),
    "Asinh": (np.arcsinh, [-1e30, -2e3, -1.0, -1e-6, 0.0, 1e-20, 0.4, 2800.0, 2900.0, 1e38]),
    "Atanh": (np.arctanh, [-0.999, -0.5, -1e-7, 0.0, 1e-20, 0.25, 0.99]),
    "Cosh": (np.cosh, [-89.2, -3.0, -1e-4, 0.0, 0.5, 20.0, 89.2, 100.0]),
    "Sinh": (np.sinh, [-89.2, -3.0, -1e-6, 0.0, 1e-20, 0.5, 4.1, 4.2, 89.2, 100.0]),
}


@pytest.mark.parametrize("op", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_digits_of_f32(op: str):
    """Also where the result is small, is beside a pole or is almost too great."""
    function, points = FUNCTIONS[op]
    x = np.array(points, np.float32)
    (got,) = NodeCase("c", op, [x], opset=13).imported()
    with np.errstate(over="ignore"):
        wanted = function(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(got, wanted, rtol=2e-6, atol=0)


@pytest.mark.parametrize("op", ["Asinh", "Cosh", "Sinh"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_narrow_floats_are_rounded_once(op: str):
    function, points = FUNCTIONS[op]
    x = np.array(points, np.float32).astype(ml_dtypes.bfloat16)
    (got,) = NodeCase("c", op, [x], opset=22).imported()
    with np.errstate(over="ignore"):
        wanted = function(x.astype(np.float64)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(got.astype(np.float32), wanted.astype(np.float32))


def test_local_response_of_an_even_size_reaches_one_further_behind():
    x = np.arange(12, dtype=np.float32).reshape(1, 6, 2) / 4
    (got,) = NodeCase("c", "LRN", [x], attributes={"size": 4, "alpha": 0.5, "beta": 0.5, "bias": 2.0}).imported()
    sums = np.stack([(x[:, max(0, c - 1) : c + 3] ** 2).sum(1) for c in range(6)], axis=1)
    np.testing.assert_allclose(got, x / (2 + 0.5 / 4 * sums) ** 0.5, rtol=2e-6)


def test_group_norm_before_op_set_21_has_a_gain_for_each_group():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, 4, 5)).astype(np.float32)
    gain, shift = np.array([2, 3], np.float32), np.array([-1, 1], np.float32)
    case = NodeCase("c", "GroupNormalization", [x, gain, shift], attributes={"num_groups": 2}, opset=18)
    grouped = x.reshape(2, 2, 10).astype(np.float64)
    normed = (grouped - grouped.mean(-1, keepdims=True)) / np.sqrt(grouped.var(-1, keepdims=True) + 1e-5)
    wanted = (normed * gain[:, None] + shift[:, None]).reshape(x.shape)
    np.testing.assert_allclose(case.imported()[0], wanted, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_norms_of_zeros_are_zeros(dtype: Any):
    x: Array = np.array([[0, 0], [3, 4]], dtype)
    (got,) = NodeCase("c", "LpNormalization", [x], opset=22).imported()
    np.testing.assert_array_equal(got, np.array([[0, 0], [0.6, 0.8]], dtype))


@pytest.mark.parametrize("opset", [11, 13, 17])
def test_layer_norms_that_the_optimiser_of_onnx_runtime_writes(opset: int):
    """In models of any op set, as it knows the op in each."""
    x, gain, shift = np.array([[1, 3], [0, 8]], np.float32), np.array([1, 2], np.float32), np.array([0, 1], np.float32)
    case = NodeCase("c", "LayerNormalization", [x, gain, shift], attributes={"epsilon": 0.0}, opset=opset)
    np.testing.assert_allclose(case.imported()[0], [[-1, 3], [-1, 3]], rtol=1e-6)
