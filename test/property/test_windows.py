"""Random convolutions, pools and resizes compute what ONNX Runtime computes."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from one_op import evaluate
from tools import need_module
from xdsl.ir import SSAValue

from rlx_dialect.attributes import NearestRounding, PoolKind, ResizeCoordinates, ResizeMode
from rlx_dialect.ops import ConvConfig, ConvOp, ConvTransposeOp, PoolConfig, PoolOp, ResizeOp
from rlx_dialect.reference import Array


def onnx_runtime(op_type: str, arrays: Sequence[Array | None], **attributes: Any) -> Array:
    """One node of ONNX's on `arrays`, None where it leaves an input out."""
    need_module("onnx")
    need_module("onnxruntime")
    helper: Any = importlib.import_module("onnx.helper")
    runtime: Any = importlib.import_module("onnxruntime")
    given = {f"x{i}": array for i, array in enumerate(arrays) if array is not None}
    names = [f"x{i}" if array is not None else "" for i, array in enumerate(arrays)]
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in given.items()
    ]
    outputs = [helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(np.dtype(np.float32)), None)]
    graph = helper.make_graph([helper.make_node(op_type, names, ["y"], **attributes)], "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, given)[0]


class Numbers:
    """Random numbers of one seed."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def __call__(self, low: int, high: int) -> int:
        """From `low` to `high`, both included."""
        return int(self.rng.integers(low, high + 1))

    def values(self, dims: Sequence[int]) -> Array:
        return self.rng.standard_normal(list(dims)).astype(np.float32)


class Window:
    """A random window that fits at least once, and the attributes of a node that has it."""

    def __init__(self, number: Numbers):
        axes = range(number(1, 3))
        self.kernel = [number(1, 3) for _ in axes]
        self.stride = [number(1, 3) for _ in axes]
        self.dilation = [number(1, 2) for _ in axes]
        self.low = [number(0, k - 1) for k in self.kernel]
        self.high = [number(0, k - 1) for k in self.kernel]
        self.sizes = [number((k - 1) * d + 1, 8) for k, d in zip(self.kernel, self.dilation)]
        self.attributes = {"strides": self.stride, "pads": self.low + self.high, "dilations": self.dilation}


def same(got: Array, expected: Array) -> None:
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


SEEDS = range(25)


@pytest.mark.parametrize("seed", SEEDS)
def test_convolutions(seed: int):
    number = Numbers(seed)
    window, groups = Window(number), number(1, 2)
    channels, outputs = groups * number(1, 2), groups * number(1, 2)
    config = ConvConfig(window.stride, window.low, window.high, window.dilation, groups=groups)
    x = number.values((2, channels, *window.sizes))
    weight = number.values((outputs, channels // groups, *window.kernel))
    expected = onnx_runtime("Conv", [x, weight], group=groups, **window.attributes)
    same(evaluate(lambda v: ConvOp(*v, config=config), x, weight), expected)

    weight = number.values((channels, outputs // groups, *window.kernel))
    more = [number(0, step - 1) for step in window.stride]
    expected = onnx_runtime("ConvTranspose", [x, weight], group=groups, output_padding=more, **window.attributes)
    for plain in (False, True):
        same(evaluate(lambda v: ConvTransposeOp(*v, config=config, output_pad=more), x, weight, plain=plain), expected)


@pytest.mark.parametrize("ceil", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_pools(seed: int, ceil: bool):
    number = Numbers(seed)
    window, include_pad = Window(number), bool(number(0, 1))
    config = PoolConfig(window.kernel, window.stride, window.low, window.high, window.dilation, ceil)
    x = number.values((1, 2, *window.sizes))
    attributes = {"kernel_shape": window.kernel, "ceil_mode": int(ceil), **window.attributes}
    largest = onnx_runtime("MaxPool", [x], **attributes)
    mean = onnx_runtime("AveragePool", [x], count_include_pad=int(include_pad), **attributes)
    for plain in (False, True):
        same(evaluate(lambda v: PoolOp(PoolKind.MAX, v[0], config), x, plain=plain), largest)
        got = evaluate(lambda v: PoolOp(PoolKind.AVG, v[0], config, count_include_pad=include_pad), x, plain=plain)
        same(got, mean)


ROUNDINGS = [(ResizeMode.NEAREST, rounding) for rounding in NearestRounding]
MODES = [*ROUNDINGS, *((mode, NearestRounding.ROUND_PREFER_FLOOR) for mode in (ResizeMode.LINEAR, ResizeMode.CUBIC))]


@pytest.mark.parametrize("coordinates", [each for each in ResizeCoordinates if each is not ResizeCoordinates.CROP])
@pytest.mark.parametrize(("mode", "rounding"), MODES)
def test_resizes(mode: ResizeMode, rounding: NearestRounding, coordinates: ResizeCoordinates):
    # No element of these comes from the middle between two, where ONNX Runtime, in f32, goes either way.
    sizes, new = (7, 5), (6, 8)
    x, outside = Numbers(0).values((1, 1, *sizes)), mode is ResizeMode.CUBIC
    attributes: dict[str, Any] = {"mode": mode.value, "coordinate_transformation_mode": coordinates.value}
    if mode is ResizeMode.NEAREST:
        attributes["nearest_mode"] = rounding.value
    target = np.array([1, 1, *new])
    expected = onnx_runtime("Resize", [x, None, None, target], exclude_outside=int(outside), **attributes)

    def resize(values: Sequence[SSAValue]) -> ResizeOp:
        return ResizeOp(
            *(mode, values[0], (2, 3), new), coordinates=coordinates, rounding=rounding, exclude_outside=outside
        )

    for plain in (False, True):
        same(evaluate(resize, x, plain=plain), expected)
